/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tcp, udp - sockets over the loopback interface, IPv4; TCP without Nagle's delay.
 *
 * The kernel chooses the ports, which other programs may find: connections from other addresses than the
 * peer's are closed, and no socket listens once the two ends are connected. */
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "src/probe/probe.h"

enum { UDP_MAX = 65507, STRANGERS_MAX = 1000 };

/* Makes a socket on a port of 127.0.0.1, and returns its address. */
static int bind_socket(struct hop *hop, enum hop_end end, int type, struct sockaddr_in *address)
{
	socklen_t size = sizeof(*address);
	int fd = socket(AF_INET, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	hop->fds[end] = fd;
	*address = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
	if (bind(fd, (struct sockaddr *)address, sizeof(*address)) < 0 ||
		getsockname(fd, (struct sockaddr *)address, &size) < 0)
		return -errno;
	return 0;
}

static int connect_to(int fd, const struct sockaddr_in *address)
{
	return connect(fd, (const struct sockaddr *)address, sizeof(*address)) < 0 ? -errno : 0;
}

static bool same_address(const struct sockaddr_in *one, const struct sockaddr_in *other)
{
	return one->sin_port == other->sin_port && one->sin_addr.s_addr == other->sin_addr.s_addr;
}

/* Keeps the keeper from waiting where other programs fill the listener's queue. */
static int limit_waiting(int fd, int seconds)
{
	const struct timeval limit = {.tv_sec = seconds};

	if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) < 0 ||
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) < 0)
		return -errno;
	return 0;
}

/* Replaces the listening socket by the connection from @peer. */
static int accept_peer(struct hop *hop, const struct sockaddr_in *peer)
{
	for (unsigned i = 0; i < STRANGERS_MAX; i++) {
		struct sockaddr_in from = {0};
		socklen_t size = sizeof(from);
		int fd = accept4(hop->fds[HOP_RECEIVER], (struct sockaddr *)&from, &size, SOCK_CLOEXEC);

		if (fd < 0)
			return -errno;
		if (same_address(&from, peer)) {
			close(hop->fds[HOP_RECEIVER]);
			hop->fds[HOP_RECEIVER] = fd;
			return limit_waiting(fd, 0);
		}
		close(fd);
	}
	return -ECONNABORTED;
}

static int tcp_open(struct hop *hop)
{
	struct sockaddr_in in, out;
	const int on = 1;
	int r = bind_socket(hop, HOP_RECEIVER, SOCK_STREAM, &in);

	if (r == 0 && listen(hop->fds[HOP_RECEIVER], 16) < 0)
		r = -errno;
	if (r == 0)
		r = bind_socket(hop, HOP_SENDER, SOCK_STREAM, &out);
	if (r < 0)
		return r;
	for (int end = 0; end < 2; end++)
		if ((r = limit_waiting(hop->fds[end], 1)) < 0)
			return r;
	r = connect_to(hop->fds[HOP_SENDER], &in);
	if (r == 0)
		r = accept_peer(hop, &out);
	if (r == 0)
		r = limit_waiting(hop->fds[HOP_SENDER], 0);
	for (int end = 0; r == 0 && end < 2; end++)
		if (setsockopt(hop->fds[end], IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) < 0)
			r = -errno;
	return r;
}

/* Drops datagrams that other programs sent before the socket was connected. */
static void drop_datagrams(int fd)
{
	char byte;

	for (unsigned i = 0; i < STRANGERS_MAX && recv(fd, &byte, 1, MSG_DONTWAIT | MSG_TRUNC) >= 0; i++)
		continue;
}

static int udp_open(struct hop *hop)
{
	const struct timeval notice = {.tv_usec = PROBE_NOTICE_MS * 1000};
	struct sockaddr_in in, out;

	if (hop->size > UDP_MAX)
		return -EMSGSIZE;
	int r = bind_socket(hop, HOP_RECEIVER, SOCK_DGRAM, &in);

	if (r == 0)
		r = bind_socket(hop, HOP_SENDER, SOCK_DGRAM, &out);
	if (r == 0)
		r = connect_to(hop->fds[HOP_RECEIVER], &out);
	if (r == 0)
		r = connect_to(hop->fds[HOP_SENDER], &in);
	if (r < 0)
		return r;
	drop_datagrams(hop->fds[HOP_RECEIVER]);
	if (setsockopt(hop->fds[HOP_RECEIVER], SOL_SOCKET, SO_RCVTIMEO, &notice, sizeof(notice)) < 0)
		return -errno;
	return 0;
}

static bool has_passed(const struct timespec *deadline)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec != deadline->tv_sec ? now.tv_sec > deadline->tv_sec
					      : now.tv_nsec >= deadline->tv_nsec;
}

/* SO_RCVTIMEO ends recv() every PROBE_NOTICE_MS, so a deadline costs no system call of its own. */
static int udp_recv(struct hop *hop, const struct timespec *deadline)
{
	for (;;) {
		ssize_t n = recv(hop->fd, hop->token, hop->size, 0);

		if (n == (ssize_t)hop->size)
			return 0;
		if (n >= 0)
			return -EBADMSG;
		if (errno != EAGAIN)
			return -errno;
		if (!deadline)
			return -EINTR;
		if (has_passed(deadline))
			return -ETIMEDOUT;
	}
}

static const struct probe_remedy inet_remedies[] = {
	{{-EMSGSIZE}, "a UDP datagram carries 65507 bytes at most"},
	{.text = NULL},
};

const struct probe probe_tcp = {
	.name = "tcp",
	.title = "TCP over loopback",
	.traits = PROBE_PAYLOAD,
	.open = tcp_open,
	.send = probe_fd_write,
	.recv = probe_fd_read,
	.remedies = {inet_remedies, probe_loopback_remedies},
};

const struct probe probe_udp = {
	.name = "udp",
	.title = "UDP over loopback",
	.traits = PROBE_PAYLOAD | PROBE_DEADLINE | PROBE_MAY_LOSE,
	.open = udp_open,
	.send = probe_fd_send,
	.recv = udp_recv,
	.remedies = {inet_remedies, probe_loopback_remedies},
};
