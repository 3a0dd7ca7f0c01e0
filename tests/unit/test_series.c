/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_series.c - which ticks fall in which window. */
#include "src/model/series.h"
#include "src/model/session.h"

#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

static const uint64_t S = 1000000000;

/* One sample a tick, so that samples are ticks. */
static uint64_t ticks_in(const struct fixture *f, enum window window)
{
	struct hist hist = {0};
	struct tick_counts counts = {0};
	uint64_t n;

	CHECK(session_add_figure(&f->session, 0, window, FIGURE_FIRST, &hist) == 0);
	session_add_counts(&f->session, 0, window, &counts);
	n = hist.n;
	CHECK(counts.laps == n, "%s: %llu laps, %llu samples", window_name(window),
		(unsigned long long)counts.laps, (unsigned long long)n);
	hist_finish(&hist);
	return n;
}

static void feed(struct fixture *f, uint64_t tick_ns, uint64_t ns)
{
	f->tick.end_ns = f->tick.start_ns + tick_ns;
	if (ns) {
		fixture_sample(f, 0, FIGURE_FIRST, ns, 1);
		f->rings[0].laps = 1;
	}
	CHECK(fixture_feed(f) == 0);
}

static void windows_hold_the_last_ticks(void)
{
	static const struct {
		uint64_t tick_ms, ticks;
		uint64_t s1, s10, s60_least, s60_most, all;
	} cases[] = {
		{500, 1, 1, 1, 1, 1, 1},
		{500, 3, 2, 3, 3, 3, 3},
		{500, 20, 2, 20, 20, 20, 20},
		{500, 21, 2, 20, 21, 21, 21},
		{500, 119, 2, 20, 119, 119, 119},
		{500, 1000, 2, 20, 115, 125, 1000},
		{50, 5000, 20, 200, 1150, 1250, 5000},
		{1000, 500, 1, 10, 57, 63, 500},
		{3000, 100, 1, 3, 19, 21, 100},
		{10000, 100, 1, 1, 6, 6, 100},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fixture *f = fixture_create(1, 1000000);

		for (uint64_t t = 0; t < cases[i].ticks; t++)
			feed(f, cases[i].tick_ms * 1000000, 1000 + t);
		CHECK(ticks_in(f, WINDOW_1S) == cases[i].s1, "case %zu: %llu", i,
			(unsigned long long)ticks_in(f, WINDOW_1S));
		CHECK(ticks_in(f, WINDOW_10S) == cases[i].s10, "case %zu: %llu", i,
			(unsigned long long)ticks_in(f, WINDOW_10S));
		CHECK(ticks_in(f, WINDOW_60S) >= cases[i].s60_least &&
				ticks_in(f, WINDOW_60S) <= cases[i].s60_most,
			"case %zu: %llu", i, (unsigned long long)ticks_in(f, WINDOW_60S));
		CHECK(ticks_in(f, WINDOW_PHASE) == cases[i].all && ticks_in(f, WINDOW_ALL) == cases[i].all);
		CHECK(f->session.series.n_ticks <= 1 + 15 * 1000 / cases[i].tick_ms, "case %zu: %zu", i,
			f->session.series.n_ticks);
		fixture_destroy(f);
	}
}

static void a_late_tick_does_not_lose_its_window(void)
{
	struct fixture *f = fixture_create(1, 1000000);

	for (unsigned i = 0; i < 100; i++)
		feed(f, 500000000 + (i % 2 ? 20000000 : -20000000), 1000);
	CHECK(ticks_in(f, WINDOW_1S) == 2 && ticks_in(f, WINDOW_10S) == 20);
	feed(f, 30 * S, 5000); /* as after a suspend */
	CHECK(ticks_in(f, WINDOW_1S) == 1 && ticks_in(f, WINDOW_10S) == 1);
	feed(f, S / 2, 0);
	CHECK(ticks_in(f, WINDOW_1S) == 0, "nothing happened lately");
	fixture_destroy(f);
}

/* In a recording, that may be anyone's. */
static void ticks_without_time_are_bounded(void)
{
	struct fixture *f = fixture_create(8, 1000000);

	for (unsigned i = 0; i < 20000; i++) {
		feed(f, i % 100 ? 0 : 1, 1000);
		CHECK(f->session.series.n_ticks < 2 * SERIES_TICKS_MAX);
	}
	CHECK(ticks_in(f, WINDOW_ALL) == 20000 && ticks_in(f, WINDOW_60S) > SERIES_TICKS_MAX);
	fixture_destroy(f);
}

int main(void)
{
	TEST(windows_hold_the_last_ticks);
	TEST(a_late_tick_does_not_lose_its_window);
	TEST(ticks_without_time_are_bounded);
	return tap_done();
}
