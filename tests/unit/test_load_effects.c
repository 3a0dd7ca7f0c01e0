/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_load_effects.c - what each load did to each ring, by the phases with it and without. */
#include "src/model/load_effects.h"

#include <string.h>

#include "src/machine/cpu_parts.h"
#include "src/machine/topology.h"
#include "src/report/load_effects_text.h"
#include "tests/unit/session_fixture.h"
#include "tests/unit/tap.h"

enum { SAMPLES = 2000 };

static void begin_tick(struct fixture *f, const char *loads)
{
	if (strcmp(f->session.machine.loads, loads) != 0 && f->session.n_ticks)
		session_phases_begin(&f->session, NULL, 0);
	snprintf(f->session.machine.loads, sizeof(f->session.machine.loads), "%s", loads);
}

/* A tick of a phase with these loads, in which the first ring's responses took @first_ns. */
static void feed(struct fixture *f, const char *loads, uint64_t first_ns, uint64_t second_ns)
{
	begin_tick(f, loads);
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

static bool says_that_blocks_are_gone(const struct session *session)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	load_effects_text_print(out, session);
	fclose(out);
	bool says = strstr(text, "only the sums are kept") != NULL;

	free(text);
	return says;
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
		CHECK(says_that_blocks_are_gone(&f->session) == dropped);
		const struct load_effect *files = &effects.rings[0].list[0],
					 *fork = &effects.rings[0].list[1];

		CHECK(files->factor > 3.9 && files->factor_high == 0, "3 blocks are too few");
		if (dropped)
			CHECK(fork->factor > 2.9 && fork->factor_high == 0 && fork->lacks_blocks,
				"without blocks there is none");
		else
			CHECK(!fork->lacks_blocks && fork->factor_low > 2.7 &&
					fork->factor_low <= fork->factor &&
					fork->factor_high >= fork->factor && fork->factor_high < 3.3,
				"%g: %g to %g", fork->factor, fork->factor_low, fork->factor_high);
		load_effects_finish(&effects);
	}
	fixture_destroy(f);
}

/* A tick whose responses have a tail, of so many each. */
static void feed_tail(struct fixture *f, const char *loads, uint64_t ns, uint32_t n_tail)
{
	begin_tick(f, loads);
	for (size_t ring = 0; ring < 2; ring++) {
		fixture_sample(f, ring, FIGURE_RESPONSE, ns, SAMPLES);
		for (unsigned k = 0; k < 10; k++)
			fixture_sample(f, ring, FIGURE_RESPONSE, 2 * ns + k * ns / 3, 1 + n_tail);
	}
	fixture_feed(f);
}

/* 220 ticks without load, which one phase keeps in blocks of 4, and 40 with one, which it keeps by tick. The
 * tail of the last 20 comes and goes: four of them have as much as four of the others. */
static struct load_effect effect_of(bool begins_phase)
{
	struct fixture *f = fixture_create(2, 1000000);
	struct load_effects effects;

	for (unsigned i = 0; i < 220; i++) {
		if (begins_phase && i == 200)
			session_phases_begin(&f->session, "mark", 0);
		feed_tail(f, "none", 10000, i < 200 ? 10 : i / 2 % 2 ? 20 : 0);
	}
	for (unsigned i = 0; i < 40; i++)
		feed_tail(f, "fork:0:100%", 30000, 10);
	CHECK(f->session.phases.n == 2u + begins_phase && f->session.phases.list[0].block_ticks == 4 &&
		f->session.phases.list[1].block_ticks == 1);
	CHECK(load_effects_make(&effects, &f->session) == 0 && effects.n == 2 && effects.rings[0].n == 1);
	struct load_effect effect = effects.rings[0].list[0];

	load_effects_finish(&effects);
	fixture_destroy(f);
	return effect;
}

static void blocks_of_several_phases_have_equally_many_ticks(void)
{
	struct load_effect one = effect_of(false), two = effect_of(true);

	CHECK(one.factor_low > 0 && one.factor_high > one.factor_low);
	CHECK(one.factor == two.factor && one.factor_low == two.factor_low &&
			one.factor_high == two.factor_high,
		"%g to %g, %g to %g", one.factor_low, one.factor_high, two.factor_low, two.factor_high);
	CHECK(!one.lacks_blocks && !two.lacks_blocks);
}

static void the_worst_load_of_each_ring_is_first(void)
{
	struct fixture *f = fixture_create(2, 1000000);
	struct load_effects effects;

	/* Each CPU of the rings is a thread of the same core. */
	struct topology_cpu cpus[] = {{.cpu = 0, .core = 0}, {.cpu = 1, .core = 0}};

	f->session.machine.cpu_parts = cpu_parts_of(&(struct topology){.cpus = cpus, .n_cpus = 2});
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
	CHECK(effects.rings[0].without.locality == N_LOCALITIES);
	CHECK(effects.rings[0].list[0].locality == LOCALITY_OWN, "%d", effects.rings[0].list[0].locality);
	CHECK(effects.rings[1].list[0].locality == LOCALITY_SMT, "%d", effects.rings[1].list[0].locality);
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
	TEST(blocks_of_several_phases_have_equally_many_ticks);
	TEST(without_phases_of_both_kinds_there_are_none);
	return tap_done();
}
