/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_missed_slots.c - every slot that was due is served, missed or rested: one ring's words, moved by hand.
 */
#include <unistd.h>

#include "src/base/clock.h"
#include "src/engine/sampler.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/probe/probe.h"
#include "src/ring/missed_slots.h"
#include "tests/unit/tap.h"

#define MS UINT64_C(1000000)
#define S (1000 * MS)

/* An arena of one ring with slots of 1 ms. Its first turn begins at 10 s. */
struct rig {
	struct config config;
	struct plan plan;
	struct arena *arena;
	struct arena_ring *ring;
	struct arena_member *origin;
};

static void rig_start(struct rig *rig)
{
	static unsigned cpus[2];
	static struct plan_ring planned = {.n_members = 2, .cpus = cpus, .interval_ns = MS};
	struct error_text reason;

	planned.probe = probe_registry[0];
	*rig = (struct rig){.plan = {.rings = &planned, .n_rings = 1, .n_turns = 1}};
	CHECK(arena_create(&rig->arena, &rig->plan, &rig->config, NULL, 4096, &reason) == 0, "%s",
		reason.text);
	rig->ring = &rig->arena->rings[0];
	rig->origin = &rig->ring->members[0];
	rig->ring->forked_ns = 9 * S;
	rig->ring->command = RING_COMMAND_RUN;
	missed_slots_open_turn(rig->ring, 10 * S);
}

/* The origin has noticed its turn, and serves the slot of @due_ns. */
static void serve(struct rig *rig, uint64_t due_ns)
{
	missed_slots_publish_due(rig->origin, due_ns);
	rig->origin->turn_end_ns = 0;
	rig->origin->turn_ns = rig->ring->run_ns;
}

/* Its token is under way. */
static void send_token(struct rig *rig, uint64_t due_ns)
{
	serve(rig, due_ns);
	arena_hop(rig->ring, 0)->stamp.due_ns = due_ns;
}

/* Its first hop was received; the lap is not back. */
static void respond(struct rig *rig, uint64_t due_ns)
{
	missed_slots_publish_response(&rig->ring->members[1], due_ns, due_ns);
}

static uint64_t missed(const struct rig *rig)
{
	return rig->ring->abandoned + rig->origin->missed;
}

/* The response's samples of slots that were not served, and their longest wait in this epoch. */
static void waits(const struct rig *rig, uint64_t *n, uint64_t *longest_ns)
{
	static const enum live_figure figures[] = {LIVE_WAITED, LIVE_ABANDONED};

	*n = *longest_ns = 0;
	for (size_t f = 0; f < 2; f++) {
		const struct hist_live *live = rig->origin->live[figures[f]];

		for (unsigned o = 0; o < HIST_OCTAVES; o++)
			*n += live->octave[o];
		if (live->extremes[rig->arena->epoch & 1].max_ns > *longest_ns)
			*longest_ns = live->extremes[rig->arena->epoch & 1].max_ns;
	}
}

static void expect(
	const struct rig *rig, const char *what, uint64_t n_missed, uint64_t n_waits, uint64_t wait_ns)
{
	uint64_t n, longest_ns;

	waits(rig, &n, &longest_ns);
	CHECK(missed(rig) == n_missed, "%s: %llu missed", what, (unsigned long long)missed(rig));
	CHECK(n == n_waits && longest_ns == wait_ns, "%s: %llu waits up to %llu", what, (unsigned long long)n,
		(unsigned long long)longest_ns);
}

static void a_turn_that_no_member_noticed_is_missed_whole(void)
{
	struct rig rig;

	rig_start(&rig);
	CHECK(missed_slots_has_turn(rig.ring) && missed_slots_oldest_due(rig.ring) == 10 * S);
	CHECK(missed_slots_overdue(rig.ring, 10 * S + 300 * MS) == 300);
	CHECK(missed_slots_close_turn(rig.ring, 10 * S + 500 * MS) == 500 * MS);
	expect(&rig, "closed", 501, 501, 500 * MS);
	CHECK(missed_slots_active_ns(rig.ring, 20 * S) == 500 * MS);
	CHECK(!missed_slots_has_turn(rig.ring) && missed_slots_oldest_due(rig.ring) == 0);
	CHECK(missed_slots_close_turn(rig.ring, 11 * S) == 0, "once");
	arena_destroy(rig.arena);
}

static void dues_count_from_the_fork_of_a_host_that_comes_late(void)
{
	struct rig rig;

	rig_start(&rig);
	rig.ring->forked_ns = 0;
	CHECK(!missed_slots_has_turn(rig.ring));
	rig.ring->forked_ns = 10 * S + 200 * MS;
	CHECK(missed_slots_oldest_due(rig.ring) == 10 * S + 200 * MS);
	missed_slots_close_turn(rig.ring, 10 * S + 500 * MS);
	expect(&rig, "late fork", 301, 301, 300 * MS);
	CHECK(missed_slots_active_ns(rig.ring, 20 * S) == 300 * MS);
	arena_destroy(rig.arena);
}

static void a_host_that_comes_after_its_turn_has_none_until_the_next(void)
{
	struct rig rig;

	rig_start(&rig);
	rig.ring->forked_ns = 0;
	CHECK(missed_slots_close_turn(rig.ring, 10 * S + 400 * MS) == 0);
	rig.ring->forked_ns = 10 * S + 600 * MS;
	CHECK(!missed_slots_has_turn(rig.ring) && missed_slots_oldest_due(rig.ring) == 0);
	CHECK(missed_slots_overdue(rig.ring, 10 * S + 900 * MS) == 0);
	CHECK(missed_slots_active_ns(rig.ring, 10 * S + 900 * MS) == 0);
	missed_slots_open_turn(rig.ring, 11 * S);
	CHECK(missed_slots_oldest_due(rig.ring) == 11 * S);
	CHECK(missed_slots_close_turn(rig.ring, 11 * S + 400 * MS) == 400 * MS);
	expect(&rig, "its own turn", 401, 401, 400 * MS);
	CHECK(missed_slots_active_ns(rig.ring, 20 * S) == 400 * MS);
	arena_destroy(rig.arena);
}

static void a_turn_that_the_origin_ended_has_the_length_that_it_gave_it(void)
{
	struct rig rig;

	rig_start(&rig);
	serve(&rig, 10 * S + 100 * MS);
	rig.origin->turn_end_ns = 10 * S + 100 * MS + MS / 2;
	missed_slots_close_turn(rig.ring, 11 * S);
	expect(&rig, "in time", 0, 0, 0);
	CHECK(missed_slots_active_ns(rig.ring, 20 * S) == 100 * MS + MS / 2);
	arena_destroy(rig.arena);
}

static void what_the_origin_counted_is_not_counted_again(void)
{
	struct rig rig;

	/* It comes 20 ms late to the slot of 10.1 s, and the lap does not come back. */
	rig_start(&rig);
	serve(&rig, 10 * S + 100 * MS);
	CHECK(missed_slots_count(rig.ring, 10 * S + 101 * MS, 10 * S + 121 * MS, 10 * S + 120 * MS) == 20);
	expect(&rig, "late", 20, 20, 19 * MS);
	/* The slot of 10.121 s will be served. */
	CHECK(missed_slots_overdue(rig.ring, 10 * S + 120 * MS + MS / 2) == 0);
	CHECK(missed_slots_overdue(rig.ring, 10 * S + 121 * MS) == 0);
	CHECK(missed_slots_overdue(rig.ring, 10 * S + 130 * MS) == 9);
	missed_slots_close_turn(rig.ring, 10 * S + 150 * MS);
	expect(&rig, "closed", 51, 51, 50 * MS);
	/* When it comes back at last, in another turn, nothing is left to be counted. */
	CHECK(missed_slots_count(rig.ring, 10 * S + 101 * MS, 10 * S + 151 * MS, 10 * S + 150 * MS) == 0);
	CHECK(missed_slots_wait_from(rig.ring, 10 * S + 100 * MS) == BORDER_CLOSED);
	arena_destroy(rig.arena);
}

static void a_phase_that_ends_in_a_stall_has_each_slot_once_with_its_age(void)
{
	struct rig rig;

	rig_start(&rig);
	serve(&rig, 10 * S + 100 * MS);
	missed_slots_end_phase(rig.ring, 10 * S + 100 * MS + MS / 2);
	expect(&rig, "in time", 0, 0, 0);
	CHECK(missed_slots_wait_from(rig.ring, 10 * S + 100 * MS) == 10 * S + 100 * MS);

	missed_slots_end_phase(rig.ring, 10 * S + 400 * MS);
	expect(&rig, "first phase", 300, 301, 300 * MS); /* the oldest will be served */
	CHECK(missed_slots_wait_from(rig.ring, 10 * S + 100 * MS) == 10 * S + 400 * MS);
	rig.arena->epoch++;

	/* The stall ends 200 ms later. */
	CHECK(missed_slots_overdue(rig.ring, 10 * S + 600 * MS) == 200);
	CHECK(missed_slots_count(rig.ring, 10 * S + 101 * MS, 10 * S + 601 * MS, 10 * S + 600 * MS) == 200);
	expect(&rig, "second phase", 500, 501, 199 * MS);
	arena_destroy(rig.arena);
}

static void a_second_phase_has_the_rest_of_the_wait(void)
{
	struct rig rig;

	rig_start(&rig);
	serve(&rig, 10 * S);
	missed_slots_end_phase(rig.ring, 10 * S + 300 * MS);
	rig.arena->epoch++;
	missed_slots_end_phase(rig.ring, 10 * S + 400 * MS);
	expect(&rig, "second phase", 400, 402, 100 * MS);
	rig.arena->epoch++;
	CHECK(missed_slots_close_turn(rig.ring, 10 * S + 450 * MS) == 450 * MS, "its whole wait, for -b");
	expect(&rig, "end", 451, 453, 50 * MS);
	arena_destroy(rig.arena);
}

static void the_run_ends_when_it_was_stopped_however_late_that_is_noticed(void)
{
	static const struct {
		uint64_t stop_ns, end_ns, ended_ns, active_ns;
	} rows[] = {
		{12 * S, 0, 0, 2 * S},
		{12 * S, 11 * S, 0, S},
		{12 * S, 0, 10 * S + 500 * MS, 500 * MS},
		{9 * S, 0, 0, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct rig rig;

		rig_start(&rig);
		rig.ring->pause_ns = rows[i].stop_ns;
		rig.ring->command = RING_COMMAND_STOP;
		rig.arena->end_ns = rows[i].end_ns;
		rig.ring->ended_ns = rows[i].ended_ns;
		missed_slots_close_turn(rig.ring, 15 * S);
		CHECK(missed_slots_active_ns(rig.ring, 20 * S) == rows[i].active_ns, "row %zu", i);
		CHECK(missed(&rig) == rows[i].active_ns / MS + (rows[i].active_ns > 0), "row %zu: %llu", i,
			(unsigned long long)missed(&rig));
		arena_destroy(rig.arena);
	}
}

static void the_slot_after_one_under_way_will_be_served_too_and_is_left_out_once(void)
{
	static const bool comes_late[] = {false, true};

	for (size_t i = 0; i < 2; i++) {
		uint64_t n_missed = comes_late[i] ? 20 : 0;
		struct rig rig;

		rig_start(&rig);
		if (comes_late[i])
			missed_slots_count(rig.ring, 10 * S + 101 * MS, 10 * S + 121 * MS, 10 * S + 120 * MS);
		send_token(&rig, 10 * S + 100 * MS);
		CHECK(missed_slots_overdue(rig.ring, 10 * S + 300 * MS) == 199 - n_missed);
		missed_slots_end_phase(rig.ring, 10 * S + 300 * MS);
		expect(&rig, "phase", 199, 201, 200 * MS);
		CHECK(missed_slots_overdue(rig.ring, 10 * S + 400 * MS) == 100);
		missed_slots_end_phase(rig.ring, 10 * S + 400 * MS);
		CHECK(missed(&rig) == 299);
		arena_destroy(rig.arena);
	}
}

/* Nor are they left to the origin where a phase ends meanwhile. */
static void slots_after_the_last_lap_are_not_missed(void)
{
	struct rig rig;

	rig_start(&rig);
	send_token(&rig, 10 * S + 100 * MS);
	CHECK(missed_slots_overdue(rig.ring, 10 * S + 300 * MS) == 199);
	uint64_t claimed_ns = missed_slots_claim_rest(rig.ring), first_ns = 10 * S + 101 * MS;

	CHECK(missed_slots_count_claimed(rig.ring, first_ns, claimed_ns, 10 * S + 120 * MS) == 20);
	CHECK(missed_slots_overdue(rig.ring, 10 * S + 300 * MS) == 0);
	CHECK(missed_slots_oldest_due(rig.ring) == 10 * S + 100 * MS, "it can be stuck");
	CHECK(missed_slots_end_phase(rig.ring, 10 * S + 400 * MS) == 300 * MS);
	expect(&rig, "phase", 20, 21, 300 * MS);
	missed_slots_close_turn(rig.ring, 10 * S + 500 * MS);
	expect(&rig, "its lap never came back", 21, 22, 300 * MS);
	arena_destroy(rig.arena);
}

/* A lap is under way when a phase ends, and the slot after it is left to the origin. */
static void a_slot_that_was_left_to_the_origin_is_missed_if_that_never_serves_it(void)
{
	struct rig rig;

	/* The turn ends before the lap is back. */
	rig_start(&rig);
	send_token(&rig, 10 * S + 100 * MS);
	missed_slots_end_phase(rig.ring, 10 * S + 300 * MS);
	missed_slots_close_turn(rig.ring, 10 * S + 400 * MS);
	expect(&rig, "closed", 301, 302, 200 * MS);
	arena_destroy(rig.arena);

	/* The origin rests after the lap. */
	rig_start(&rig);
	send_token(&rig, 10 * S + 100 * MS);
	missed_slots_end_phase(rig.ring, 10 * S + 300 * MS);
	rig.arena->epoch++;
	missed_slots_give_up(rig.ring, 10 * S + 101 * MS, 10 * S + 402 * MS, 10 * S + 400 * MS);
	expect(&rig, "rest", 300, 301, 99 * MS);
	arena_destroy(rig.arena);

	/* Without the end of a phase nothing was left. */
	rig_start(&rig);
	serve(&rig, 10 * S + 100 * MS);
	missed_slots_give_up(rig.ring, 10 * S + 101 * MS, 10 * S + 402 * MS, 10 * S + 400 * MS);
	expect(&rig, "rest of a phase", 300, 300, 299 * MS);
	arena_destroy(rig.arena);
}

static void a_slot_whose_response_is_recorded_is_not_missed_too(void)
{
	struct rig rig;

	rig_start(&rig);
	respond(&rig, 10 * S + 99 * MS);
	send_token(&rig, 10 * S + 100 * MS);
	CHECK(missed_slots_close_turn(rig.ring, 10 * S + 300 * MS) == 200 * MS);
	expect(&rig, "the response of the slot before", 201, 201, 200 * MS);
	arena_destroy(rig.arena);

	rig_start(&rig);
	send_token(&rig, 10 * S + 100 * MS);
	respond(&rig, 10 * S + 100 * MS);
	CHECK(missed_slots_close_turn(rig.ring, 10 * S + 300 * MS) == 199 * MS);
	expect(&rig, "turn", 200, 200, 199 * MS);
	arena_destroy(rig.arena);

	/* The slot after it is left to the origin, which never serves it. */
	rig_start(&rig);
	send_token(&rig, 10 * S + 100 * MS);
	respond(&rig, 10 * S + 100 * MS);
	CHECK(missed_slots_end_phase(rig.ring, 10 * S + 300 * MS) == 199 * MS);
	expect(&rig, "phase", 199, 200, 199 * MS);
	missed_slots_close_turn(rig.ring, 10 * S + 400 * MS);
	expect(&rig, "turn of two phases", 300, 300, 199 * MS);
	arena_destroy(rig.arena);
}

/* From the border on its due is that of the lap, and later than that of the schedule. */
static void a_response_across_a_border_serves_the_slot(void)
{
	struct rig rig;

	rig_start(&rig);
	serve(&rig, 10 * S + 100 * MS);
	missed_slots_end_phase(rig.ring, 10 * S + 300 * MS);
	uint64_t from_ns = missed_slots_wait_from(rig.ring, 10 * S + 100 * MS), n = missed(&rig);

	CHECK(from_ns == 10 * S + 300 * MS && n == 200, "%llu missed", (unsigned long long)n);
	arena_hop(rig.ring, 0)->stamp.due_ns = from_ns;
	respond(&rig, from_ns);
	CHECK(missed_slots_close_turn(rig.ring, 10 * S + 300 * MS + MS / 2) == 0);
	CHECK(missed(&rig) == n, "%llu missed", (unsigned long long)missed(&rig));
	arena_destroy(rig.arena);
}

static void what_is_overdue_while_members_are_away_is_away(void)
{
	struct rig rig;

	rig_start(&rig);
	serve(&rig, 10 * S + 100 * MS);
	missed_slots_end_phase(rig.ring, 10 * S + 200 * MS);
	rig.origin->place = PLACE_AWAY;
	CHECK(missed_slots_overdue(rig.ring, 10 * S + 250 * MS) == 0);
	CHECK(missed_slots_end_phase(rig.ring, 10 * S + 300 * MS) == 0, "no breach");
	rig.origin->place = 0;
	expect(&rig, "back", 100, 101, 100 * MS);
	CHECK(rig.ring->abandoned_away == 100);
	CHECK(missed_slots_wait_from(rig.ring, 10 * S + 100 * MS) == 10 * S + 300 * MS);
	missed_slots_close_turn(rig.ring, 10 * S + 400 * MS);
	CHECK(missed(&rig) == 201 && rig.ring->abandoned_away == 100);
	arena_destroy(rig.arena);
}

static void a_lap_of_the_turn_before_serves_no_slot(void)
{
	struct rig rig;

	rig_start(&rig);
	missed_slots_close_turn(rig.ring, 11 * S);
	CHECK(missed_slots_wait_from(rig.ring, 10 * S + 100 * MS) == BORDER_CLOSED);
	missed_slots_open_turn(rig.ring, 12 * S);
	CHECK(missed_slots_wait_from(rig.ring, 10 * S + 100 * MS) == BORDER_CLOSED);
	CHECK(missed_slots_wait_from(rig.ring, 12 * S + MS) == 12 * S + MS);
	arena_destroy(rig.arena);
}

static void turns_add_up(void)
{
	struct rig rig;

	rig_start(&rig);
	missed_slots_close_turn(rig.ring, 10 * S + 500 * MS);
	missed_slots_open_turn(rig.ring, 12 * S);
	CHECK(missed_slots_oldest_due(rig.ring) == 12 * S, "the turn before is forgotten");
	serve(&rig, 12 * S + 100 * MS);
	CHECK(missed_slots_active_ns(rig.ring, 12 * S + 200 * MS) == 700 * MS);
	missed_slots_close_turn(rig.ring, 12 * S + 250 * MS);
	expect(&rig, "both", 501 + 151, 501 + 151, 500 * MS);
	arena_destroy(rig.arena);
}

/* A stop of two months, and what a flood does while the front is stopped for an hour. */
static void counts_of_more_than_32_bits_reach_the_tick(void)
{
	const uint64_t n = UINT64_C(5000000000);
	struct sampler *sampler = NULL;
	struct tick tick;
	struct rig rig;

	rig_start(&rig);
	serve(&rig, 10 * S + MS);
	CHECK(sampler_create(&sampler, rig.arena, getpid(), (struct throttling){0}, 10 * S) == 0);
	CHECK(sampler_tick(sampler, 10 * S + MS, &tick) == 0);
	missed_slots_count(rig.ring, 10 * S + 2 * MS, 10 * S + (n + 2) * MS, 10 * S + (n + 1) * MS);
	CHECK(missed(&rig) == n, "%llu", (unsigned long long)missed(&rig));
	rig.origin->laps = rig.origin->warmup_laps = rig.origin->rested = n;
	rig.origin->away = rig.origin->timeouts = rig.origin->faults[FAULT_LOST] = n;
	CHECK(sampler_tick(sampler, 10 * S + 2 * MS, &tick) == 0);
	CHECK(tick.rings[0].missed == n, "%llu", (unsigned long long)tick.rings[0].missed);
	CHECK(tick.rings[0].laps == n && tick.rings[0].warmup_laps == n && tick.rings[0].rested == n &&
		tick.rings[0].away == n && tick.rings[0].timeouts == n &&
		tick.rings[0].faults[FAULT_LOST] == n);
	sampler_destroy(sampler);
	arena_destroy(rig.arena);

	rig_start(&rig);
	missed_slots_close_turn(rig.ring, 10 * S + n * MS);
	CHECK(missed(&rig) == n + 1, "%llu", (unsigned long long)missed(&rig));
	arena_destroy(rig.arena);
}

int main(void)
{
	TEST(a_turn_that_no_member_noticed_is_missed_whole);
	TEST(dues_count_from_the_fork_of_a_host_that_comes_late);
	TEST(a_host_that_comes_after_its_turn_has_none_until_the_next);
	TEST(a_turn_that_the_origin_ended_has_the_length_that_it_gave_it);
	TEST(what_the_origin_counted_is_not_counted_again);
	TEST(a_phase_that_ends_in_a_stall_has_each_slot_once_with_its_age);
	TEST(a_second_phase_has_the_rest_of_the_wait);
	TEST(the_run_ends_when_it_was_stopped_however_late_that_is_noticed);
	TEST(the_slot_after_one_under_way_will_be_served_too_and_is_left_out_once);
	TEST(slots_after_the_last_lap_are_not_missed);
	TEST(a_slot_that_was_left_to_the_origin_is_missed_if_that_never_serves_it);
	TEST(a_slot_whose_response_is_recorded_is_not_missed_too);
	TEST(a_response_across_a_border_serves_the_slot);
	TEST(what_is_overdue_while_members_are_away_is_away);
	TEST(a_lap_of_the_turn_before_serves_no_slot);
	TEST(turns_add_up);
	TEST(counts_of_more_than_32_bits_reach_the_tick);
	return tap_done();
}
