/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_sweep_plan.c - which pairs of CPUs a sweep measures, on machines of 1 to 576 CPUs. */
#include <stdlib.h>
#include <string.h>

#include "src/plan/sweep_plan.h"
#include "tests/unit/tap.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static bool machine(struct topology *topology, const char *description)
{
	struct error_text reason;

	setenv("HWLOC_SYNTHETIC", description, 1);
	int r = topology_init(topology, &reason);

	CHECK(r == 0, "%s: %s", description, reason.text);
	return r == 0;
}

/* Owned: its plan was made. */
static bool plan_of(struct sweep_plan *plan, struct topology *topology, const char *description)
{
	if (!machine(topology, description))
		return false;
	bool made = sweep_plan_init(plan, topology, &topology->online) == 0;

	CHECK(made, "%s", description);
	return made;
}

static void finish(struct sweep_plan *plan, struct topology *topology)
{
	sweep_plan_finish(plan);
	topology_finish(topology);
}

static const struct machine_row {
	const char *description;
	uint32_t n_cpus, n_l3;
	unsigned at_once;
} machines[] = {
	{"pu:1", 1, 1, 0},
	{"core:2 pu:1", 2, 1, 1},
	{"core:1 pu:2", 2, 1, 1},
	{"core:8 pu:1", 8, 1, 4},
	{"pack:2 l3:1 core:2 pu:2", 8, 2, 2},
	{"core:7 pu:1", 7, 1, 3},
	{"pack:2 l3:4 core:4 pu:2", 64, 8, 16},
	{"pack:2 numa:4 l3:9 core:4 pu:2", 576, 72, 144},
};

static void the_machine_says_how_many_pairs_fit_at_once(void)
{
	for (size_t i = 0; i < COUNT(machines); i++) {
		struct topology topology;

		if (!machine(&topology, machines[i].description))
			return;
		unsigned most = sweep_most_at_once(&topology, &topology.online);

		CHECK(most == machines[i].at_once, "%s: %u", machines[i].description, most);
		topology_finish(&topology);
	}
}

static void the_order_is_by_package_cache_and_core(void)
{
	struct topology topology;
	struct sweep_cpu *cpus;

	if (!machine(&topology, "pack:2 l3:2 core:2 pu:2(indexes=0,8,1,9,2,10,3,11,4,12,5,13,6,14,7,15)"))
		return;
	static const unsigned numbers[] = {0, 8, 1, 9, 2, 10, 3, 11, 4, 12, 5, 13, 6, 14, 7, 15};
	uint32_t n = sweep_cpus_sort(&cpus, &topology, &topology.online);

	CHECK(n == 16, "%u", n);
	for (uint32_t i = 0; i < n && i < COUNT(numbers); i++)
		CHECK(cpus[i].cpu == numbers[i] && cpus[i].core == i / 2 && cpus[i].l3 == i / 4 &&
				cpus[i].package == i / 8,
			"%u: CPU %u, core %u, cache %u, package %u", i, cpus[i].cpu, cpus[i].core, cpus[i].l3,
			cpus[i].package);
	free(cpus);
	topology_finish(&topology);
}

static void a_round_has_each_pair_once(void)
{
	for (size_t i = 1; i < COUNT(machines); i++) {
		struct topology topology;
		struct sweep_plan plan;
		struct sweep_pair pair;
		size_t n = 0, repeated = 0;

		if (!plan_of(&plan, &topology, machines[i].description))
			return;
		CHECK(plan.n_cpus == machines[i].n_cpus);
		bool *seen = calloc(plan.n_pairs, sizeof(*seen));

		while (plan.n_rounds == 0 && sweep_plan_take(&plan, &pair)) {
			size_t index = sweep_pair_index(pair.a, pair.b);

			CHECK(pair.a < pair.b && pair.b < plan.n_cpus && index < plan.n_pairs);
			repeated += seen[index];
			seen[index] = true;
			n++;
			sweep_plan_put_back(&plan, &pair, 0);
		}
		CHECK(n == plan.n_pairs && !repeated, "%s: %zu of %zu pairs, %zu repeated",
			machines[i].description, n, plan.n_pairs, repeated);
		free(seen);
		finish(&plan, &topology);
	}
}

static void a_round_of_an_even_number_is_disjoint_matchings(void)
{
	struct topology topology;
	struct sweep_plan plan;
	struct sweep_pair pair;

	if (!plan_of(&plan, &topology, "pack:8 l3:1 core:1 pu:1")) /* each CPU is its own group */
		return;
	for (unsigned matching = 0; matching < 7; matching++) {
		unsigned met = 0;

		for (unsigned i = 0; i < 4; i++) {
			CHECK(sweep_plan_take(&plan, &pair));
			CHECK(!(met & (1u << pair.a)) && !(met & (1u << pair.b)), "matching %u", matching);
			met |= 1u << pair.a | 1u << pair.b;
			sweep_plan_put_back(&plan, &pair, 0);
		}
		CHECK(met == 0xff, "matching %u: %x", matching, met);
	}
	CHECK(plan.n_rounds == 1);
	finish(&plan, &topology);
}

static void no_core_is_in_two_pairs_at_once(void)
{
	for (size_t i = 1; i < COUNT(machines); i++) {
		struct topology topology;
		struct sweep_plan plan;
		struct sweep_pair pairs[200];
		unsigned n = 0, most = 0;

		if (!plan_of(&plan, &topology, machines[i].description))
			return;
		bool *busy = calloc(plan.n_cpus, sizeof(*busy));

		for (unsigned step = 0; step < 5000; step++) {
			struct sweep_pair *pair = &pairs[n];

			if (n < machines[i].at_once && sweep_plan_take(&plan, pair)) {
				unsigned x = plan.cpus[pair->a].core, y = plan.cpus[pair->b].core;

				CHECK(!busy[x] && !busy[y], "%s", machines[i].description);
				busy[x] = busy[y] = true;
				most = ++n > most ? n : most;
			} else { /* the oldest one ends */
				CHECK(n > 0, "%s: nothing to take at step %u", machines[i].description, step);
				if (!n)
					break;
				busy[plan.cpus[pairs[0].a].core] = busy[plan.cpus[pairs[0].b].core] = false;
				sweep_plan_put_back(&plan, &pairs[0], 0);
				memmove(pairs, pairs + 1, --n * sizeof(*pairs));
			}
		}
		CHECK(most == machines[i].at_once, "%s: %u at once", machines[i].description, most);
		free(busy);
		finish(&plan, &topology);
	}
}

/* Within 10 s at 300 pairs a second. */
static void the_first_pairs_are_one_for_each_two_caches(void)
{
	struct topology topology;
	struct sweep_plan plan;
	struct sweep_pair pair;

	if (!plan_of(&plan, &topology, "pack:2 numa:4 l3:9 core:4 pu:2"))
		return;
	bool(*has)[72] = calloc(72, sizeof(*has));
	size_t n = 0, n_found = 0;

	while (plan.pass == SWEEP_CACHES && sweep_plan_take(&plan, &pair)) {
		unsigned x = plan.cpus[pair.a].l3, y = plan.cpus[pair.b].l3;

		n_found += !has[x][y];
		has[x][y] = has[y][x] = true;
		n++;
		sweep_plan_put_back(&plan, &pair, 0);
	}
	CHECK(n == 72 * 71 / 2 + 72 && n_found == n && n < 3000, "%zu pairs, %zu of them different", n,
		n_found);
	CHECK(plan.pass == SWEEP_CORES && plan.n_rounds == 0);
	/* Then two cores of 288 each: 41,328 pairs and the siblings, of which the first ones are known. */
	while (plan.pass == SWEEP_CORES && sweep_plan_take(&plan, &pair)) {
		n++;
		sweep_plan_put_back(&plan, &pair, 0);
	}
	CHECK(n >= 288 * 287 / 2 && n <= 288 * 287 / 2 + 288 + 2628, "%zu pairs of cores", n);
	free(has);
	finish(&plan, &topology);
}

/* A pair waits for a round, and for the widest quarter after it. */
static void the_oldest_pairs_come_first(void)
{
	struct topology topology;
	struct sweep_plan plan;
	struct sweep_pair pair;
	uint64_t longest = 0;

	if (!plan_of(&plan, &topology, "pack:2 l3:4 core:4 pu:2"))
		return;
	while (plan.n_rounds < 6 && sweep_plan_take(&plan, &pair)) {
		uint64_t before = plan.measured[sweep_pair_index(pair.a, pair.b)],
			 waited = plan.n_measured - before;

		if (before && waited > longest)
			longest = waited;
		sweep_plan_put_back(&plan, &pair, (float)((pair.a * 7 + pair.b) % 13));
	}
	CHECK(longest >= plan.n_pairs / 4 && longest <= plan.n_pairs + plan.n_pairs / 4, "%llu of %zu",
		(unsigned long long)longest, plan.n_pairs);
	finish(&plan, &topology);
}

static void the_widest_pairs_are_measured_once_more(void)
{
	struct topology topology;
	struct sweep_plan plan;
	struct sweep_pair pair;

	if (!plan_of(&plan, &topology, "core:8 pu:1"))
		return;
	while (plan.n_rounds == 0 && sweep_plan_take(&plan, &pair))
		sweep_plan_put_back(&plan, &pair, (float)sweep_pair_index(pair.a, pair.b));
	for (size_t i = 0; i < 7; i++) { /* a quarter of 28 */
		CHECK(sweep_plan_take(&plan, &pair));
		CHECK(sweep_pair_index(pair.a, pair.b) == 27 - i, "%zu: %zu", i,
			sweep_pair_index(pair.a, pair.b));
		sweep_plan_put_back(&plan, &pair, 0);
	}
	CHECK(plan.pass == SWEEP_OLDEST);
	finish(&plan, &topology);
}

int main(void)
{
	TEST(the_machine_says_how_many_pairs_fit_at_once);
	TEST(the_order_is_by_package_cache_and_core);
	TEST(a_round_has_each_pair_once);
	TEST(a_round_of_an_even_number_is_disjoint_matchings);
	TEST(no_core_is_in_two_pairs_at_once);
	TEST(the_first_pairs_are_one_for_each_two_caches);
	TEST(the_oldest_pairs_come_first);
	TEST(the_widest_pairs_are_measured_once_more);
	return tap_done();
}
