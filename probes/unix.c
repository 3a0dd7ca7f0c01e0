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
	struct hop_fds *fds = hop->state;

	return socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fds->by_end) < 0 ? -errno : 0;
}

static int make_socket(struct hop_fds *fds, enum hop_end end, int type)
{
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	fds->by_end[end] = fd;
	return 0;
}

/* Replaces the listening socket by the connection. */
static int accept_connection(struct hop_fds *fds)
{
	int fd = accept4(fds->by_end[HOP_RECEIVER], NULL, NULL, SOCK_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fds->by_end[HOP_RECEIVER]);
	fds->by_end[HOP_RECEIVER] = fd;
	return 0;
}

static int connect_at(struct hop_fds *fds, const struct sockaddr_un *name, int type)
{
	const struct sockaddr *address = (const struct sockaddr *)name;
	int *in = &fds->by_end[HOP_RECEIVER], *out = &fds->by_end[HOP_SENDER];
	int r = make_socket(fds, HOP_RECEIVER, type);

	if (r == 0)
		r = make_socket(fds, HOP_SENDER, type);
	if (r < 0)
		return r;
	if (bind(*in, address, sizeof(*name)) < 0 || (type != SOCK_DGRAM && listen(*in, 1) < 0) ||
		connect(*out, address, sizeof(*name)) < 0)
		return -errno;
	return type == SOCK_DGRAM ? 0 : accept_connection(fds);
}

static int connect_ends(struct hop *hop, int type)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	char directory[PROBE_DIR_SIZE];
	int r = probe_dir_make(&hop->owner, directory);

	if (r < 0)
		return r;
	snprintf(name.sun_path, sizeof(name.sun_path), "%s/socket", directory);
	r = connect_at(hop->state, &name, type);
	probe_dir_remove(directory);
	return r;
}

static int unix_open(struct hop *hop)
{
	return connect_ends(hop, SOCK_STREAM);
}

/* A message must fit into the sender's buffer as a whole. Only sending one shows whether it does. */
static int try_size(struct hop *hop)
{
	const struct hop_fds *fds = hop->state;
	int out = fds->by_end[HOP_SENDER], r = 0, room = 2 * (int)hop->size;
	char *message = hop->size > 4096 ? calloc(1, hop->size) : NULL;

	if (!message)
		return hop->size > 4096 ? -ENOMEM : 0;
	if (setsockopt(out, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) < 0)
		setsockopt(out, SOL_SOCKET, SO_SNDBUF, &room, sizeof(room));
	if (send(out, message, hop->size, MSG_DONTWAIT | MSG_NOSIGNAL) < 0)
		r = errno == ENOBUFS ? -EMSGSIZE : -errno;
	else if (recv(fds->by_end[HOP_RECEIVER], message, hop->size, MSG_DONTWAIT) < 0)
		r = -errno;
	free(message);
	return r;
}

static int unixseq_open(struct hop *hop)
{
	int r = connect_ends(hop, SOCK_SEQPACKET);

	return r < 0 ? r : try_size(hop);
}

static int unixdgram_open(struct hop *hop)
{
	int r = connect_ends(hop, SOCK_DGRAM);

	return r < 0 ? r : try_size(hop);
}

static int message_recv(struct hop *hop, const struct timespec *deadline)
{
	ssize_t n = recv(hop_fd(hop), hop->token, hop->size, 0);

	if (n < 0)
		return -errno;
	return n > 0 ? 0 : -EPIPE;
}

static const char *message_explain(int error)
{
	return error == -EMSGSIZE
		       ? "a Unix socket does not take such messages: raise /proc/sys/net/core/wmem_max, or "
			 "run with CAP_NET_ADMIN"
		       : probe_dir_explain(error);
}

const struct probe probe_socketpair = {
	.name = "socketpair",
	.title = "pair of Unix sockets",
	.traits = PROBE_PAYLOAD,
	.hop_size = sizeof(struct hop_fds),
	.open = socketpair_open,
	.attach = hop_fds_attach,
	.send = probe_fd_write,
	.recv = probe_fd_read,
	.release = hop_fds_release,
};

const struct probe probe_unix = {
	.name = "unix",
	.title = "Unix stream socket",
	.traits = PROBE_PAYLOAD,
	.hop_size = sizeof(struct hop_fds),
	.open = unix_open,
	.attach = hop_fds_attach,
	.send = probe_fd_write,
	.recv = probe_fd_read,
	.release = hop_fds_release,
	.sweep = probe_dir_sweep,
	.explain = probe_dir_explain,
};

const struct probe probe_unixseq = {
	.name = "unixseq",
	.title = "Unix seqpacket socket",
	.traits = PROBE_PAYLOAD,
	.hop_size = sizeof(struct hop_fds),
	.open = unixseq_open,
	.attach = hop_fds_attach,
	.send = probe_fd_send,
	.recv = message_recv,
	.release = hop_fds_release,
	.sweep = probe_dir_sweep,
	.explain = message_explain,
};

const struct probe probe_unixdgram = {
	.name = "unixdgram",
	.title = "Unix datagram socket",
	.traits = PROBE_PAYLOAD,
	.hop_size = sizeof(struct hop_fds),
	.open = unixdgram_open,
	.attach = hop_fds_attach,
	.send = probe_fd_send,
	.recv = message_recv,
	.release = hop_fds_release,
	.sweep = probe_dir_sweep,
	.explain = message_explain,
};
