/* SPDX-License-Identifier: GPL-2.0-or-later */
/* eventfd - a counter: the sender adds one, the receiver reads it, which sets it to 0. */
#include <errno.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "src/probe/probe.h"

static int eventfd_open(struct hop *hop)
{
	int fd = eventfd(0, EFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	hop->fds[HOP_RECEIVER] = fd;
	return 0;
}

static int eventfd_send(struct hop *hop)
{
	const uint64_t one = 1;

	return write(hop->fd, &one, sizeof(one)) < 0 ? -errno : 0;
}

static int eventfd_recv(struct hop *hop, const struct timespec *deadline)
{
	uint64_t count;

	return read(hop->fd, &count, sizeof(count)) < 0 ? -errno : 0;
}

const struct probe probe_eventfd = {
	.name = "eventfd",
	.title = "eventfd",
	.traits = PROBE_SWEEPS,
	.open = eventfd_open,
	.send = eventfd_send,
	.recv = eventfd_recv,
};
