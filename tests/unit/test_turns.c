/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose turn it is, and when a lap may start. */
#include "src/engine/turns.h"
#include "src/ring/lap_schedule.h"
#include "tests/unit/tap.h"

enum { MS = 1000000, S = 1000 * MS };

static const bool all_work[] = {true, true, true};

static void a_single_turn_never_ends(void)
{
	struct turns turns;

	turns_init(&turns, 1, S, 0);
	CHECK(turns_next(&turns, 5) == UINT64_MAX);
	CHECK(turns_advance(&turns, (uint64_t)100 * S, true, all_work) == TURNS_STAY);
}

static void a_turn_pauses_before_the_next_one_runs(void)
{
	struct turns turns;

	turns_init(&turns, 3, S, 0);
	CHECK(turns_next(&turns, 0) == S);
	CHECK(turns_advance(&turns, S - 1, false, all_work) == TURNS_STAY);
	CHECK(turns_advance(&turns, S, false, all_work) == TURNS_PAUSE);
	CHECK(turns_advance(&turns, S + MS, false, all_work) == TURNS_STAY);
	CHECK(turns_advance(&turns, S + 2 * MS, true, all_work) == TURNS_RUN);
	CHECK(turns.current == 1 && turns_next(&turns, S + 2 * MS) == (uint64_t)2 * S + 2 * MS);
}

static void who_cannot_pause_holds_up_nobody_for_long(void)
{
	struct turns turns;

	turns_init(&turns, 2, S, 0);
	CHECK(turns_advance(&turns, S, false, all_work) == TURNS_PAUSE);
	CHECK(turns_advance(&turns, S + 49 * MS, false, all_work) == TURNS_STAY);
	CHECK(turns_advance(&turns, S + 50 * MS, false, all_work) == TURNS_RUN);
}

static void turns_without_work_are_passed_over(void)
{
	static const bool work[] = {true, false, true}, only_first[] = {true, false, false};
	struct turns turns;

	turns_init(&turns, 3, S, 0);
	turns_advance(&turns, S, true, work);
	CHECK(turns_advance(&turns, S, true, work) == TURNS_RUN && turns.current == 2);
	turns_init(&turns, 3, S, 0);
	CHECK(turns_advance(&turns, (uint64_t)9 * S, true, only_first) == TURNS_STAY);
}

static void a_turn_whose_rings_have_ended_ends_at_once(void)
{
	static const bool work[] = {false, true, false};
	struct turns turns;

	turns_init(&turns, 3, S, 0);
	CHECK(turns_advance(&turns, MS, true, work) == TURNS_PAUSE);
	CHECK(turns_advance(&turns, MS, true, work) == TURNS_RUN && turns.current == 1);
}

static void a_turn_is_held_until_it_is_let_go(void)
{
	struct turns turns;

	turns_init(&turns, 3, S, 0);
	turns_hold(&turns, 2);
	CHECK(!turns_holds_current(&turns));
	CHECK(turns_advance(&turns, MS, false, all_work) == TURNS_PAUSE);
	CHECK(turns_advance(&turns, 2 * MS, true, all_work) == TURNS_RUN && turns.current == 2);
	CHECK(turns_holds_current(&turns) && turns.since_ns == 2 * MS);
	CHECK(turns_advance(&turns, (uint64_t)99 * S, false, all_work) == TURNS_STAY);
	CHECK(turns_next(&turns, (uint64_t)99 * S) == (uint64_t)100 * S, "a held turn costs nothing");
	turns_hold(&turns, 1);
	CHECK(turns_advance(&turns, (uint64_t)99 * S, false, all_work) == TURNS_PAUSE);
	CHECK(turns_advance(&turns, (uint64_t)99 * S, true, all_work) == TURNS_RUN && turns.current == 1);
	turns_hold(&turns, -1);
	CHECK(!turns.is_held && turns_advance(&turns, (uint64_t)99 * S, true, all_work) == TURNS_STAY);
	CHECK(turns_advance(&turns, (uint64_t)100 * S, true, all_work) == TURNS_PAUSE);
	CHECK(turns_advance(&turns, (uint64_t)100 * S, true, all_work) == TURNS_RUN && turns.current == 2);
	turns_hold(&turns, 0);
	turns_hold(&turns, -1);
	CHECK(!turns.is_held && turns_advance(&turns, (uint64_t)100 * S, true, all_work) == TURNS_STAY);
}

static void the_current_turn_is_held_without_a_pause(void)
{
	struct turns turns;

	turns_init(&turns, 2, S, 0);
	turns_hold(&turns, 0);
	CHECK(turns_holds_current(&turns) &&
		turns_advance(&turns, (uint64_t)5 * S, false, all_work) == TURNS_STAY);
	turns_init(&turns, 2, S, 0);
	CHECK(turns_advance(&turns, S, false, all_work) == TURNS_PAUSE);
	turns_hold(&turns, 0); /* while it ends */
	CHECK(!turns_holds_current(&turns) && turns_advance(&turns, S, true, all_work) == TURNS_RUN);
	CHECK(turns.current == 0 && turns_holds_current(&turns));
}

static void a_held_turn_without_work_lets_turns_go_on(void)
{
	static const bool work[] = {true, false, true};
	struct turns turns;

	turns_init(&turns, 3, S, 0);
	turns_hold(&turns, 1);
	CHECK(turns_advance(&turns, MS, true, work) == TURNS_STAY && !turns.is_held);
	turns_hold(&turns, 0);
	CHECK(turns_advance(&turns, (uint64_t)3 * S, true, all_work) == TURNS_STAY);
	CHECK(turns_advance(&turns, (uint64_t)3 * S, true, (const bool[]){false, false, true}) ==
		TURNS_PAUSE);
	CHECK(turns_advance(&turns, (uint64_t)3 * S, true, (const bool[]){false, false, true}) == TURNS_RUN);
	CHECK(turns.current == 2 && !turns.is_held);
}

static void laps_on_time_miss_nothing(void)
{
	struct lap_schedule schedule = {.interval_ns = MS, .burst = 1};
	struct lap_schedule_missed missed;

	lap_schedule_start(&schedule, 10 * MS);
	for (unsigned i = 0; i < 100; i++) {
		CHECK(lap_schedule_due(&schedule) == (10 + i) * (uint64_t)MS);
		CHECK(lap_schedule_begin_lap(&schedule, (10 + i) * (uint64_t)MS + 50, &missed) ==
			(10 + i) * (uint64_t)MS);
		CHECK(missed.count == 0);
	}
}

static void a_stall_is_served_once_and_the_rest_is_missed(void)
{
	static const struct {
		uint64_t late_ns, count, longest_ns;
	} rows[] = {
		{0, 0, 0},
		{999999, 0, 0},
		{1000000, 1, 0},
		{1500000, 1, 500000},
		{1500 * (uint64_t)MS, 1500, 1499 * (uint64_t)MS},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct lap_schedule schedule = {.interval_ns = MS, .burst = 1};
		struct lap_schedule_missed missed;

		lap_schedule_start(&schedule, S);
		CHECK(lap_schedule_begin_lap(&schedule, S + rows[i].late_ns, &missed) == S);
		CHECK(missed.count == rows[i].count && missed.longest_ns == rows[i].longest_ns, "row %zu", i);
		CHECK(lap_schedule_due(&schedule) > S + rows[i].late_ns,
			"row %zu: the next due is not yet over", i);
	}
}

static void claimed_slots_are_not_counted_again(void)
{
	static const struct {
		uint64_t first, from, interval, now, count, longest;
	} rows[] = {
		{S, 0, MS, S - 1, 0, 0},
		{S, 0, MS, S, 1, 0},
		{S, 0, MS, S + 20 * MS, 21, 20 * MS},
		{S, S + 15 * MS, MS, S + 20 * MS, 6, 5 * MS},
		{S, S + 15 * MS + 1, MS, S + 20 * MS, 5, 4 * MS},
		{S, S + 21 * MS, MS, S + 20 * MS, 0, 0},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct lap_schedule_missed missed =
			lap_schedule_unserved(rows[i].first, rows[i].from, rows[i].interval, rows[i].now);

		CHECK(missed.count == rows[i].count && missed.longest_ns == rows[i].longest, "row %zu", i);
	}
}

static void a_rest_leaves_out_its_slots_and_misses_those_that_were_overdue(void)
{
	static const struct {
		uint64_t late_ns, rested, missed, longest_ns;
	} rows[] = {
		{0, 5, 0, 0},                 /* due as the rest begins */
		{150000, 5, 0, 0},            /* less than an interval late */
		{250000, 4, 2, 250000},       /* two are overdue */
		{(uint64_t)S, 4, 4001, S},    /* after a stall */
		{-(uint64_t)100000, 4, 0, 0}, /* due within the rest */
		{-(uint64_t)MS - 1, 0, 0, 0}, /* due after it */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct lap_schedule schedule = {.interval_ns = 250000, .burst = 1};
		uint64_t now_ns = (uint64_t)5 * S + rows[i].late_ns;
		struct lap_schedule_missed missed;

		lap_schedule_start(&schedule, (uint64_t)5 * S);
		uint64_t first_ns = lap_schedule_rest(&schedule, now_ns, now_ns + MS, &missed);
		uint64_t rested = (schedule.due_ns - first_ns) / 250000;

		CHECK(missed.count == rows[i].missed && missed.longest_ns == rows[i].longest_ns,
			"row %zu: %llu", i, (unsigned long long)missed.count);
		CHECK(rested + missed.count == (schedule.due_ns - (uint64_t)5 * S) / 250000, "row %zu", i);
		CHECK(rested == rows[i].rested, "row %zu: %llu", i, (unsigned long long)rested);
		CHECK(lap_schedule_due(&schedule) > now_ns + MS, "row %zu", i);
	}
}

static void a_burst_has_one_due(void)
{
	struct lap_schedule schedule = {.interval_ns = 10 * MS, .burst = 16};
	struct lap_schedule_missed missed;
	unsigned dues = 0;

	lap_schedule_start(&schedule, S);
	for (unsigned lap = 0; lap < 160; lap++)
		dues += lap_schedule_begin_lap(&schedule, S + lap / 16 * 10 * MS, &missed) != 0;
	CHECK(dues == 10, "%u", dues);
}

static void flood_has_no_dues(void)
{
	struct lap_schedule schedule = {.burst = 1};
	struct lap_schedule_missed missed;

	lap_schedule_start(&schedule, S);
	CHECK(lap_schedule_due(&schedule) == 0 &&
		lap_schedule_begin_lap(&schedule, (uint64_t)99 * S, &missed) == 0 && missed.count == 0);
}

int main(void)
{
	TEST(a_single_turn_never_ends);
	TEST(a_turn_pauses_before_the_next_one_runs);
	TEST(who_cannot_pause_holds_up_nobody_for_long);
	TEST(turns_without_work_are_passed_over);
	TEST(a_turn_whose_rings_have_ended_ends_at_once);
	TEST(a_turn_is_held_until_it_is_let_go);
	TEST(the_current_turn_is_held_without_a_pause);
	TEST(a_held_turn_without_work_lets_turns_go_on);
	TEST(laps_on_time_miss_nothing);
	TEST(a_stall_is_served_once_and_the_rest_is_missed);
	TEST(claimed_slots_are_not_counted_again);
	TEST(a_rest_leaves_out_its_slots_and_misses_those_that_were_overdue);
	TEST(a_burst_has_one_due);
	TEST(flood_has_no_dues);
	return tap_done();
}
