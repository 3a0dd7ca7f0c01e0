/* SPDX-License-Identifier: GPL-2.0-or-later */
/* socketpair, unix, unixseq, unixdgram - Unix sockets: a pair without a name; streams, packets and datagrams
 * that are bound to a path in a private directory, which is removed once they are connected. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "src/probe/probe.h"

static int socketpair_open(struct hop *hop)
{
	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, hop->fds) < 0 ? -errno : 0;
}

static int make_socket(struct hop *hop, enum hop_end end, int type)
{
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	hop->fds[end] = fd;
	return 0;
}

/* Replaces the listening socket by the connection. */
static int accept_connection(struct hop *hop)
{
	int fd = accept4(hop->fds[HOP_RECEIVER], NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(hop->fds[HOP_RECEIVER]);
	hop->fds[HOP_RECEIVER] = fd;
	return 0;
}

static int connect_ends(struct hop *hop, const char *path, int type)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	const struct sockaddr *address = (const struct sockaddr *)&name;
	int r = make_socket(hop, HOP_RECEIVER, type);

	if (r == 0)
		r = make_socket(hop, HOP_SENDER, type);
	if (r < 0)
		return r;
	snprintf(name.sun_path, sizeof(name.sun_path), "%s", path);
	if (bind(hop->fds[HOP_RECEIVER], address, sizeof(name)) < 0 ||
		(type != SOCK_DGRAM && listen(hop->fds[HOP_RECEIVER], 1) < 0) ||
		connect(hop->fds[HOP_SENDER], address, sizeof(name)) < 0)
		return -errno;
	return type == SOCK_DGRAM ? 0 : accept_connection(hop);
}

static int unix_open(struct hop *hop)
{
	return probe_dir_use(hop, connect_ends, SOCK_STREAM);
}

/* A message must fit into the sender's buffer as a whole. Only sending one shows whether it does. */
static int try_size(struct hop *hop)
{
	int out = hop->fds[HOP_SENDER], r = 0, room = 2 * (int)hop->size;
	char *message = hop->size > 4096 ? calloc(1, hop->size) : NULL;

	if (!message)
		return hop->size > 4096 ? -ENOMEM : 0;
	if (setsockopt(out, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) < 0)
		setsockopt(out, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	if (send(out, message, hop->size, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		r = errno == ENOBUFS ? -EMSGSIZE : -errno;
	else if (recv(hop->fds[HOP_RECEIVER], message, hop->size, MSG_DONTWAIT) < 0)
		r = -errno;
	free(message);
	return r;
}

static int unixseq_open(struct hop *hop)
{
	int r = probe_dir_use(hop, connect_ends, SOCK_SEQPACKET);

	return r < 0 ? r : try_size(hop);
}

static int unixdgram_open(struct hop *hop)
{
	int r = probe_dir_use(hop, connect_ends, SOCK_DGRAM);

	return r < 0 ? r : try_size(hop);
}

static int message_recv(struct hop *hop, const struct timespec *deadline)
{
	ssize_t n = recv(hop->fd, hop->token, hop->size, 0);

	if (n < 0)
		return -errno;
	return n > 0 ? 0 : -EPIPE;
}

static const struct probe_remedy message_remedies[] = {
	{{-EMSGSIZE}, "a Unix socket does not take such messages: raise /proc/sys/net/core/wmem_max, or "
		      "run with CAP_NET_ADMIN"},
	{.text = NULL},
};

const struct probe probe_socketpair = {
	.name = "socketpair",
	.title = "pair of Unix sockets",
	.traits = PROBE_PAYLOAD | PROBE_SWEEPS,
	.open = socketpair_open,
	.send = probe_fd_write,
	.recv = probe_fd_read,
};

const struct probe probe_unix = {
	.name = "unix",
	.title = "Unix stream socket",
	.traits = PROBE_PAYLOAD,
	.open = unix_open,
	.send = probe_fd_write,
	.recv = probe_fd_read,
	.sweep = probe_dir_sweep,
	.remedies = {probe_dir_remedies},
};

const struct probe probe_unixseq = {
	.name = "unixseq",
	.title = "Unix seqpacket socket",
	.traits = PROBE_PAYLOAD,
	.open = unixseq_open,
	.send = probe_fd_send,
	.recv = message_recv,
	.sweep = probe_dir_sweep,
	.remedies = {message_remedies, probe_dir_remedies},
};

const struct probe probe_unixdgram = {
	.name = "unixdgram",
	.title = "Unix datagram socket",
	.traits = PROBE_PAYLOAD,
	.open = unixdgram_open,
	.send = probe_fd_send,
	.recv = message_recv,
	.sweep = probe_dir_sweep,
	.remedies = {message_remedies, probe_dir_remedies},
};
