/* SPDX-License-Identifier: GPL-2.0-or-later */
/* descriptors.h - for probes: send and recv over the end's descriptor. */
#pragma once

#include <stdint.h>
#include <time.h>

#include "src/probe/hop.h"

struct hop_fds {
	int by_end[2]; /* of enum hop_end; 0: none. Without the sender's, both ends use the receiver's. */
};
/* Sets hop->local to the end's descriptor. */
int hop_fds_attach(struct hop *hop, enum hop_end end);
void hop_fds_release(struct hop *hop);
/* Move the whole token over the end's descriptor, a stream. */
int probe_fd_write(struct hop *hop);
int probe_fd_read(struct hop *hop, const struct timespec *deadline);
/* Sends the token as one message over a socket. */
int probe_fd_send(struct hop *hop);
static inline int hop_fd(const struct hop *hop)
{
	return (int)(intptr_t)hop->local;
}
