/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_rings.c - rings of more than two members: run by the engine, sampled, written and read again. */
#include <errno.h>
#include <math.h>
#include <signal.h>
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
#include "src/probe/probe.h"
#include "src/recording/checkpoint.h"
#include "src/recording/tick_codec.h"
#include "src/ring/spike_log.h"
#include "tests/unit/tap.h"

enum { LOOPS = 200 };

/* For rings that end by themselves, as in patience.h. */
static const uint64_t patience_ns = 300000000000;

static struct topology topology;

/* A run without a front: one session gets each tick, and a second one the tick as decoded from its bytes. */
struct rig {
	struct config config;
	struct machine machine;
	struct notes notes;
	struct plan plan;
	struct engine engine;
	struct sampler *sampler;
	struct session session, again;
	struct tick_codec coder, decoder;
};

static struct config config_of(const char *mechanism, unsigned members, unsigned n_rings, bool fork)
{
	struct config config = {.n_probes = 1,
		.ring_members = members,
		.n_rings = n_rings,
		.loops = LOOPS,
		.interval_ns = 200000,
		.tick_ns = 500000000,
		.fork = fork};

	for (size_t i = 0; probe_registry[i]; i++)
		if (!strcmp(probe_registry[i]->name, mechanism))
			config.probes[0] = probe_registry[i];
	return config;
}

static bool rig_start(struct rig *rig, struct config config)
{
	struct error_text reason = {""};

	*rig = (struct rig){.config = config};
	int r = plan_init(&rig->plan, &rig->config, &topology, NULL, &rig->notes, &reason);

	if (r == 0)
		r = engine_prepare(&rig->engine,
			&(struct engine_job){&rig->plan, &rig->config, &topology, probe_registry},
			&rig->machine, &rig->notes, &reason);
	CHECK(r == 0, "%s", reason.text);
	if (r == 0)
		engine_start(&rig->engine);
	if (r < 0)
		return false;
	r = session_init(&rig->session, &rig->plan, &topology, &rig->config, &rig->machine);
	CHECK(r == 0 && session_init(&rig->again, &rig->plan, &topology, &rig->config, &rig->machine) == 0 &&
		tick_codec_init(&rig->coder, &rig->session) == 0 &&
		tick_codec_init(&rig->decoder, &rig->again) == 0);
	r = sampler_create(&rig->sampler, rig->engine.arena, rig->engine.keeper.pid, (struct throttling){0},
		clock_now_ns());
	CHECK(r == 0);
	return r == 0;
}

static void rig_tick(struct rig *rig)
{
	struct bytes bytes = {0};
	struct tick tick, decoded;

	CHECK(sampler_tick(rig->sampler, clock_now_ns(), &tick) == 0);
	CHECK(session_feed(&rig->session, &tick) == 0);
	tick_encode(&rig->coder, &tick, series_last_blocks(&rig->session.series, 1).rest, &bytes);
	struct scan scan = {.at = bytes.data, .end = bytes.data + bytes.n};
	int r = tick_decode(&rig->decoder, &scan, &decoded);

	CHECK(r == 0 && !bytes.failed && scan.at == scan.end, "%s", strerror(-r));
	CHECK(r < 0 || session_feed(&rig->again, &decoded) == 0);
	bytes_finish(&bytes);
}

static void rig_run(struct rig *rig, uint64_t for_ns)
{
	uint64_t end_ns = clock_now_ns() + for_ns, tick_ns = 0;

	while (!engine_is_done(&rig->engine) && clock_now_ns() < end_ns) {
		engine_advance(&rig->engine, clock_now_ns());
		if (clock_now_ns() >= tick_ns) {
			rig_tick(rig);
			tick_ns = clock_now_ns() + 50000000;
		}
		usleep(1000);
	}
	rig_tick(rig);
}

static bool rig_wait_for_laps(struct rig *rig, size_t ring, uint64_t more)
{
	const struct session_ring *of = &rig->session.rings[ring];
	uint64_t wanted = of->laps + more;

	for (int i = 0; i < 1200 && of->laps < wanted && of->state != RING_FAILED; i++)
		rig_run(rig, 50000000);
	return of->laps >= wanted;
}

static void rig_finish(struct rig *rig)
{
	sampler_destroy(rig->sampler);
	engine_finish(&rig->engine);
	session_finish(&rig->session);
	session_finish(&rig->again);
	tick_codec_finish(&rig->coder);
	tick_codec_finish(&rig->decoder);
	plan_finish(&rig->plan);
	notes_finish(&rig->notes);
}

static bool same_hist(const struct hist *a, const struct hist *b)
{
	bool same = a->n == b->n && a->sum_ns == b->sum_ns;

	if (a->n)
		same &= a->min_ns == b->min_ns && a->max_ns == b->max_ns && a->max_at_ns == b->max_at_ns;
	for (unsigned i = 0; same && i < HIST_BUCKETS; i++)
		same = hist_count(a, i) == hist_count(b, i);
	return same;
}

static void check_same_hops(const struct session *a, const struct session *b)
{
	for (size_t i = 0; i < a->n_rings; i++)
		for (unsigned h = 0; h < a->rings[i].n_members; h++) {
			const struct session_hop *one = &a->rings[i].hops[h], *other = &b->rings[i].hops[h];

			CHECK(one->node == other->node && one->hist.last_ns == other->hist.last_ns &&
					same_hist(&one->hist, &other->hist),
				"ring %zu, hop %u", i, h);
		}
}

/* What a seek reads. */
static void check_checkpoint(const struct rig *rig)
{
	struct bytes bytes = {0};
	struct session session;

	checkpoint_encode(&rig->session, &bytes, SIZE_MAX, true);
	struct scan scan = {.at = bytes.data, .end = bytes.data + bytes.n};

	CHECK(session_init(&session, &rig->plan, &topology, &rig->config, &rig->machine) == 0);
	CHECK(checkpoint_decode(&session, &scan) == 0 && scan.at == scan.end);
	check_same_hops(&rig->session, &session);
	session_finish(&session);
	bytes_finish(&bytes);
}

/* Where the machine has but one node, that is it. */
static void check_node(const struct session_hop *hop)
{
	bool is_one = hop->node >= 0 && cpus_has(&topology.nodes, (unsigned)hop->node);

	CHECK(is_one || cpus_count(&topology.nodes) > 1, "node %d", hop->node);
}

/* The samples in the buckets are those in the sum. */
static void check_buckets(const struct hist *hist, const char *of, unsigned number)
{
	double sum_ns = 0.0;

	for (unsigned i = 0; i < HIST_BUCKETS; i++)
		sum_ns += (double)hist_count(hist, i) * (double)hist_middle(i);
	CHECK(fabs(sum_ns - (double)hist->sum_ns) <= (double)hist->sum_ns / HIST_OCTAVE,
		"%s %u: %.0f of %llu ns", of, number, sum_ns, (unsigned long long)hist->sum_ns);
}

/* Missed slots are in response and lateness, but not in the response of served laps. */
static void check_figures(const struct session_ring *ring)
{
	const struct session_figure *figures = ring->figures;

	for (int f = 0; f < N_FIGURES; f++)
		if (f != FIGURE_RESPONSE && f != FIGURE_LATENESS) /* whose sums have a bound */
			check_buckets(&figures[f].hist, figure_name((enum figure)f), 0);
	CHECK(figures[FIGURE_SERVED].hist.n == LOOPS &&
			figures[FIGURE_RESPONSE].hist.n == LOOPS + ring->missed &&
			figures[FIGURE_LATENESS].hist.n == LOOPS + ring->missed,
		"%llu, %llu and %llu samples, %llu missed", (unsigned long long)figures[FIGURE_SERVED].hist.n,
		(unsigned long long)figures[FIGURE_RESPONSE].hist.n,
		(unsigned long long)figures[FIGURE_LATENESS].hist.n, (unsigned long long)ring->missed);
}

/* Each lap takes each hop once, and each hop's time is in the ring's figures. */
static void check_hops(const struct session_ring *ring)
{
	uint64_t n = 0, sum_ns = 0;

	for (unsigned h = 0; h < ring->n_members; h++) {
		const struct hist *hist = &ring->hops[h].hist;

		check_node(&ring->hops[h]);
		check_buckets(hist, "hop", h);
		if (ring->n_members > 2)
			CHECK(hist->n == LOOPS, "hop %u: %llu", h, (unsigned long long)hist->n);
		else
			CHECK(hist->n == 0);
		n += hist->n;
		sum_ns += hist->sum_ns;
	}
	if (ring->n_members == 2)
		return;
	CHECK(n == ring->figures[FIGURE_FIRST].hist.n + ring->figures[FIGURE_ANSWER].hist.n);
	CHECK(sum_ns == ring->figures[FIGURE_FIRST].hist.sum_ns + ring->figures[FIGURE_ANSWER].hist.sum_ns);
	CHECK(sum_ns <= ring->figures[FIGURE_LAP].hist.sum_ns);
}

/* Side by side: a lap that outlasts its turn, as on a slow machine, is one that no slot was served by. */
static void check_rings(const char *mechanism, unsigned members, unsigned n_rings, bool fork, bool own)
{
	struct config config = config_of(mechanism, members, n_rings, fork);
	struct rig rig;

	config.side_by_side = true;
	config.pairs = own ? "own" : NULL;
	if (rig_start(&rig, config)) {
		rig_run(&rig, patience_ns);
		CHECK(engine_is_done(&rig.engine));
		for (size_t i = 0; i < rig.session.n_rings; i++) {
			const struct session_ring *ring = &rig.session.rings[i];

			CHECK(ring->state == RING_DONE && ring->laps == LOOPS, "%u %s: %s, %llu laps",
				members, ring_state_name(ring->state), ring->reason ? ring->reason : "",
				(unsigned long long)ring->laps);
			check_hops(ring);
			check_figures(ring);
		}
		check_same_hops(&rig.session, &rig.again);
		check_checkpoint(&rig);
	}
	rig_finish(&rig);
}

static void each_hop_of_a_ring_of_threads_is_told(void)
{
	check_rings("mq", 2, 1, false, false);
	check_rings("mq", 3, 2, false, false);
	check_rings("signal", 8, 1, false, false);
	check_rings("svsem", 5, 0, false, true);
}

static void each_hop_of_a_ring_of_processes_is_told(void)
{
	check_rings("mq", 3, 2, true, false);
	check_rings("signal", 5, 1, true, false);
	check_rings("svsem", 8, 0, true, true);
}

/* With an interval that no lap keeps to. */
static void missed_slots_are_in_response_and_lateness(void)
{
	struct config config = config_of("mq", 3, 1, false);
	struct rig rig;

	config.interval_ns = 1000;
	if (rig_start(&rig, config)) {
		rig_run(&rig, patience_ns);
		CHECK(rig.session.rings[0].state == RING_DONE && rig.session.rings[0].missed > 0);
		check_figures(&rig.session.rings[0]);
	}
	rig_finish(&rig);
}

static void the_first_hop_is_the_one_after_the_sleep(void)
{
	struct config config = config_of("mq", 4, 1, false);
	struct rig rig;

	config.interval_ns = 50000000; /* so long that few laps start late */
	config.loops = 0;
	if (rig_start(&rig, config)) {
		const struct session_ring *ring = &rig.session.rings[0];
		const struct hist *first = &ring->figures[FIGURE_FIRST].hist;
		const struct hist *response = &ring->figures[FIGURE_RESPONSE].hist;

		/* A tick may come between the two samples of one lap. */
		for (int i = 0; i < 1200 && (first->n <= 10 || response->n < first->n); i++)
			rig_run(&rig, 50000000);
		/* All but those that started late. */
		CHECK(first->n > 10 && first->n <= ring->hops[0].hist.n, "%llu",
			(unsigned long long)first->n);
		CHECK(first->max_ns <= ring->hops[0].hist.max_ns &&
			first->min_ns >= ring->hops[0].hist.min_ns);
		CHECK(response->n >= first->n);
	}
	rig_finish(&rig);
}

static void without_stamps_of_hops_there_are_laps_alone(void)
{
	for (unsigned batch_laps = 0; batch_laps <= 16; batch_laps += 16) {
		struct config config = config_of("mq", 3, 1, false);
		struct rig rig;

		config.stamps = STAMPS_LAP;
		config.batch_laps = batch_laps;
		config.interval_ns = batch_laps ? 0 : config.interval_ns;
		if (rig_start(&rig, config)) {
			rig_run(&rig, patience_ns);
			const struct session_ring *ring = &rig.session.rings[0], *again = &rig.again.rings[0];
			const struct hist *lap = &ring->figures[FIGURE_LAP].hist;

			CHECK(ring->laps == LOOPS && hist_samples(lap) == LOOPS && hist_mean(lap) > 0);
			CHECK(lap->n == (batch_laps ? 0 : LOOPS) && !lap->max_at_ns == (batch_laps > 0));
			CHECK(again->figures[FIGURE_LAP].hist.n_untimed == lap->n_untimed &&
				again->figures[FIGURE_LAP].hist.sum_ns == lap->sum_ns);
			for (int f = 0; f < N_FIGURES; f++)
				CHECK(f == FIGURE_LAP || f == FIGURE_LATENESS ||
						hist_is_empty(&ring->figures[f].hist),
					"%s", figure_name((enum figure)f));
			for (unsigned h = 0; h < ring->n_members; h++)
				CHECK(hist_is_empty(&ring->hops[h].hist));
		}
		rig_finish(&rig);
	}
}

static uint64_t longest_spike_ns(const struct arena_ring *ring)
{
	uint64_t n_read = 0, n_lost = 0, longest_ns = 0;
	struct spike_log_entry entry;

	while (spike_log_read(ring->spike_log, &n_read, &n_lost, &entry)) {
		uint64_t ns = entry.received_ns - entry.sent_ns;

		longest_ns = ns > longest_ns ? ns : longest_ns;
	}
	return longest_ns;
}

/* Member 2 gets the token at any time, as laps are no part of a stretch; the origin rests between two laps.
 */
static void a_token_is_parked_while_other_rings_rest(void)
{
	struct config config = config_of("pipe", 3, 1, false);
	struct rig rig;

	config.loops = 0;
	config.interval_ns = 0;
	config.tool.hold_ns = 5000000;
	config.spike_ns = 1000000;
	if (rig_start(&rig, config)) {
		struct arena_ring *ring = &rig.engine.arena->rings[0];
		const struct hist *lap = &rig.session.rings[0].figures[FIGURE_LAP].hist;
		uint64_t parked_ns = 0;

		for (int i = 0; i < 600 && (parked_ns == 0 || lap->n == 0); i++) {
			atomic_store(&ring->n_sharers, i > 1 ? 2 : 1);
			rig_run(&rig, 100000000);
			parked_ns = atomic_load(&ring->parked_ns);
			CHECK(parked_ns == 0 || i > 1, "alone on its CPUs, it parks none");
		}
		CHECK(parked_ns > 0);
		CHECK(lap->n > 0 && lap->min_ns >= config.tool.hold_ns,
			"only the time in which it was parked is left out");
		uint64_t spike_ns = longest_spike_ns(ring);

		for (int i = 0; i < 600 && (i == 0 || lap->max_ns < spike_ns); i++)
			rig_run(&rig, 100000000); /* until its lap is counted */
		CHECK(spike_ns >= config.tool.hold_ns && spike_ns <= lap->max_ns, "%llu of %llu ns",
			(unsigned long long)spike_ns, (unsigned long long)lap->max_ns);
	}
	rig_finish(&rig);
}

/* It rests between two laps, and the next one begins while tokens of other rings may still be parked. */
static void a_token_whose_laps_are_short_is_not_parked(void)
{
	const uint64_t long_ns = 2000000; /* where others take the CPU, a lap may outlast a rest after all */
	struct config config = config_of("pipe", 2, 1, false);
	struct rig rig;

	config.loops = 0;
	config.interval_ns = 0;
	if (rig_start(&rig, config)) {
		struct arena_ring *ring = &rig.engine.arena->rings[0];
		const struct hist *lap = &rig.session.rings[0].figures[FIGURE_LAP].hist;

		atomic_store(&ring->n_sharers, 2);
		for (int i = 0; i < 1200 && (i < 10 || lap->n == 0); i++)
			rig_run(&rig, 50000000);
		CHECK(lap->n > 0);
		CHECK(atomic_load(&ring->parked_ns) == 0 || lap->max_ns >= long_ns,
			"%llu ns, longest lap %llu ns", (unsigned long long)atomic_load(&ring->parked_ns),
			(unsigned long long)lap->max_ns);
	}
	rig_finish(&rig);
}

static void a_ring_of_hundreds_starts_goes_round_and_stops(void)
{
	for (int fork = 0; fork < 2; fork++) {
		struct config config = config_of("svsem", 200, 1, fork);
		struct rig rig;

		config.loops = 0;
		config.interval_ns = 20000000;
		if (rig_start(&rig, config)) {
			CHECK(rig_wait_for_laps(&rig, 0, 3) && rig.session.rings[0].hops[199].hist.n >= 3);
			engine_stop(&rig.engine);
			/* One that was killed has not buried the host. */
			CHECK(atomic_load(&rig.engine.arena->rings[0].host) == 0, "the keeper was killed");
		}
		rig_finish(&rig);
	}
}

static bool is_gone(int32_t pid)
{
	return kill(pid, 0) < 0 && errno == ESRCH;
}

/* One is killed from outside: its ring fails with a reason, the others go on. */
static void a_member_that_is_killed_fails_its_ring_alone(void)
{
	struct config config = config_of("mq", 3, 2, true);
	struct rig rig;

	config.loops = 0;
	config.side_by_side = true;
	if (rig_start(&rig, config)) {
		CHECK(rig_wait_for_laps(&rig, 0, 3) && rig_wait_for_laps(&rig, 1, 3));
		int32_t pid = rig.session.rings[0].members[2].pid;
		char reason[128];

		CHECK(pid > 0 && kill(pid, SIGKILL) == 0);
		for (int i = 0; i < 1200 && rig.session.rings[0].state != RING_FAILED; i++)
			rig_run(&rig, 50000000);
		snprintf(reason, sizeof(reason), "member 2 (pid %d) was killed by signal 9 (Killed)", pid);
		CHECK(rig.session.rings[0].state == RING_FAILED && rig.session.rings[0].reason &&
				!strcmp(rig.session.rings[0].reason, reason),
			"%s", rig.session.rings[0].reason ? rig.session.rings[0].reason : "");
		CHECK(rig_wait_for_laps(&rig, 1, 3) && rig.session.rings[1].state == RING_RUNNING);
		for (unsigned m = 0; m < 3; m++) {
			for (int i = 0; i < 1200 && !is_gone(rig.session.rings[0].members[m].pid); i++)
				rig_run(&rig, 50000000);
			CHECK(is_gone(rig.session.rings[0].members[m].pid), "member %u is left", m);
		}
	}
	rig_finish(&rig);
}

int main(void)
{
	struct error_text reason;

	if (topology_init(&topology, &reason) < 0)
		return printf("Bail out! %s\n", reason.text), 1;
	TEST(each_hop_of_a_ring_of_threads_is_told);
	TEST(each_hop_of_a_ring_of_processes_is_told);
	TEST(missed_slots_are_in_response_and_lateness);
	TEST(the_first_hop_is_the_one_after_the_sleep);
	TEST(without_stamps_of_hops_there_are_laps_alone);
	TEST(a_token_is_parked_while_other_rings_rest);
	TEST(a_token_whose_laps_are_short_is_not_parked);
	TEST(a_ring_of_hundreds_starts_goes_round_and_stops);
	TEST(a_member_that_is_killed_fails_its_ring_alone);
	topology_finish(&topology);
	return tap_done();
}
