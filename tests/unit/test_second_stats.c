/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_second_stats.c - the figures of each second, and how long they are kept. */
#include "src/model/second_stats.h"

#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

static const uint64_t S = 1000000000;

static const struct second *second_of(const struct fixture *f, unsigned back)
{
	return second_stats_at(&f->session.seconds, 0, FIGURE_FIRST, back);
}

static unsigned max_of(const struct fixture *f, unsigned back)
{
	return second_of(f, back) ? second_of(f, back)->max : 0;
}

static void feed(struct fixture *f, uint64_t tick_ns, uint64_t ns)
{
	f->tick.end_ns = f->tick.start_ns + tick_ns;
	if (ns)
		fixture_sample(f, 0, FIGURE_FIRST, ns, 1);
	CHECK(fixture_feed(f) == 0);
}

static void rows_are_half_octaves(void)
{
	CHECK(second_stats_lower_ns(0) == 0 && second_stats_lower_ns(1) == 128 &&
		second_stats_lower_ns(2) == 192);
	CHECK(second_stats_lower_ns(3) == 256 && second_stats_lower_ns(55) == UINT64_C(1) << 34);
	for (unsigned row = 0; row < SECOND_BANDS; row++) {
		uint64_t edges[] = {row ? second_stats_lower_ns(row) : 1,
			row + 1 < SECOND_BANDS ? second_stats_lower_ns(row + 1) - 1 : UINT64_C(1) << 40};

		for (size_t i = 0; i < 2; i++) {
			struct fixture *f = fixture_create(1, 1000000);

			feed(f, S, edges[i]);
			for (unsigned r = 0; r < SECOND_BANDS; r++)
				CHECK(second_stats_heat(second_of(f, 0), r) == (r == row), "%llu ns, row %u",
					(unsigned long long)edges[i], r);
			fixture_destroy(f);
		}
	}
}

static void heat_is_the_logarithm_of_the_exact_count(void)
{
	static const struct {
		uint32_t each;
		unsigned ticks, heat;
	} cases[] = {{1, 1, 1}, {1, 2, 1}, {1, 3, 2}, {1, 7, 2}, {2, 4, 3}, {1, 21, 3}, {1, 22, 4},
		{61, 1, 4}, {62, 1, 5}, {481, 1, 6}, {241, 2, 7}, {1820591, 1, 14}, {910296, 2, 15},
		{UINT32_MAX, 3, 15}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fixture *f = fixture_create(1, 1000000);

		for (unsigned t = 0; t < cases[i].ticks; t++) {
			f->tick.end_ns = f->tick.start_ns + S / 50;
			fixture_sample(f, 0, FIGURE_FIRST, 1500, cases[i].each / 2);
			fixture_sample(f, 0, FIGURE_FIRST, 1530, cases[i].each - cases[i].each / 2);
			fixture_feed(f);
		}
		CHECK(second_stats_heat(second_of(f, 0), 7) == cases[i].heat, "%u times %u: %u",
			cases[i].ticks, cases[i].each, second_stats_heat(second_of(f, 0), 7));
		CHECK(second_of(f, 0)->n ==
			(cases[i].each == UINT32_MAX ? UINT32_MAX : cases[i].each * cases[i].ticks));
		fixture_destroy(f);
	}
}

static void a_second_has_the_largest_p99_of_its_ticks(void)
{
	static const struct {
		uint32_t low, high; /* samples at 1.5 and at 90 us, in each second tick */
		uint64_t p99_ns;
	} cases[] = {{99, 1, 1500}, {98, 2, 90000}, {990, 10, 1500}, {1000, 11, 90000}, {0, 1, 90000},
		{1, 0, 1500}, {1, 1, 90000}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fixture *f = fixture_create(1, 1000000);

		for (unsigned t = 0; t < 4; t++) {
			f->tick.end_ns = f->tick.start_ns + S / 4;
			if (t % 2)
				fixture_sample(f, 0, FIGURE_FIRST, 1400, 5);
			if (t % 2 == 0 && cases[i].low)
				fixture_sample(f, 0, FIGURE_FIRST, 1500, cases[i].low);
			if (t % 2 == 0 && cases[i].high)
				fixture_sample(f, 0, FIGURE_FIRST, 90000, cases[i].high);
			fixture_feed(f);
		}
		CHECK(second_of(f, 0)->p99 == hist_bucket(cases[i].p99_ns) + 1, "case %zu: %u", i,
			second_of(f, 0)->p99);
		CHECK(second_of(f, 0)->max == hist_bucket(cases[i].high ? 90000 : 1500) + 1);
		CHECK(second_of(f, 0)->n == 2 * (cases[i].low + cases[i].high) + 10);
		fixture_destroy(f);
	}
}

/* However long ticks are, and wherever a mark cuts one in two. */
static void the_rate_is_of_the_time_that_was_covered(void)
{
	static const uint64_t ticks_ms[][3] = {{500, 500, 500}, {700, 700, 700}, {300, 300, 300},
		{50, 50, 50}, {10000, 10000, 10000}, {500, 230, 270}, {1, 999, 700}};

	for (size_t i = 0; i < sizeof(ticks_ms) / sizeof(*ticks_ms); i++) {
		struct fixture *f = fixture_create(1, 1000000);
		const struct second_stats *stats = &f->session.seconds;

		CHECK(!second_stats_covered_ns(stats, 0) &&
			second_stats_rate(stats, 0, FIGURE_FIRST, 0) == 0.0);
		for (uint64_t t = 0, ms = 0; ms < 300000; ms += ticks_ms[i][t++ % 3]) {
			f->tick.end_ns = f->tick.start_ns + ticks_ms[i][t % 3] * 1000000;
			fixture_sample(f, 0, FIGURE_FIRST, 1500, (uint32_t)(2 * ticks_ms[i][t % 3]));
			fixture_feed(f);
		}
		for (unsigned back = 0; back < SECONDS_KEPT; back++) {
			double rate = second_stats_rate(stats, 0, FIGURE_FIRST, back);

			CHECK(rate > 1999.9 && rate < 2000.1, "case %zu, %u back: %g", i, back, rate);
		}
		CHECK(!second_stats_covered_ns(stats, SECONDS_KEPT));
		CHECK(second_stats_rate(stats, 0, FIGURE_LAP, 1) == 0.0 && second_stats_covered_ns(stats, 1));
		fixture_destroy(f);
	}
}

static void each_second_has_its_maximum(void)
{
	static const struct {
		uint64_t tick_ms;
		unsigned ticks;
		unsigned at[3]; /* ticks with a spike */
		unsigned back[3];
	} cases[] = {
		{500, 120, {0, 60, 119}, {59, 29, 0}},
		{1000, 60, {0, 30, 59}, {59, 29, 0}},
		{200, 300, {0, 150, 299}, {59, 29, 0}},
		{500, 800, {799, 798, 330}, {0, 0, 234}},
		{50, 20000, {19999, 19980, 15201}, {0, 0, 239}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fixture *f = fixture_create(2, 1000000);
		unsigned seconds = (unsigned)(cases[i].tick_ms * cases[i].ticks / 1000);

		for (unsigned t = 0; t < cases[i].ticks; t++) {
			bool spike = t == cases[i].at[0] || t == cases[i].at[1] || t == cases[i].at[2];

			feed(f, cases[i].tick_ms * 1000000, spike ? 90000 : 1500);
		}
		for (unsigned s = 0; s < SECONDS_KEPT && s < seconds; s++) {
			bool spike = s == cases[i].back[0] || s == cases[i].back[1] || s == cases[i].back[2];

			CHECK(max_of(f, s) == hist_bucket(spike ? 90000 : 1500) + 1, "case %zu, second %u", i,
				s);
			CHECK(second_of(f, s)->n == 1000 / cases[i].tick_ms);
		}
		CHECK(!second_of(f, seconds < SECONDS_KEPT ? seconds : SECONDS_KEPT));
		CHECK(!second_stats_at(&f->session.seconds, 1, FIGURE_FIRST, 0),
			"a row without samples takes nothing");
		CHECK(!second_stats_at(&f->session.seconds, 0, FIGURE_LAP, 0));
		CHECK(!second_stats_at(&f->session.seconds, 0, FIGURE_SERVED, 0));
		CHECK(!second_stats_at(&f->session.seconds, f->session.n_rings, FIGURE_FIRST, 0));
		CHECK(second_stats_start_ns(&f->session.seconds, 0) == FIXTURE_START_NS + (seconds - 1) * S);
		CHECK(second_stats_start_ns(&f->session.seconds, 7) == FIXTURE_START_NS + (seconds - 8) * S);
		fixture_destroy(f);
	}
}

/* A tick of half a second that came late has all of its samples in the second in which it was made. */
static void what_a_late_tick_left_out_is_a_gap(void)
{
	static const struct {
		uint64_t late_ms[4]; /* of each tick */
		const char *seconds; /* from the first one: samples, or / for a gap */
	} cases[] = {
		{{0, 0, 0, 0}, "22"},
		{{0, 0, 0, 3000}, "21//1"},
		{{0, 3200, 0, 0}, "1///21"},
		{{3600, 0, 0, 0}, "////22"},
		{{0, 600, 600, 0}, "1111"},
		{{0, 499, 0, 0}, "121"},
		{{0, 1200, 1200, 0}, "1/111"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct fixture *f = fixture_create(1, 1000000);
		size_t n = strlen(cases[i].seconds);

		for (size_t t = 0; t < 4; t++) {
			f->tick.late_ns = cases[i].late_ms[t] * 1000000;
			feed(f, S / 2 + f->tick.late_ns, 1500);
		}
		for (unsigned s = 0; s < n; s++) {
			const struct second *second = second_of(f, (unsigned)n - 1 - s);
			bool is_gap = second_stats_is_gap(&f->session.seconds, 0, (unsigned)n - 1 - s);

			CHECK(cases[i].seconds[s] == (is_gap ? '/' : (char)('0' + (second ? second->n : 0))),
				"case %zu, second %u", i, s);
			CHECK(!is_gap || !second || !second->max, "case %zu: a gap has a sample", i);
		}
		CHECK(f->session.seconds.second == n - 1, "case %zu", i);
		fixture_destroy(f);
	}
}

static void long_ticks_fill_their_seconds_and_old_ones_go(void)
{
	struct fixture *f = fixture_create(1, 1000000);

	f->tick.end_ns = f->tick.start_ns + 10 * S;
	fixture_sample(f, 0, FIGURE_FIRST, 90000, 20);
	fixture_feed(f);
	feed(f, 10 * S, 1500);
	CHECK(!second_of(f, 20));
	for (unsigned s = 0; s < 20; s++) {
		CHECK(max_of(f, s) == hist_bucket(s < 10 ? 1500 : 90000) + 1, "%u", s);
		CHECK(second_of(f, s)->n == (s < 10 ? 1 : 2), "a part of it each: %u", second_of(f, s)->n);
	}
	for (unsigned i = 0; i < 2 * SECONDS_KEPT; i++)
		feed(f, S / 2, 0);
	for (unsigned s = 0; s < SECONDS_KEPT; s++)
		CHECK(max_of(f, s) == 0, "%u", s);
	feed(f, 1000 * S, 3000);
	CHECK(max_of(f, 0) == hist_bucket(3000) + 1 && max_of(f, SECONDS_KEPT - 1) == max_of(f, 0));
	feed(f, S, 0);
	feed(f, S, 0);
	feed(f, S, 4000);
	CHECK(max_of(f, 0) == hist_bucket(4000) + 1 && max_of(f, 3) == hist_bucket(3000) + 1);
	CHECK(max_of(f, 1) == 0 && max_of(f, 2) == 0, "seconds without samples are empty");
	fixture_destroy(f);
}

/* Ticks come when the machine has time. */
static void ticks_that_waver_leave_no_second_out(void)
{
	for (uint64_t tick_ms = 300; tick_ms <= 3000; tick_ms += 100) {
		struct fixture *f = fixture_create(1, 1000000);
		unsigned seed = 1;

		while (f->tick.start_ns < FIXTURE_START_NS + 100 * S) {
			seed = seed * 1103515245 + 12345;
			feed(f, (tick_ms + seed / 65536 % 100 - 50) * 1000000, 1500);
		}
		for (unsigned s = 0; s < 99; s++)
			CHECK(max_of(f, s) != 0, "%llu ms, %u", (unsigned long long)tick_ms, s);
		fixture_destroy(f);
	}
}

static void strange_times_do_no_harm(void)
{
	static const struct {
		uint64_t start_ns, end_ns;
	} ticks[] = {{0, 0}, {0, UINT64_MAX}, {UINT64_MAX, 0}, {UINT64_MAX - 5, UINT64_MAX}, {5, 3}, {1, 1},
		{UINT64_MAX, UINT64_MAX}, {1000000000, 3000000000}};

	for (size_t first = 0; first < sizeof(ticks) / sizeof(*ticks); first++) {
		struct fixture *f = fixture_create(1, 1000000);

		for (size_t i = 0; i < sizeof(ticks) / sizeof(*ticks); i++) {
			size_t at = (first + i) % (sizeof(ticks) / sizeof(*ticks));

			f->tick.start_ns = ticks[at].start_ns;
			f->tick.end_ns = ticks[at].end_ns;
			fixture_sample(f, 0, FIGURE_FIRST, 1500, 3);
			CHECK(session_feed(&f->session, &f->tick) == 0);
			CHECK(max_of(f, 0) == hist_bucket(1500) + 1);
			fixture_next(f);
		}
		fixture_destroy(f);
	}
}

int main(void)
{
	TEST(rows_are_half_octaves);
	TEST(heat_is_the_logarithm_of_the_exact_count);
	TEST(a_second_has_the_largest_p99_of_its_ticks);
	TEST(the_rate_is_of_the_time_that_was_covered);
	TEST(each_second_has_its_maximum);
	TEST(what_a_late_tick_left_out_is_a_gap);
	TEST(long_ticks_fill_their_seconds_and_old_ones_go);
	TEST(ticks_that_waver_leave_no_second_out);
	TEST(strange_times_do_no_harm);
	return tap_done();
}
