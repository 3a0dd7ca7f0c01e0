/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pairs.c - pmqtest, svsematest, ptsematest and sigwaittest of rt-tests: pairs over one mechanism each.
 *
 * The origin is the tools' receiver: it sleeps and sends, and the other member, their sender, answers at
 * once. The tools print only the hop back to the origin, and -b compares it; the figure `answer` also has
 * the first hops of late laps. After -b the exit status is 0, as the tools', or 1 if tracing could not be
 * stopped. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "src/compat/rt.h"
#include "src/model/session.h"
#include "src/plan/plan.h"

/* --- options --- */

/* -a names one CPU, or without a number all CPUs. */
static int read_cpu(struct option_reading *reading, const char *value)
{
	struct compat_settings *settings = reading->target;
	uint64_t cpu;

	settings->config.cpus = (struct cpus){0};
	if (!value)
		return 0;
	if (value_number(value, &cpu) < 0 || cpu >= CPUS_MAX)
		return option_refuse(reading, value, "the CPU must be a CPU's number, from 0 on");
	cpus_add(&settings->config.cpus, (unsigned)cpu);
	return 0;
}

/* clang-format off */
static const struct option_row pair_options[] = {
	{'a', "affinity", "NUM", "run pair #N on processor #N\nwith NUM run all pairs on processor NUM",
		read_cpu, COMPAT_HAS(pinned), .optional = true, .zero_is_none = true},
	{'d', "distance", "DIST", "distance of the pairs' intervals in us; default=500", option_read_number,
		COMPAT_FIELD(config.distance_ns), .range = {"the distance", 0, OPTION_SECONDS(60),
			value_microseconds, "0 to 60s, in microseconds or with us, ms or s"}},
	{'i', "interval", "INTV", "interval of the first pair in us; default=1000", option_read_number,
		COMPAT_FIELD(config.interval_ns), .alias = "i", .range = {"the interval", 0,
			OPTION_SECONDS(3600), value_microseconds,
			"0 to 3600s, in microseconds or with us, ms or s"}},
	{'S', "smp", NULL, "options -a -t and the same priority for all pairs", option_read_true,
		COMPAT_FIELD(smp)},
	{'t', "threads", "NUM", "number of pairs; default=1\nwithout NUM one for each processor",
		option_read_number, COMPAT_FIELD(threads), COMPAT_HAS(has_threads), .optional = true,
		.zero_is_none = true, .range = {"the number of pairs", 1, PLAN_RINGS_MAX, NULL, "1 to 4096"}},
	{0},
};

static const struct option_row fork_options[] = {
	/* The tools' documents have -f OPT, a number without a meaning. */
	{'f', "fork", NULL, "fork processes instead of creating threads", option_read_true,
		COMPAT_FIELD(config.fork), .optional = true},
	{0},
};

static const struct option_row timeout_options[] = {
	{'f', "forcetimeout", "TO", "the sender waits TO seconds before it sends, so that\n"
		"the receiver's timeout passes; requires -T", option_read_number,
		COMPAT_FIELD(config.tool.hold_ns), .range = {"the time", 1, OPTION_SECONDS(3600),
			value_seconds, "up to 3600, in seconds or with s, m or h, and more than 0"}},
	{'T', "timeout", "TO", "receive with a timeout of TO seconds", option_read_number,
		COMPAT_FIELD(config.tool.timeout_ns), .range = {"the time", 1, OPTION_SECONDS(3600),
			value_seconds, "up to 3600, in seconds or with s, m or h, and more than 0"}},
	{0},
};
/* clang-format on */

static const struct compat_settings pairs_defaults = {
	.threads = 1,
	.config =
		{
			.pairs = "own",
			.ring_members = 2,
			.interval_ns = 1000000,
			.distance_ns = 500000,
			.side_by_side = true,
			.force = true, /* -i 0 has no --force */
			.figure = FIGURE_ANSWER,
			/* First hops of late laps are answers, too. */
			.tool = {.first_ends = true, .pair_hops = true, .break_at_origin = true},
		},
};

static int pairs_settle(struct compat *compat, struct error_text *reason)
{
	struct config *config = &compat->settings.config;
	size_t n_cpus = cpus_count(&compat->topology.usable);

	compat_rt_settle(compat);
	config->tool.priority_step = compat->settings.smp ? 0 : 1;
	if (!config->interval_ns) /* flood has no slots */
		config->distance_ns = 0;
	if (config->tool.hold_ns && !config->tool.timeout_ns)
		return error_text_set(
			reason, -EINVAL, "-f: forces the receiver's timeout, so it needs one: add -T SEC");
	config->tool.timeout_fails = !config->tool.hold_ns;
	if (!compat->settings.threads)
		compat->settings.threads = n_cpus;
	config->n_rings = (unsigned)compat->settings.threads;
	if (config->n_rings > PLAN_RINGS_MAX)
		return error_text_set(reason, -E2BIG,
			"-t: %zu CPUs are more than the %d pairs that one run can have", n_cpus,
			PLAN_RINGS_MAX);
	return compat_settle_affinity(compat, "-a", reason);
}

/* --- output --- */

/* The members of a pair, by the tools' words. The receiver is the origin. */
enum { RECEIVER, SENDER };

/* pmqtest alone prints TO, the timeouts of the run. (The tool itself sets it to 0 in each cycle.) */
static bool has_timeouts(const struct compat *compat)
{
	return compat->tool->options[2] == timeout_options;
}

/* Returns the hop from sender to receiver, which the tools print. */
static const struct hist *latency_of(const struct session_ring *ring)
{
	return &ring->hops[SENDER].hist;
}

static void print_pair(FILE *out, const struct session_ring *ring, size_t i, bool timeouts)
{
	fprintf(out, "#%1zu: ID%d, P%d, CPU%d, I%" PRIu64 "; #%1zu: ID%d, P%d, CPU%d, ", 2 * i,
		ring->members[RECEIVER].tid, compat_priority(ring, RECEIVER), compat_cpu(ring, RECEIVER),
		ring->interval_ns / 1000, 2 * i + 1, ring->members[SENDER].tid, compat_priority(ring, SENDER),
		compat_cpu(ring, SENDER));
	if (timeouts)
		fprintf(out, "TO %" PRIu64 ", ", ring->timeouts);
	fprintf(out, "Cycles %" PRIu64 "\n", ring->laps);
}

static void print_latency(FILE *out, const struct session_ring *ring, size_t i)
{
	const struct hist *hist = latency_of(ring);

	fprintf(out, "#%zu -> #%zu", 2 * i + 1, 2 * i);
	if (!hist->n)
		fprintf(out, " (not yet ready)\n");
	else
		fprintf(out, ", Min %4" PRIu64 ", Cur %4" PRIu64 ", Avg %4" PRIu64 ", Max %4" PRIu64 "\n",
			compat_min_us(hist), compat_us(hist->last_ns), compat_mean_us(hist),
			compat_max_us(hist));
}

static bool is_ready(const struct session *session)
{
	for (size_t i = 0; i < session->n_rings; i++)
		if (latency_of(&session->rings[i])->n)
			return true;
	return false;
}

/* Returns how many lines a block may have to be redrawn. */
static unsigned live_room(const struct compat_live *live)
{
	enum { LEAST_ROWS = 2 };
	struct winsize size;

	if (!live->terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_row)
		return UINT_MAX;
	return size.ws_row > LEAST_ROWS ? size.ws_row - 1u : LEAST_ROWS;
}

/* Prints two lines for each pair: first the members of all pairs, then all latencies. */
static void print_pairs(FILE *out, struct compat_rt *rt, bool last)
{
	const struct session *session = &rt->runs.run.source.session;
	size_t n = session->n_rings, room = last ? n : live_room(&rt->live) / 2;

	if (!last && !is_ready(session))
		return;
	n = n < room ? n : room;
	for (size_t i = 0; i < n; i++)
		print_pair(out, &session->rings[i], i, has_timeouts(rt->runs.compat));
	for (size_t i = 0; i < n; i++)
		print_latency(out, &session->rings[i], i);
}

static void print_thread(FILE *out, const struct compat_rt *rt, size_t i)
{
	const struct session_ring *ring = &rt->runs.run.source.session.rings[i];
	const struct hist *hist = latency_of(ring);

	fprintf(out,
		"      \"sender\": {\n"
		"        \"cpu\": %d,\n"
		"        \"priority\": %d,\n"
		"        \"samples\": %" PRIu64 ",\n"
		"        \"interval\": %" PRIu64 "\n"
		"      },\n",
		compat_cpu(ring, SENDER), compat_priority(ring, SENDER), ring->laps,
		ring->interval_ns / 1000);
	fprintf(out,
		"      \"receiver\": {\n"
		"        \"cpu\": %d,\n"
		"        \"priority\": %d,\n",
		compat_cpu(ring, RECEIVER), compat_priority(ring, RECEIVER));
	if (has_timeouts(rt->runs.compat))
		fprintf(out, "        \"timeoutcount\": %" PRIu64 ",\n", ring->timeouts);
	fprintf(out,
		"        \"min\": %" PRIu64 ",\n"
		"        \"avg\": %.2f,\n"
		"        \"max\": %" PRIu64 "\n"
		"      }\n",
		compat_min_us(hist), hist_mean(hist) / 1000, compat_max_us(hist));
}

/* Prints one line, about the first pair that got no CPU. In a flood no slot was due, so it has no response
 * either. */
static void print_idle_pairs(const struct session *session)
{
	const struct session_ring *first = NULL;
	size_t n = 0;

	for (size_t i = session->n_rings; i-- > 0;) {
		const struct session_ring *ring = &session->rings[i];

		if (ring->condition == CONDITION_FINE || latency_of(ring)->n ||
			ring->figures[FIGURE_RESPONSE].hist.n)
			continue;
		first = ring;
		n++;
	}
	if (!first)
		return;
	fprintf(stderr, "# #%u -> #%u: no cycle was counted: %s", 2 * first->id + 1, 2 * first->id,
		ring_condition_name(first->condition));
	if (n > 1)
		fprintf(stderr, " (the first of %zu such)", n);
	fputc('\n', stderr);
}

/* Prints one line, about the pair with the largest gap. */
static void print_gaps(const struct session *session)
{
	const struct session_ring *worst = NULL;
	uint64_t worst_ns = 0;
	size_t n = 0;
	char name[64];

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];
		uint64_t gap_ns = compat_gap_ns(&ring->figures[FIGURE_RESPONSE].hist, latency_of(ring));

		n += gap_ns > 0;
		if (gap_ns > worst_ns) {
			worst = ring;
			worst_ns = gap_ns;
		}
	}
	print_idle_pairs(session);
	if (!worst)
		return;
	snprintf(name, sizeof(name), "#%u -> #%u", 2 * worst->id + 1, 2 * worst->id);
	compat_print_gap(name, &worst->figures[FIGURE_RESPONSE].hist, latency_of(worst), n);
}

static const struct compat_rt_output pairs_output = {print_pairs, print_gaps, print_thread};

/* --- the tools --- */

/* clang-format off */
#define PAIRS .defaults = &pairs_defaults, .settle = pairs_settle, .run = compat_rt_run, .rt = &pairs_output
/* clang-format on */

const struct compat_tool compat_pmqtest = {
	.name = "pmqtest",
	.function = "test POSIX message queue latency",
	.mechanism = "mq",
	.options = {compat_rt_options, pair_options, timeout_options},
	PAIRS,
};

const struct compat_tool compat_svsematest = {
	.name = "svsematest",
	.function = "test SYSV semaphore latency",
	.mechanism = "svsem",
	.options = {compat_rt_options, pair_options, fork_options},
	PAIRS,
};

const struct compat_tool compat_ptsematest = {
	.name = "ptsematest",
	.function = "test POSIX threads mutex latency",
	.mechanism = "mutex",
	.options = {compat_rt_options, pair_options},
	PAIRS,
};

const struct compat_tool compat_sigwaittest = {
	.name = "sigwaittest",
	.function = "test sigwait() latency",
	.mechanism = "signal",
	.options = {compat_rt_options, pair_options, fork_options},
	PAIRS,
};
