/* SPDX-License-Identifier: GPL-2.0-or-later */
/* origin.c - what the origin does between two laps: obeys, waits, warms up, rests. */
#include "src/origin.h"

#include <errno.h>

#include "src/breaktrace.h"
#include "src/clock.h"
#include "src/dues.h"
#include "src/futex.h"

/* Laps that are not counted after a start, and after a live change: as many, but no longer than
 * the arena's warmup_ns, and at least one. */
enum { RESUMED_LAPS = 10 };

/* The origin of a flood rests after each stretch, see rest.h. A ring whose laps take long leaves the CPU by
 * itself, unless its members are at work meanwhile: then the rest is as long, but fewer laps are not counted.
 */
enum {
	STRETCH_LAPS = 100,
	REST_MAX_NS = 20000000,
	RESTED_LAPS = 4,
	LIGHT_TOKEN = 4096,
};

static void warm_up(struct loop *l, uint32_t laps, uint64_t now_ns)
{
	if (l->warmup.left >= laps)
		return;
	l->warmup.left = laps;
	l->warmup.done = 0;
	l->warmup.until_ns = now_ns + l->head->warmup_ns;
}

bool origin_is_warming_up(struct loop *l)
{
	uint32_t changes = atomic_load_explicit(&l->ring->changes, memory_order_relaxed);

	if (changes != l->warmup.changes)
		warm_up(l, WARMUP_LAPS, clock_now_ns());
	l->warmup.changes = changes;
	if (!l->warmup.left)
		return false;
	if (l->warmup.done && clock_now_ns() >= l->warmup.until_ns)
		l->warmup.left = 0;
	return l->warmup.left != 0;
}

/* Acquire: pairs with the release of the command, before which its time was written. */
static enum ring_command command_of(const struct loop *l)
{
	return (enum ring_command)atomic_load_explicit(&l->ring->command, memory_order_acquire);
}

/* Told to pause or to stop, or told again to run before it noticed that. */
static bool is_called_off(const struct loop *l)
{
	return command_of(l) != COMMAND_RUN ||
	       atomic_load_explicit(&l->ring->run_ns, memory_order_relaxed) != l->run_ns;
}

/* Active until it was told to pause, however late it notices. */
static void count_active(struct loop *l, uint64_t until_ns)
{
	uint64_t since_ns = atomic_load_explicit(&l->slot->running_since_ns, memory_order_relaxed);
	uint64_t ran_ns = atomic_load_explicit(&l->slot->ran_ns, memory_order_relaxed);

	atomic_store_explicit(&l->slot->running_since_ns, 0, memory_order_relaxed);
	if (since_ns && until_ns > since_ns)
		atomic_store_explicit(&l->slot->ran_ns, ran_ns + until_ns - since_ns, memory_order_relaxed);
}

void origin_end(struct loop *l)
{
	(void)command_of(l); /* its acquire */
	uint64_t until_ns = atomic_load_explicit(&l->ring->pause_ns, memory_order_relaxed);

	uint64_t waited_ns = dues_abandon(l->arena, l->ring, until_ns);

	/* What is overdue at the run's end is counted, but ends nothing any more. */
	if (waited_ns > l->limit_ns[LIVE_WAITED] && !lap_must_stop(l))
		breaktrace_stop(l, waited_ns, until_ns);
	count_active(l, until_ns);
}

static int wait_for_command(const struct loop *l, enum ring_state state)
{
	while (!lap_must_stop(l)) {
		enum ring_command command = command_of(l);

		if (command == COMMAND_RUN && state != RING_DONE)
			return 0;
		futex_wait(&l->ring->command, command, NULL);
	}
	return -ECANCELED;
}

static void begin_stretch(struct loop *l)
{
	l->stretch_ns = clock_now_ns() + REST_STRETCH_NS;
	l->stretch_laps = 0;
}

int origin_wait_for_turn(struct loop *l, enum ring_state state)
{
	uint64_t ready_ns = clock_now_ns();

	if (state == RING_DONE) {
		dues_publish(l->slot, 0, 0);
		count_active(l, clock_now_ns());
	} else {
		origin_end(l);
	}
	arena_set_state(l->arena, l->ring, state);
	if (wait_for_command(l, state) < 0)
		return -ECANCELED;
	l->run_ns = atomic_load_explicit(&l->ring->run_ns, memory_order_relaxed);
	/* From the command on, not from when it was noticed: a turn that starts late is late. But not from
	 * before the ring was ready, for what its set-up takes is nobody's stall. */
	uint64_t start_ns = l->run_ns > ready_ns ? l->run_ns : ready_ns;

	pace_start(&l->pace, start_ns + l->ring->offset_ns);
	if (l->pace.interval_ns)
		dues_publish(l->slot, l->pace.due_ns, l->pace.due_ns + l->pace.interval_ns);
	warm_up(l, l->has_run ? RESUMED_LAPS : WARMUP_LAPS, start_ns);
	l->has_run = true;
	l->rest_next = false;
	begin_stretch(l);
	atomic_store_explicit(&l->slot->running_since_ns, start_ns, memory_order_relaxed);
	arena_set_state(l->arena, l->ring, RING_RUNNING);
	return 0;
}

/* Sleeps until the next lap may start. Returns whether it slept; now_ns is the clock's last reading. */
static bool wait_for_due(struct loop *l)
{
	uint64_t due_ns = pace_due(&l->pace); /* 0 within a burst */
	struct timespec deadline = clock_timespec(due_ns);
	bool slept = false;

	while ((l->now_ns = clock_now_ns()) < due_ns && !is_called_off(l)) {
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL);
		slept = true;
	}
	return slept;
}

int origin_next_lap(struct loop *l)
{
	for (;;) {
		if (lap_must_stop(l))
			return -ECANCELED;
		if (is_called_off(l) && origin_wait_for_turn(l, RING_PAUSED) < 0)
			return -ECANCELED;
		bool slept = l->pace.interval_ns && wait_for_due(l);

		if (!is_called_off(l))
			return slept ? STAMP_FIRST : 0;
	}
}

static void rest(struct loop *l, uint64_t stretch_ns)
{
	uint32_t laps = l->stretch_laps / (STRETCH_LAPS / RESTED_LAPS);
	uint64_t rest_ns = stretch_ns / (REST_STRETCH_NS / REST_NS);
	/* Most of a very long stretch was a stall. */
	const struct timespec pause = clock_timespec(rest_ns < REST_MAX_NS ? rest_ns : REST_MAX_NS);

	clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	warm_up(l, laps < RESTED_LAPS ? laps : RESTED_LAPS, clock_now_ns());
}

/* Are the members at work all the time, however long a lap takes? */
static bool is_busy(const struct loop *l)
{
	return l->work_words || l->in.size > LIGHT_TOKEN || l->stretch_laps >= STRETCH_LAPS;
}

/* No lap is made while the members rest: these slots are neither served nor missed. */
static void skip_dues(struct loop *l, uint64_t until_ns)
{
	struct pace *pace = &l->pace;

	if (pace->due_ns < until_ns)
		pace->due_ns += (until_ns - pace->due_ns + pace->interval_ns - 1) / pace->interval_ns *
				pace->interval_ns;
	dues_publish(l->slot, pace->due_ns, pace->due_ns + pace->interval_ns);
	warm_up(l, 1, until_ns);
}

/* The lap that is over has told the members; else the next one is to. */
static void rest_together(struct loop *l, uint64_t received_ns)
{
	l->rest_next = !l->rest_next;
	if (l->rest_next)
		return;
	if (l->pace.interval_ns)
		skip_dues(l, clock_now_ns() + REST_NS);
	else
		rest(l, received_ns - l->stretch_ns + REST_STRETCH_NS);
	begin_stretch(l);
}

int origin_after_lap(struct loop *l, uint64_t received_ns)
{
	l->stretch_laps++;
	if (l->rest == REST_TOGETHER) {
		if (received_ns >= l->stretch_ns)
			rest_together(l, received_ns);
	} else if (!l->pace.interval_ns && received_ns >= l->stretch_ns) {
		if (is_busy(l))
			rest(l, received_ns - l->stretch_ns + REST_STRETCH_NS);
		begin_stretch(l);
	}
	if (l->ring->loops && l->laps >= l->ring->loops)
		return origin_wait_for_turn(l, RING_DONE);
	return 0;
}
