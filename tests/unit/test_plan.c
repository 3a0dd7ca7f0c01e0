/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_plan.c - which rings a plan has, on which CPUs, and how it is told. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "src/plan/plan.h"
#include "src/plan/plan_print.h"
#include "tests/unit/plan_rows.h"
#include "tests/unit/tap.h"

static void each_choice_makes_its_pairs_in_few_turns(void)
{
	static const struct row rows[] = {
		{"core:3 pu:1", .expected = "0>0/own/0 1>1/own/0 2>2/own/0"},
		{"core:3 pu:1", "own", .n_pairs = 5,
			.expected = "0>0/own/0 1>1/own/0 2>2/own/0 0>0/own/1 1>1/own/1"},
		{"core:3 pu:1", "own", .n_pairs = 2, .expected = "0>0/own/0 1>1/own/0", .kept = "2"},
		{"core:2 pu:1", "own", .n_probes = 2, .expected = "0>0/own/0 1>1/own/0 0>0/own/1 1>1/own/1"},
		{smt, "smt",
			.expected = "0>1/smt/0 2>3/smt/0 4>5/smt/0 6>7/smt/0 8>9/smt/0 10>11/smt/0 "
				    "12>13/smt/0 14>15/smt/0"},
		{"l3:1 l2:2 core:2 pu:1", "l2", .expected = "0>1/l2/0 2>3/l2/0"},
		{"l3:1 l2:2 core:2 pu:1", "l3", .expected = "0>2/l3/0 1>3/l3/0"},
		{smt, "node", .cpus = "0-9", .expected = "0>4/node/0 1>5/node/0 2>6/node/0 3>7/node/0",
			.notes = "--pairs node: left out CPUs 8-9: no other CPU is in this class"},
		{smt, "cross", .cpus = "0-1,8-9", .expected = "0>8/cross/0 1>9/cross/0"},
		{"pack:2 core:2 pu:1", "node", .expected = "0>1/node/0 2>3/node/0"},
		{"pack:2 core:2 pu:1", "cross", .expected = "0>2/cross/0 1>3/cross/0"},
		{"pack:2 numa:2 core:2 pu:1", "package",
			.expected = "0>2/package/0 1>3/package/0 4>6/package/0 5>7/package/0"},
		{"pack:2 numa:2 core:1 pu:1", "cross", .expected = "0>2/cross/0 1>3/cross/0"},
		{"core:2 pu:1", "all", .expected = "0>0/own/0 0>1/node/1 1>0/node/2 1>1/own/0"},
		{smt, "15:0,5:5,3:2", .expected = "15>0/cross/0 5>5/own/0 3>2/smt/0"},
		{smt, "0:1,1:0,5:5", .n_pairs = 2, .expected = "0>1/smt/0 1>0/smt/1"},
		{"core:2 pu:1", "0:1,1:0,0:0", .side_by_side = true,
			.expected = "0>1/node/0 1>0/node/0 0>0/own/0"},
	};

	check_rows(rows, COUNT(rows));
}

static void classes_has_the_nearest_and_the_farthest_pair_of_each_class(void)
{
	static const struct row rows[] = {
		{smt, "classes", .expected = "0>0/own/0 0>1/smt/1 0>2/l3/2 0>4/node/3 0>8/cross/4"},
		{smt, "locality", .expected = "0>0/own/0 0>1/smt/1 0>2/l3/2 0>4/node/3 0>8/cross/4"},
		{smt, "classes", .cpus = "2,5,15", .expected = "2>2/own/0 2>5/node/1 2>15/cross/2"},
		{smt, "classes", .n_pairs = 2, .expected = "0>0/own/0 0>1/smt/1"},
		{"pu:1", "classes", .expected = "0>0/own/0"},
		{"pack:2 core:2 pu:2", "classes", .expected = "0>0/own/0 0>1/smt/1 0>2/node/2 0>4/cross/3"},
		{"pack:2 l3:1 core:2 pu:1", "classes", .expected = "0>0/own/0 0>1/l3/1 0>2/cross/2"},
		{"pack:2 numa:2 l3:1 core:2 pu:1", "classes",
			.expected = "0>0/own/0 0>1/l3/1 0>2/package/2 0>4/cross/3"},
		{"pack:2 die:2 l3:2 core:1 pu:1", "classes",
			.expected = "0>0/own/0 0>1/node/1 0>2/node/2 0>4/cross/3"},
		{"group:2 pack:2 numa:2 core:1 pu:1", "classes",
			.expected = "0>0/own/0 0>1/package/1 0>2/cross/2 0>4/cross/3"},
		{"group:2 pack:2 numa:2 core:1 pu:1", "classes", .cpus = "3,4,7",
			.expected = "3>3/own/0 4>7/cross/0 3>4/cross/1"},
		{line, "classes", .expected = "0>0/own/0 1>2/cross/0 0>3/cross/1"},
		{line, "classes", .cpus = "0,1,3", .expected = "0>0/own/0 0>1/cross/1 0>3/cross/2"},
		{hybrid, "classes",
			.expected = "4>4/own/0 0>0/own/0 0>1/smt/1 4>5/node/1 0>4/node/2 0>2/node/3"},
		{hybrid, "classes", .cpus = "1-3", .expected = "1>1/own/0 2>3/smt/0 1>2/node/1"},
	};

	check_rows(rows, COUNT(rows));
}

static void all_with_fewer_pairs_spreads_them_over_the_origins(void)
{
	static const struct row rows[] = {
		{smt, "all", .n_pairs = 1, .expected = "0>0/own/0"},
		{smt, "all", .n_pairs = 4, .expected = "0>0/own/0 4>15/cross/0 8>14/node/0 12>13/smt/0"},
		{"core:3 pu:1", "all", .n_pairs = 3, .expected = "0>0/own/0 1>2/node/0 2>1/node/1"},
		{"core:2 pu:1", "all", .n_pairs = 3, .expected = "0>0/own/0 0>1/node/1 1>1/own/0"},
		{"core:2 pu:1", "all", .n_pairs = 4096,
			.expected = "0>0/own/0 0>1/node/1 1>0/node/2 1>1/own/0"},
	};

	check_rows(rows, COUNT(rows));
}

/* All numbers of pairs on machines with a prime number of CPUs, and with many divisors. */
static void all_names_no_pair_twice_and_no_origin_much_more_often_than_another(void)
{
	static const char *const machines[] = {"core:7 pu:1", "core:12 pu:1"};

	for (size_t i = 0; i < COUNT(machines); i++)
		for (unsigned n_pairs = 1; n_pairs <= 144; n_pairs++) {
			const struct row row = {machines[i], "all", .n_pairs = n_pairs};
			unsigned n_origins[12] = {0}, least = UINT_MAX, most = 0;
			struct planned planned;

			if (!planned_init(&planned, &row))
				return;
			const struct plan *plan = &planned.plan;

			CHECK(planned.result == 0, "%s", planned.reason.text);
			for (size_t k = 0; k < plan->n_rings; k++) {
				const unsigned *cpus = plan->rings[k].cpus;
				const unsigned *before = k > 0 ? plan->rings[k - 1].cpus : NULL;

				n_origins[cpus[0]]++;
				CHECK(!before || cpus[0] > before[0] ||
						(cpus[0] == before[0] && cpus[1] > before[1]),
					"%s -t %u: pair %zu", machines[i], n_pairs, k);
			}
			for (size_t k = 0; k < planned.topology.n_cpus; k++) {
				least = n_origins[k] < least ? n_origins[k] : least;
				most = n_origins[k] > most ? n_origins[k] : most;
			}
			size_t all = planned.topology.n_cpus * planned.topology.n_cpus;

			CHECK(plan->n_rings == (n_pairs < all ? n_pairs : all) && most - least <= 1,
				"%s -t %u: %zu pairs, %u to %u for each origin", machines[i], n_pairs,
				plan->n_rings, least, most);
			planned_finish(&planned);
		}
}

static void a_cpu_that_the_matching_leaves_over_comes_in_a_later_turn(void)
{
	static const struct row rows[] = {
		{"core:3 pu:1", "node", .expected = "0>1/node/0 0>2/node/1"},
		{"core:5 pu:1", "node", .expected = "0>1/node/0 2>3/node/0 0>4/node/1"},
		{"core:3 pu:2", "node", .expected = "0>2/node/0 1>4/node/0 3>5/node/0"},
		{smt, "cross", .cpus = "0-3,8-9",
			.expected = "0>8/cross/0 1>9/cross/0 2>8/cross/1 3>9/cross/1"},
		{smt, "smt", .cpus = "0-2,4", .expected = "0>1/smt/0",
			.notes = "--pairs smt: left out CPUs 2,4: no other CPU is in this class"},
	};

	check_rows(rows, COUNT(rows));
}

static void rings_go_from_cpu_to_cpu_or_stand_on_one(void)
{
	static const struct row rows[] = {
		{"core:4 pu:1", .members = 3, .expected = "0>1>2/node/0"},
		{"core:4 pu:1", .members = 3, .n_rings = 3,
			.expected = "0>1>2/node/0 3>0>1/node/1 2>3>0/node/2"},
		{"core:8 pu:1", .members = 4, .n_rings = 2, .expected = "0>1>2>3/node/0 4>5>6>7/node/0"},
		{"core:4 pu:1", .cpus = "1,3", .members = 5, .expected = "1>3>...>1 (5)/node/0"},
		{"core:2 pu:1", "own", .members = 3, .expected = "0>0>0/own/0 1>1>1/own/0"},
		{"core:2 pu:1", "own", .members = 3, .n_rings = 3,
			.expected = "0>0>0/own/0 1>1>1/own/0 0>0>0/own/1"},
		{"core:2 pu:1", "own", .members = 2, .n_probes = 2,
			.expected = "0>0/own/0 1>1/own/0 0>0/own/1 1>1/own/1"},
		{smt, .cpus = "0-1,8", .members = 3, .expected = "0>1>8/cross/0"},
		{smt, .cpus = "0-1", .members = 4, .expected = "0>1>0>1/smt/0"},
		{"core:2 pu:1", .members = 2, .n_rings = 4096, .n_probes = 2,
			.expected = "--ring 2x4096: 8192 rings are more than the 4096 that one run can have; "
				    "name fewer rings or mechanisms (-m)"},
		{"core:2 pu:1", .members = 2048, .n_rings = 33,
			.expected = "--ring 2048x33: 67584 members are more than the 65536 that one run can "
				    "have; name smaller or fewer rings, or fewer mechanisms (-m)"},
	};

	check_rows(rows, COUNT(rows));
}

static void wrong_pairs_are_refused_in_one_sentence(void)
{
	static const char words[] = ": allowed are own, smt, l2, l3, node, package, cross, classes, all, "
				    "or pairs of CPUs such as 0:3,5:5";
	static const char *const wrong[] = {
		"",
		"owns",
		"OWN",
		"0",
		"0:",
		":1",
		"0:1,",
		"0-1",
		"0:1:2",
		"0:1 ",
		"0:1;2:3",
		"99999999999:0",
		"0:-1",
	};
	static const struct row rows[] = {
		{"l3:1 core:2 pu:1", "smt",
			.expected = "--pairs smt: this machine has no such pair; it has own, l3"},
		{"pack:2 [numa] l3:1 core:2 pu:1", "node",
			.expected = "--pairs node: this machine has no such pair; it has own, l3, cross"},
		{smt, "smt", .cpus = "0,2,4",
			.expected = "--pairs smt: the CPUs to be measured (0,2,4) have no such pair; "
				    "they have own, l3, node"},
		{"core:4 pu:1", "0:4",
			.expected = "--pairs 0:4: CPU 4 is not among the CPUs allowed to this process (0-3)"},
		{"core:4 pu:1", "1:2,3:99999",
			.expected =
				"--pairs 3:99999: CPU 99999 is not among the CPUs allowed to this process (0-3)"},
		{"core:4 pu:1", "0:2", .cpus = "0-1",
			.expected = "--pairs 0:2: CPU 2 is not among those of -c (0-1)"},
		{"core:4 pu:1", "0:2,2:0,0:2", .expected = "--pairs 0:2: this pair is named twice"},
		{"core:4 pu:1", "0:1,0:9", .n_pairs = 1,
			.expected = "--pairs 0:9: CPU 9 is not among the CPUs allowed to this process (0-3)"},
		{"core:65 pu:1", "all",
			.expected = "--pairs all: 4225 rings are more than the 4096 that one run can have; "
				    "name fewer CPUs (-c), pairs (-t) or mechanisms (-m)"},
		{"core:2 pu:1", "own", .n_pairs = 1366, .n_probes = 3,
			.expected = "--pairs own: 4098 rings are more than the 4096 that one run can have; "
				    "name fewer CPUs (-c), pairs (-t) or mechanisms (-m)"},
	};

	check_rows(rows, COUNT(rows));
	for (size_t i = 0; i < COUNT(wrong); i++) {
		char expected[256];

		snprintf(expected, sizeof(expected), "--pairs %s%s", wrong[i], words);
		check_row(&(struct row){"core:4 pu:1", wrong[i], .expected = expected});
	}
}

static void wrong_cpus_are_refused_in_one_sentence(void)
{
	static const struct row rows[] = {
		{"core:8 pu:1", .cpus = "9",
			.expected = "-c 9: CPU 9 is not among the CPUs allowed to this process (0-7)"},
		{"core:8 pu:1", .cpus = "6-9",
			.expected = "-c 6-9: CPUs 8-9 are not among the CPUs allowed to this process (0-7)"},
		{"core:8 pu:1", .housekeeping = "8",
			.expected = "-H 8: CPU 8 is not among the CPUs allowed to this process (0-7)"},
		{"core:8 pu:1", .cpus = "0-2", .offline = "2",
			.expected = "-c 0-2: CPU 2 is offline: name others, or bring it online (echo 1 > "
				    "/sys/devices/system/cpu/cpu2/online)"},
		{"core:8 pu:1", .cpus = "1-9", .offline = "2-3,5",
			.expected = "-c 1-9: CPUs 2-3,5 are offline: name others, or bring them online "
				    "(echo 1 > /sys/devices/system/cpu/cpu2/online)"},
		{"core:8 pu:1", .housekeeping = "0", .offline = "0",
			.expected = "-H 0: CPU 0 is offline: name others, or bring it online (echo 1 > "
				    "/sys/devices/system/cpu/cpu0/online)"},
		{"core:8 pu:1", "0:1,6:7", .offline = "7",
			.expected =
				"--pairs 6:7: CPU 7 is offline: name others, or bring it online (echo 1 > "
				"/sys/devices/system/cpu/cpu7/online)"},
		{"core:8 pu:1", .cpus = "9", .offline = "7",
			.expected = "-c 9: CPU 9 is not among the CPUs allowed to this process (0-6)"},
		{"core:8 pu:1", .cpus = "",
			.expected = "-c: the list of CPUs is empty; this process may use 0-7"},
		{"core:8 pu:1", .housekeeping = "",
			.expected = "-H: the list of CPUs is empty; this process may use 0-7"},
		{"core:2 pu:1", .housekeeping = "0-1",
			.expected = "-H 0-1: no CPU is left to measure (of 0-1)"},
		{"core:4 pu:1", .cpus = "0-2", .housekeeping = "2-3",
			.expected =
				"-H 2-3: CPU 2 can't be both kept for housekeeping and measured, as -c wants"},
		{"core:4 pu:1", "2:3", .housekeeping = "0,2-3",
			.expected = "-H 0,2-3: CPUs 2-3 can't be both kept for housekeeping and measured, "
				    "as --pairs wants"},
	};

	check_rows(rows, COUNT(rows));
}

static void busy_isolated_cpus_are_left_out_unless_they_are_named(void)
{
	static const char note[] = "CPU 2 is left out: it is isolated, and another program runs on it; "
				   "-c 2 measures it anyway";
	static const struct row rows[] = {
		{"core:4 pu:1", .isolated = "2-3", .busy = "2", .notes = note,
			.expected = "0>0/own/0 1>1/own/0 3>3/own/0"},
		{"core:4 pu:1", .isolated = "2-3", .busy = "2", .cpus = "2-3",
			.expected = "2>2/own/0 3>3/own/0"},
		{"core:4 pu:1", "2:3", .isolated = "2-3", .busy = "2", .expected = "2>3/node/0"},
		{"core:4 pu:1", .isolated = "2-3", .busy = "2", .usable = "0-1",
			.expected = "0>0/own/0 1>1/own/0"},
		{"core:4 pu:1", .isolated = "2-3", .busy = "2-3", .usable = "2-3",
			.expected = "no CPU is left to measure: other programs run on the isolated CPUs 2-3; "
				    "-c 2-3 measures there anyway"},
	};

	check_rows(rows, COUNT(rows));
}

static void housekeeping_prefers_cpus_that_are_neither_measured_nor_isolated(void)
{
	static const struct row rows[] = {
		{"core:4 pu:1", .cpus = "2-3", .kept = "0-1", .expected = "2>2/own/0 3>3/own/0"},
		{"core:4 pu:1", .cpus = "2", .isolated = "2-3", .kept = "0-1", .expected = "2>2/own/0"},
		{"core:4 pu:1", .cpus = "0-2", .isolated = "2-3", .kept = "0-1",
			.expected = "0>0/own/0 1>1/own/0 2>2/own/0"},
		{"core:4 pu:1", .usable = "2-3", .isolated = "2-3", .kept = "2-3",
			.expected = "2>2/own/0 3>3/own/0"},
		{"core:4 pu:1", .usable = "0-1", .cpus = "0,3", .kept = "1",
			.expected = "0>0/own/0 3>3/own/0"},
		{"core:4 pu:1", .housekeeping = "1,3", .kept = "1,3", .expected = "0>0/own/0 2>2/own/0"},
		{"core:2 pu:1", .kept = "0-1", .expected = "0>0/own/0 1>1/own/0"},
	};

	check_rows(rows, COUNT(rows));
}

static void labels_name_the_members_and_abbreviate_many(void)
{
	static const struct {
		unsigned n;
		size_t size;
		const char *label;
	} rows[] = {
		{2, 64, "2>6"},
		{3, 64, "2>6>0"},
		{4, 64, "2>6>0>11"},
		{5, 64, "2>6>...>7 (5)"},
		{16, 64, "2>6>...>9 (16)"},
		{4, 6, "2>6>0"},
		{5, 5, "2>6>"},
		{2, 1, ""},
	};
	unsigned cpus[16] = {2, 6, 0, 11, 7, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 9};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct plan_ring ring = {.cpus = cpus, .n_members = rows[i].n};
		char text[64];

		CHECK(strcmp(plan_ring_label(&ring, text, rows[i].size), rows[i].label) == 0, "'%s'", text);
	}
}

static void check_printed(const struct row *row, const char *expected)
{
	struct planned planned;
	char *text = NULL;
	size_t size = 0;

	if (!planned_init(&planned, row))
		return;
	CHECK(planned.result == 0, "%s", planned.reason.text);
	FILE *out = open_memstream(&text, &size);

	plan_print(&planned.plan, &planned.topology, out);
	fclose(out);
	CHECK(strcmp(text, expected) == 0, "\n%s", text);
	free(text);
	planned_finish(&planned);
}

static void a_plan_is_printed_in_columns(void)
{
	static const char expected[] = " ring  mechanism      pair   class     turn  interval_us\n"
				       "    0  alpha          10>10  own          0         1000\n"
				       "    1  alpha          10>0   cross        1         1500\n"
				       "    2  beta           10>10  own          2         1000\n"
				       "    3  beta           10>0   cross        3         1500\n"
				       "    4  a_longer_name  10>10  own          4         1000\n"
				       "    5  a_longer_name  10>0   cross        5         1500\n"
				       "\n"
				       "machine:       2 packages, 2 NUMA nodes, 8 cores, 16 CPUs "
				       "(as described to hwloc, not this system)\n"
				       "rings:         6\n"
				       "turns:         6, in slices of 0.5 s\n"
				       "measured:      0,10\n"
				       "housekeeping:  1-9,11-13\n"
				       "left out:      1-9,11-15\n"
				       "isolated:      14-15\n";

	check_printed(&(struct row){smt, "10:10,10:0", .n_probes = 3, .isolated = "14-15"}, expected);
}

static void the_plan_of_a_hybrid_machine_names_the_kinds_of_core(void)
{
	static const char pairs[] = " ring  mechanism  pair  class    kinds   turn  interval_us\n"
				    "    0  alpha      0>1   smt      1>1        0         1000\n"
				    "    1  alpha      5>3   node     0>1        0         1500\n"
				    "\n"
				    "machine:       1 package, 1 NUMA node, 4 cores, 2 kinds of core, 6 CPUs "
				    "(as described to hwloc, not this system)\n"
				    "kind 0         CPUs 4-5 (CoreType Small?)\n"
				    "kind 1         CPUs 0-3\n"
				    "rings:         2\n"
				    "turns:         1\n"
				    "measured:      0-1,3,5\n"
				    "housekeeping:  2,4\n"
				    "left out:      2,4\n"
				    "isolated:      none\n";
	static const char ring[] =
		" ring  mechanism  pair           class    kinds           turn  interval_us\n"
		"    0  alpha      0>1>...>0 (7)  node     1>1>...>1 (7)      0         1000\n"
		"\n"
		"machine:       1 package, 1 NUMA node, 4 cores, 2 kinds of core, 6 CPUs "
		"(as described to hwloc, not this system)\n"
		"kind 0         CPUs 4-5 (CoreType Small?)\n"
		"kind 1         CPUs 0-3\n"
		"rings:         1\n"
		"turns:         1\n"
		"measured:      0-5\n"
		"housekeeping:  0-5\n"
		"left out:      none\n"
		"isolated:      none\n";

	check_printed(&(struct row){hybrid, "0:1,5:3"}, pairs);
	check_printed(&(struct row){hybrid, .members = 7}, ring);
}

static void memory_can_be_wanted_on_nodes_that_are_there(void)
{
	static const struct row rows[] = {
		{"core:2 pu:1", .memory = {NUMA_NODE, 0}, .expected = "0>0/own/0 1>1/own/0"},
		{"core:2 pu:1", .memory = {NUMA_NODE, 3},
			.expected = "--memory node:3: this machine has node 0"},
		{smt, "0:1", .memory = {NUMA_NODE, 1}, .expected = "0>1/smt/0"},
		{smt, "0:1", .memory = {NUMA_NODE, 2},
			.expected = "--memory node:2: this machine has nodes 0-1"},
		{smt, "0:1", .memory = {NUMA_NODE, INT32_MAX},
			.expected = "--memory node:2147483647: this machine has nodes 0-1"},
		{smt, "0:1", .memory = {NUMA_SENDER, 0}, .expected = "0>1/smt/0"},
		{"core:2 pu:1", .memory = {NUMA_INTERLEAVE, 0}, .expected = "0>0/own/0 1>1/own/0"},
	};

	check_rows(rows, COUNT(rows));
}

int main(void)
{
	TEST(each_choice_makes_its_pairs_in_few_turns);
	TEST(classes_has_the_nearest_and_the_farthest_pair_of_each_class);
	TEST(all_with_fewer_pairs_spreads_them_over_the_origins);
	TEST(all_names_no_pair_twice_and_no_origin_much_more_often_than_another);
	TEST(a_cpu_that_the_matching_leaves_over_comes_in_a_later_turn);
	TEST(rings_go_from_cpu_to_cpu_or_stand_on_one);
	TEST(wrong_pairs_are_refused_in_one_sentence);
	TEST(wrong_cpus_are_refused_in_one_sentence);
	TEST(memory_can_be_wanted_on_nodes_that_are_there);
	TEST(busy_isolated_cpus_are_left_out_unless_they_are_named);
	TEST(housekeeping_prefers_cpus_that_are_neither_measured_nor_isolated);
	TEST(labels_name_the_members_and_abbreviate_many);
	TEST(a_plan_is_printed_in_columns);
	TEST(the_plan_of_a_hybrid_machine_names_the_kinds_of_core);
	return tap_done();
}
