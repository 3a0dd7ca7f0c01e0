/* SPDX-License-Identifier: GPL-2.0-or-later */
/* epoll - a pipe that the receiver waits for with epoll_wait(2), as event loops do. */
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "src/probe/probe.h"

struct epoll {
	struct hop_fds fds; /* the receiver's is the epoll instance */
	int pipe;           /* the reading end; O_NONBLOCK */
};

static int epoll_probe_open(struct hop *hop)
{
	struct epoll *epoll = hop->state;
	struct epoll_event readable = {.events = EPOLLIN};
	int pair[2], fd = epoll_create1(EPOLL_CLOEXEC);

	if (fd < 0)
		return -errno;
	epoll->fds.by_end[HOP_RECEIVER] = fd;
	if (pipe2(pair, O_CLOEXEC) < 0)
		return -errno;
	epoll->pipe = pair[0];
	epoll->fds.by_end[HOP_SENDER] = pair[1];
	if (fcntl(epoll->pipe, F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	return epoll_ctl(fd, EPOLL_CTL_ADD, epoll->pipe, &readable) < 0 ? -errno : 0;
}

static int epoll_probe_recv(struct hop *hop, const struct timespec *deadline)
{
	int pipe = ((const struct epoll *)hop->state)->pipe;
	struct epoll_event event;

	while (hop->done < hop->size) {
		if (epoll_wait(hop_fd(hop), &event, 1, -1) < 0)
			return -errno;
		ssize_t n = read(pipe, (char *)hop->token + hop->done, hop->size - hop->done);

		if (n == 0 || (n < 0 && errno != EAGAIN))
			return n < 0 ? -errno : -EPIPE;
		hop->done += n > 0 ? (size_t)n : 0;
	}
	hop->done = 0;
	return 0;
}

static void epoll_probe_release(struct hop *hop)
{
	const struct epoll *epoll = hop->state;

	hop_fds_release(hop);
	if (epoll->pipe > 0)
		close(epoll->pipe);
}

const struct probe probe_epoll = {
	.name = "epoll",
	.title = "pipe behind epoll_wait",
	.traits = PROBE_PAYLOAD,
	.hop_size = sizeof(struct epoll),
	.open = epoll_probe_open,
	.attach = hop_fds_attach,
	.send = probe_fd_write,
	.recv = epoll_probe_recv,
	.release = epoll_probe_release,
};
