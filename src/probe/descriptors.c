/* SPDX-License-Identifier: GPL-2.0-or-later */
/* descriptors.c - for probes: send and recv over the end's descriptor. */
#include "src/probe/descriptors.h"

#include <errno.h>
#include <sys/socket.h>
#include <unistd.h>

int hop_fds_attach(struct hop *hop, enum hop_end end)
{
	const struct hop_fds *fds = hop->state;
	int fd = fds->by_end[end] ? fds->by_end[end] : fds->by_end[HOP_RECEIVER];

	hop->local = (void *)(intptr_t)fd;
	return 0;
}

void hop_fds_release(struct hop *hop)
{
	const struct hop_fds *fds = hop->state;

	for (int end = 0; end < 2; end++)
		if (fds->by_end[end] > 0)
			close(fds->by_end[end]);
}

/* Members block SIGPIPE: without a reader, write() returns EPIPE. */
int probe_fd_write(struct hop *hop)
{
	while (hop->done < hop->size) {
		ssize_t n = write(hop_fd(hop), (const char *)hop->token + hop->done, hop->size - hop->done);

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
		ssize_t n = read(hop_fd(hop), (char *)hop->token + hop->done, hop->size - hop->done);

		if (n <= 0)
			return n < 0 ? -errno : -EPIPE;
		hop->done += (size_t)n;
	}
	hop->done = 0;
	return 0;
}

int probe_fd_send(struct hop *hop)
{
	return send(hop_fd(hop), hop->token, hop->size, MSG_NOSIGNAL) < 0 ? -errno : 0;
}
