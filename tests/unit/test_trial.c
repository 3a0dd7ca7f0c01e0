/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_trial.c - how long the phases of a trial are, at what spread. */
#include "src/model/trial.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/tap.h"

#define S UINT64_C(1000000000)

static void phases_are_as_long_as_the_spread_needs(void)
{
	static const struct {
		uint64_t least_ns, for_ns;
		double spread;
		uint64_t phase_ns;
		unsigned n_pairs;
	} rows[] = {
		{2 * S, 120 * S, 0, 2 * S, 6}, /* nothing is known: the shortest */
		{2 * S, 120 * S, 0.01, 2 * S, 6},
		{2 * S, 120 * S, 0.078, 4 * S, 6},    /* twice the spread takes four times as long */
		{2 * S, 120 * S, 1, 116 * S / 12, 6}, /* what there is room for */
		{2 * S, 16 * S, 1, 2 * S, 3},
		{2 * S, 24 * S, 1, 2 * S, 5},
		{10 * S, 120 * S, 1, 11 * S, 5},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct trial_pace pace;
		struct error_text reason = {""};

		CHECK(trial_pace_init(&pace, rows[i].least_ns, rows[i].for_ns, &reason) == 0, "%s",
			reason.text);
		trial_pace_choose(&pace, rows[i].least_ns, rows[i].for_ns, rows[i].spread);
		CHECK(pace.n_pairs == rows[i].n_pairs, "row %zu: %u pairs", i, pace.n_pairs);
		CHECK(pace.phase_ns >= rows[i].phase_ns - S / 50 &&
				pace.phase_ns <= rows[i].phase_ns + S / 50,
			"row %zu: %g s", i, (double)pace.phase_ns / 1e9);
		CHECK(pace.pilot_ns + 2 * pace.n_pairs * pace.phase_ns <= rows[i].for_ns, "row %zu", i);
	}
}

static void a_time_that_is_too_short_is_refused(void)
{
	struct trial_pace pace;
	struct error_text reason = {""};

	CHECK(trial_pace_init(&pace, 2 * S, 15 * S, &reason) == -EINVAL &&
			strstr(reason.text, "16 s at least"),
		"%s", reason.text);
	CHECK(trial_pace_init(&pace, 5 * S, 16 * S, &reason) == -EINVAL &&
			strstr(reason.text, "35 s at least"),
		"%s", reason.text);
}

int main(void)
{
	TEST(phases_are_as_long_as_the_spread_needs);
	TEST(a_time_that_is_too_short_is_refused);
	return tap_done();
}
