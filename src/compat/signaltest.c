/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signaltest.c - signaltest of rt-tests: a ring of threads that pass a signal round, 16 times and then after
 * a pause. What it prints is the lap, as each thread sees it; the pause is no part of it. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "src/compat/figures.h"
#include "src/compat/options.h"
#include "src/compat/rt.h"
#include "src/compat/tools.h"
#include "src/model/session_events.h"
#include "src/plan/plan.h"

enum { BURST_LAPS = 16, PAUSE_NS = 10000000 };

#define FIELD(member) .field = offsetof(struct compat_settings, member)

static const struct option_range numbers = {
	.what = "the number of threads", .min = 2, .max = PLAN_RING_MEMBERS_MAX, .allowed = "2 to 2048"};

static const struct compat_option own_options[] = {
	{'a', "affinity", "CPUS", .optional = true,
		.help = "run thread #N on processor #N (the default)\nwith CPUS from one to the next of them",
		.read = compat_read_cpus},
	{'m', "mlockall", .help = "lock memory (it is locked without it too)"},
	{'S', "smp", .help = "one thread for each processor", .read = compat_read_flag, FIELD(smp)},
	{'t', "threads", "NUM", .help = "number of threads; default=2", .read = compat_read_threads,
		.range = &numbers},
	{'v', "verbose",
		.help = "output values on stdout for statistics\n"
			"format: n:c:v n=tasknum c=count v=value in us",
		.read = compat_read_flag, FIELD(config.tool.lap_log)},
	{0},
};

static void signaltest_defaults(struct compat *compat)
{
	struct config *config = &compat->settings.config;

	compat_rt_defaults(compat);
	compat->settings.affinity = COMPAT_ALL_CPUS;
	compat->settings.threads = 2;
	config->n_rings = 1;
	config->interval_ns = PAUSE_NS;
	config->tool.burst = BURST_LAPS;
	config->tool.member_laps = true;
	config->figure = FIGURE_LAP;
}

static int signaltest_settle(struct compat *compat, struct error_text *reason)
{
	if (compat->settings.config.tool.lap_log) /* as there, -q takes nothing from -v */
		compat->settings.config.quiet = false;
	compat_rt_settle(compat);
	uint64_t threads = compat->settings.threads;

	if (threads < 2 || threads > PLAN_RING_MEMBERS_MAX)
		return error_text_set(reason, -EINVAL,
			"-S: %" PRIu64 " CPUs: the number of threads must be %s", threads, numbers.allowed);
	compat->settings.config.ring_members = (unsigned)threads;
	return compat_settle_affinity(compat, "-a", reason);
}

/* --- what it prints --- */

static void print_thread(FILE *out, const struct session_ring *ring, unsigned thread)
{
	const struct session_member_lap *lap = &ring->member_laps[thread];
	const struct hist *hist = &lap->hist;

	fprintf(out,
		"T:%2u (%5d) P:%2d C:%7" PRIu64 " Min:%7" PRIu64 " Act:%5" PRIu64 " Avg:%5" PRIu64
		" Max:%8" PRIu64 "\n",
		thread, ring->members[thread].tid, compat_priority(ring, thread), hist->n,
		compat_min_us(hist), compat_us(lap->last_ns), compat_mean_us(hist), compat_max_us(hist));
}

struct shown {
	struct compat_rt rt;
	uint64_t n_values;
};

/* Of thread 0, which starts the laps. */
static void print_values(FILE *out, struct shown *shown)
{
	const struct session_ring *ring = &shown->rt.measured.run.session.rings[0];

	if (ring->n_laps_ns - shown->n_values > SESSION_LAPS)
		shown->n_values = ring->n_laps_ns - SESSION_LAPS;
	for (; shown->n_values < ring->n_laps_ns; shown->n_values++)
		fprintf(out, "%8d:%8" PRIu64 ":%8" PRIu64 "\n", 0, shown->n_values,
			compat_us(ring->laps_ns[shown->n_values % SESSION_LAPS]));
}

static void print_load(FILE *out, const struct session *session)
{
	fprintf(out, "%s          \n\n", session->loadavg);
	print_thread(out, &session->rings[0], 0);
}

static bool show(void *data)
{
	struct shown *shown = data;
	const struct config *config = &shown->rt.compat->settings.config;
	char *block = NULL;
	size_t size;
	FILE *out = config->quiet ? NULL : open_memstream(&block, &size);

	if (!out)
		return true;
	if (config->tool.lap_log) {
		print_values(out, shown);
		shown->rt.live.lines = 0; /* one value after the other */
	} else {
		print_load(out, &shown->rt.measured.run.session);
	}
	bool read = fclose(out) != 0 || compat_live_show(&shown->rt.live, block, config->tool.lap_log);

	free(block);
	return read;
}

static void print_all(struct shown *shown)
{
	const struct session *session = &shown->rt.measured.run.session;
	const struct session_ring *ring = &session->rings[0];
	const struct event *breach = session_breach(session);
	char *block = NULL;
	size_t size;
	FILE *out = open_memstream(&block, &size);

	if (!out)
		return;
	if (breach)
		fprintf(out, "Thread %d exceeded trace limit.\n", (int)breach->member);
	for (unsigned thread = 0; thread < ring->n_members; thread++)
		print_thread(out, ring, thread);
	shown->rt.live.lines = 0; /* below what was shown last */
	if (fclose(out) == 0)
		compat_live_show(&shown->rt.live, block, true);
	free(block);
}

static void print_json(FILE *out, const struct session *session, size_t i, const struct compat *compat)
{
	const struct session_ring *ring = &session->rings[0];
	const struct hist *hist = &ring->member_laps[i].hist;

	fprintf(out,
		"      \"cycles\": %" PRIu64 ",\n"
		"      \"min\": %" PRIu64 ",\n"
		"      \"max\": %" PRIu64 ",\n"
		"      \"avg\": %.2f,\n"
		"      \"cpu\": %d\n",
		hist->n, compat_min_us(hist), compat_max_us(hist), hist_mean(hist) / 1000,
		compat_cpu(ring, (unsigned)i));
}

static void compare(const struct session_ring *ring)
{
	const struct hist *response = &ring->figures[FIGURE_RESPONSE].hist, *lap = &ring->member_laps[0].hist;

	if (compat_gap_ns(response, lap))
		compat_tell_gap("T: 0", response, lap, 1);
}

static int report(void *data)
{
	struct shown *shown = data;
	const struct session_ring *ring = &shown->rt.measured.run.session.rings[0];
	int status = compat_measure_tell(&shown->rt.measured) ? EXIT_SUCCESS : EXIT_FAILURE;

	show(shown); /* what the last tick had */
	print_all(shown);
	compare(ring);
	return compat_rt_write(&shown->rt, status, print_json, ring->n_members);
}

static int signaltest_run(const struct compat *compat)
{
	struct shown shown = {.rt.compat = compat};

	return compat_rt_run(&shown.rt, show, report, &shown);
}

const struct compat_tool compat_signaltest = {
	.name = "signaltest",
	.function = "test the latency of signals between threads",
	.mechanism = "signal",
	.options = {compat_rt_options, own_options},
	.defaults = signaltest_defaults,
	.settle = signaltest_settle,
	.run = signaltest_run,
};
