/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lap.c - one lap after the other: the code that is measured, and that measures.
 *
 * Between `sent` and `received` lies only the mechanism's own work. After send a member goes
 * straight to recv; all bookkeeping stands between `received` and the next `sent`. */
#include "src/lap.h"

#include <errno.h>

#include "src/clock.h"
#include "src/futex.h"

/* Laps that are not counted after a start, and after a live change: as many, but no longer than
 * this (a ring with an interval of a second should not be blind for minutes), and at least one. */
enum { WARMUP_LAPS = 100, WARMUP_NS = 100000000, RESUMED_LAPS = 10 };

/* Two tasks that hand over without a pause can keep all others from their CPU: real-time ones until the
 * kernel throttles them (a gap of 50 ms that would be ours, not the machine's), others for seconds under
 * EEVDF. So the origin of a flood rests after each stretch, for more than the 5 % that throttling would take.
 */
enum { STRETCH_NS = 15000000, REST_NS = 1000000, RESTED_LAPS = 4 };

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

	if (r < 0)
		return r;
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

static void warm_up(struct loop *l, uint32_t laps, uint64_t now_ns)
{
	l->warmup_left = laps;
	l->warmup_until_ns = now_ns + WARMUP_NS;
	l->changes = atomic_load_explicit(&l->ring->changes, memory_order_relaxed);
}

static void publish_due(struct loop *l, uint64_t due_ns)
{
	atomic_store_explicit(&l->slot->due_ns, due_ns, memory_order_relaxed);
}

static void add(_Atomic uint32_t *counter, uint32_t count)
{
	atomic_store_explicit(
		counter, atomic_load_explicit(counter, memory_order_relaxed) + count, memory_order_relaxed);
}

/* Slots that a stall swallowed. They count in warm-up too: nothing hides a stall. */
static void count_missed(struct loop *l, const struct pace_missed *missed, uint64_t now_ns)
{
	if (!missed->count)
		return;
	add(&l->slot->missed, (uint32_t)missed->count);
	hist_record_series(l->live[LIVE_WAITED], atomic_load_explicit(&l->head->epoch, memory_order_relaxed),
		missed->longest_ns, l->pace.interval_ns, missed->count, now_ns);
}

/* The ring is told to pause or to end: what was overdue then is missed, and not served later. */
static void abandon_dues(struct loop *l)
{
	uint64_t until_ns = atomic_load_explicit(&l->ring->commanded_ns, memory_order_relaxed);
	struct pace_missed missed;

	pace_abandon(&l->pace, until_ns, &missed);
	count_missed(l, &missed, until_ns);
	publish_due(l, 0);
}

static void count_active(struct loop *l)
{
	uint64_t since_ns = atomic_load_explicit(&l->slot->running_since_ns, memory_order_relaxed);

	if (!since_ns)
		return;
	atomic_store_explicit(&l->slot->running_since_ns, 0, memory_order_relaxed);
	atomic_store_explicit(&l->slot->ran_ns,
		atomic_load_explicit(&l->slot->ran_ns, memory_order_relaxed) + clock_now_ns() - since_ns,
		memory_order_relaxed);
}

/* Sleeps until commanded to run; a ring that has its loops waits for its end alone. */
int lap_wait_for_turn(struct loop *l, enum ring_state state)
{
	abandon_dues(l);
	count_active(l);
	arena_set_state(l->arena, l->ring, state);
	while (!lap_must_stop(l)) {
		uint32_t command = atomic_load_explicit(&l->ring->command, memory_order_relaxed);

		if (command == COMMAND_RUN && state != RING_DONE)
			break;
		futex_wait(&l->ring->command, command, NULL);
	}
	if (lap_must_stop(l))
		return -ECANCELED;
	uint64_t now_ns = clock_now_ns();

	pace_start(&l->pace, now_ns + l->ring->offset_ns);
	warm_up(l, l->has_run ? RESUMED_LAPS : WARMUP_LAPS, now_ns);
	l->has_run = true;
	l->rest_ns = now_ns + STRETCH_NS;
	atomic_store_explicit(&l->slot->running_since_ns, now_ns, memory_order_relaxed);
	arena_set_state(l->arena, l->ring, RING_RUNNING);
	return 0;
}

static bool must_pause(const struct loop *l)
{
	return atomic_load_explicit(&l->ring->command, memory_order_relaxed) != COMMAND_RUN;
}

/* Sleeps until the next lap may start. 1: it slept; 0: there was nothing to wait for. */
static int wait_for_due(struct loop *l)
{
	uint64_t due_ns = pace_due(&l->pace); /* 0 within a burst */
	struct timespec deadline = clock_timespec(due_ns);
	int slept = 0;

	if (due_ns)
		publish_due(l, due_ns);
	while (due_ns && clock_now_ns() < due_ns) {
		slept = 1;
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL);
		if (must_pause(l))
			break;
	}
	return slept;
}

/* Between two laps: commands, and the wait. Returns the flags of the lap, or a negative errno. */
static int next_lap(struct loop *l)
{
	for (;;) {
		if (lap_must_stop(l))
			return -ECANCELED;
		if (must_pause(l)) {
			int r = lap_wait_for_turn(l, RING_PAUSED);

			if (r < 0)
				return r;
		}
		int slept = l->pace.interval_ns ? wait_for_due(l) : 0;

		if (!must_pause(l) && !lap_must_stop(l))
			return slept ? STAMP_FIRST : 0;
	}
}

static void rest(struct loop *l)
{
	const struct timespec pause = clock_timespec(REST_NS);

	clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	l->rest_ns = clock_now_ns() + STRETCH_NS;
	if (l->warmup_left < RESTED_LAPS)
		warm_up(l, RESTED_LAPS, clock_now_ns());
}

static uint32_t warmup_flag(struct loop *l)
{
	if (l->changes != atomic_load_explicit(&l->ring->changes, memory_order_relaxed))
		warm_up(l, WARMUP_LAPS, clock_now_ns());
	return l->warmup_left ? STAMP_WARMUP : 0;
}

struct lap {
	uint32_t flags;
	uint64_t due_ns, sent_ns, answered_ns, received_ns; /* answered: sent of the last hop */
	struct pace_missed missed;
};

static void count_lap(struct loop *l, const struct lap *lap)
{
	count_missed(l, &lap->missed, lap->sent_ns);
	if (lap->flags & STAMP_WARMUP) {
		add(&l->slot->warmup_laps, 1);
		l->warmup_left = lap->received_ns < l->warmup_until_ns ? l->warmup_left - 1 : 0;
		return;
	}
	if (lap->flags & STAMP_DUE)
		record(l, LIVE_LATENESS, lap->due_ns, lap->sent_ns);
	record(l, LIVE_ANSWER, lap->answered_ns, lap->received_ns);
	record(l, LIVE_LAP, lap->sent_ns, lap->received_ns);
	add(&l->slot->laps, 1);
	l->laps++;
}

int lap_start(struct loop *l)
{
	struct lap lap;
	int r = next_lap(l);

	if (r < 0)
		return r;
	lap.due_ns = pace_take(&l->pace, l->pace.interval_ns ? clock_now_ns() : 0, &lap.missed);
	/* The lap that ends a stall is no warm-up. */
	lap.flags = (uint32_t)r | (lap.due_ns ? STAMP_DUE : 0) | (lap.missed.count ? 0 : warmup_flag(l));
	lap.sent_ns = stamp_and_now(l->out_stamp, lap.due_ns, lap.flags);
	r = hop_send(l);
	if (r == 0)
		r = hop_receive(l);
	lap.received_ns = clock_now_ns();
	if (r < 0)
		return r;
	lap.answered_ns = atomic_load_explicit(&l->in_stamp->sent_ns, memory_order_relaxed);
	count_lap(l, &lap);
	if (!l->pace.interval_ns && lap.received_ns >= l->rest_ns)
		rest(l);
	if (l->ring->loops && l->laps >= l->ring->loops)
		return lap_wait_for_turn(l, RING_DONE);
	return 0;
}

void lap_end(struct loop *l)
{
	abandon_dues(l);
	count_active(l);
}
