/* SPDX-License-Identifier: GPL-2.0-or-later */
/* zmq-inproc, zmq-ipc, zmq-tcp - ZeroMQ PAIR sockets: within a process, over a Unix socket, over loopback.
 * zmq-req-ipc, zmq-req-tcp - a REQ socket and the REP socket that answers it.
 *
 * Contexts and sockets don't survive a fork, so each end makes its own in attach. Their I/O threads have the
 * member's CPU and policy. Over TCP the receiver listens as long as it exists, so it accepts only the peer
 * that sends the secret first; a PAIR accepts no second peer, and a REP answers it apart from the first. */
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zmq.h>

#include "src/probe/probe.h"

enum { HANDSHAKE = 256 }; /* bytes: the first messages between sockets count against the limit too */
enum { ANY_PORT = 9 };    /* nothing is sent there */

struct zmq {
	char directory[PROBE_DIR_SIZE]; /* zmq-ipc's; empty: none */
	char endpoint[16 + PROBE_PATH_SIZE];
	char secret[16];
	void *context; /* zmq-inproc's, for both ends */
};

struct end {
	void *socket;
	int type;
	bool expects_secret;
	bool owes_secret; /* a REQ socket sends it with its first token, because REP has to answer each
			     message */
};

static int inproc_open(struct hop *hop)
{
	struct zmq *zmq = hop->state;

	snprintf(zmq->endpoint, sizeof(zmq->endpoint), "inproc://hop");
	return 0;
}

static int ipc_open(struct hop *hop)
{
	struct zmq *zmq = hop->state;
	int r = probe_dir_make(&hop->owner, zmq->directory);

	if (r == 0)
		snprintf(zmq->endpoint, sizeof(zmq->endpoint), "ipc://%s/socket", zmq->directory);
	return r;
}

/* Returns 0, or a negative errno if 127.0.0.1 can't be reached. */
static int check_loopback(void)
{
	const struct sockaddr_in address = {
		.sin_family = AF_INET, .sin_port = htons(ANY_PORT), .sin_addr = {htonl(INADDR_LOOPBACK)}};
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	int r = connect(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;

	close(fd);
	return r;
}

/* The receiver writes its port into the endpoint. Without a loopback interface ZeroMQ would try for ever. */
static int tcp_open(struct hop *hop)
{
	struct zmq *zmq = hop->state;
	int r = check_loopback();

	if (r < 0)
		return r;
	snprintf(zmq->endpoint, sizeof(zmq->endpoint), "tcp://127.0.0.1:*");
	return getrandom(zmq->secret, sizeof(zmq->secret), 0) < 0 ? -errno : 0;
}

static void ipc_remove(struct hop *hop)
{
	const struct zmq *zmq = hop->state;

	probe_dir_remove(zmq->directory);
}

static int make_socket(struct end *end, void *context, size_t size)
{
	const int linger = 0;
	const int64_t longest = (int64_t)size + HANDSHAKE;

	end->socket = context ? zmq_socket(context, end->type) : NULL;
	if (!end->socket || zmq_setsockopt(end->socket, ZMQ_LINGER, &linger, sizeof(linger)) < 0 ||
		zmq_setsockopt(end->socket, ZMQ_MAXMSGSIZE, &longest, sizeof(longest)) < 0)
		return -errno;
	return 0;
}

static int connect_end(struct hop *hop, enum hop_end side, void *context, int type)
{
	struct zmq *zmq = hop->state;
	struct end *end = calloc(1, sizeof(*end));
	size_t size = sizeof(zmq->endpoint);

	hop->local = end;
	if (!end)
		return -ENOMEM;
	end->type = type;
	int r = make_socket(end, context, hop->size);

	if (r < 0)
		return r;
	if (side == HOP_SENDER)
		return zmq_connect(end->socket, zmq->endpoint) < 0 ? -errno : 0;
	if (zmq_bind(end->socket, zmq->endpoint) < 0 ||
		zmq_getsockopt(end->socket, ZMQ_LAST_ENDPOINT, zmq->endpoint, &size) < 0)
		return -errno;
	return 0;
}

static int inproc_attach(struct hop *hop, enum hop_end side)
{
	struct zmq *zmq = hop->state;

	if (side == HOP_RECEIVER)
		zmq->context = zmq_ctx_new();
	return connect_end(hop, side, zmq->context, ZMQ_PAIR);
}

static int ipc_attach(struct hop *hop, enum hop_end side)
{
	return connect_end(hop, side, zmq_ctx_new(), ZMQ_PAIR);
}

/* @flags: ZMQ_SNDMORE if the message goes on. */
static int send_secret(struct hop *hop, int flags)
{
	const struct zmq *zmq = hop->state;
	const struct end *end = hop->local;

	return zmq_send(end->socket, zmq->secret, sizeof(zmq->secret), flags) < 0 ? -errno : 0;
}

static int attach_over_tcp(struct hop *hop, enum hop_end side, int type)
{
	int r = connect_end(hop, side, zmq_ctx_new(), type);
	struct end *end = hop->local;

	if (r < 0)
		return r;
	end->expects_secret = side == HOP_RECEIVER;
	end->owes_secret = type == ZMQ_REQ;
	if (type == ZMQ_PAIR && side == HOP_SENDER)
		return send_secret(hop, 0);
	return 0;
}

static int tcp_attach(struct hop *hop, enum hop_end side)
{
	return attach_over_tcp(hop, side, ZMQ_PAIR);
}

static int zmq_probe_send(struct hop *hop)
{
	const struct end *end = hop->local;

	return zmq_send(end->socket, hop->token, hop->size, 0) < 0 ? -errno : 0;
}

static int receive_secret(struct hop *hop)
{
	const struct zmq *zmq = hop->state;
	struct end *end = hop->local;
	char secret[sizeof(zmq->secret)];
	int n = zmq_recv(end->socket, secret, sizeof(secret), 0);

	if (n < 0)
		return -errno;
	if ((size_t)n != sizeof(secret) || memcmp(secret, zmq->secret, sizeof(secret)) != 0)
		return -EPROTO;
	end->expects_secret = false;
	return 0;
}

static int zmq_probe_recv(struct hop *hop, const struct timespec *deadline)
{
	struct end *end = hop->local;
	int r = end->expects_secret ? receive_secret(hop) : 0;

	if (r < 0)
		return r;
	r = zmq_recv(end->socket, hop->token, hop->size, 0);
	if (r < 0)
		return -errno;
	return (size_t)r == hop->size ? 0 : -EBADMSG;
}

/* --- REQ and REP: the answer goes back over the request's sockets --- */

static int request_ipc_open(struct hop *hop)
{
	return hop->is_answer ? 0 : ipc_open(hop);
}

static int request_tcp_open(struct hop *hop)
{
	return hop->is_answer ? 0 : tcp_open(hop);
}

static int request_type(enum hop_end side)
{
	return side == HOP_SENDER ? ZMQ_REQ : ZMQ_REP;
}

static int request_ipc_attach(struct hop *hop, enum hop_end side)
{
	int r = hop->is_answer ? 0 : connect_end(hop, side, zmq_ctx_new(), request_type(side));

	if (!hop->is_answer)
		hop->back->local = hop->local;
	return r;
}

static int request_tcp_attach(struct hop *hop, enum hop_end side)
{
	int r = hop->is_answer ? 0 : attach_over_tcp(hop, side, request_type(side));

	if (!hop->is_answer)
		hop->back->local = hop->local;
	return r;
}

static int request_tcp_send(struct hop *hop)
{
	struct end *end = hop->local;

	int r = end->owes_secret ? send_secret(hop, ZMQ_SNDMORE) : 0;

	if (r < 0)
		return r;
	end->owes_secret = false;
	return zmq_probe_send(hop);
}

static const struct probe_remedy tcp_remedies[] = {
	{{-EPROTO}, "a stranger has connected first"},
	{.text = NULL},
};

const struct probe probe_zmq_inproc = {
	.name = "zmq-inproc",
	.title = "ZeroMQ within a process",
	.traits = PROBE_PAYLOAD | PROBE_THREADS_ONLY | PROBE_HAS_THREADS,
	.hop_size = sizeof(struct zmq),
	.open = inproc_open,
	.attach = inproc_attach,
	.send = zmq_probe_send,
	.recv = zmq_probe_recv,
};

const struct probe probe_zmq_ipc = {
	.name = "zmq-ipc",
	.title = "ZeroMQ over a Unix socket",
	.traits = PROBE_PAYLOAD | PROBE_HAS_THREADS,
	.hop_size = sizeof(struct zmq),
	.open = ipc_open,
	.attach = ipc_attach,
	.send = zmq_probe_send,
	.recv = zmq_probe_recv,
	.remove = ipc_remove,
	.sweep = probe_dir_sweep,
	.remedies = {probe_dir_remedies},
};

const struct probe probe_zmq_tcp = {
	.name = "zmq-tcp",
	.title = "ZeroMQ over TCP loopback",
	.traits = PROBE_PAYLOAD | PROBE_HAS_THREADS,
	.hop_size = sizeof(struct zmq),
	.open = tcp_open,
	.attach = tcp_attach,
	.send = zmq_probe_send,
	.recv = zmq_probe_recv,
	.remedies = {tcp_remedies, probe_loopback_remedies},
};

const struct probe probe_zmq_req_ipc = {
	.name = "zmq-req-ipc",
	.title = "ZeroMQ request and reply over a Unix socket",
	.traits = PROBE_PAYLOAD | PROBE_PAIRS_ONLY | PROBE_HAS_THREADS,
	.hop_size = sizeof(struct zmq),
	.open = request_ipc_open,
	.attach = request_ipc_attach,
	.send = zmq_probe_send,
	.recv = zmq_probe_recv,
	.remove = ipc_remove,
	.sweep = probe_dir_sweep,
	.remedies = {probe_dir_remedies},
};

const struct probe probe_zmq_req_tcp = {
	.name = "zmq-req-tcp",
	.title = "ZeroMQ request and reply over TCP loopback",
	.traits = PROBE_PAYLOAD | PROBE_PAIRS_ONLY | PROBE_HAS_THREADS,
	.hop_size = sizeof(struct zmq),
	.open = request_tcp_open,
	.attach = request_tcp_attach,
	.send = request_tcp_send,
	.recv = zmq_probe_recv,
	.remedies = {tcp_remedies, probe_loopback_remedies},
};
