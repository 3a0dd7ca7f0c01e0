/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_faults.c - lost, repeated, reordered and damaged tokens are counted as such, and members carry the
 * sizes and do the work of the config. With IPCTOP_FULL=1 each mechanism carries each size. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/engine/engine.h"
#include "src/engine/sampler.h"
#include "src/machine/machine.h"
#include "src/model/session.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "tests/unit/faulty.h"
#include "tests/unit/patience.h"
#include "tests/unit/probe_lacks.h"
#include "tests/unit/tap.h"

/* The second fault comes before the last lap, also where warm-up is short or falls away. */
enum { LOOPS = 260, EVERY = 120 };

static struct topology topology;

/* What a run of one ring left, in the model. */
struct outcome {
	struct session session;
	char reason[256];
	char fault_event[256]; /* the last warning, behind its ring's name */
	enum ring_state state;
};

static void finish(struct outcome *outcome)
{
	session_finish(&outcome->session);
}

static void look_at_rings(struct outcome *outcome, const struct engine *engine, const struct config *config)
{
	struct machine machine = {0};
	struct sampler *sampler = NULL;
	struct tick tick;
	const struct session *session = &outcome->session;

	CHECK(session_init(&outcome->session, engine->arena->plan, &topology, config, &machine) == 0);
	CHECK(sampler_create(&sampler, engine->arena, engine->keeper.pid, (struct throttling){0},
		      engine->start_ns) == 0);
	CHECK(sampler_tick(sampler, clock_now_ns(), &tick) == 0);
	CHECK(session_feed(&outcome->session, &tick) == 0);
	sampler_destroy(sampler);
	outcome->state = session->rings[0].state;
	if (session->rings[0].reason)
		snprintf(outcome->reason, sizeof(outcome->reason), "%s", session->rings[0].reason);
	for (size_t i = 0; i < session->n_events; i++) {
		if (session->events[i].kind == EVENT_FAULTS)
			token_faults_text(session->events[i].faults, outcome->fault_event,
				sizeof(outcome->fault_event));
	}
}

static void run(struct outcome *outcome, const struct config *config, const struct probe *const *registry)
{
	struct machine machine = {0};
	struct notes notes = {0};
	struct error_text reason = {""};
	struct engine engine = {0};
	struct plan plan = {0};
	int r = plan_init(&plan, config, &topology, NULL, &notes, &reason);

	*outcome = (struct outcome){0};
	if (r == 0)
		r = engine_prepare(&engine, &(struct engine_job){&plan, config, &topology, registry},
			&machine, &notes, &reason);
	CHECK(r == 0, "%s", reason.text);
	if (r == 0)
		engine_start(&engine);
	if (r == 0) {
		CHECK(wait_until_done(&engine), "%llu laps",
			(unsigned long long)engine.arena->rings[0].members[0].laps);
		look_at_rings(outcome, &engine, config);
	}
	engine_finish(&engine);
	plan_finish(&plan);
	notes_finish(&notes);
}

static struct config base_config(const struct probe *probe)
{
	return (struct config){.probes = {probe},
		.n_probes = 1,
		.pairs = "own",
		.n_pairs = 1,
		.loops = LOOPS,
		.interval_ns = 200000,
		.tick_ns = 500000000};
}

/* --- one fault at a time --- */

static void check_counts(const struct outcome *outcome, const char *what, const uint64_t *wanted)
{
	const struct session_ring *ring = &outcome->session.rings[0];

	CHECK(outcome->state == RING_DONE, "%s: %s", what, outcome->reason);
	CHECK(ring->laps == LOOPS, "%s: %llu laps", what, (unsigned long long)ring->laps);
	for (int f = 0; f < N_TOKEN_FAULTS; f++)
		CHECK(ring->faults[f] == wanted[f], "%s: %llu %s", what, (unsigned long long)ring->faults[f],
			token_fault_name((enum token_fault)f));
}

/* A loss takes a second each. */
static const struct {
	const char *what;
	enum token_fault fault;
	unsigned times, hop;
	size_t size;
	bool fork;
	uint64_t wanted[N_TOKEN_FAULTS];
	const char *event;
} cases[] = {
	{"none", FAULT_LOST, 0, 0, 100, false, {0}, ""},
	{"dropped on the way there", FAULT_LOST, 2, 0, 0, false, {[FAULT_LOST] = 2}, "2 tokens lost"},
	{"dropped on the way back", FAULT_LOST, 1, 1, 100, true, {[FAULT_LOST] = 1}, "1 token lost"},
	{"doubled on the way there", FAULT_REPEATED, 2, 0, 0, false, {[FAULT_REPEATED] = 2},
		"2 tokens repeated"},
	{"doubled on the way back", FAULT_REPEATED, 2, 1, 4096, true, {[FAULT_REPEATED] = 2},
		"2 tokens repeated"},
	{"held back", FAULT_REORDERED, 1, 0, 100, false, {[FAULT_LOST] = 1, [FAULT_REORDERED] = 1},
		"1 token lost, 1 reordered"},
	{"held back, a single byte", FAULT_REORDERED, 1, 1, 0, true,
		{[FAULT_LOST] = 1, [FAULT_REORDERED] = 1}, "1 token lost, 1 reordered"},
	{"damaged, a single byte", FAULT_DAMAGED, 2, 1, 0, false, {[FAULT_DAMAGED] = 2}, "2 tokens damaged"},
	{"damaged on the way there", FAULT_DAMAGED, 2, 0, 8192, true, {[FAULT_DAMAGED] = 2},
		"2 tokens damaged"},
};

enum { N_CASES = sizeof(cases) / sizeof(*cases) };

static void each_fault_is_counted_as_what_it_is(void)
{
	for (size_t i = 0; i < N_CASES; i++) {
		struct config config = base_config(&probe_faulty);
		struct outcome outcome;

		config.size = cases[i].size;
		config.fork = cases[i].fork;
		faulty_set(cases[i].fault, EVERY, cases[i].times, cases[i].hop);
		run(&outcome, &config, faulty_registry);
		check_counts(&outcome, cases[i].what, cases[i].wanted);
		CHECK(session_has_failed(&outcome.session) == (cases[i].times > 0), "%s", cases[i].what);
		CHECK(!strcmp(outcome.fault_event, cases[i].event), "%s: '%s'", cases[i].what,
			outcome.fault_event);
		finish(&outcome);
	}
}

static void a_loss_is_in_the_lap_and_in_the_response(void)
{
	struct config config = base_config(&probe_faulty);
	struct outcome outcome;

	faulty_set(FAULT_LOST, EVERY, 1, 0);
	run(&outcome, &config, faulty_registry);
	const struct session_ring *ring = &outcome.session.rings[0];

	CHECK(ring->figures[FIGURE_LAP].hist.max_ns >= 1000000000);
	CHECK(ring->figures[FIGURE_RESPONSE].hist.max_ns >= 1000000000);
	/* The slots that went by meanwhile are missed, and the hop that succeeded was as fast as any. */
	CHECK(ring->missed >= 4000, "%llu missed", (unsigned long long)ring->missed);
	CHECK(ring->figures[FIGURE_ANSWER].hist.max_ns < 1000000000);
	CHECK(ring->figures[FIGURE_FIRST].hist.max_ns < 1000000000);
	finish(&outcome);
}

static void a_repeated_token_tells_no_time(void)
{
	struct config config = base_config(&probe_faulty);
	struct outcome outcome;

	faulty_set(FAULT_REPEATED, EVERY, 2, 0);
	run(&outcome, &config, faulty_registry);
	const struct session_ring *ring = &outcome.session.rings[0];

	/* Every lap has one of each. */
	CHECK(ring->figures[FIGURE_FIRST].hist.n + ring->figures[FIGURE_ANSWER].hist.n <= 2 * LOOPS + 2);
	CHECK(ring->figures[FIGURE_LAP].hist.n == LOOPS);
	finish(&outcome);
}

/* --- sizes and work, over the mechanisms that are there --- */

static void check_clean(const struct outcome *outcome, const struct config *config)
{
	const struct session_ring *ring = &outcome->session.rings[0];

	CHECK(outcome->state == RING_DONE, "%s, %llu bytes: %s", ring->mechanism,
		(unsigned long long)config->size, outcome->reason);
	CHECK(ring->laps == config->loops && !session_faults(ring) && !session_has_failed(&outcome->session),
		"%s, %llu bytes", ring->mechanism, (unsigned long long)config->size);
}

/* A limit of the machine's, which names its remedy, is no fault of ours. */
static bool is_beyond_limits(const struct outcome *outcome)
{
	return outcome->state == RING_FAILED &&
	       (strstr(outcome->reason, "raise ") || strstr(outcome->reason, "at most"));
}

/* Two CPUs where there are two, or must be; one where it must be one. NULL: not here. */
static const char *pair_for(const struct probe *probe, char text[32])
{
	int first = cpus_next(&topology.usable, -1), second = cpus_next(&topology.usable, first);

	if (second < 0 && probe->traits & PROBE_SPINS && !(probe->traits & PROBE_ONE_CPU))
		return NULL;
	if (second < 0 || probe->traits & PROBE_ONE_CPU)
		second = first;
	snprintf(text, 32, "%d:%d", first, second);
	return text;
}

static void carry(const struct probe *probe, size_t size, bool fork)
{
	struct config config = base_config(probe);
	struct outcome outcome;
	char pair[32];

	config.pairs = pair_for(probe, pair);
	config.loops = LOOPS / 4;
	config.size = size;
	config.fork = fork;
	if (!config.pairs || (fork && probe->traits & PROBE_THREADS_ONLY) ||
		(size && !(probe->traits & PROBE_PAYLOAD)) || probe_lacks(probe))
		return;
	run(&outcome, &config, probe_registry);
	if (!is_beyond_limits(&outcome))
		check_clean(&outcome, &config);
	finish(&outcome);
}

/* All sizes, by threads and by processes; or of these a sample. */
static void every_size_comes_back_whole(void)
{
	static const size_t sizes[] = {0, 1, 7, 64, 65, 100, 4096, 65536, 1 << 20};
	bool full = getenv("IPCTOP_FULL");

	for (size_t p = 0; probe_registry[p]; p++)
		for (size_t s = 0; s < sizeof(sizes) / sizeof(*sizes); s++)
			for (size_t fork = 0; fork < 2; fork++)
				if (full || (p + 2 * s + 9 * fork) % 6 == 0)
					carry(probe_registry[p], sizes[s], fork);
}

static void work_is_in_the_lap_and_in_no_hop(void)
{
	enum { WORK = 16 << 20 }; /* a millisecond for each member at 16 GB/s */
	struct config config = base_config(&probe_faulty);
	struct outcome outcome;

	faulty_set(FAULT_LOST, EVERY, 0, 0);
	for (int fork = 0; fork < 2; fork++) {
		config.interval_ns = 20000000;
		config.loops = 20;
		config.fork = fork;
		config.work_size = WORK;
		run(&outcome, &config, faulty_registry);
		const struct session_figure *figures = outcome.session.rings[0].figures;
		/* A lap is no shorter than the shortest of its parts, whatever else runs here. */
		uint64_t lap_ns = figures[FIGURE_LAP].hist.min_ns;
		uint64_t hops_ns = figures[FIGURE_FIRST].hist.min_ns + figures[FIGURE_ANSWER].hist.min_ns;

		CHECK(outcome.state == RING_DONE, "%s", outcome.reason);
		CHECK(lap_ns > hops_ns + 2 * (uint64_t)(WORK / 200), "lap %llu, hops %llu",
			(unsigned long long)lap_ns, (unsigned long long)hops_ns);
		CHECK(outcome.session.work_size == WORK);
		finish(&outcome);
	}
}

/* Laps longer than the interval, and than the time between two rests. */
static void long_laps_are_no_warm_up(void)
{
	enum { LONG_LAPS = 10, DELAY_US = 15000 };
	struct config config = base_config(&probe_faulty);
	struct outcome outcome;

	faulty_set(FAULT_LOST, EVERY, 0, 0);
	faulty_set_delay(DELAY_US);
	config.loops = LONG_LAPS;
	config.interval_ns = 20000000;
	run(&outcome, &config, faulty_registry);
	faulty_set_delay(0);
	CHECK(outcome.state == RING_DONE, "%s", outcome.reason);
	CHECK(outcome.session.rings[0].laps == LONG_LAPS);
	CHECK(hist_percentile(&outcome.session.rings[0].figures[FIGURE_LAP].hist, 50) >=
		2 * DELAY_US * UINT64_C(1000));
	finish(&outcome);
}

int main(void)
{
	struct error_text reason;

	if (topology_init(&topology, &reason) < 0)
		return printf("Bail out! %s\n", reason.text), 1;
	TEST(each_fault_is_counted_as_what_it_is);
	TEST(a_loss_is_in_the_lap_and_in_the_response);
	TEST(a_repeated_token_tells_no_time);
	TEST(every_size_comes_back_whole);
	TEST(work_is_in_the_lap_and_in_no_hop);
	TEST(long_laps_are_no_warm_up);
	topology_finish(&topology);
	return tap_done();
}
