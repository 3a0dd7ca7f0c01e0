/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_trial.c - how long the phases of a trial are, at what spread, and what is judged of them. */
#include "src/model/trial.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "tests/unit/session_fixture.h"
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
		{2 * S, 120 * S, 0, 2 * S, 10}, /* nothing is known: the shortest */
		{2 * S, 120 * S, 0.01, 2 * S, 10}, {2 * S, 120 * S, 0.049, 2 * S, 10},
		/* Twice the spread takes four times as long, in as many pairs as there is room for. */
		{2 * S, 120 * S, 0.098, 2 * S, 24}, {2 * S, 120 * S, 0.112, 218 * S / 100, 24},
		{2 * S, 120 * S, 1, 116 * S / 48, 24}, {2 * S, 46 * S, 1, 21 * S / 10, 10},
		{2 * S, 40 * S, 1, 3 * S, 6}, /* pairs are too few */
		{2 * S, 16 * S, 1, 2 * S, 3}, {2 * S, 24 * S, 1, 2 * S, 5}, {10 * S, 120 * S, 1, 11 * S, 5},
		{10 * S, 600 * S, 1, 590 * S / 48, 24},
		{2 * S, 180 * S, 0, 176 * S / 48, 24}, /* asked for more than usually suffices: all of it */
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

/* Half of the pairs begin with either value, and two phases at most have the same one in a row. */
static void every_second_pair_is_turned_around(void)
{
	static const char order[] = "ABBAABBAABBA";

	for (unsigned phase = 0; phase < sizeof(order) - 1; phase++)
		CHECK(trial_is_b(phase) == (order[phase] == 'B'), "phase %u", phase);
}

/* Phases of 4 s. */
static void the_last_phases_take_what_is_left(void)
{
	static const struct {
		uint64_t begin_ns, end_ns;
		bool was_stopped;
		uint64_t phase_ns;
	} rows[] = {
		{10 * S, 40 * S, false, 4 * S},
		{10 * S, 14 * S, false, 4 * S},
		{10 * S, 14 * S, true, 4 * S},
		{10 * S, 13 * S, false, 3 * S},
		{10 * S, 13 * S, true, 3 * S},
		{10 * S, 12 * S, true, 2 * S},
		{10 * S, 11 * S, true, 0},
		{10 * S, 5 * S, true, 0},
		/* A busy machine takes somewhat longer. */
		{10 * S, 11 * S, false, 2 * S},
		{10 * S, 5 * S, false, 2 * S},
	};
	const struct trial_pace pace = {4 * S, 4 * S, 3};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		CHECK(trial_phase_ns(&pace, rows[i].begin_ns, rows[i].end_ns, rows[i].was_stopped) ==
				rows[i].phase_ns,
			"row %zu", i);
	CHECK(!trial_was_stopped(&pace, 2 * S) && trial_was_stopped(&pace, 2 * S + 1));
}

/* --- the verdict --- */

enum { TICKS = 40, MADE = 10, N_SAMPLES = 8 };

/* A machine that moves by itself: by some percent from phase to phase, and within them. */
struct made_machine {
	uint64_t random;
	bool is_flood;
	double level; /* of the time, that neighbours share */
};

static double uniform(struct made_machine *machine)
{
	machine->random = machine->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return ((double)(machine->random >> 33) + 0.5) / (double)(UINT64_C(1) << 31);
}

static double normal(struct made_machine *machine)
{
	double radius = sqrt(-2 * log(uniform(machine)));

	return radius * cos(2 * M_PI * uniform(machine));
}

/* @slower: by this factor hops are longer. @gives: the share of the time that the machine gives a flood. */
static void add_ring(
	struct fixture *f, size_t ring, struct made_machine *machine, double slower, double gives)
{
	static const double scales[N_SAMPLES] = {0.8, 0.9, 1, 1.1, 1.3, 1.7, 3, 8};
	static const unsigned counts[N_SAMPLES] = {40, 90, 180, 100, 60, 20, 8, 2};
	unsigned missed = uniform(machine) < 0.1 ? 3 : 0;

	machine->level = 0.6 * machine->level + 0.03 * normal(machine);
	for (size_t figure = 0; figure < N_FIGURES; figure++)
		for (size_t i = 0; i < N_SAMPLES; i++) {
			double ns = 5000 * scales[i] * slower * exp(machine->level + 0.03 * normal(machine));
			double n = counts[i] *
				   (machine->is_flood ? 20 * gives / slower * exp(-machine->level) : 1);

			fixture_sample(f, ring, (enum figure)figure, (uint64_t)ns, (uint32_t)n + 1);
			f->rings[ring].laps += figure == 0 ? (uint64_t)n + 1 : 0;
		}
	f->rings[ring].missed = machine->is_flood ? 0 : missed;
	f->rings[ring].active_ns = FIXTURE_TICK_NS;
}

static void feed_tick(struct fixture *f, struct made_machine *machine, double slower, double gives)
{
	for (size_t ring = 0; ring < f->session.n_rings; ring++)
		add_ring(f, ring, machine, slower, gives);
	CHECK(fixture_feed(f) == 0);
}

/* A trial of three pairs of phases, of which the last one has @n_last ticks. */
static struct trial_result judge_trial(
	struct made_machine *machine, unsigned n_rings, double slower, double gives, unsigned n_last)
{
	struct fixture *f = fixture_create(n_rings, machine->is_flood ? 0 : 1000000);
	struct trial_result result;

	for (unsigned phase = 0; phase < 2 * TRIAL_PAIRS_MIN; phase++) {
		bool is_b = phase % 2;
		double moved = exp(0.03 * normal(machine));

		CHECK(session_phases_begin(&f->session, is_b ? "swappiness=10" : "swappiness=60", 0) == 0);
		for (unsigned i = 0; i < (phase + 1 == 2 * TRIAL_PAIRS_MIN ? n_last : TICKS); i++)
			feed_tick(f, machine, moved * (is_b ? slower : 1), is_b ? gives : 1);
	}
	CHECK(session_phases_settle(&f->session) == 0);
	CHECK(trial_judge(&result, &f->session, "swappiness=60", "swappiness=10", FIGURE_FIRST) == 0);
	fixture_destroy(f);
	return result;
}

/* Of ten trials each. */
static void a_knob_is_found_if_it_matters_and_only_then(void)
{
	static const struct {
		const char *what;
		bool is_flood;
		double slower, gives;
		unsigned n_last;
		enum shift_verdict verdict;
	} rows[] = {
		{"swappiness", false, 1, 1, TICKS, SHIFT_UNDECIDED},
		{"swappiness, of a flood", true, 1, 1, TICKS, SHIFT_UNDECIDED},
		{"hops are longer", false, 1.5, 1, TICKS, SHIFT_WORSE},
		{"hops are shorter", false, 0.6, 1, TICKS, SHIFT_BETTER},
		{"a quota under a flood", true, 1, 0.3, TICKS, SHIFT_WORSE},
		{"its end, under a flood", true, 1, 3, TICKS, SHIFT_BETTER},
		{"hops are longer, and it is stopped", false, 1.5, 1, 2, SHIFT_WORSE},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct made_machine machine = {.random = 25 + i, .is_flood = rows[i].is_flood};
		unsigned n[N_SHIFT_VERDICTS] = {0};

		for (unsigned trial = 0; trial < MADE; trial++)
			n[judge_trial(&machine, 1, rows[i].slower, rows[i].gives, rows[i].n_last).verdict]++;
		if (rows[i].verdict >= SHIFT_BETTER)
			CHECK(n[rows[i].verdict] == MADE, "%s: %u of %d", rows[i].what, n[rows[i].verdict],
				MADE);
		else
			CHECK(!n[SHIFT_WORSE] && !n[SHIFT_BETTER] && !n[SHIFT_MIXED],
				"%s: %u worse, %u better, %u mixed", rows[i].what, n[SHIFT_WORSE],
				n[SHIFT_BETTER], n[SHIFT_MIXED]);
	}
}

/* One ring has its interval; several have what changed most. */
static void what_is_undecided_says_what_was_seen(void)
{
	static const struct {
		unsigned n_rings;
		double slower;
		const char *said, *needs;
	} rows[] = {
		{1, 1.05, "undecided, p99 +", ""},
		{2, 1.02, "undecided: ", ""},
		{1, 1.01, "undecided, response p99 +", " would show a change of 5 %"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct made_machine machine = {.random = 26};
		struct trial_result result = judge_trial(&machine, rows[i].n_rings, rows[i].slower, 1, TICKS);

		CHECK(result.verdict == SHIFT_UNDECIDED && strstr(result.text, rows[i].said) == result.text &&
				strstr(result.text, rows[i].needs),
			"%s", result.text);
		printf("# %s\n", result.text);
	}
}

static void feed_phase(struct fixture *f, struct made_machine *machine, const char *mark, double slower)
{
	CHECK(session_phases_begin(&f->session, mark, 0) == 0);
	for (unsigned i = 0; i < TICKS; i++)
		feed_tick(f, machine, slower, 1);
}

/* It was stopped in its first phases. The pairs stay those of A B B A, in which a steady drift is no change.
 */
static void an_earlier_trial_of_the_same_value_moves_no_pair(void)
{
	for (unsigned n_earlier = 0; n_earlier <= 3; n_earlier++)
		for (int sign = -1; sign <= 1; sign += 2) {
			struct fixture *f = fixture_create(1, 1000000);
			struct made_machine machine = {.random = 28 + n_earlier};
			struct trial_result result;
			double drift = 0.05 * sign, drifted = 0;

			for (unsigned phase = 0; phase < n_earlier; phase++, drifted += drift)
				feed_phase(f, &machine, trial_is_b(phase) ? "swappiness=10" : "swappiness=60",
					exp(drifted));
			feed_phase(f, &machine, "before try", exp(drifted));
			for (unsigned phase = 0; phase < 2 * TRIAL_PAIRS; phase++, drifted += drift)
				feed_phase(f, &machine, trial_is_b(phase) ? "swappiness=10" : "swappiness=60",
					exp(drifted));
			CHECK(session_phases_settle(&f->session) == 0);
			CHECK(trial_judge(&result, &f->session, "swappiness=60", "swappiness=10",
				      FIGURE_FIRST) == 0);
			CHECK(result.verdict == SHIFT_UNDECIDED || result.verdict == SHIFT_SAME,
				"%u earlier phases, drift %g: %s", n_earlier, drift, result.text);
			fixture_destroy(f);
		}
}

/* Each phase has fewer ticks than a verdict needs blocks. */
static void too_few_says_what_would_do(void)
{
	struct fixture *f = fixture_create(2, 1000000);
	struct made_machine machine = {.random = 27};
	struct trial_result result;

	f->session.n_turns = 2;
	f->session.rings[1].turn = 1;
	f->session.turn_ns = FIXTURE_TICK_NS;
	for (unsigned phase = 0; phase < 2 * TRIAL_PAIRS_MIN; phase++) {
		CHECK(session_phases_begin(&f->session, phase % 2 ? "on" : "off", 0) == 0);
		for (unsigned i = 0; i < 4; i++)
			feed_tick(f, &machine, 1, 1);
	}
	CHECK(session_phases_settle(&f->session) == 0);
	CHECK(trial_judge(&result, &f->session, "off", "on", FIGURE_FIRST) == 0);
	CHECK(result.verdict == SHIFT_TOO_FEW && strncmp(result.text, "too few: 4 of 8 blocks, ", 24) == 0 &&
			strstr(result.text, "; fewer rings need less"),
		"%s", result.text);
	fixture_destroy(f);
}

int main(void)
{
	TEST(phases_are_as_long_as_the_spread_needs);
	TEST(a_time_that_is_too_short_is_refused);
	TEST(every_second_pair_is_turned_around);
	TEST(the_last_phases_take_what_is_left);
	TEST(a_knob_is_found_if_it_matters_and_only_then);
	TEST(what_is_undecided_says_what_was_seen);
	TEST(an_earlier_trial_of_the_same_value_moves_no_pair);
	TEST(too_few_says_what_would_do);
	return tap_done();
}
