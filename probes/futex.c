/* SPDX-License-Identifier: GPL-2.0-or-later */
/* futex - FUTEX_WAIT and FUTEX_WAKE on a shared word; yield - sched_yield until the word has changed.
 *
 * The word counts tokens, and only the sender writes it; each end keeps its own count. */
#include <errno.h>
#include <sched.h>

#include "src/probe/probe.h"

static uint32_t token_count(const struct hop *hop)
{
	return (uint32_t)(uintptr_t)hop->local;
}

/* Returns the new count. */
static uint32_t count_token(struct hop *hop)
{
	hop->local = (void *)((uintptr_t)hop->local + 1);
	return token_count(hop);
}

static int word_open(struct hop *hop)
{
	return 0;
}

/* Release: pairs with the acquire in probe_word_wait(). */
static int futex_send(struct hop *hop)
{
	atomic_store_explicit((_Atomic uint32_t *)hop->state, count_token(hop), memory_order_release);
	return probe_word_wake(hop->state);
}

static int futex_recv(struct hop *hop, const struct timespec *deadline)
{
	int r = probe_word_wait(hop->state, token_count(hop));

	if (r == 0)
		count_token(hop);
	return r;
}

static int yield_send(struct hop *hop)
{
	atomic_store_explicit((_Atomic uint32_t *)hop->state, count_token(hop), memory_order_release);
	return 0;
}

enum { STRETCH = 100 }; /* yields: some 0.05 ms on an otherwise idle CPU */

static int yield_recv(struct hop *hop, const struct timespec *deadline)
{
	_Atomic uint32_t *word = hop->state;

	for (unsigned i = 0; i < STRETCH; i++) {
		if (atomic_load_explicit(word, memory_order_acquire) != token_count(hop)) {
			count_token(hop);
			return 0;
		}
		sched_yield();
	}
	return -EINTR;
}

const struct probe probe_futex = {
	.name = "futex",
	.title = "futex",
	.traits = PROBE_TOKEN_IN_STATE | PROBE_SWEEPS,
	.hop_size = sizeof(_Atomic uint32_t),
	.open = word_open,
	.send = futex_send,
	.recv = futex_recv,
};

const struct probe probe_yield = {
	.name = "yield",
	.title = "shared word and sched_yield",
	.traits = PROBE_TOKEN_IN_STATE | PROBE_SPINS | PROBE_ONE_CPU,
	.hop_size = sizeof(_Atomic uint32_t),
	.open = word_open,
	.send = yield_send,
	.recv = yield_recv,
};
