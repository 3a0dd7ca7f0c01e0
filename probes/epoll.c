/* SPDX-License-Identifier: GPL-2.0-or-later */
/* epoll - a pipe that the receiver waits for with epoll_wait(2), as event loops do. */
#include <errno.h>
#include <fcntl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "src/probe/probe.h"

/* hop->fds: the receiver's is the epoll instance. */
enum { READING_END = 2 };

static int epoll_probe_open(struct hop *hop)
{
	struct epoll_event readable = {.events = EPOLLIN};
	int pair[2], fd = epoll_create1(EPOLL_CLOEXEC);

	if (fd < 0)
		return -errno;
	hop->fds[HOP_RECEIVER] = fd;
	if (pipe2(pair, O_CLOEXEC) < 0)
		return -errno;
	hop->fds[READING_END] = pair[0];
	hop->fds[HOP_SENDER] = pair[1];
	if (fcntl(pair[0], F_SETFL, O_NONBLOCK) < 0)
		return -errno;
	return epoll_ctl(fd, EPOLL_CTL_ADD, pair[0], &readable) < 0 ? -errno : 0;
}

static int epoll_probe_recv(struct hop *hop, const struct timespec *deadline)
{
	int pipe = hop->fds[READING_END];
	struct epoll_event event;

	while (hop->done < hop->size) {
		if (epoll_wait(hop->fd, &event, 1, -1) < 0)
			return -errno;
		ssize_t n = read(pipe, (char *)hop->token + hop->done, hop->size - hop->done);

		if (n == 0 || (n < 0 && errno != EAGAIN))
			return n < 0 ? -errno : -EPIPE;
		hop->done += n > 0 ? (size_t)n : 0;
	}
	hop->done = 0;
	return 0;
}

const struct probe probe_epoll = {
	.name = "epoll",
	.title = "pipe behind epoll_wait",
	.traits = PROBE_PAYLOAD,
	.open = epoll_probe_open,
	.send = probe_fd_write,
	.recv = epoll_probe_recv,
};
