/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_load_effects.c - what each load did to each ring, by the phases with it and without. */
#include "src/model/load_effects.h"

#include <string.h>

#include "src/machine/cpu_places.h"
#include "src/machine/topology.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

enum { SAMPLES = 2000 };

/* A tick of a phase with these loads, in which the first ring's responses took @first_ns. */
static void feed(struct fixture *f, const char *loads, uint64_t first_ns, uint64_t second_ns)
{
	if (strcmp(f->session.machine.loads, loads) != 0 && f->session.n_ticks)
		session_phases_begin(&f->session, NULL, 0);
	snprintf(f->session.machine.loads, sizeof(f->session.machine.loads), "%s", loads);
	fixture_sample(f, 0, FIGURE_RESPONSE, first_ns, SAMPLES);
	fixture_sample(f, 1, FIGURE_RESPONSE, second_ns, SAMPLES);
	fixture_feed(f);
}

static void check_effect(
	const struct load_effect *effect, const char *loads, uint64_t n, double least, double most)
{
	CHECK(strcmp(effect->loads, loads) == 0, "%s: %s", loads, effect->loads);
	CHECK(effect->n == n, "%s: n %llu", loads, (unsigned long long)effect->n);
	CHECK(effect->factor >= least && effect->factor <= most, "%s: %g", loads, effect->factor);
}

static void a_factor_has_an_interval_if_the_phases_have_blocks(void)
{
	struct fixture *f = fixture_create(2, 1000000);
	struct load_effects effects;

	for (unsigned i = 0; i < 12; i++)
		feed(f, "none", 10000 + 10 * (i % 3), 20000);
	for (unsigned i = 0; i < 12; i++)
		feed(f, "fork:0:100%", 30000 + 30 * (i % 3), 20000);
	for (unsigned i = 0; i < 3; i++)
		feed(f, "files:0:100%", 40000, 20000);
	for (unsigned dropped = 0; dropped < 2; dropped++) {
		struct phase *without = &f->session.phases.list[0];

		while (dropped && without->n_blocks)
			block_finish(&without->blocks[--without->n_blocks]);
		without->lacks_blocks = dropped;
		CHECK(load_effects_make(&effects, &f->session) == 0 && effects.n == 2);
		const struct load_effect *files = &effects.rings[0].list[0],
					 *fork = &effects.rings[0].list[1];

		CHECK(files->factor > 3.9 && files->factor_high == 0, "3 blocks are too few");
		if (dropped)
			CHECK(fork->factor > 2.9 && fork->factor_high == 0, "without blocks there is none");
		else
			CHECK(fork->factor_low > 2.7 && fork->factor_low <= fork->factor &&
					fork->factor_high >= fork->factor && fork->factor_high < 3.3,
				"%g: %g to %g", fork->factor, fork->factor_low, fork->factor_high);
		load_effects_finish(&effects);
	}
	fixture_destroy(f);
}

static void the_worst_load_of_each_ring_is_first(void)
{
	struct fixture *f = fixture_create(2, 1000000);
	struct load_effects effects;

	/* Each CPU of the rings is a thread of the same core. */
	struct topology_cpu cpus[] = {{.cpu = 0, .core = 0}, {.cpu = 1, .core = 0}};

	f->session.machine.cpu_places = cpu_places_of(&(struct topology){.cpus = cpus, .n_cpus = 2});
	feed(f, "none", 10000, 20000);
	feed(f, "fork:0:100%", 20000, 20000);
	feed(f, "files:0:100%", 300000, 10000);
	feed(f, "none", 10000, 20000);
	feed(f, "fork:0:100%", 20000, 20000);
	CHECK(load_effects_make(&effects, &f->session) == 0 && effects.n == 2);
	CHECK(effects.rings[0].n == 2 && effects.rings[1].n == 2);
	check_effect(&effects.rings[0].without, "none", 2 * SAMPLES, 0, 0);
	check_effect(&effects.rings[0].list[0], "files:0:100%", SAMPLES, 29, 31);
	check_effect(&effects.rings[0].list[1], "fork:0:100%", 2 * SAMPLES, 1.9, 2.1);
	check_effect(&effects.rings[1].list[0], "fork:0:100%", 2 * SAMPLES, 0.98, 1.02);
	check_effect(&effects.rings[1].list[1], "files:0:100%", SAMPLES, 0.48, 0.52);
	CHECK(effects.rings[0].list[0].is_trusted);
	CHECK(effects.rings[0].without.place == N_LOCALITIES);
	CHECK(effects.rings[0].list[0].place == LOCALITY_OWN, "%d", effects.rings[0].list[0].place);
	CHECK(effects.rings[1].list[0].place == LOCALITY_SMT, "%d", effects.rings[1].list[0].place);
	CHECK(!effects.rings[0].list[0].culprit, "there was no spike");
	load_effects_finish(&effects);
	fixture_destroy(f);
}

static void without_phases_of_both_kinds_there_are_none(void)
{
	static const char *const loads[] = {"none", "fork:0:100%"};

	for (size_t i = 0; i < sizeof(loads) / sizeof(*loads); i++) {
		struct fixture *f = fixture_create(2, 1000000);
		struct load_effects effects;

		feed(f, loads[i], 10000, 20000);
		session_phases_begin(&f->session, "mark", 0);
		feed(f, loads[i], 10000, 20000);
		CHECK(load_effects_make(&effects, &f->session) == 0 && effects.n == 0, "%s", loads[i]);
		load_effects_finish(&effects);
		fixture_destroy(f);
	}
}

int main(void)
{
	TEST(the_worst_load_of_each_ring_is_first);
	TEST(a_factor_has_an_interval_if_the_phases_have_blocks);
	TEST(without_phases_of_both_kinds_there_are_none);
	return tap_done();
}
