/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eventfd - a counter: the sender adds one, the receiver reads it, which sets it to 0. */
#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "src/probe/probe.h"

static int eventfd_open(struct hop *hop)
{
	struct hop_fds *fds = hop->state;
	int fd = eventfd(0, EFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	fds->by_end[HOP_RECEIVER] = fd;
	return 0;
}

static int eventfd_send(struct hop *hop)
{
	const uint64_t one = 1;

	return write(hop_fd(hop), &one, sizeof(one)) < 0 ? -errno : 0;
}

static int eventfd_recv(struct hop *hop, const struct timespec *deadline)
{
	uint64_t count;

	return read(hop_fd(hop), &count, sizeof(count)) < 0 ? -errno : 0;
}

const struct probe probe_eventfd = {
	.name = "eventfd",
	.title = "eventfd",
	.hop_size = sizeof(struct hop_fds),
	.open = eventfd_open,
	.attach = hop_fds_attach,
	.send = eventfd_send,
	.recv = eventfd_recv,
	.release = hop_fds_release,
};
