/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_plan_turns.c - which rings go beside each other, how often, and on how large a machine. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/probe/probe.h"
#include "tests/unit/plan_rows.h"
#include "tests/unit/tap.h"

static void real_time_flood_everywhere_is_refused(void)
{
	static const char refused[] =
		"-i 0 at real-time priority (fifo) on every allowed CPU (0-1) would leave "
		"none to the rest of the system: keep one free with -H, or use "
		"--force";
	static const struct row rows[] = {
		{"core:2 pu:1", .flood = true, .expected = refused},
		{"core:2 pu:1", "all", .flood = true, .expected = refused},
		{"core:2 pu:1", "0:1", .flood = true, .expected = refused},
		{"core:4 pu:1", .usable = "0-1", .flood = true, .expected = refused},
		{"core:2 pu:1", .flood = true, .force = true, .expected = "0>0/own/0 1>1/own/0"},
		{"core:2 pu:1", .housekeeping = "0", .flood = true, .expected = "1>1/own/0"},
		{"core:2 pu:1", .cpus = "1", .flood = true, .kept = "0", .expected = "1>1/own/0"},
	};
	struct config config = {.probes = {&alpha}, .n_probes = 1};
	struct topology topology;
	struct notes notes = {0};
	struct error_text reason;
	struct plan plan;

	check_rows(rows, COUNT(rows));
	if (!machine_of(&rows[0], &topology))
		return;
	CHECK(plan_init(&plan, &config, &topology, NULL, &notes, &reason) == 0, "SCHED_OTHER may flood");
	CHECK(plan.rings[1].interval_ns == 0 && plan.rings[1].offset_ns == 0);
	plan_finish(&plan);
	topology_finish(&topology);
}

static void rings_side_by_side_know_how_many_have_their_busiest_cpu(void)
{
	static const struct {
		bool side_by_side;
		unsigned n_sharers[8]; /* of the pairs, under the one mechanism and the other */
	} rows[] = {
		{false, {1, 1, 1, 1, 1, 1, 1, 1}},
		{true, {4, 4, 2, 2, 4, 4, 2, 2}},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row row = {"core:4 pu:1", "0:1,1:1,2:2,3:3", .n_probes = 2,
			.side_by_side = rows[i].side_by_side};
		struct planned planned;

		if (!planned_init(&planned, &row))
			return;
		CHECK(planned.result == 0, "%s", planned.reason.text);
		CHECK(planned.plan.n_rings == 8);
		for (size_t ring = 0; ring < planned.plan.n_rings; ring++)
			CHECK(planned.plan.rings[ring].n_sharers == rows[i].n_sharers[ring],
				"row %zu, ring %zu: %u", i, ring, planned.plan.rings[ring].n_sharers);
		planned_finish(&planned);
	}
}

static void intervals_grow_by_the_distance_and_offsets_stagger_a_turn(void)
{
	static const struct {
		uint64_t interval_us, offset_us;
	} expected[] = {
		{1000, 500}, {1500, 1500}, {2000, 1000}, {2500, 2500}, /* two turns of two rings each */
		{1000, 500}, {1500, 1500}, {2000, 1000}, {2500, 2500}, /* the same under the next mechanism */
	};
	const struct row row = {"core:4 pu:1", "0:1,2:3,1:2,3:0", .n_probes = 2};
	struct planned planned;

	if (!planned_init(&planned, &row))
		return;
	CHECK(planned.result == 0, "%s", planned.reason.text);
	CHECK(planned.plan.n_rings == 8 && planned.plan.n_turns == 4);
	for (size_t i = 0; i < planned.plan.n_rings; i++) {
		const struct plan_ring *ring = &planned.plan.rings[i];

		CHECK(ring->id == i && ring->probe == (i < 4 ? &alpha : &beta));
		CHECK(ring->turn == i / 2, "%u", ring->turn);
		CHECK(ring->interval_ns == expected[i].interval_us * 1000);
		CHECK(ring->offset_ns == expected[i].offset_us * 1000);
	}
	planned_finish(&planned);
}

static void turns_are_as_long_as_asked_but_not_too_short(void)
{
	static const char too_short[] = "--turns 7.9: the longest interval is 1 s, and a turn must have 8 of "
					"these: 8 s at least";
	static const struct {
		uint64_t turn_ms, interval_ms, slice_ms;
		unsigned n_turns; /* rings that share a CPU */
		const char *refused;
	} rows[] = {
		{500, 1, 500, 2},
		{7000, 1, 7000, 2},
		{8000, 1000, 8000, 2},
		{7900, 1000, 0, 2, too_short},
		{7900, 1000, 8000, 1},
		{100, 0, 100, 2},
		/* Not asked for: 3 s for all turns, but 0.1 s to 1 s each, and 8 of the longest interval. */
		{0, 1, 1000, 1},
		{0, 1, 1000, 2},
		{0, 1, 1000, 3},
		{0, 1, 750, 4},
		{0, 1, 300, 10},
		{0, 0, 300, 10},
		{0, 37, 300, 10},
		{0, 38, 304, 10},
		{0, 1, 100, 30},
		{0, 1, 100, 40},
		{0, 12, 100, 40},
		{0, 13, 104, 40},
		{0, 125, 1000, 2},
		{0, 126, 1008, 2},
		{0, 1000, 8000, 2},
		{0, 1000, 8000, 40},
	};
	struct topology topology;

	if (!machine_of(&(struct row){"core:48 pu:1"}, &topology))
		return;
	for (size_t i = 0; i < COUNT(rows); i++) {
		char pairs[512] = "0:1";
		struct config config = {.probes = {&alpha}, .n_probes = 1, .pairs = pairs};
		struct notes notes = {0};
		struct error_text reason = {""};
		struct plan plan;

		for (unsigned n = 1; n < rows[i].n_turns; n++)
			sprintf(pairs + strlen(pairs), ",0:%u", n + 1);
		config.turn_ns = rows[i].turn_ms * 1000000;
		config.interval_ns = rows[i].interval_ms * 1000000;
		int r = plan_init(&plan, &config, &topology, NULL, &notes, &reason);

		CHECK(rows[i].refused ? r == -EINVAL && !strcmp(reason.text, rows[i].refused)
				      : r == 0 && plan.n_turns == rows[i].n_turns &&
						plan.slice_ns == rows[i].slice_ms * 1000000,
			"case %zu: %g ms, %s", i, (double)plan.slice_ns / 1e6, reason.text);
		plan_finish(&plan);
		notes_finish(&notes);
	}
	topology_finish(&topology);
}

/* A machine without hwloc, so that 1,024 of them cost nothing. */
static struct topology flat_machine(size_t n)
{
	struct topology topology = {.cpus = calloc(n, sizeof(struct topology_cpu)), .n_cpus = n};

	for (size_t i = 0; i < n; i++) {
		topology.cpus[i] = (struct topology_cpu){
			.cpu = (unsigned)i,
			.core = (int)i,
			.l2 = -1,
			.l3 = (int)i / 8,
			.node = (int)i / 16,
			.kind = -1,
		};
		cpus_add(&topology.online, (unsigned)i);
	}
	topology.allowed = topology.usable = topology.online;
	return topology;
}

static bool disjoint_in_turns(const struct plan *plan)
{
	struct cpus *taken = calloc(plan->n_turns, sizeof(*taken));
	bool disjoint = true;

	for (size_t i = 0; i < plan->n_rings; i++) {
		const struct plan_ring *ring = &plan->rings[i];
		unsigned a = ring->cpus[0], b = ring->cpus[1];

		disjoint = disjoint && ring->turn < plan->n_turns && ring->id == i &&
			   !cpus_has(&taken[ring->turn], a) && !cpus_has(&taken[ring->turn], b);
		cpus_add(&taken[ring->turn], a);
		cpus_add(&taken[ring->turn], b);
	}
	for (unsigned turn = 0; turn < plan->n_turns; turn++)
		disjoint = disjoint && cpus_count(&taken[turn]) > 0;
	free(taken);
	return disjoint;
}

static void from_1_to_1024_cpus_own_is_one_turn(void)
{
	struct config config = {.probes = {&alpha}, .n_probes = 1, .interval_ns = 1000000};

	for (size_t n = 1; n <= 1024; n++) {
		struct topology topology = flat_machine(n);
		struct notes notes = {0};
		struct error_text reason;
		struct plan plan;

		CHECK(plan_init(&plan, &config, &topology, NULL, &notes, &reason) == 0, "%zu", n);
		CHECK(plan.n_rings == n && plan.n_turns == 1 && disjoint_in_turns(&plan), "%zu", n);
		CHECK(cpus_equal(&plan.measured, &topology.online), "%zu", n);
		plan_finish(&plan);
		topology_finish(&topology);
	}
}

static void all_is_every_ordered_pair_and_no_turn_has_a_cpu_twice(void)
{
	struct config config = {.probes = {&alpha}, .n_probes = 1, .pairs = "all", .interval_ns = 1000000};

	for (size_t n = 1; n <= 64; n++) {
		struct topology topology = flat_machine(n);
		struct notes notes = {0};
		struct error_text reason;
		struct plan plan;

		CHECK(plan_init(&plan, &config, &topology, NULL, &notes, &reason) == 0, "%zu", n);
		CHECK(plan.n_rings == n * n && disjoint_in_turns(&plan), "%zu", n);
		for (size_t i = 0; i < plan.n_rings; i++)
			CHECK(plan.rings[i].cpus[0] == i / n && plan.rings[i].cpus[1] == i % n, "%zu", n);
		/* Twice as many as a round robin needs are the most that first fit may take. */
		CHECK(plan.n_turns >= (n > 1 ? 2 * (n - 1) : 1) && plan.n_turns <= 4 * n, "%zu: %u", n,
			plan.n_turns);
		plan_finish(&plan);
		topology_finish(&topology);
	}
}

static void every_class_pairs_every_cpu_that_has_a_partner_exactly_as_far(void)
{
	static const enum locality classes[] = {LOCALITY_L3, LOCALITY_NODE, LOCALITY_CROSS};

	for (size_t n = 2; n <= 300; n += 7)
		for (size_t c = 0; c < COUNT(classes); c++) {
			struct config config = {.probes = {&alpha}, .n_probes = 1, .interval_ns = 1000000};
			struct topology topology = flat_machine(n);
			struct notes notes = {0};
			struct error_text reason;
			struct plan plan;
			struct cpus partnered = {0};

			config.pairs = locality_name(classes[c]);
			for (unsigned a = 0; a < n; a++)
				for (unsigned b = 0; b < n; b++)
					if (topology_locality(&topology, a, b) == classes[c])
						cpus_add(&partnered, a);
			int r = plan_init(&plan, &config, &topology, NULL, &notes, &reason);

			CHECK((r == 0) == (cpus_count(&partnered) > 0), "%zu %s", n, config.pairs);
			CHECK(cpus_equal(&plan.measured, &partnered), "%zu %s", n, config.pairs);
			CHECK(r < 0 || disjoint_in_turns(&plan), "%zu %s", n, config.pairs);
			for (size_t i = 0; i < plan.n_rings; i++)
				CHECK(plan.rings[i].locality == classes[c], "%zu %s", n, config.pairs);
			notes_finish(&notes);
			plan_finish(&plan);
			topology_finish(&topology);
		}
}

int main(void)
{
	TEST(real_time_flood_everywhere_is_refused);
	TEST(rings_side_by_side_know_how_many_have_their_busiest_cpu);
	TEST(intervals_grow_by_the_distance_and_offsets_stagger_a_turn);
	TEST(turns_are_as_long_as_asked_but_not_too_short);
	TEST(from_1_to_1024_cpus_own_is_one_turn);
	TEST(all_is_every_ordered_pair_and_no_turn_has_a_cpu_twice);
	TEST(every_class_pairs_every_cpu_that_has_a_partner_exactly_as_far);
	return tap_done();
}
