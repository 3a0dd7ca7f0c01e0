/* SPDX-License-Identifier: GPL-2.0-or-later */
/* origin.c - the origin between two laps: obeys commands, waits, warms up, rests. */
#include "src/ring/origin.h"

#include <errno.h>

#include "src/base/clock.h"
#include "src/base/futex.h"
#include "src/ring/missed_slots.h"

/* Laps of a warm-up when a turn begins again: at least one, and none after the arena's warmup_ns. */
enum { RESUMED_LAPS = 10 };

/* Rests of a flood, see duty_cycle.h. A ring that has its CPUs alone and few laps in a stretch leaves them
 * anyway, and does not rest, unless its members work on the token. Then its rests are as long, but with fewer
 * laps of warm-up. */
enum {
	STRETCH_LAPS = 100,
	STRETCH_HOPS = 2 * STRETCH_LAPS,
	REST_MAX_NS = 20000000,
	RESTED_LAPS = 4,
	LIGHT_TOKEN = 4096,
};

static void warm_up(struct member_loop *l, uint32_t laps, uint64_t now_ns)
{
	if (l->warmup.left >= laps)
		return;
	l->warmup.left = laps;
	l->warmup.done = 0;
	l->warmup.until_ns = now_ns + atomic_load_explicit(&l->arena->warmup_ns, memory_order_relaxed);
}

bool origin_is_warming_up(struct member_loop *l)
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
static enum ring_command command_of(const struct member_loop *l)
{
	return (enum ring_command)atomic_load_explicit(&l->ring->command, memory_order_acquire);
}

/* Returns whether the turn is over: by a command to pause or to stop, or by a newer one to run. */
static bool is_called_off(const struct member_loop *l)
{
	return command_of(l) != RING_COMMAND_RUN ||
	       atomic_load_explicit(&l->ring->run_ns, memory_order_relaxed) != l->run_ns;
}

static bool is_past_end(const struct member_loop *l, uint64_t now_ns)
{
	uint64_t end_ns = atomic_load_explicit(&l->arena->end_ns, memory_order_relaxed);

	return end_ns && now_ns >= end_ns;
}

static void begin_stretch(struct member_loop *l, uint64_t now_ns)
{
	l->stretch_ns = duty_cycle_stretch_end(now_ns);
	l->stretch_start_ns = now_ns;
	l->stretch_laps = 0;
	l->slept_ns = 0;
}

/* Returns the end of the run, or of this ring, if it was before @now_ns. The front may get no CPU to say so.
 */
static uint64_t end_or_now_ns(const struct member_loop *l, uint64_t now_ns)
{
	bool stopped = command_of(l) == RING_COMMAND_STOP;
	uint64_t run_end_ns = atomic_load_explicit(&l->arena->end_ns, memory_order_relaxed);
	uint64_t stop_ns = stopped ? atomic_load_explicit(&l->ring->pause_ns, memory_order_relaxed) : now_ns;

	now_ns = run_end_ns && run_end_ns < now_ns ? run_end_ns : now_ns;
	return stop_ns < now_ns ? stop_ns : now_ns;
}

/* Counts the slots of the rest, if there was one; a pause or the end may have cut it short. */
static void end_rest(struct member_loop *l, uint64_t now_ns)
{
	uint64_t interval_ns = l->schedule.interval_ns;

	if (!l->rest_end_ns)
		return;
	if (interval_ns) {
		uint64_t end_ns = end_or_now_ns(l, now_ns < l->rest_end_ns ? now_ns : l->rest_end_ns);
		uint64_t rested = atomic_load_explicit(&l->shared->rested, memory_order_relaxed);

		rested += lap_schedule_unserved(l->rest_due_ns, 0, interval_ns, end_ns).count;
		atomic_store_explicit(&l->shared->rested, rested, memory_order_relaxed);
	}
	l->rest_end_ns = 0;
	begin_stretch(l, now_ns);
}

/* The turn begins with its command, however late the origin reads it, but not before the ring has a host. */
static void begin_turn(struct member_loop *l)
{
	uint64_t run_ns = atomic_load_explicit(&l->ring->run_ns, memory_order_relaxed);
	uint64_t forked_ns = atomic_load_explicit(&l->ring->forked_ns, memory_order_relaxed);
	uint64_t start_ns = run_ns > forked_ns ? run_ns : forked_ns;

	l->run_ns = run_ns;
	lap_schedule_start(&l->schedule, start_ns + l->ring->plan.offset_ns);
	missed_slots_publish_due(l->shared, l->schedule.interval_ns ? l->schedule.due_ns : 0);
	atomic_store_explicit(&l->shared->turn_end_ns, 0, memory_order_relaxed);
	/* Release: pairs with the load in missed_slots.c, which then finds this turn's first due. */
	atomic_store_explicit(&l->shared->turn_ns, run_ns, memory_order_release);
	warm_up(l, l->has_run ? RESUMED_LAPS : WARMUP_LAPS, start_ns);
	l->has_run = true;
	l->rest_next = false;
	begin_stretch(l, clock_now_ns());
}

int origin_wait_for_turn(struct member_loop *l, enum ring_state state)
{
	uint64_t now_ns = clock_now_ns();

	end_rest(l, now_ns);
	if (state == RING_DONE)
		missed_slots_publish_due(l->shared, 0);
	atomic_store_explicit(&l->shared->turn_end_ns, now_ns, memory_order_relaxed);
	arena_set_state(l->ring, state);
	for (;;) {
		enum ring_command command = command_of(l);

		if (member_loop_must_stop(l))
			return -ECANCELED;
		if (command == RING_COMMAND_RUN && state != RING_DONE)
			break;
		futex_wait(&l->ring->command, command, NULL);
	}
	begin_turn(l);
	arena_set_state(l->ring, RING_RUNNING);
	return 0;
}

/* Adds what the origin slept from @start_ns on, where it was to sleep long enough to leave its CPU. Of what
 * it slept too long little counts: a machine that stood still looks the same, and gave no task its CPU. */
static void count_sleep(struct member_loop *l, uint64_t start_ns, uint64_t due_ns)
{
	uint64_t latest_ns = due_ns + DUTY_PIECE_NS;

	if (due_ns >= start_ns + DUTY_PIECE_NS)
		l->slept_ns += (l->now_ns < latest_ns ? l->now_ns : latest_ns) - start_ns;
}

/* Sleeps until the next lap may start. Returns whether it slept. Sets now_ns. */
static bool wait_for_due(struct member_loop *l)
{
	/* 0 within a burst. The first due after a rest is later than its end. */
	uint64_t due_ns = l->schedule.interval_ns ? lap_schedule_due(&l->schedule) : l->rest_end_ns;
	struct timespec deadline = clock_timespec(due_ns);
	uint64_t start_ns = l->now_ns = clock_now_ns();

	while (l->now_ns < due_ns && !is_called_off(l)) {
		clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &deadline, NULL);
		l->now_ns = clock_now_ns();
	}
	count_sleep(l, start_ns, due_ns);
	return l->now_ns != start_ns;
}

int origin_next_lap(struct member_loop *l)
{
	while (!member_loop_must_stop(l)) {
		if (is_called_off(l) && origin_wait_for_turn(l, RING_PAUSED) < 0)
			return -ECANCELED;
		bool waits = l->schedule.interval_ns || l->rest_end_ns;
		bool slept = waits && wait_for_due(l);

		if (!is_called_off(l)) {
			end_rest(l, l->now_ns);
			/* The front counts the slots that were overdue at the end. */
			if (waits && is_past_end(l, l->now_ns))
				break;
			return slept && l->schedule.interval_ns ? STAMP_FIRST : 0;
		}
	}
	end_rest(l, clock_now_ns()); /* of a rest that a command to stop has ended */
	return -ECANCELED;
}

/* The front runs before plain tasks, and uses part of each rest of real-time rings. It has more to do where
 * many share a CPU, and then each task that waits for a rest may take it whole. Rings that share one leave it
 * as each ends its lap, so their rests are longer by a lap: all of them rest at the same time. */
static uint64_t whole_rest_ns(const struct member_loop *l, uint64_t rest_ns, uint64_t now_ns)
{
	uint64_t lap_ns = (now_ns - l->stretch_start_ns) / (l->stretch_laps ? l->stretch_laps : 1);

	if (l->rest == DUTY_REST_TOGETHER) /* the other members rest as long */
		return rest_ns;
	rest_ns *= duty_cycle_factor(l->ring);
	/* With more, the rest would outlast the next end of a stretch. */
	if (duty_cycle_sharers(l->ring) > 1)
		rest_ns += lap_ns < DUTY_LEAVING_NS ? lap_ns : DUTY_LEAVING_NS;
	return rest_ns;
}

/* No lap is made until the rest ends. Slots that were overdue before are missed, with their wait. Where laps
 * are so long that few fit between two rests, none of them is a warm-up: otherwise all might be. */
static void begin_rest(struct member_loop *l, uint64_t now_ns)
{
	uint64_t first_ns = l->schedule.due_ns;
	struct lap_schedule_missed missed;

	l->rest_end_ns = now_ns + whole_rest_ns(l, DUTY_REST_NS, now_ns);
	l->rest_due_ns = lap_schedule_rest(&l->schedule, now_ns, l->rest_end_ns, &missed);
	if (missed.count)
		missed_slots_give_up(l->ring, first_ns, l->schedule.due_ns, now_ns);
	missed_slots_publish_due(l->shared, l->schedule.due_ns);
	if (l->stretch_laps >= RESTED_LAPS)
		warm_up(l, 1, l->rest_end_ns);
}

/* A flood rests for a share of its stretch, which is as long as its laps make it. */
static void begin_rest_of_flood(struct member_loop *l, uint64_t now_ns)
{
	uint64_t rest_ns = (now_ns - l->stretch_start_ns) / (DUTY_STRETCH_NS / DUTY_REST_NS);
	uint32_t laps = l->stretch_laps / (STRETCH_LAPS / RESTED_LAPS);

	rest_ns = whole_rest_ns(l, rest_ns, now_ns);
	/* A very long stretch was mostly a stall. */
	l->rest_end_ns = now_ns + (rest_ns < REST_MAX_NS ? rest_ns : REST_MAX_NS);
	warm_up(l, laps < RESTED_LAPS ? laps : RESTED_LAPS, l->rest_end_ns);
}

/* Returns whether the members of a flood, with others that share their CPUs, keep these busy however long a
 * lap takes; or, with an interval, whether the rings of the busiest CPU, if all were as busy as this one,
 * would leave less of the stretch to others than a rest. False where the origin is about to sleep anyway. */
static bool needs_rest(const struct member_loop *l, uint64_t received_ns)
{
	uint64_t stretch_ns = received_ns - l->stretch_start_ns;
	unsigned n_sharers = duty_cycle_sharers(l->ring);
	uint64_t awake_ns = (stretch_ns - l->slept_ns) * n_sharers;

	if (!l->schedule.interval_ns)
		return n_sharers > 1 || l->work_words || l->in.size > LIGHT_TOKEN ||
		       (uint64_t)l->stretch_laps * l->ring->n_members >= STRETCH_HOPS;
	return awake_ns > stretch_ns - stretch_ns / (DUTY_STRETCH_NS / DUTY_REST_NS) &&
	       l->schedule.due_ns < received_ns + DUTY_REST_NS;
}

/* Members that rest together do so once a lap with STAMP_REST is back. */
static void end_stretch(struct member_loop *l, uint64_t received_ns)
{
	bool together = l->rest == DUTY_REST_TOGETHER;

	l->rest_next = together && !l->rest_next;
	if (l->rest_next)
		return;
	if (!together && !needs_rest(l, received_ns))
		begin_stretch(l, received_ns);
	else if (l->schedule.interval_ns)
		begin_rest(l, received_ns);
	else
		begin_rest_of_flood(l, received_ns);
}

int origin_after_lap(struct member_loop *l, uint32_t n_laps, uint64_t received_ns, bool was_parked)
{
	/* The front may get no CPU to command it. */
	if (is_past_end(l, received_ns))
		return -ECANCELED;
	if (l->loops && l->laps >= l->loops)
		return origin_wait_for_turn(l, RING_DONE);
	if (was_parked) {
		begin_stretch(l, received_ns);
		l->stretch_ns = duty_cycle_last_end(received_ns) + DUTY_PERIOD_NS; /* though it may be near */
		return 0;
	}
	l->stretch_laps += n_laps;
	/* No rest after a lap that outlasted its turn: the front has counted the slots of that turn. */
	if (received_ns >= l->stretch_ns && !l->schedule.burst_left && !l->rest_end_ns && !is_called_off(l))
		end_stretch(l, received_ns);
	return 0;
}
