/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_spike_limit.c - from which length on a ring's samples are spikes. */
#include "src/figures/spike.h"

#include <inttypes.h>

#include "tests/unit/tap.h"

enum { CELLS_MAX = 8 };

static const uint64_t second_ns = 1000000000, before_ns = 123456;

struct samples {
	uint64_t ns, count;
};

static uint64_t limit_after(struct spike_usual *usual, const struct samples *samples, uint64_t length_ns)
{
	struct hist_cell cells[CELLS_MAX];
	size_t n = 0;

	for (; n < CELLS_MAX && samples[n].count; n++)
		cells[n] = (struct hist_cell){hist_bucket(samples[n].ns), samples[n].count};
	return spike_limit(usual, cells, n, length_ns, before_ns);
}

/* By their lower edges, buckets are up to 1/64 below. */
static bool is_about(uint64_t ns, uint64_t expected_ns)
{
	return ns <= expected_ns && ns >= expected_ns - expected_ns / 50;
}

static void the_limit_is_the_largest_of_three(void)
{
	const struct {
		const char *what;
		struct samples samples[CELLS_MAX];
		uint64_t expected_ns;
	} cases[] = {
		{"20 us, where the usual sample is short", {{2000, 1000}}, 20000},
		{"three times the usual sample", {{50000, 1000}}, 150000},
		{"what few samples reach does not raise it", {{2000, 980}, {5000000, 20}}, 20000},
		{"what 20 a second reach", {{2000, 900}, {3000000, 80}, {5000000, 20}}, 3000000},
		{"equal stalls do not hide themselves", {{2000, 400}, {20000000, 30}}, 20000000},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct spike_usual usual = {0};
		uint64_t ns = limit_after(&usual, cases[i].samples, second_ns);

		CHECK(is_about(ns, cases[i].expected_ns), "%s: %" PRIu64 " ns, not %" PRIu64, cases[i].what,
			ns, cases[i].expected_ns);
	}
}

static void without_samples_the_limit_stays(void)
{
	struct spike_usual usual = {0};

	CHECK(limit_after(&usual, (struct samples[CELLS_MAX]){{0}}, second_ns) == before_ns);
}

static void a_tick_of_stalls_alone_hardly_raises_the_limit(void)
{
	struct spike_usual usual = {0};

	limit_after(&usual, (struct samples[CELLS_MAX]){{40000, 1000}}, second_ns);
	CHECK(limit_after(&usual, (struct samples[CELLS_MAX]){{900000000, 1}}, second_ns) < 160000);
	CHECK(is_about(limit_after(&usual, (struct samples[CELLS_MAX]){{40000, 1000}}, second_ns), 120000));
}

static void a_short_tick_allows_as_much_less(void)
{
	struct spike_usual usual = {0};
	struct samples samples[CELLS_MAX] = {{2000, 46}, {1000000, 2}, {3000000, 2}};

	CHECK(is_about(limit_after(&usual, samples, second_ns / 20), 3000000));
}

int main(void)
{
	TEST(the_limit_is_the_largest_of_three);
	TEST(without_samples_the_limit_stays);
	TEST(a_tick_of_stalls_alone_hardly_raises_the_limit);
	TEST(a_short_tick_allows_as_much_less);
	return tap_done();
}
