/* SPDX-License-Identifier: GPL-2.0-or-later */
/* descriptors.h - for probes: send and recv over the end's descriptor. */
#pragma once

#include <time.h>

#include "src/probe/hop.h"

/* Move the whole token over a stream. */
int probe_fd_write(struct hop *hop);
int probe_fd_read(struct hop *hop, const struct timespec *deadline);
/* Sends the token as one message over a socket. */
int probe_fd_send(struct hop *hop);
