/* SPDX-License-Identifier: GPL-2.0-or-later */
/* descriptors.c - for probes: send and recv over the end's descriptor. */
#include "src/probe/descriptors.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

/* Members block SIGPIPE: without a reader, write() returns EPIPE. */
int probe_fd_write(struct hop *hop)
{
	while (hop->done < hop->size) {
		ssize_t n = write(hop->fd, (const char *)hop->token + hop->done, hop->size - hop->done);

		if (n < 0)
			return -errno;
		hop->done += (size_t)n;
	}
	hop->done = 0;
	return 0;
}

int probe_fd_read(struct hop *hop, const struct timespec *deadline)
{
	while (hop->done < hop->size) {
		ssize_t n = read(hop->fd, (char *)hop->token + hop->done, hop->size - hop->done);

		if (n <= 0)
			return n < 0 ? -errno : -EPIPE;
		hop->done += (size_t)n;
	}
	hop->done = 0;
	return 0;
}

int probe_fd_send(struct hop *hop)
{
	return send(hop->fd, hop->token, hop->size, MSG_NOSIGNAL) < 0 ? -errno : 0;
}
