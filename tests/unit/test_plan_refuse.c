/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_plan_refuse.c - rings that have no sense, and why. */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/probe/probe.h"
#include "tests/unit/tap.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const struct probe alpha = {.name = "alpha"}, spins = {.name = "spins", .traits = PROBE_SPINS},
			  yields = {.name = "yields", .traits = PROBE_SPINS | PROBE_ONE_CPU},
			  threads = {.name = "threads", .traits = PROBE_THREADS_ONLY};

static const char unshared[] =
	"its members spin: each needs a CPU of its own (other --pairs, or a smaller --ring)",
		  shared[] = "its members yield one CPU to each other: they must share it (--pairs own)",
		  threaded[] = "it works between threads of one process only (without --fork)",
		  realtime[] = "its members spin: at real-time priority they keep others from their CPUs "
			       "(--allow-rt-spin permits it)",
		  beside[] = "its members yield to each other all the time: other rings can't be beside them "
			     "(without --side-by-side)",
		  crowded[] = "its members spin at real-time priority: other rings can't be beside them "
			      "(without --side-by-side)";

struct refusals {
	const struct probe *probes[3];
	const char *pairs;
	unsigned members;
	bool fork, realtime, allowed, side_by_side;
	const char *housekeeping;
	unsigned n_turns;
	const char *refusals[6]; /* by ring; "" is run */
	const char *error;
};

static void check_refusals(const struct refusals *row, const struct topology *topology, size_t at)
{
	struct config config = {.pairs = row->pairs,
		.ring_members = row->members,
		.fork = row->fork,
		.policy = {row->realtime ? SCHED_FIFO : SCHED_OTHER, row->realtime},
		.allow_rt_spin = row->allowed,
		.side_by_side = row->side_by_side,
		.force = true, /* has nothing to say here */
		.interval_ns = 1000000};
	struct notes notes = {0};
	struct error_text reason = {""};
	struct plan plan;

	while (config.n_probes < COUNT(row->probes) && row->probes[config.n_probes])
		config.probes[config.n_probes] = row->probes[config.n_probes], config.n_probes++;
	config.has_housekeeping = row->housekeeping;
	if (row->housekeeping)
		CHECK(cpus_parse(&config.housekeeping, row->housekeeping) == 0, "%s", row->housekeeping);
	int r = plan_init(&plan, &config, topology, NULL, &notes, &reason);

	CHECK(row->error ? r == -EINVAL && !strcmp(reason.text, row->error) : r == 0, "case %zu: %s", at,
		reason.text);
	CHECK(r < 0 || plan.n_turns == row->n_turns, "case %zu: %u turns", at, plan.n_turns);
	for (size_t i = 0; r == 0 && i < plan.n_rings; i++) {
		const char *is = plan.rings[i].refusal ? plan.rings[i].refusal : "";

		CHECK(row->refusals[i] && !strcmp(is, row->refusals[i]), "case %zu, ring %zu: %s", at, i, is);
	}
	plan_finish(&plan);
	notes_finish(&notes);
}

static void check_all_refusals(const struct refusals *rows, size_t n)
{
	struct topology topology;
	struct error_text reason;

	setenv("HWLOC_SYNTHETIC", "core:4 pu:1", 1);
	int r = topology_init(&topology, &reason);

	CHECK(r == 0, "%s", reason.text);
	if (r < 0)
		return;
	for (size_t i = 0; i < n; i++)
		check_refusals(&rows[i], &topology, i);
	topology_finish(&topology);
}

/* They have their rows, and take no turn; where no other ring is left, that is an error. */
static void rings_that_have_no_sense_are_refused(void)
{
	static const struct refusals rows[] = {
		{{&alpha, &spins, &yields}, "0:0,0:1", .n_turns = 4,
			.refusals = {"", "", unshared, "", "", shared}},
		{{&alpha, &threads}, "0:1", .fork = true, .n_turns = 1, .refusals = {"", threaded}},
		{{&alpha, &threads}, "0:1", .n_turns = 2, .refusals = {"", ""}},
		{{&alpha, &spins}, "0:1", .realtime = true, .n_turns = 1, .refusals = {"", realtime}},
		{{&alpha, &yields}, "1:1", .realtime = true, .n_turns = 1, .refusals = {"", realtime}},
		{{&spins}, "0:1", .n_turns = 1, .refusals = {""}},
		{{&spins}, .members = 3, .n_turns = 1, .refusals = {""}},
		{{&alpha, &spins}, .members = 5, .n_turns = 1, .refusals = {"", unshared}},
		{{&yields, &alpha}, .members = 3, .n_turns = 1, .refusals = {shared, ""}},
		{{&yields, &alpha}, "0:0,1:1", .n_turns = 2, .refusals = {"", "", "", ""}},
		{{&yields, &alpha}, "0:0", .side_by_side = true, .n_turns = 1, .refusals = {beside, ""}},
		{{&yields}, "0:0,1:1", .side_by_side = true, .n_turns = 1, .refusals = {"", ""}},
		{{&yields, &spins}, "0:0", .side_by_side = true, .n_turns = 1, .refusals = {"", unshared}},
		{{&spins, &alpha}, "0:1", .realtime = true, .allowed = true, .side_by_side = true,
			.n_turns = 1, .refusals = {crowded, ""}},
		{{&spins, &alpha}, "0:1", .realtime = true, .allowed = true, .n_turns = 2,
			.refusals = {"", ""}},
		{{&spins, &alpha}, "0:1", .side_by_side = true, .n_turns = 1, .refusals = {"", ""}},
		{{&spins}, "own",
			.error =
				"-m spins: its members spin: each needs a CPU of its own (other --pairs, or a "
				"smaller --ring)"},
		{{&spins, &threads}, "0:0", .fork = true,
			.error =
				"-m spins: its members spin: each needs a CPU of its own (other --pairs, or a "
				"smaller --ring); threads: it works between threads of one process only "
				"(without --fork)"},
		{{&spins}, "0:1", .realtime = true,
			.error =
				"-m spins: its members spin: at real-time priority they keep others from their "
				"CPUs (--allow-rt-spin permits it)"},
	};

	check_all_refusals(rows, COUNT(rows));
}

/* In no turn, whatever --force says. */
static void realtime_spinners_leave_a_cpu_free(void)
{
	static const char everywhere[] =
		"--allow-rt-spin: spins would spin at real-time priority (fifo) on every CPU that the rest of the "
		"system has (0-3): keep one free with -H, or name fewer CPUs (-c) or pairs (--pairs, -t)";
	static const struct refusals rows[] = {
		{{&spins}, "0:1", .realtime = true, .allowed = true, .n_turns = 1, .refusals = {""}},
		{{&spins}, "0:1,2:3", .realtime = true, .allowed = true, .error = everywhere},
		{{&spins}, "0:1,2:3", .allowed = true, .n_turns = 1, .refusals = {"", ""}},
		/* One after the other they leave some. */
		{{&spins}, "0:1,1:2,0:2", .realtime = true, .allowed = true, .n_turns = 3,
			.refusals = {"", "", ""}},
		{{&spins}, "0:1,2:3", .realtime = true, .allowed = true, .side_by_side = true,
			.error = everywhere},
		{{&spins}, .members = 4, .realtime = true, .allowed = true, .error = everywhere},
		{{&spins}, .members = 3, .realtime = true, .allowed = true, .housekeeping = "3", .n_turns = 1,
			.refusals = {""}},
		/* Those of other mechanisms sleep. */
		{{&spins, &alpha}, "0:1,2:2", .realtime = true, .allowed = true, .n_turns = 2,
			.refusals = {"", unshared, "", ""}},
	};

	check_all_refusals(rows, COUNT(rows));
}

int main(void)
{
	TEST(rings_that_have_no_sense_are_refused);
	TEST(realtime_spinners_leave_a_cpu_free);
	return tap_done();
}
