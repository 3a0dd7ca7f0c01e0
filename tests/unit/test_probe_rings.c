/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contract, over all probes of the registry, in rings of threads and of processes. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/engine/engine.h"
#include "src/machine/machine.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/probe/probe.h"
#include "tests/unit/each_probe.h"
#include "tests/unit/leftovers.h"
#include "tests/unit/patience.h"
#include "tests/unit/tap.h"

static uint32_t loops;
static struct topology topology;

static void check_ring(const struct arena_ring *ring)
{
	const struct arena_member *origin = &ring->members[0];
	const struct hist_live *lap = origin->live[LIVE_LAP];

	CHECK(ring->state == RING_DONE, "%s: %s", ring_state_name(ring->state), ring->reason.text);
	CHECK(origin->laps == loops, "%llu laps", (unsigned long long)origin->laps);
	/* Where not one lap was warm-up, each has ended a stall. */
	CHECK(origin->warmup_laps > 0 || origin->missed >= loops, "%llu missed",
		(unsigned long long)origin->missed);
	CHECK(lap->sum_ns > 0 && lap->extremes[1].max_ns >= lap->extremes[1].min_ns);
}

/* Only the origin reads the clock, in batches or not. */
static void check_lap_only_ring(const struct arena_ring *ring)
{
	const struct arena_member *origin = &ring->members[0];
	const struct hist_live *lap = origin->live[LIVE_LAP];
	bool in_batches = ring->arena->config->batch_laps;

	CHECK(ring->state == RING_DONE, "%s: %s", ring_state_name(ring->state), ring->reason.text);
	CHECK(origin->laps == loops && lap->sum_ns > 0, "%llu laps", (unsigned long long)origin->laps);
	CHECK(lap->untimed == (in_batches ? loops : 0) && (lap->extremes[1].max_ns > 0) == !in_batches);
	for (unsigned m = 0; m < ring->n_members; m++)
		CHECK(!ring->members[m].live[LIVE_FIRST] && !ring->members[m].live[LIVE_ANSWER] &&
			!ring->members[m].live[LIVE_SERVED]);
}

/* Those of the mechanism itself; the others run. */
static void check_refused(const struct arena_ring *ring)
{
	if (ring->probe != probe) {
		check_ring(ring);
		return;
	}
	CHECK(ring->state == RING_FAILED && ring->reason.text[0] && !ring->host, "%s",
		ring_state_name(ring->state));
}

static void run_rings_and(const struct config *config, void (*check)(const struct arena_ring *ring))
{
	struct leftovers before = look_for_leftovers();
	struct machine machine = {0};
	struct notes notes = {0};
	struct error_text reason = {""};
	struct engine engine = {0};
	struct plan plan = {0};
	int r = plan_init(&plan, config, &topology, NULL, &notes, &reason);

	if (r == 0)
		r = engine_prepare(&engine, &(struct engine_job){&plan, config, &topology, probe_registry},
			&machine, &notes, &reason);
	CHECK(r == 0, "%s", reason.text);
	if (r == 0)
		engine_start(&engine);
	if (r == 0) {
		while (!engine_is_done(&engine) && engine_advance(&engine, clock_now_ns()) != UINT64_MAX)
			usleep(1000);
		CHECK(wait_until_done(&engine));
		for (size_t i = 0; i < plan.n_rings; i++)
			check(&engine.arena->rings[i]);
	}
	engine_finish(&engine);
	plan_finish(&plan);
	notes_finish(&notes);
	check_nothing_left(before);
}

static void run_rings(const struct config *config)
{
	run_rings_and(config, check_ring);
}

static struct config base_config(void)
{
	return (struct config){.probes = {probe},
		.n_probes = 1,
		.pairs = "own",
		.loops = loops,
		.interval_ns = 200000,
		.tick_ns = 500000000};
}

static bool can_share_a_cpu(void)
{
	return probe->traits & PROBE_ONE_CPU || !(probe->traits & PROBE_SPINS);
}

static bool can_fork(void)
{
	return !(probe->traits & PROBE_THREADS_ONLY);
}

static void threads_on_each_cpu_go_round(void)
{
	struct config config = base_config();

	if (can_share_a_cpu())
		run_rings(&config);
}

static void processes_on_each_cpu_go_round(void)
{
	struct config config = base_config();

	config.fork = true;
	if (can_share_a_cpu() && can_fork())
		run_rings(&config);
}

/* Both ways between two CPUs. Returns false where there is but one. */
static bool cross(struct config *config, char pairs[64])
{
	int first = cpus_next(&topology.usable, -1), second = cpus_next(&topology.usable, first);

	snprintf(pairs, 64, "%d:%d,%d:%d", first, second, second, first);
	config->pairs = pairs;
	return second >= 0;
}

static void every_pair_of_two_cpus_goes_round_in_its_turn(void)
{
	struct config config = base_config();
	char pairs[64];

	if (probe->traits & PROBE_ONE_CPU || !cross(&config, pairs))
		return;
	run_rings(&config);
	config.fork = true;
	if (can_fork())
		run_rings(&config);
}

static void flood_goes_round(void)
{
	struct config config = base_config();
	char pairs[64];

	config.interval_ns = 0;
	if (!can_share_a_cpu() && !cross(&config, pairs))
		return;
	run_rings(&config);
	config.fork = true;
	if (can_fork())
		run_rings(&config);
}

static void rings_without_stamps_of_hops_go_round(void)
{
	struct config config = base_config();
	char pairs[64];

	config.stamps = STAMPS_LAP;
	config.fork = can_fork();
	if (!can_share_a_cpu() && !cross(&config, pairs))
		return;
	run_rings_and(&config, check_lap_only_ring);
	config.interval_ns = 0;
	config.batch_laps = 7;
	run_rings_and(&config, check_lap_only_ring);
}

static void check_is_error(const struct config *config)
{
	struct notes notes = {0};
	struct error_text reason = {""};
	struct plan plan;

	CHECK(plan_init(&plan, config, &topology, NULL, &notes, &reason) == -EINVAL &&
			strstr(reason.text, probe->name),
		"%s", reason.text);
	notes_finish(&notes);
}

/* A ring that has no sense is a row with its reason beside others, and an error alone. */
static void members_that_do_not_fit_are_refused(void)
{
	struct config config = base_config();
	char pairs[64];

	config.fork = !can_fork();
	if (can_share_a_cpu() && can_fork() && !(probe->traits & PROBE_ONE_CPU && cross(&config, pairs)))
		return;
	check_is_error(&config);
	for (size_t i = 0; probe_registry[i] && config.n_probes < 2; i++)
		if (!strcmp(probe_registry[i]->name, "svsem"))
			config.probes[config.n_probes++] = probe_registry[i];
	run_rings_and(&config, check_refused);
}

static const struct probe_test tests[] = {
	PROBE_TEST(threads_on_each_cpu_go_round),
	PROBE_TEST(processes_on_each_cpu_go_round),
	PROBE_TEST(every_pair_of_two_cpus_goes_round_in_its_turn),
	PROBE_TEST(flood_goes_round),
	PROBE_TEST(rings_without_stamps_of_hops_go_round),
	PROBE_TEST(members_that_do_not_fit_are_refused),
};

int main(int argc, char **argv)
{
	struct error_text reason;

	loops = getenv("IPCTOP_FULL") ? 300 : 60;
	if (topology_init(&topology, &reason) < 0 || argc < 1)
		return printf("Bail out! %s\n", reason.text), 1;
	int failed = test_each_probe(argv + 1, tests, sizeof(tests) / sizeof(*tests));

	topology_finish(&topology);
	return failed;
}
