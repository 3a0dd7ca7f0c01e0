/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_plan.c - which rings a plan has, and in which turns. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "src/config.h"
#include "src/plan.h"
#include "src/probe.h"
#include "tests/unit/tap.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const struct probe alpha = {.name = "alpha"}, beta = {.name = "beta"},
			  longer = {.name = "a_longer_name"};

static const char smt[] = "pack:2 [numa] l3:2 l2:2 core:1 pu:2"; /* 16 CPUs */

static struct cpus set_of(const char *list)
{
	struct cpus set = {0};

	CHECK(cpus_parse(&set, list) == 0, "%s", list);
	return set;
}

/* A case: the machine, what is asked, and what becomes of it. */
struct row {
	const char *machine, *pairs, *cpus, *housekeeping;
	const char *usable, *isolated, *busy; /* NULL: all, none, none */
	const char *expected;                 /* "0>1/smt/0 ...": label, class, turn; or the sentence */
	unsigned n_pairs;
	unsigned n_probes;         /* 0: one */
	unsigned members, n_rings; /* of --ring; 0: pairs */
	bool flood, force, side_by_side;
	const char *kept;  /* housekeeping, or NULL */
	const char *notes; /* NULL: none */
};

static struct config config_of(const struct row *row)
{
	struct config config = {
		.probes = {&alpha, &beta, &longer},
		.n_probes = row->n_probes > 0 ? row->n_probes : 1,
		.pairs = row->pairs,
		.has_cpus = row->cpus != NULL,
		.has_housekeeping = row->housekeeping != NULL,
		.n_pairs = row->n_pairs,
		.ring_members = row->members,
		.n_rings = row->n_rings,
		.policy = {.policy = row->flood ? SCHED_FIFO : SCHED_OTHER, .priority = row->flood},
		.interval_ns = row->flood ? 0 : 1000000,
		.distance_ns = 500000,
		.force = row->force,
		.side_by_side = row->side_by_side,
	};

	if (row->cpus)
		config.cpus = set_of(row->cpus);
	if (row->housekeeping)
		config.housekeeping = set_of(row->housekeeping);
	return config;
}

static bool machine_of(const struct row *row, struct topology *topology)
{
	struct reason reason;

	setenv("HWLOC_SYNTHETIC", row->machine, 1);
	int r = topology_init(topology, &reason);

	CHECK(r == 0, "%s: %s", row->machine, reason.text);
	if (r < 0)
		return false;
	if (row->usable)
		topology->usable = set_of(row->usable);
	if (row->isolated)
		topology->isolated = set_of(row->isolated);
	return true;
}

static void write_rings(const struct plan *plan, char *text, size_t size)
{
	size_t length = 0;

	*text = '\0';
	for (size_t i = 0; i < plan->n_rings && length < size; i++) {
		const struct plan_ring *ring = &plan->rings[i];
		char label[64];

		length += (size_t)snprintf(text + length, size - length, "%s%s/%s/%u", i > 0 ? " " : "",
			plan_label(ring, label, sizeof(label)), locality_name(ring->locality), ring->turn);
	}
}

static void check_notes(const struct row *row, const struct notes *notes)
{
	char text[1024] = "";

	for (size_t i = 0; i < notes->n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i > 0 ? "\n" : "",
			notes->text[i]);
	CHECK(strcmp(text, row->notes ? row->notes : "") == 0, "%s %s: notes '%s'", row->machine,
		row->pairs ? row->pairs : "", text);
}

static void check_row(const struct row *row)
{
	struct topology topology;
	struct notes notes = {0};
	struct reason reason = {""};
	struct plan plan;
	char text[2048];

	if (!machine_of(row, &topology))
		return;
	const struct config config = config_of(row);
	const struct cpus busy = row->busy ? set_of(row->busy) : (struct cpus){0};
	int r = plan_init(&plan, &config, &topology, row->busy ? &busy : NULL, &notes, &reason);

	if (r == 0) {
		write_rings(&plan, text, sizeof(text));
		CHECK(strcmp(text, row->expected) == 0, "\n#  got  %s\n#  not  %s", text, row->expected);
		CHECK(cpus_count(&plan.housekeeping) > 0);
		cpus_format(&plan.housekeeping, text, sizeof(text));
		CHECK(!row->kept || strcmp(text, row->kept) == 0, "kept %s, not %s", text, row->kept);
	} else {
		CHECK(strcmp(reason.text, row->expected) == 0, "\n#  got  %s\n#  not  %s", reason.text,
			row->expected);
		CHECK(plan.n_rings == 0 && plan.rings == NULL);
	}
	check_notes(row, &notes);
	notes_finish(&notes);
	plan_finish(&plan);
	topology_finish(&topology);
}

static void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check_row(&rows[i]);
}

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
			.notes = "--pairs node: no CPU is so near to CPUs 8-9: left out"},
		{smt, "cross", .cpus = "0-1,8-9", .expected = "0>8/cross/0 1>9/cross/0"},
		{smt, "locality", .expected = "0>0/own/0 0>1/smt/1 0>2/l3/2 0>4/node/3 0>8/cross/4"},
		{smt, "locality", .cpus = "2,5,15", .expected = "2>2/own/0 2>5/node/1 2>15/cross/2"},
		{"core:2 pu:1", "all", .expected = "0>0/own/0 0>1/node/1 1>0/node/2 1>1/own/0"},
		{"core:2 pu:1", "all", .n_pairs = 3, .expected = "0>0/own/0 0>1/node/1 1>0/node/2"},
		{smt, "15:0,5:5,3:2", .expected = "15>0/cross/0 5>5/own/0 3>2/smt/0"},
		{smt, "0:1,1:0,5:5", .n_pairs = 2, .expected = "0>1/smt/0 1>0/smt/1"},
		{"core:2 pu:1", "0:1,1:0,0:0", .side_by_side = true,
			.expected = "0>1/node/0 1>0/node/0 0>0/own/0"},
	};

	check_rows(rows, COUNT(rows));
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
			.notes = "--pairs smt: no CPU is so near to CPUs 2,4: left out"},
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
	static const char words[] = ": allowed are own, smt, l2, l3, node, cross, locality, all, "
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
		{"core:8 pu:1", .cpus = "", .expected = "-c: the list of CPUs is empty; allowed are 0-7"},
		{"core:8 pu:1", .housekeeping = "",
			.expected = "-H: the list of CPUs is empty; allowed are 0-7"},
		{"core:2 pu:1", .housekeeping = "0-1",
			.expected = "-H 0-1: no CPU remains to be measured (of 0-1)"},
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
	static const char note[] = "CPU 2 is isolated and another program is at work on it: left out; "
				   "-c 2 measures it all the same";
	static const struct row rows[] = {
		{"core:4 pu:1", .isolated = "2-3", .busy = "2", .notes = note,
			.expected = "0>0/own/0 1>1/own/0 3>3/own/0"},
		{"core:4 pu:1", .isolated = "2-3", .busy = "2", .cpus = "2-3",
			.expected = "2>2/own/0 3>3/own/0"},
		{"core:4 pu:1", "2:3", .isolated = "2-3", .busy = "2", .expected = "2>3/node/0"},
		{"core:4 pu:1", .isolated = "2-3", .busy = "2", .usable = "0-1",
			.expected = "0>0/own/0 1>1/own/0"},
		{"core:4 pu:1", .isolated = "2-3", .busy = "2-3", .usable = "2-3",
			.expected =
				"no CPU remains to be measured: other programs are at work on the isolated "
				"CPUs 2-3; -c 2-3 measures there all the same"},
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

static void real_time_flood_everywhere_is_refused(void)
{
	static const char refused[] =
		"-i 0 at real-time priority (fifo) on every allowed CPU (0-1) would leave "
		"none to the rest of the system: keep one free with -H, or insist with "
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
	struct reason reason;
	struct plan plan;

	check_rows(rows, COUNT(rows));
	if (!machine_of(&rows[0], &topology))
		return;
	CHECK(plan_init(&plan, &config, &topology, NULL, &notes, &reason) == 0, "SCHED_OTHER may flood");
	CHECK(plan.rings[1].interval_ns == 0 && plan.rings[1].offset_ns == 0);
	plan_finish(&plan);
	topology_finish(&topology);
}

static void intervals_grow_by_the_distance_and_offsets_stagger_a_turn(void)
{
	static const struct {
		uint64_t interval_us, offset_us;
	} expected[] = {
		{1000, 0}, {1500, 750}, {2000, 0}, {2500, 1250}, /* two turns of two rings each */
		{1000, 0}, {1500, 750}, {2000, 0}, {2500, 1250}, /* the same under the next mechanism */
	};
	const struct row row = {"core:4 pu:1", "0:1,2:3,1:2,3:0", .n_probes = 2};
	struct config config = config_of(&row);
	struct topology topology;
	struct notes notes = {0};
	struct reason reason;
	struct plan plan;

	if (!machine_of(&row, &topology))
		return;
	CHECK(plan_init(&plan, &config, &topology, NULL, &notes, &reason) == 0, "%s", reason.text);
	CHECK(plan.n_rings == 8 && plan.n_turns == 4);
	for (size_t i = 0; i < plan.n_rings; i++) {
		const struct plan_ring *ring = &plan.rings[i];

		CHECK(ring->id == i && ring->probe == (i < 4 ? &alpha : &beta));
		CHECK(ring->turn == i / 2, "%u", ring->turn);
		CHECK(ring->interval_ns == expected[i].interval_us * 1000);
		CHECK(ring->offset_ns == expected[i].offset_us * 1000);
	}
	plan_finish(&plan);
	topology_finish(&topology);
}

static void turns_are_as_long_as_asked_but_not_too_short(void)
{
	static const char too_short[] = "--turns 3.9: the longest interval is 1 s, and a turn must have 4 of "
					"these: 4 s at least";
	static const struct {
		uint64_t turn_ms, interval_ms, slice_ms;
		const char *pairs, *refused;
	} rows[] = {
		{0, 1, 1000, "0:1,1:0"}, {0, 1000, 4000, "0:1,1:0"}, {500, 1, 500, "0:1,1:0"},
		{7000, 1, 7000, "0:1,1:0"}, {4000, 1000, 4000, "0:1,1:0"},
		{3900, 1000, 0, "0:1,1:0", too_short}, {3900, 1000, 4000, "0:1"}, /* nobody takes turns */
		{100, 0, 100, "0:1,1:0"},                                         /* flood */
	};
	struct topology topology;

	if (!machine_of(&(struct row){"core:2 pu:1"}, &topology))
		return;
	for (size_t i = 0; i < COUNT(rows); i++) {
		struct config config = {.probes = {&alpha}, .n_probes = 1, .pairs = rows[i].pairs};
		struct notes notes = {0};
		struct reason reason = {""};
		struct plan plan;

		config.turn_ns = rows[i].turn_ms * 1000000;
		config.interval_ns = rows[i].interval_ms * 1000000;
		int r = plan_init(&plan, &config, &topology, NULL, &notes, &reason);

		CHECK(rows[i].refused ? r == -EINVAL && !strcmp(reason.text, rows[i].refused)
				      : r == 0 && plan.slice_ns == rows[i].slice_ms * 1000000,
			"case %zu: %s", i, reason.text);
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
		struct reason reason;
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
		struct reason reason;
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
			struct reason reason;
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

		CHECK(strcmp(plan_label(&ring, text, rows[i].size), rows[i].label) == 0, "'%s'", text);
	}
}

static void a_plan_is_printed_in_columns(void)
{
	static const char expected[] = " ring  mechanism      pair   class   turn  interval_us\n"
				       "    0  alpha          10>10  own        0         1000\n"
				       "    1  alpha          10>0   cross      1         1500\n"
				       "    2  beta           10>10  own        2         1000\n"
				       "    3  beta           10>0   cross      3         1500\n"
				       "    4  a_longer_name  10>10  own        4         1000\n"
				       "    5  a_longer_name  10>0   cross      5         1500\n"
				       "\n"
				       "machine:       2 packages, 2 NUMA nodes, 8 cores, 16 CPUs "
				       "(as described to hwloc, not this system)\n"
				       "rings:         6\n"
				       "turns:         6, in slices of 1 s\n"
				       "measured:      0,10\n"
				       "housekeeping:  1-9,11-13\n"
				       "left out:      1-9,11-15\n"
				       "isolated:      14-15\n";
	const struct row row = {smt, "10:10,10:0", .n_probes = 3, .isolated = "14-15"};
	struct config config = config_of(&row);
	struct topology topology;
	struct notes notes = {0};
	struct reason reason;
	struct plan plan;
	char *text = NULL;
	size_t size = 0;

	if (!machine_of(&row, &topology))
		return;
	CHECK(plan_init(&plan, &config, &topology, NULL, &notes, &reason) == 0, "%s", reason.text);
	FILE *out = open_memstream(&text, &size);

	plan_print(&plan, &topology, out);
	fclose(out);
	CHECK(strcmp(text, expected) == 0, "\n%s", text);
	free(text);
	plan_finish(&plan);
	topology_finish(&topology);
}

static void memory_can_be_wanted_on_nodes_that_are_there(void)
{
	static const struct {
		const char *machine;
		struct placement memory;
		const char *sentence; /* NULL: none */
	} rows[] = {
		{"core:2 pu:1", {PLACE_NODE, 0}, NULL},
		{"core:2 pu:1", {PLACE_NODE, 3}, "--memory node:3: this machine has node 0"},
		{smt, {PLACE_NODE, 1}, NULL},
		{smt, {PLACE_NODE, 2}, "--memory node:2: this machine has nodes 0-1"},
		{smt, {PLACE_NODE, INT32_MAX}, "--memory node:2147483647: this machine has nodes 0-1"},
		{smt, {PLACE_SENDER, 0}, NULL},
		{"core:2 pu:1", {PLACE_INTERLEAVE, 0}, NULL},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct row row = {rows[i].machine};
		struct config config = config_of(&row);
		struct reason reason = {""};
		struct topology topology;
		struct notes notes = {0};
		struct plan plan;

		if (!machine_of(&row, &topology))
			continue;
		config.memory = rows[i].memory;
		int r = plan_init(&plan, &config, &topology, NULL, &notes, &reason);

		CHECK((r < 0) == (rows[i].sentence != NULL), "row %zu", i);
		CHECK(!strcmp(reason.text, rows[i].sentence ? rows[i].sentence : ""), "%s", reason.text);
		plan_finish(&plan);
		topology_finish(&topology);
	}
}

int main(void)
{
	TEST(each_choice_makes_its_pairs_in_few_turns);
	TEST(a_cpu_that_the_matching_leaves_over_comes_in_a_later_turn);
	TEST(rings_go_from_cpu_to_cpu_or_stand_on_one);
	TEST(wrong_pairs_are_refused_in_one_sentence);
	TEST(wrong_cpus_are_refused_in_one_sentence);
	TEST(memory_can_be_wanted_on_nodes_that_are_there);
	TEST(busy_isolated_cpus_are_left_out_unless_they_are_named);
	TEST(housekeeping_prefers_cpus_that_are_neither_measured_nor_isolated);
	TEST(real_time_flood_everywhere_is_refused);
	TEST(intervals_grow_by_the_distance_and_offsets_stagger_a_turn);
	TEST(turns_are_as_long_as_asked_but_not_too_short);
	TEST(from_1_to_1024_cpus_own_is_one_turn);
	TEST(all_is_every_ordered_pair_and_no_turn_has_a_cpu_twice);
	TEST(every_class_pairs_every_cpu_that_has_a_partner_exactly_as_far);
	TEST(labels_name_the_members_and_abbreviate_many);
	TEST(a_plan_is_printed_in_columns);
	return tap_done();
}
