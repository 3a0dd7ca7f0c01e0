/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_phases.h - phases and windows of a session. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct session;
struct block;
struct tick;

/* Takes the block of a tick that has been fed to the rows. Returns 0 or -ENOMEM. */
int session_phases_feed(struct session *session, struct block *tick);
/* Will a tick that ends at @now_ns and has these members end the phase, as someone changed their scheduling?
 * Only the tick's rings and members are read. */
bool session_phases_will_change(const struct session *session, const struct tick *tick, uint64_t now_ns);
/* The scheduling of members changed in the last tick. Begins a phase, one for all changes within a second,
 * where that is wanted. Returns 0 or -ENOMEM. */
int session_phases_change(struct session *session, const char *what);
