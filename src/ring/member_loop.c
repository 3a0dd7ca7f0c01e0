/* SPDX-License-Identifier: GPL-2.0-or-later */
/* member_loop.c - passes the token, lap after lap, and counts: the code that is measured.
 *
 * Between `sent` and `received` there is only the mechanism's own work, and a prefetch. After send a member
 * goes straight to recv; all bookkeeping is between `received` and the next `sent`. */
#include "src/ring/member_loop.h"

#include <errno.h>

#include "src/base/clock.h"
#include "src/base/futex.h"
#include "src/ring/breaktrace.h"
#include "src/ring/missed_slots.h"
#include "src/ring/origin.h"
#include "src/ring/slow_hop.h"

static uint64_t elapsed(uint64_t from_ns, uint64_t to_ns)
{
	int64_t ns = (int64_t)(to_ns - from_ns);

	return ns > 0 ? (uint64_t)ns : 0;
}

/* After -EINTR the member checks its commands, and whether the token is lost (-ETIME). -ECANCELED ends it. */
static inline int hop_send(struct member_loop *l)
{
	int r;

	while ((r = l->probe->send(&l->out)) == -EINTR)
		if (member_loop_must_stop(l))
			return -ECANCELED;
	return r;
}

static uint64_t own_sent_ns(const struct member_loop *l)
{
	return atomic_load_explicit(&l->out_stamp->sent_ns, memory_order_relaxed);
}

/* A member that polls would take its CPU from the ring whose turn it is. The origin sets `paused` only when
 * no token is under way, and `running` later than its command. */
static void rest_while_paused(const struct member_loop *l)
{
	/* Acquire: the state is read after it. A later command ends the sleep, or prevents it. */
	uint32_t command = atomic_load_explicit(&l->ring->command, memory_order_acquire);
	uint32_t state = atomic_load_explicit(&l->ring->state, memory_order_acquire);

	if (state == RING_DONE || (state == RING_PAUSED && command == RING_COMMAND_PAUSE))
		futex_wait(&l->ring->command, command, NULL);
}

static void add_to_counter(_Atomic uint64_t *counter, uint64_t more)
{
	atomic_store_explicit(
		counter, atomic_load_explicit(counter, memory_order_relaxed) + more, memory_order_relaxed);
}

/* Before `sent`, so that it is not measured. */
static void set_deadline(struct member_loop *l)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	l->deadline_at = clock_timespec(clock_ns(&now) + l->timeout_ns);
	l->deadline = &l->deadline_at;
}

/* Returns 0 to go on. */
static int pass_deadline(struct member_loop *l)
{
	add_to_counter(&l->shared->timeouts, 1);
	set_deadline(l);
	return l->arena->config->tool.timeout_fails ? -ETIMEDOUT : 0;
}

static inline __attribute__((always_inline)) int hop_receive(struct member_loop *l)
{
	int r;

	while ((r = l->probe->recv(&l->in, l->deadline)) < 0) {
		if (r == -ETIMEDOUT && l->deadline)
			r = pass_deadline(l);
		if (r < 0 && r != -EINTR)
			return r;
		if (member_loop_must_stop(l))
			return -ECANCELED;
		if (l->patience_ns && clock_now_ns() - own_sent_ns(l) >= l->patience_ns)
			return -ETIME;
		if (l->probe->traits & PROBE_SPINS)
			rest_while_paused(l);
		if (l->rest)
			duty_cycle_rest_if_due(l);
	}
	return r;
}

/* For those who stamp next. The line is in its last reader's cache: without this the store of the next `sent`
 * waits for it within the hop. */
static inline void prefetch_stamp(const struct member_loop *l)
{
	__builtin_prefetch(l->out_stamp, 1);
}

static struct slow_hop find_slow_hop(
	const struct member_loop *l, enum live_figure figure, uint64_t from_ns, uint64_t to_ns)
{
	if (l->stamps != STAMPS_ALL)
		return (struct slow_hop){0};
	return figure == LIVE_LAP ? slow_hop_of_lap(l->ring, from_ns, to_ns)
				  : slow_hop_of_response(l->ring, from_ns, to_ns);
}

static void log_spike(const struct member_loop *l, enum live_figure figure, uint64_t from_ns, uint64_t to_ns)
{
	const struct hop_stamp *stamp = figure == LIVE_SERVED ? l->in_stamp : l->out_stamp;
	uint64_t says = atomic_load_explicit(&stamp->says, memory_order_relaxed);
	uint64_t due_ns = atomic_load_explicit(&stamp->due_ns, memory_order_relaxed);
	uint64_t sent_ns = atomic_load_explicit(&stamp->sent_ns, memory_order_relaxed);
	struct slow_hop slow = find_slow_hop(l, figure, from_ns, to_ns);

	spike_log_add(l->ring->spike_log, &(struct spike_log_entry){.due_ns = due_ns,
						  .sent_ns = figure == LIVE_LAP ? from_ns : sent_ns,
						  .received_ns = to_ns,
						  .token = (uint32_t)(says >> STAMP_FLAG_BITS),
						  .hop = slow.hop,
						  .hop_from_ns = slow.from_ns,
						  .hop_to_ns = slow.to_ns});
}

/* The stamp of a hop stays until the next lap begins. A lap is as long as its sample: without the time in
 * which its token was parked. */
static __attribute__((cold, noinline)) void note_slow_sample(
	struct member_loop *l, enum live_figure figure, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t ns = elapsed(from_ns, to_ns);
	bool breaches = ns > l->breach_ns[figure];

	if (breaches)
		breaktrace_stop(l, ns, to_ns);
	/* A sample that ends the run by -b is a spike, too: its cause is wanted. */
	if (figure == arena_spike_figure(l->ring) &&
		(breaches || ns > atomic_load_explicit(&l->ring->spike_ns, memory_order_relaxed)))
		log_spike(l, figure, from_ns, to_ns);
}

static inline void record_sample(
	struct member_loop *l, enum live_figure figure, uint64_t from_ns, uint64_t to_ns)
{
	uint64_t ns = elapsed(from_ns, to_ns);

	/* Relaxed: the limit may be a little older. */
	if (__builtin_expect(ns > atomic_load_explicit(l->limit_ns[figure], memory_order_relaxed), false))
		note_slow_sample(l, figure, from_ns, to_ns);
	hist_record(l->live[figure], atomic_load_explicit(&l->arena->epoch, memory_order_relaxed), ns, to_ns);
}

/* A slot that the front has counted as missed at the end of a turn is not also served, nor the other way
 * round; but for those that end between the look at the border and the last line. */
static inline void record_response(struct member_loop *l, uint64_t due_ns, uint64_t received_ns)
{
	uint64_t from_ns = missed_slots_wait_from(l->ring, due_ns);

	if (from_ns == BORDER_CLOSED)
		return;
	record_sample(l, LIVE_SERVED, from_ns, received_ns);
	missed_slots_publish_response(l->shared, due_ns, from_ns);
}

static __attribute__((noinline)) bool has_left(int32_t place, int32_t here)
{
	/* Where the kernel does not report the CPU, the front detects a move by the affinity. */
	return place == PLACE_AWAY || (place >= 0 && here >= 0);
}

/* Returns whether this member is not in its place. Relaxed: no other data depends on the place. */
static inline bool is_away(const struct member_loop *l)
{
	int32_t place = atomic_load_explicit(l->place, memory_order_relaxed), here = (int32_t)*l->here;

	return __builtin_expect(here != place, false) && has_left(place, here);
}

/* Relaxed: the mechanism itself orders writes before send and reads after recv. */
static inline uint64_t stamp_and_now(
	struct hop_stamp *stamp, uint64_t due_ns, uint32_t flags, uint32_t number)
{
	atomic_store_explicit(&stamp->due_ns, due_ns, memory_order_relaxed);
	atomic_store_explicit(
		&stamp->says, (uint64_t)number << STAMP_FLAG_BITS | flags, memory_order_relaxed);
	uint64_t sent_ns = clock_now_ns();

	atomic_store_explicit(&stamp->sent_ns, sent_ns, memory_order_relaxed);
	return sent_ns;
}

/* Sums private memory, so that the next hop finds cold caches. */
static inline void sum_work(const struct member_loop *l)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < l->work_words; i++)
		sum += l->work[i];
	__asm__ volatile("" : : "r"(sum)); /* keeps the loop from being optimized away */
}

static void hold_token(const struct member_loop *l)
{
	struct timespec until = clock_timespec(clock_now_ns() + l->hold_ns);

	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR &&
		!member_loop_must_stop(l))
		continue;
}

/* From this member's last send on, without the origin's wait between two laps. */
static void record_own_lap(struct member_loop *l, uint64_t received_ns)
{
	const struct arena_member *origin = &l->ring->members[0];
	uint64_t rested_ns = elapsed(atomic_load_explicit(&origin->received_ns, memory_order_relaxed),
		atomic_load_explicit(&l->first_stamp->sent_ns, memory_order_relaxed));
	uint64_t sent_ns = own_sent_ns(l);

	if (sent_ns)
		record_sample(l, LIVE_OWN_LAP, sent_ns + rested_ns, received_ns);
}

/* The same without stamps of its own: reads no clock, and writes the stamp only when its flags change. */
static int pass_on_unstamped(struct member_loop *l)
{
	int r = hop_receive(l);

	if (r < 0 || member_loop_must_stop(l))
		return r < 0 ? r : -ECANCELED;
	uint32_t flags = (uint32_t)atomic_load_explicit(&l->in_stamp->says, memory_order_relaxed) &
			 (STAMP_REST | STAMP_AWAY);

	if (is_away(l))
		flags |= STAMP_AWAY;
	sum_work(l);
	if (flags != l->passed_flags) {
		l->passed_flags = flags;
		atomic_store_explicit(&l->out_stamp->says, flags, memory_order_relaxed);
	}
	r = hop_send(l);
	if (r == 0 && flags & STAMP_REST)
		duty_cycle_rest(l);
	return r;
}

/* For all members but the origin: receives the token, counts its hop, passes it on. */
static int pass_on_stamped(struct member_loop *l, bool after_origin)
{
	int r = hop_receive(l);

	prefetch_stamp(l);
	uint64_t received_ns = clock_now_ns();

	if (r < 0 || member_loop_must_stop(l))
		return r < 0 ? r : -ECANCELED;
	uint64_t sent_ns = atomic_load_explicit(&l->in_stamp->sent_ns, memory_order_relaxed);
	uint64_t due_ns = atomic_load_explicit(&l->in_stamp->due_ns, memory_order_relaxed);
	uint64_t says = atomic_load_explicit(&l->in_stamp->says, memory_order_relaxed);
	uint32_t flags = (uint32_t)says, sent = (uint32_t)(says >> STAMP_FLAG_BITS);
	uint32_t number = token_number(&l->token, sent);

	if (is_away(l))
		flags |= STAMP_AWAY;
	/* A token that is not the stamp's has no time. The origin judges it. */
	if (!(flags & (STAMP_WARMUP | STAMP_AWAY)) && number == sent) {
		record_sample(l, flags & STAMP_FIRST ? LIVE_FIRST : LIVE_ANSWER, sent_ns, received_ns);
		if (after_origin && (flags & STAMP_DUE))
			record_response(l, due_ns, received_ns);
		if (l->first_stamp)
			record_own_lap(l, received_ns);
	}
	sum_work(l);
	if (l->hold_ns)
		hold_token(l);
	if (__builtin_expect(received_ns >= l->park_from_ns, false))
		duty_cycle_park(l, received_ns);
	stamp_and_now(l->out_stamp, due_ns, flags & (STAMP_WARMUP | STAMP_REST | STAMP_AWAY), number);
	r = hop_send(l);
	if (r == 0 && flags & STAMP_REST)
		duty_cycle_rest(l);
	return r;
}

int member_loop_pass_on(struct member_loop *l, bool after_origin)
{
	return l->stamps == STAMPS_LAP ? pass_on_unstamped(l) : pass_on_stamped(l, after_origin);
}

/* Or, with one stamp for several laps, all of them. */
struct lap {
	uint32_t flags, n_laps;
	uint64_t due_ns, sent_ns, answered_ns, received_ns; /* answered: sent of the last hop */
	uint64_t done_ns;                                   /* received, and after the origin's own work */
	uint64_t parked_ns;                                 /* of that time */
};

static void log_lap(struct lap_log *log, uint64_t lap_ns)
{
	uint64_t count = atomic_load_explicit(&log->count, memory_order_relaxed);

	atomic_store_explicit(&log->lap_ns[count % LAP_LOG_SIZE], lap_ns, memory_order_relaxed);
	/* Release: pairs with the sampler's load, which then finds the lap. */
	atomic_store_explicit(&log->count, count + 1, memory_order_release);
}

/* A batch has no single laps: only the sum of their times is known. The next batch has as many laps as fit
 * into BATCH_NS at the pace of this one. */
static void record_batch(struct member_loop *l, const struct lap *lap)
{
	uint64_t batch_ns = elapsed(lap->sent_ns + lap->parked_ns, lap->done_ns);
	uint64_t fitting = (uint64_t)BATCH_NS * lap->n_laps / (batch_ns ? batch_ns : 1);

	hist_record_untimed(l->live[LIVE_LAP], lap->n_laps, batch_ns);
	l->batch_laps = fitting < l->batch_laps_max ? (uint32_t)fitting : l->batch_laps_max;
	l->batch_laps += l->batch_laps == 0;
}

/* Where a turn or a phase has ended since it was sent, the front has counted its wait, unless its response
 * was recorded before. */
static void record_lateness(struct member_loop *l, const struct lap *lap)
{
	const struct arena_member *receiver = &l->ring->members[1];
	uint64_t from_ns = missed_slots_wait_from(l->ring, lap->due_ns);

	if (from_ns > lap->sent_ns &&
		atomic_load_explicit(&receiver->responded_due_ns, memory_order_relaxed) == lap->due_ns)
		from_ns = atomic_load_explicit(&receiver->responded_from_ns, memory_order_relaxed);
	if (from_ns <= lap->sent_ns)
		record_sample(l, LIVE_LATENESS, from_ns, lap->sent_ns);
}

static void record_lap(struct member_loop *l, const struct lap *lap)
{
	if (lap->flags & STAMP_DUE)
		record_lateness(l, lap);
	if (l->stamps == STAMPS_ALL)
		record_sample(l, LIVE_ANSWER, lap->answered_ns, lap->received_ns);
	record_sample(l, LIVE_LAP, lap->sent_ns + lap->parked_ns, lap->done_ns);
	if (l->lap_log)
		log_lap(l->lap_log, elapsed(lap->sent_ns + lap->parked_ns, lap->done_ns));
}

static void count_lap(struct member_loop *l, const struct lap *lap)
{
	missed_slots_publish_due(l->shared, l->schedule.due_ns);
	if (lap->flags & STAMP_AWAY) {
		add_to_counter(&l->shared->away, lap->n_laps);
		return;
	}
	if (lap->flags & STAMP_WARMUP) {
		add_to_counter(&l->shared->warmup_laps, 1);
		l->warmup.left--;
		l->warmup.done++;
		return;
	}
	if (l->batch_laps_max)
		record_batch(l, lap);
	else
		record_lap(l, lap);
	add_to_counter(&l->shared->laps, lap->n_laps);
	l->laps += lap->n_laps;
}

/* A lap with flags has its own stamps. */
static uint32_t laps_of_batch(const struct member_loop *l, uint32_t flags)
{
	uint64_t left = l->loops ? l->loops - l->laps : UINT64_MAX;

	if (!l->batch_laps_max || flags)
		return 1;
	return left < l->batch_laps ? (uint32_t)left : l->batch_laps;
}

/* Returns whether the ring has done its loops with this lap. */
static bool is_last(const struct member_loop *l, const struct lap *lap)
{
	return l->loops && !(lap->flags & (STAMP_AWAY | STAMP_WARMUP)) && l->laps + lap->n_laps >= l->loops;
}

/* Sets the next lap's due, if it has one, its flags, and how many laps have the same stamps. */
static void begin_lap(struct member_loop *l, struct lap *lap)
{
	struct lap_schedule_missed missed;

	lap->due_ns = lap_schedule_begin_lap(&l->schedule, l->now_ns, &missed);
	if (lap->due_ns)
		lap->flags |= STAMP_DUE;
	if (is_away(l))
		lap->flags |= STAMP_AWAY;
	/* The lap that ends a stall is no warm-up, and its wait belongs to this phase. */
	if (missed.count) {
		uint64_t from_ns = missed_slots_wait_from(l->ring, lap->due_ns);

		missed_slots_count(
			l->ring, lap->due_ns + l->schedule.interval_ns, l->schedule.due_ns, l->now_ns);
		if (from_ns != BORDER_CLOSED)
			lap->due_ns = from_ns;
	} else if (origin_is_warming_up(l)) {
		lap->flags |= STAMP_WARMUP;
	}
	if (l->rest_next)
		lap->flags |= STAMP_REST;
	lap->n_laps = laps_of_batch(l, lap->flags);
	if (l->schedule.interval_ns && is_last(l, lap)) {
		uint64_t claimed_ns = missed_slots_claim_rest(l->ring);

		/* After the claim: what the front has counted as overdue until then is in it. */
		missed_slots_count_claimed(l->ring, l->schedule.due_ns, claimed_ns, clock_now_ns());
	}
}

static void count_fault(struct member_loop *l, enum token_fault fault)
{
	add_to_counter(&l->shared->faults[fault], 1);
}

/* The lap goes on with a new token, and keeps its due and its start, so that no figure hides the loss. Its
 * hop no longer counts as one after a sleep. */
static int send_anew(struct member_loop *l, struct lap *lap)
{
	count_fault(l, FAULT_LOST);
	token_give_up(&l->history);
	token_next(&l->history);
	token_write(&l->token, l->history.number);
	lap->flags &= ~(uint32_t)(STAMP_FIRST | STAMP_WARMUP);
	stamp_and_now(l->out_stamp, lap->due_ns, lap->flags, l->history.number);
	return hop_send(l);
}

/* Returns whether the token of the lap is here. */
static bool has_come(struct member_loop *l)
{
	if (token_is(&l->token, l->history.number))
		return true;
	enum token_fault fault = token_judge(&l->token, &l->history);

	count_fault(l, fault);
	return fault == FAULT_DAMAGED;
}

/* @r: the result of the last receive. Returns 0 once the lap's token is back, damaged or not. Drops older
 * tokens, and replaces a lost one. */
static __attribute__((noinline)) int wait_for_own(struct member_loop *l, struct lap *lap, int r)
{
	for (;;) {
		if (r == -ETIME && !member_loop_must_stop(l))
			r = send_anew(l, lap);
		else if (r < 0 || member_loop_must_stop(l))
			return r < 0 ? r : -ECANCELED;
		else if (has_come(l))
			return 0;
		if (r < 0)
			return r;
		r = hop_receive(l);
		lap->received_ns = clock_now_ns();
	}
}

static inline void write_next_token(struct member_loop *l)
{
	token_next(&l->history);
	token_write(&l->token, l->history.number);
}

/* The origin does its work when the lap is back: before its sleep, so that no lap is late. */
static void finish_lap(struct member_loop *l, struct lap *lap)
{
	lap->answered_ns = atomic_load_explicit(&l->in_stamp->sent_ns, memory_order_relaxed);
	lap->done_ns = lap->received_ns;
	lap->parked_ns = atomic_load_explicit(&l->ring->parked_ns, memory_order_relaxed) - l->parked_ns;
	l->parked_ns += lap->parked_ns;
	if (is_away(l))
		lap->flags |= STAMP_AWAY;
	lap->flags |= (uint32_t)atomic_load_explicit(&l->in_stamp->says, memory_order_relaxed) & STAMP_AWAY;
	if (l->first_stamp)
		atomic_store_explicit(&l->shared->received_ns, lap->received_ns, memory_order_relaxed);
	if (l->work_words) {
		sum_work(l);
		lap->done_ns = clock_now_ns();
	}
	count_lap(l, lap);
	write_next_token(l);
}

/* Sends the token round. Returns 0 once a token is back. */
static inline __attribute__((always_inline)) int send_round(struct member_loop *l)
{
	int r = hop_send(l);

	for (unsigned i = 0; i < l->n_others && r == 0; i++)
		r = member_loop_pass_on(&l->others[i], i == 0);
	return r == 0 ? hop_receive(l) : r;
}

/* @r: the result of send_round(). */
static inline __attribute__((always_inline)) int check_own(struct member_loop *l, struct lap *lap, int r)
{
	if (r < 0 || member_loop_must_stop(l) || !token_is(&l->token, l->history.number))
		return wait_for_own(l, lap, r);
	return 0;
}

/* The laps of a batch but its last one. */
static int make_unstamped_laps(struct member_loop *l, struct lap *lap)
{
	int r = 0;

	for (uint32_t left = lap->n_laps; r == 0 && left > 1; left--) {
		r = check_own(l, lap, send_round(l));
		write_next_token(l);
	}
	return r;
}

int member_loop_start_lap(struct member_loop *l)
{
	struct lap lap = {0};
	int r = origin_next_lap(l);

	if (r < 0)
		return r;
	lap.flags = (uint32_t)r;
	begin_lap(l, &lap);
	if (l->timeout_ns)
		set_deadline(l);
	lap.sent_ns = stamp_and_now(l->out_stamp, lap.due_ns, lap.flags, l->history.number);
	if (lap.n_laps > 1 && (r = make_unstamped_laps(l, &lap)) < 0)
		return r;
	r = send_round(l);
	prefetch_stamp(l);
	lap.received_ns = clock_now_ns();
	r = check_own(l, &lap, r);
	if (r < 0)
		return r;
	finish_lap(l, &lap);
	return origin_after_lap(l, lap.n_laps, lap.done_ns, lap.parked_ns > 0);
}
