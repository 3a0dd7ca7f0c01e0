/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_topology.c - machines described to hwloc, and this machine's own CPUs. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/machine/topology.h"
#include "tests/unit/tap.h"
#include "tests/unit/xml_machines.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void describe(const char *variable, const char *value)
{
	static const char *const variables[] = {
		"HWLOC_SYNTHETIC",
		"HWLOC_XMLFILE",
		"HWLOC_FSROOT",
		"HWLOC_CPUID_PATH",
		"HWLOC_THISSYSTEM",
	};

	for (size_t i = 0; i < COUNT(variables); i++)
		unsetenv(variables[i]);
	if (variable)
		setenv(variable, value, 1);
}

static struct cpus set_of(const char *list)
{
	struct cpus set = {0};

	CHECK(cpus_parse(&set, list) == 0, "%s", list);
	return set;
}

static bool synthetic(struct topology *topology, const char *description)
{
	struct error_text reason;

	describe("HWLOC_SYNTHETIC", description);
	int r = topology_init(topology, &reason);

	CHECK(r == 0, "%s: %s", description, reason.text);
	return r == 0;
}

static bool saved(struct topology *topology, const char *xml)
{
	struct error_text reason;
	char path[] = SAVED_XML_PATH;

	describe("HWLOC_XMLFILE", save_xml(xml, path));
	int r = topology_init(topology, &reason);

	unlink(path);
	CHECK(r == 0, "%s", reason.text);
	return r == 0;
}

static void the_parts_of_described_machines_are_counted(void)
{
	static const struct {
		const char *description;
		size_t cpus, cores, l3, nodes, packages;
	} rows[] = {
		{"pu:1", 1, 1, 0, 1, 1},
		{"pu:4", 4, 4, 0, 1, 1},
		{"core:4 pu:2", 8, 4, 0, 1, 1},
		{"pack:2 core:2 pu:1", 4, 4, 0, 1, 2},
		{"pack:2 [numa] l3:2 l2:4 core:1 pu:2", 32, 16, 4, 2, 2},
		{"pack:2 numa:2 l3:1 core:4 pu:2", 32, 16, 4, 4, 2},
		{"pack:4 [numa] l3:2 l2:64 core:1 pu:2", 1024, 512, 8, 4, 4},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct topology topology;

		if (!synthetic(&topology, rows[i].description))
			continue;
		CHECK(topology.n_cpus == rows[i].cpus, "%s: %zu", rows[i].description, topology.n_cpus);
		CHECK(topology.n_cores == rows[i].cores, "%s: %zu", rows[i].description, topology.n_cores);
		CHECK(topology.n_l3 == rows[i].l3, "%s: %zu", rows[i].description, topology.n_l3);
		CHECK(topology.n_nodes == rows[i].nodes, "%s: %zu", rows[i].description, topology.n_nodes);
		CHECK(topology.n_packages == rows[i].packages, "%s: %zu", rows[i].description,
			topology.n_packages);
		CHECK(topology.n_kinds == 1 && topology.cpus[0].kind == -1, "%s", rows[i].description);
		topology_finish(&topology);
	}
}

static void two_cpus_are_as_near_as_the_nearest_thing_they_share(void)
{
	static const char smt[] = "pack:2 [numa] l3:2 l2:4 core:1 pu:2";
	static const struct {
		const char *description;
		unsigned a, b;
		enum locality locality;
	} rows[] = {
		{smt, 5, 5, LOCALITY_OWN},
		{smt, 0, 1, LOCALITY_SMT},
		{smt, 0, 2, LOCALITY_L3},
		{smt, 7, 1, LOCALITY_L3},
		{smt, 0, 8, LOCALITY_NODE},
		{smt, 15, 16, LOCALITY_CROSS},
		{smt, 31, 0, LOCALITY_CROSS},
		{"l3:2 l2:2 core:2 pu:1", 0, 1, LOCALITY_L2},
		{"l3:2 l2:2 core:2 pu:1", 0, 2, LOCALITY_L3},
		{"l3:2 l2:2 core:2 pu:1", 0, 4, LOCALITY_NODE},
		{"pack:2 core:2 pu:1", 0, 1, LOCALITY_NODE},
		{"pack:2 core:2 pu:1", 0, 2, LOCALITY_CROSS}, /* in one node */
		{"pack:2 l3:1 core:2 pu:1", 0, 2, LOCALITY_CROSS},
		{"pack:1 numa:2 core:2 pu:1", 0, 2, LOCALITY_PACKAGE},
		{"numa:2 core:2 pu:1", 0, 2, LOCALITY_CROSS},
		{"pack:2 numa:2 core:2 pu:1", 0, 1, LOCALITY_NODE},
		{"pack:2 numa:2 core:2 pu:1", 0, 2, LOCALITY_PACKAGE},
		{"pack:2 numa:2 core:2 pu:1", 2, 4, LOCALITY_CROSS},
		{"pack:1 l3:1 numa:2 core:2 pu:1", 0, 2, LOCALITY_L3},
		{"pu:2", 0, 1, LOCALITY_NODE},
		{"l2:1 pu:2", 0, 1, LOCALITY_L2},
		{"pack:2 [numa] core:2 pu:2(indexes=0,4,1,5,2,6,3,7)", 0, 4, LOCALITY_SMT},
		{"pack:2 [numa] core:2 pu:2(indexes=0,4,1,5,2,6,3,7)", 0, 1, LOCALITY_NODE},
		{"pack:2 [numa] core:2 pu:2(indexes=0,4,1,5,2,6,3,7)", 0, 2, LOCALITY_CROSS},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct topology topology;

		if (!synthetic(&topology, rows[i].description))
			continue;
		enum locality there = topology_locality(&topology, rows[i].a, rows[i].b);
		enum locality back = topology_locality(&topology, rows[i].b, rows[i].a);

		CHECK(there == rows[i].locality && back == there, "%s: %u and %u: %s", rows[i].description,
			rows[i].a, rows[i].b, locality_name(there));
		topology_finish(&topology);
	}
}

static uint64_t distance_between(const struct topology *topology, unsigned a, unsigned b)
{
	return topology_distance(topology, topology_find(topology, a), topology_find(topology, b));
}

/* Each row names four CPUs: the first two are nearer to each other than the others, or as near. */
static void cpus_are_as_far_apart_as_latencies_say_or_else_the_parts_of_the_machine(void)
{
	static const struct {
		const char *description; /* NULL: line, which has latencies */
		unsigned near[2], far[2];
		bool equal;
	} rows[] = {
		{"core:2 pu:2", {0, 0}, {0, 1}, false},
		{"core:2 pu:2", {0, 1}, {2, 3}, true},
		{"core:2 pu:2", {0, 1}, {1, 2}, false},
		{"group:2 pack:2 l3:2 core:2 pu:1", {0, 2}, {4, 6}, true},
		{"group:2 pack:2 l3:2 core:2 pu:1", {2, 6}, {6, 8}, false},
		{"group:2 pack:2 l3:2 core:2 pu:1", {0, 15}, {12, 3}, true},
		{NULL, {1, 2}, {0, 1}, false},
		{NULL, {0, 1}, {1, 0}, true},
		{NULL, {0, 1}, {3, 2}, true},
		{NULL, {1, 3}, {0, 3}, false},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct topology topology;

		if (!(rows[i].description ? synthetic(&topology, rows[i].description)
					  : saved(&topology, line)))
			continue;
		uint64_t near = distance_between(&topology, rows[i].near[0], rows[i].near[1]);
		uint64_t far = distance_between(&topology, rows[i].far[0], rows[i].far[1]);

		CHECK(rows[i].equal ? near == far : near < far, "row %zu", i);
		topology_finish(&topology);
	}
}

static void a_described_machine_is_foreign_and_may_be_planned_on_as_a_whole(void)
{
	const struct cpus all = set_of("0-1023");
	struct topology topology;

	if (!synthetic(&topology, "pack:4 [numa] core:128 pu:2"))
		return;
	CHECK(topology.foreign && strcmp(topology.foreign, "HWLOC_SYNTHETIC") == 0);
	CHECK(cpus_equal(&topology.online, &all));
	CHECK(cpus_equal(&topology.allowed, &all));
	CHECK(cpus_equal(&topology.usable, &all));
	CHECK(cpus_count(&topology.isolated) == 0);
	CHECK(topology_find(&topology, 1023)->cpu == 1023);
	CHECK(topology_find(&topology, 1024) == NULL);
	topology_finish(&topology);
}

static void the_kinds_of_core_of_a_hybrid_machine_are_told_apart(void)
{
	static const int kinds[] = {1, 1, 1, 1, 0, 0}, cores[] = {0, 0, 2, 2, 4, 5};
	struct topology topology;

	if (!saved(&topology, hybrid))
		return;
	CHECK(topology.foreign && topology.n_cpus == 6 && topology.n_cores == 4 && topology.n_kinds == 2);
	for (size_t i = 0; i < topology.n_cpus && i < COUNT(kinds); i++)
		CHECK(topology.cpus[i].kind == kinds[i] && topology.cpus[i].core == cores[i], "CPU %zu", i);
	CHECK(strcmp(topology.kinds[0], "CoreType Small?") == 0, "%s", topology.kinds[0]);
	CHECK(strcmp(topology.kinds[1], "") == 0, "%s", topology.kinds[1]);
	CHECK(topology_locality(&topology, 0, 1) == LOCALITY_SMT);
	CHECK(topology_locality(&topology, 4, 5) == LOCALITY_NODE);
	topology_finish(&topology);
}

static void cores_at_several_depths_are_still_different_cores(void)
{
	struct topology topology;

	if (!saved(&topology, lopsided))
		return;
	CHECK(topology.n_cpus == 5 && topology.n_cores == 3, "%zu", topology.n_cores);
	CHECK(topology_locality(&topology, 0, 1) == LOCALITY_SMT);
	CHECK(topology_locality(&topology, 0, 2) == LOCALITY_NODE);
	CHECK(topology_locality(&topology, 3, 2) == LOCALITY_NODE);
	CHECK(topology_locality(&topology, 3, 4) == LOCALITY_SMT);
	topology_finish(&topology);
}

static void a_description_that_hwloc_cannot_read_is_not_taken_for_this_machine(void)
{
	static const char *const rows[][2] = {
		{"HWLOC_SYNTHETIC", "bogus:2"},
		{"HWLOC_XMLFILE", "/nonexistent.xml"},
		{"HWLOC_XMLFILE", "/proc/version"},
		{"HWLOC_FSROOT", "/nonexistent"},
		{"HWLOC_CPUID_PATH", "/nonexistent"},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct topology topology;
		struct error_text reason = {""};
		char expected[128];

		describe(rows[i][0], rows[i][1]);
		snprintf(expected, sizeof(expected), "%s=%s: hwloc can't read a topology from it", rows[i][0],
			rows[i][1]);
		CHECK(topology_init(&topology, &reason) == -EINVAL, "%s", expected);
		CHECK(strcmp(reason.text, expected) == 0, "%s", reason.text);
		topology_finish(&topology);
	}
}

static void isolated_cpus_count_unless_the_affinity_was_narrowed(void)
{
	static const struct {
		const char *inherited, *allowed, *isolated, *usable;
	} rows[] = {
		{"0-7", "0-7", "", "0-7"}, {"0-1,4-7", "0-7", "2-3", "0-7"}, /* isolcpus=2,3 */
		{"0-7", "0-7", "2-3", "0-7"},                                /* taskset to all of them */
		{"0-1", "0-7", "2-3", "0-1"},                                /* taskset */
		{"2", "0-7", "2-3", "2"},                                    /* taskset to an isolated one */
		{"0-1,4-6", "0-7", "2-3", "0-1,4-6"}, /* taskset that happens to leave them out, too */
		{"0-3", "0-3", "6-7", "0-3"},         /* a cpuset without the isolated ones */
		{"0-3", "0-3,6", "6-7", "0-3,6"},     /* a cpuset with one of them */
		{"0-3,5", "0-3", "", "0-3"},          /* a cpuset that shrank */
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct cpus inherited = set_of(rows[i].inherited), allowed = set_of(rows[i].allowed);
		const struct cpus isolated = set_of(rows[i].isolated), expected = set_of(rows[i].usable);
		const struct cpus usable = topology_usable(&inherited, &allowed, &isolated);
		char text[64];

		CHECK(cpus_equal(&usable, &expected), "row %zu: %s", i,
			cpus_format(&usable, text, sizeof(text)));
	}
}

static struct topology this_machine(void)
{
	struct topology topology;
	struct error_text reason = {""};

	describe(NULL, NULL);
	CHECK(topology_init(&topology, &reason) == 0, "%s", reason.text);
	return topology;
}

static void this_machine_is_read_as_the_kernel_shows_it(void)
{
	struct topology topology = this_machine();
	struct cpus mine = {0};

	CHECK(!topology.foreign);
	CHECK(sched_getaffinity(0, sizeof(mine), (cpu_set_t *)&mine) == 0);
	CHECK(cpus_subset(&mine, &topology.allowed));
	CHECK(cpus_subset(&topology.allowed, &topology.online));
	CHECK(cpus_subset(&topology.usable, &topology.allowed));
	CHECK(cpus_subset(&topology.isolated, &topology.online));
	CHECK(cpus_count(&topology.online) == topology.n_cpus);
	CHECK((long)topology.n_cpus == sysconf(_SC_NPROCESSORS_ONLN), "%zu", topology.n_cpus);
	for (size_t i = 0; i < topology.n_cpus; i++)
		CHECK(topology_find(&topology, topology.cpus[i].cpu) == &topology.cpus[i]);
	topology_finish(&topology);
}

static void a_narrowed_affinity_narrows_what_is_usable_but_not_what_is_allowed(void)
{
	struct topology before = this_machine(), topology;
	struct cpus inherited = {0}, one = {0}, after = {0};

	sched_getaffinity(0, sizeof(inherited), (cpu_set_t *)&inherited);
	cpus_add(&one, (unsigned)cpus_next(&inherited, -1));
	CHECK(sched_setaffinity(0, sizeof(one), (const cpu_set_t *)&one) == 0);
	topology = this_machine();
	CHECK(cpus_equal(&topology.usable, &one));
	CHECK(cpus_equal(&topology.allowed, &before.allowed));
	sched_getaffinity(0, sizeof(after), (cpu_set_t *)&after);
	CHECK(cpus_equal(&after, &one), "reading the topology changed the affinity");
	sched_setaffinity(0, sizeof(inherited), (const cpu_set_t *)&inherited);
	topology_finish(&topology);
	topology_finish(&before);
}

int main(void)
{
	TEST(the_parts_of_described_machines_are_counted);
	TEST(two_cpus_are_as_near_as_the_nearest_thing_they_share);
	TEST(cpus_are_as_far_apart_as_latencies_say_or_else_the_parts_of_the_machine);
	TEST(a_described_machine_is_foreign_and_may_be_planned_on_as_a_whole);
	TEST(the_kinds_of_core_of_a_hybrid_machine_are_told_apart);
	TEST(cores_at_several_depths_are_still_different_cores);
	TEST(a_description_that_hwloc_cannot_read_is_not_taken_for_this_machine);
	TEST(isolated_cpus_count_unless_the_affinity_was_narrowed);
	TEST(this_machine_is_read_as_the_kernel_shows_it);
	if (access("/sys/devices/system/cpu", F_OK) == 0)
		TEST(a_narrowed_affinity_narrows_what_is_usable_but_not_what_is_allowed);
	else
		tap_skip("a narrowed affinity narrows what is usable but not what is allowed",
			"needs /sys/devices/system/cpu");
	return tap_done();
}
