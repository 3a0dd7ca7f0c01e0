/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lap.c - one lap after the other: the code that is measured, and that measures.
 *
 * Between `sent` and `received` lies only the mechanism's own work. After send a member goes
 * straight to recv; all bookkeeping stands between `received` and the next `sent`. */
#include "src/lap.h"

#include <errno.h>

#include "src/clock.h"
#include "src/dues.h"
#include "src/origin.h"

bool lap_must_stop(const struct loop *l)
{
	return atomic_load_explicit(&l->head->stop, memory_order_relaxed) ||
	       atomic_load_explicit(&l->ring->command, memory_order_relaxed) == COMMAND_STOP;
}

static uint64_t elapsed(uint64_t from_ns, uint64_t to_ns)
{
	int64_t ns = (int64_t)(to_ns - from_ns);

	return ns > 0 ? (uint64_t)ns : 0;
}

/* -EINTR is a wake-up to look at the commands; -ECANCELED ends the member. */
static inline int hop_send(struct loop *l)
{
	int r;

	while ((r = l->probe->send(&l->out)) == -EINTR)
		if (lap_must_stop(l))
			return -ECANCELED;
	return r;
}

static inline int hop_receive(struct loop *l)
{
	int r;

	while ((r = l->probe->recv(&l->in, NULL)) == -EINTR)
		if (lap_must_stop(l))
			return -ECANCELED;
	return r;
}

static inline void record(struct loop *l, enum live_figure figure, uint64_t from_ns, uint64_t to_ns)
{
	hist_record(l->live[figure], atomic_load_explicit(&l->head->epoch, memory_order_relaxed),
		elapsed(from_ns, to_ns), to_ns);
}

/* Relaxed: the mechanism itself orders what is written before send and read after recv. */
static inline uint64_t stamp_and_now(struct hop_stamp *stamp, uint64_t due_ns, uint32_t flags)
{
	atomic_store_explicit(&stamp->due_ns, due_ns, memory_order_relaxed);
	atomic_store_explicit(&stamp->flags, flags, memory_order_relaxed);
	uint64_t sent_ns = clock_now_ns();

	atomic_store_explicit(&stamp->sent_ns, sent_ns, memory_order_relaxed);
	return sent_ns;
}

/* Every member but the origin: takes the token, counts its hop, passes it on. */
int lap_pass_on(struct loop *l, bool after_origin)
{
	int r = hop_receive(l);
	uint64_t received_ns = clock_now_ns();

	if (r < 0 || lap_must_stop(l))
		return r < 0 ? r : -ECANCELED;
	uint64_t sent_ns = atomic_load_explicit(&l->in_stamp->sent_ns, memory_order_relaxed);
	uint64_t due_ns = atomic_load_explicit(&l->in_stamp->due_ns, memory_order_relaxed);
	uint32_t flags = atomic_load_explicit(&l->in_stamp->flags, memory_order_relaxed);

	if (!(flags & STAMP_WARMUP)) {
		record(l, flags & STAMP_FIRST ? LIVE_FIRST : LIVE_ANSWER, sent_ns, received_ns);
		if (after_origin && (flags & STAMP_DUE))
			record(l, LIVE_SERVED, due_ns, received_ns);
	}
	stamp_and_now(l->out_stamp, due_ns, flags & STAMP_WARMUP);
	return hop_send(l);
}

static void add(_Atomic uint32_t *counter)
{
	atomic_store_explicit(
		counter, atomic_load_explicit(counter, memory_order_relaxed) + 1, memory_order_relaxed);
}

struct lap {
	uint32_t flags;
	uint64_t due_ns, sent_ns, answered_ns, received_ns; /* answered: sent of the last hop */
};

static void count_lap(struct loop *l, const struct lap *lap)
{
	dues_publish(l->slot, l->pace.due_ns, l->pace.due_ns + l->pace.interval_ns);
	if (lap->flags & STAMP_WARMUP) {
		add(&l->slot->warmup_laps);
		l->warmup.left--;
		l->warmup.done++;
		return;
	}
	if (lap->flags & STAMP_DUE)
		record(l, LIVE_LATENESS, lap->due_ns, lap->sent_ns);
	record(l, LIVE_ANSWER, lap->answered_ns, lap->received_ns);
	record(l, LIVE_LAP, lap->sent_ns, lap->received_ns);
	add(&l->slot->laps);
	l->laps++;
}

/* The next lap's due, if it has one, and what is to be said of it on its way. */
static void take_due(struct loop *l, struct lap *lap)
{
	struct pace_missed missed;

	lap->due_ns = pace_take(&l->pace, l->now_ns, &missed);
	if (lap->due_ns)
		lap->flags |= STAMP_DUE;
	/* The lap that ends a stall is no warm-up. */
	if (missed.count) {
		dues_publish(l->slot, lap->due_ns, l->pace.due_ns);
		dues_count_missed(l->arena, l->ring, &missed, l->now_ns);
	} else if (origin_is_warming_up(l)) {
		lap->flags |= STAMP_WARMUP;
	}
}

int lap_start(struct loop *l)
{
	struct lap lap = {0};
	int r = origin_next_lap(l);

	if (r < 0)
		return r;
	lap.flags = (uint32_t)r;
	take_due(l, &lap);
	lap.sent_ns = stamp_and_now(l->out_stamp, lap.due_ns, lap.flags);
	r = hop_send(l);
	if (r == 0)
		r = hop_receive(l);
	lap.received_ns = clock_now_ns();
	if (r < 0 || lap_must_stop(l))
		return r < 0 ? r : -ECANCELED;
	lap.answered_ns = atomic_load_explicit(&l->in_stamp->sent_ns, memory_order_relaxed);
	count_lap(l, &lap);
	return origin_after_lap(l, lap.received_ns);
}
