/* SPDX-License-Identifier: GPL-2.0-or-later */
/* notify.h - reports the state of a run to the service manager that started it: sd_notify(3), without its
 * library.
 */
#pragma once

/* Sends "READY=1", "STOPPING=1" or the like to the datagram socket that $NOTIFY_SOCKET names: a path, or with
 * @ before it an abstract name. Does nothing without the variable; a message that can't be sent is dropped.
 */
void notify_service(const char *state);
