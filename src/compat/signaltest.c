/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signaltest.c - signaltest of rt-tests: a ring of threads that pass a signal round, 16 times and then after
 * a pause. It prints the lap as each thread measures it, without the pause. */
#include <errno.h>
#include <inttypes.h>

#include "src/compat/rt.h"
#include "src/model/session_events.h"
#include "src/plan/plan.h"

enum { BURST_LAPS = 16, PAUSE_NS = 10000000 };

/* clang-format off */
static const struct option_row own_options[] = {
	{'a', "affinity", "CPUS",
		"run thread #N on processor #N (the default)\nwith CPUS from one to the next of them",
		option_read_cpus, COMPAT_FIELD(config.cpus), .optional = true},
	{'m', "mlockall", NULL, "lock memory (it is locked without it too)"},
	{'S', "smp", NULL, "one thread for each processor", option_read_true, COMPAT_FIELD(smp)},
	{'t', "threads", "NUM", "number of threads; default=2", option_read_number, COMPAT_FIELD(threads),
		COMPAT_HAS(has_threads),
		.range = {"the number of threads", 2, PLAN_RING_MEMBERS_MAX, NULL, "2 to 2048"}},
	{'v', "verbose", NULL, "output values on stdout for statistics\n"
		"format: n:c:v n=tasknum c=count v=value in us", option_read_true,
		COMPAT_FIELD(config.tool.lap_log)},
	{0},
};
/* clang-format on */

static const struct compat_settings defaults = {
	.pinned = true,
	.threads = 2,
	.config =
		{
			.n_rings = 1,
			.interval_ns = PAUSE_NS,
			.figure = FIGURE_LAP,
			.tool = {.burst = BURST_LAPS, .member_laps = true},
		},
};

static int signaltest_settle(struct compat *compat, struct error_text *reason)
{
	struct config *config = &compat->settings.config;

	if (config->tool.lap_log) /* as in the tool, -v overrides -q */
		config->quiet = false;
	compat_rt_settle(compat);
	uint64_t threads = compat->settings.threads;

	if (threads < 2 || threads > PLAN_RING_MEMBERS_MAX)
		return error_text_set(reason, -EINVAL,
			"-S: %" PRIu64 " CPUs: the number of threads must be 2 to %d", threads,
			PLAN_RING_MEMBERS_MAX);
	config->ring_members = (unsigned)threads;
	return compat_settle_affinity(compat, "-a", reason);
}

/* --- output --- */

static void print_thread(FILE *out, const struct session_ring *ring, unsigned thread)
{
	const struct hist *hist = &ring->member_laps[thread];

	fprintf(out,
		"T:%2u (%5d) P:%2d C:%7" PRIu64 " Min:%7" PRIu64 " Act:%5" PRIu64 " Avg:%5" PRIu64
		" Max:%8" PRIu64 "\n",
		thread, ring->members[thread].tid, compat_priority(ring, thread), hist->n,
		compat_min_us(hist), compat_us(hist->last_ns), compat_mean_us(hist), compat_max_us(hist));
}

/* Prints the laps of thread 0, which starts them. */
static void print_values(FILE *out, const struct session_ring *ring, uint64_t *n_printed)
{
	if (ring->n_laps_ns - *n_printed > SESSION_LAPS)
		*n_printed = ring->n_laps_ns - SESSION_LAPS;
	for (; *n_printed < ring->n_laps_ns; ++*n_printed)
		fprintf(out, "%8d:%8" PRIu64 ":%8" PRIu64 "\n", 0, *n_printed,
			compat_us(ring->laps_ns[*n_printed % SESSION_LAPS]));
}

static void print_lines(FILE *out, struct compat_rt *rt, bool last)
{
	const struct config *config = &rt->runs.compat->settings.config;
	const struct session *session = &rt->runs.run.source.session;
	const struct session_ring *ring = &session->rings[0];
	const struct event *breach = session_breach(session);

	if (config->tool.lap_log) {
		print_values(out, ring, &rt->n_printed);
	} else if (!config->quiet) {
		fprintf(out, "%s          \n\n", session->loadavg);
		print_thread(out, ring, 0);
	}
	if (last && breach)
		fprintf(out, "Thread %d exceeded trace limit.\n", (int)breach->member);
	for (unsigned thread = 0; last && thread < ring->n_members; thread++)
		print_thread(out, ring, thread);
}

static void print_json(FILE *out, const struct compat_rt *rt, size_t i)
{
	const struct session_ring *ring = &rt->runs.run.source.session.rings[0];
	const struct hist *hist = &ring->member_laps[i];

	fprintf(out,
		"      \"cycles\": %" PRIu64 ",\n"
		"      \"min\": %" PRIu64 ",\n"
		"      \"max\": %" PRIu64 ",\n"
		"      \"avg\": %.2f,\n"
		"      \"cpu\": %d\n",
		hist->n, compat_min_us(hist), compat_max_us(hist), hist_mean(hist) / 1000,
		compat_cpu(ring, (unsigned)i));
}

static void print_gaps(const struct session *session)
{
	const struct session_ring *ring = &session->rings[0];
	const struct hist *response = &ring->figures[FIGURE_RESPONSE].hist, *lap = &ring->member_laps[0];

	if (compat_gap_ns(response, lap))
		compat_print_gap("T: 0", response, lap, 1);
}

static const struct compat_rt_output output = {print_lines, print_gaps, print_json};

const struct compat_tool compat_signaltest = {
	.name = "signaltest",
	.function = "test the latency of signals between threads",
	.mechanism = "signal",
	.options = {compat_rt_options, own_options},
	.defaults = &defaults,
	.settle = signaltest_settle,
	.run = compat_rt_run,
	.rt = &output,
};
