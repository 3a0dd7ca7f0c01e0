/* SPDX-License-Identifier: GPL-2.0-or-later */
/* faulty.c - a mechanism that loses, doubles, reorders or damages tokens on demand: a pair of sockets that
 * keep messages apart, with a fault in send. */
#include "tests/unit/faulty.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SIZE_MAX_HERE = 8192 };

struct faulty {
	unsigned n_sent;
	bool holds; /* a token that goes out behind the next one */
	char held[SIZE_MAX_HERE];
};

/* Inherited by keeper, hosts and members. */
static struct {
	enum token_fault fault;
	unsigned every, times, hop;
	unsigned delay_us;
} wanted;

void faulty_set(enum token_fault fault, unsigned every, unsigned times, unsigned hop)
{
	wanted.fault = fault;
	wanted.every = every;
	wanted.times = times;
	wanted.hop = hop;
}

void faulty_set_delay(unsigned us)
{
	wanted.delay_us = us;
}

static bool is_hit(struct faulty *faulty, unsigned hop)
{
	unsigned n = ++faulty->n_sent;

	return wanted.times && hop == wanted.hop && n % wanted.every == 0 && n / wanted.every <= wanted.times;
}

static int faulty_open(struct hop *hop)
{
	if (hop->size > SIZE_MAX_HERE)
		return -EMSGSIZE;
	return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, hop->fds) < 0 ? -errno : 0;
}

static int write_token(const struct hop *hop, const void *bytes)
{
	return send(hop->fd, bytes, hop->size, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

static int damage(const struct hop *hop)
{
	char bytes[SIZE_MAX_HERE];

	memcpy(bytes, hop->token, hop->size);
	bytes[hop->size / 2] ^= 0x40;
	return write_token(hop, bytes);
}

static int hold(const struct hop *hop)
{
	struct faulty *faulty = hop->state;

	memcpy(faulty->held, hop->token, hop->size);
	faulty->holds = true;
	return 0;
}

static int release(const struct hop *hop)
{
	struct faulty *faulty = hop->state;

	faulty->holds = false;
	return write_token(hop, faulty->held);
}

static int faulty_send(struct hop *hop)
{
	struct faulty *faulty = hop->state;
	bool now = is_hit(faulty, hop->id);
	int r;

	if (wanted.delay_us)
		usleep(wanted.delay_us);
	if (now && wanted.fault == FAULT_DAMAGED)
		return damage(hop);
	if (now && wanted.fault == FAULT_LOST)
		return 0;
	if (now && wanted.fault == FAULT_REORDERED)
		return hold(hop);
	r = write_token(hop, hop->token);
	if (r == 0 && now && wanted.fault == FAULT_REPEATED)
		r = write_token(hop, hop->token);
	return r == 0 && faulty->holds ? release(hop) : r;
}

static int faulty_recv(struct hop *hop, const struct timespec *deadline)
{
	(void)deadline;
	return recv(hop->fd, hop->token, hop->size, 0) < 0 ? -errno : 0;
}

const struct probe probe_faulty = {
	.name = "faulty",
	.title = "a mechanism with faults",
	.traits = PROBE_PAYLOAD | PROBE_MAY_LOSE,
	.hop_size = sizeof(struct faulty),
	.open = faulty_open,
	.send = faulty_send,
	.recv = faulty_recv,
};

const struct probe *const faulty_registry[] = {&probe_faulty, NULL};
