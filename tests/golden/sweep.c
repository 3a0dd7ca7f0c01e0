/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep.c - made-up sweeps. */
#include "tests/golden/sweep.h"

#include <stdlib.h>
#include <string.h>

#include "src/model/feed.h"
#include "src/model/matrix.h"
#include "src/model/session.h"
#include "src/model/session_events.h"
#include "src/plan/plan.h"
#include "src/plan/sweep_plan.h"
#include "src/recording/record.h"

#define START_NS UINT64_C(5000000000)
#define WALL_NS UINT64_C(1700000000123456789) /* 2023-11-14 22:13:20 */

enum { SLOW_CPU = 5, SLOW_NS = 2600, WAKE_NS = 12000 };

static const struct story {
	const char *name, *machine;
	size_t n_results;
	bool spins;
	size_t n_more; /* results of a second phase, in which SLOW_CPU is as fast as others, and a node slower
			*/
	uint64_t pair_ns; /* 0: 3.3 ms */
	bool first;       /* first hops are measured, too */
} stories[] = {
	{"sweep-8", "pack:2 l3:1 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)", 100, false},
	{"sweep-8-changed", "pack:2 l3:1 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)", 28 * 6, false, 28 * 5,
		40000000},
	{"sweep-8-first", "pack:2 l3:1 core:2 pu:2(indexes=0,4,1,5,2,6,3,7)", 28 * 6, false, 28 * 5, 65000000,
		true},
	{"sweep-16", "pack:2 l3:1 core:4 pu:2", 300, false},
	{"sweep-64", "pack:2 l3:2 core:8 pu:2", 1500, true},
	{"sweep-64-changed", "pack:2 l3:2 core:8 pu:2", 2016 * 9, true, 2016 * 9},
	/* All pairs of level 3 caches, and some of the cores. */
	{"sweep-128", "pack:2 l3:4 core:8 pu:2", 128 * 127 / 2, false},
	{"sweep-576", "pack:2 numa:4 l3:9 core:4 pu:2", 5000, false},
	{"sweep-576-all", "pack:2 numa:4 l3:9 core:4 pu:2", 576 * 575 / 2, false},
	{"sweep-576-changed", "pack:2 numa:4 l3:9 core:4 pu:2", 2 * 576 * 575 / 2, false, 2 * 576 * 575 / 2},
};

static uint64_t random_below(uint64_t *random, uint64_t n)
{
	*random ^= *random << 13;
	*random ^= *random >> 7;
	*random ^= *random << 17;
	return *random % n;
}

static struct sweep_figure make_figure(uint64_t *random, float p50_ns, uint32_t n)
{
	float noise = 1 + (float)random_below(random, 100) / 1500;

	return (struct sweep_figure){n, p50_ns * noise * 0.9f, p50_ns * noise, p50_ns * noise * 1.3f,
		p50_ns * noise * (2 + (float)random_below(random, 50) / 10)};
}

static struct sweep_result make_result(const struct story *story, const struct matrix *matrix,
	struct sweep_pair pair, bool has_changed, uint64_t *random)
{
	static const float hops_ns[N_LOCALITIES] = {0, 2900, 3100, 3400, 4100, 4600, 4900};
	enum locality locality = matrix_locality(matrix, pair.a, pair.b);
	float hop_ns = hops_ns[locality] / (story->spins ? 50 : 1),
	      slow_ns = SLOW_NS / (story->spins ? 50 : 1);
	bool to_slow = matrix->cpus[pair.b].cpu == SLOW_CPU && !has_changed;
	bool from_slow = matrix->cpus[pair.a].cpu == SLOW_CPU && !has_changed;
	bool is_slower = has_changed && pair.a >= matrix->n_cpus / 4 && pair.b < matrix->n_cpus / 2;
	struct sweep_result result = {.a = pair.a, .b = pair.b};

	hop_ns *= is_slower ? 1.3f : 1;
	result.figures[SWEEP_THERE] = make_figure(random, hop_ns + (to_slow ? slow_ns : 0), 600);
	result.figures[SWEEP_BACK] = make_figure(random, hop_ns + (from_slow ? slow_ns : 0), 600);
	result.figures[SWEEP_LAP] = make_figure(
		random, 2 * hop_ns + (to_slow || from_slow ? slow_ns : 0), story->spins ? 60 : 600);
	for (int i = 0; i < 2 && story->first; i++)
		result.figures[SWEEP_FIRST_THERE + i] = make_figure(random,
			WAKE_NS + hop_ns + ((i ? from_slow : to_slow) ? slow_ns : 0), SWEEP_FIRST_HOPS);
	return result;
}

static void measure(const struct story *story, struct session *session, const struct topology *topology,
	struct recording *recording)
{
	uint64_t random = 88172645463325252u, pair_ns = story->pair_ns ? story->pair_ns : 3300000;
	size_t n_results = story->n_results + story->n_more;
	struct sweep_plan plan;

	if (sweep_plan_init(&plan, topology, &topology->online) < 0)
		abort();
	for (size_t i = 0; i < n_results; i++) {
		struct sweep_pair pair;

		if (i == story->n_results && session_phases_begin(session, "isolated", 0) < 0)
			abort();
		if (!sweep_plan_take(&plan, &pair))
			abort();
		struct sweep_result result =
			make_result(story, session->matrix, pair, i >= story->n_results, &random);

		result.at_ns = START_NS + i * pair_ns;
		sweep_plan_put_back(&plan, &pair, sweep_figure_spread(&result.figures[SWEEP_LAP]));
		const struct feed_sweep sweep = {&result, 1, plan.n_rounds};

		const struct feed_item item = {FEED_SWEEP, result.at_ns, .sweep = &sweep};

		if (feed_session(session, &item, NULL) < 0 || record_feed(recording, &item) < 0)
			abort();
	}
	sweep_plan_finish(&plan);
	session->now_ns = START_NS + n_results * pair_ns + 2000000000;
}

/* @path: of a recording; NULL: none. */
static bool make_sweep(struct session *session, const char *name, const char *path)
{
	struct machine machine = {.host = "host42",
		.kernel = "6.1.0-rt7-amd64",
		.preemption = "PREEMPT_RT",
		.clock_source = "tsc",
		.dma_latency_state = MACHINE_VALUE,
		.dma_latency_held_us = 0,
		.clock_cost_ns = 27,
		.clock_step_ns = -1};
	struct plan plan = {.n_turns = 1, .slice_ns = 3000000000};
	struct config config = {.at_once = 1, .sweep = true};
	struct recording *recording = NULL;
	const struct story *story = stories;
	const struct story *end = stories + sizeof(stories) / sizeof(*stories);
	struct topology topology;
	struct error_text reason;

	while (story < end && strcmp(story->name, name) != 0)
		story++;
	if (story == end)
		return false;
	setenv("HWLOC_SYNTHETIC", story->machine, 1);
	if (topology_init(&topology, &reason) < 0)
		abort();
	plan.measured = topology.online;
	plan.sweep = story->spins ? (struct plan_sweep){"shm", "spinning on shared memory", true, 8,
					    {.policy = SCHED_OTHER}, 0}
				  : (struct plan_sweep){"mq", "POSIX message queue", false, 1,
					    {.policy = SCHED_FIFO, .priority = 80}, 4096};
	plan.sweep.first = story->first;
	config.size = plan.sweep.size;
	if (session_init(session, &plan, &topology, &config, &machine) < 0)
		abort();
	session->start_ns = START_NS;
	session->wall_start_ns = WALL_NS;
	if (path && record_start(&recording, path, session, &config, &topology, &reason) < 0)
		abort();
	measure(story, session, &topology, recording);
	if (record_finish(recording, "duration", &reason) < 0)
		abort();
	topology_finish(&topology);
	return true;
}

bool made_sweep(struct session *session, const char *name)
{
	return make_sweep(session, name, NULL);
}

bool made_sweep_record(const char *name, const char *path)
{
	struct session session;

	if (!make_sweep(&session, name, path))
		return false;
	session_finish(&session);
	return true;
}
