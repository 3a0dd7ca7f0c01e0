/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lat_ctx.c - lat_ctx of lmbench: the cost of a context switch, by the number and the size of the processes.
 *
 * A ring of N processes passes a token round over pipes, and each works before it passes the token on. One
 * task does the same alone, over as many pipes, without a switch: that lap is the overhead. Both are means of
 * batches of laps, as lmbench's are, so neither contains a reading of the clock. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/compat/runs.h"
#include "src/plan/plan.h"

/* A repetition is a tick of the engine, or several ticks if a lap takes longer. Each tick reads the state of
 * all members, so its length grows with their number. */
enum {
	REPETITION_NS = 50000000,
	MEMBER_NS = 100000,
	REPETITIONS_MAX = 1000,
	RINGS_MAX = 256,
	BATCH_LAPS = 100000, /* more than fit into the longest batch */
};

/* clang-format off */
static const struct option_row own_options[] = {
	{'N', "repetitions", "NUM", "take the median of this many; default=11", option_read_number,
		COMPAT_FIELD(repetitions),
		.range = {"the number of repetitions", 1, REPETITIONS_MAX, NULL, "1 to 1000"}},
	{'P', "parallel", "NUM", "number of rings that run at once; default=1", option_read_number, COMPAT_FIELD(threads),
		.range = {"the number of rings", 1, RINGS_MAX, NULL, "1 to 256"}},
	{'s', "size", "KIB", "what each process sums before it passes the\ntoken on; default=0",
		option_read_number, COMPAT_FIELD(config.work_size), .range = {"the size", 0, UINT64_C(1) << 30,
			value_kibibytes, "0 to 1024M, in KiB or with M"}},
	{'W', "warmup", "USEC", "don't count the first USEC of each ring; default=0", option_read_number,
		COMPAT_FIELD(warmup_ns), .range = {"the warm-up", 0, OPTION_SECONDS(3600), value_microseconds,
			"0 to 3600s, in microseconds or with us, ms or s"}},
	{0},
};
/* clang-format on */

static const struct compat_settings defaults = {
	.threads = 1,
	.repetitions = 11,
	.config = {.side_by_side = true,
		.force = true,
		.figure = FIGURE_LAP,
		.stamps = STAMPS_LAP,
		.batch_laps = BATCH_LAPS},
};

/* --- which rings --- */

/* Returns 0 if @word is not the size of a ring. */
static unsigned ring_size(const char *word)
{
	uint64_t size;

	return value_number(word, &size) == 0 && size >= 2 && size <= PLAN_RING_MEMBERS_MAX ? (unsigned)size
											    : 0;
}

static unsigned largest_lap(char *const *words)
{
	unsigned most = 0;

	for (; *words; words++)
		most = ring_size(*words) > most ? ring_size(*words) : most;
	return most;
}

static int lat_ctx_settle(struct compat *compat, struct error_text *reason)
{
	const struct compat_settings *settings = &compat->settings;
	char shown[OPTION_SHOWN_SIZE];

	if (!*settings->words)
		return error_text_set(reason, -EINVAL,
			"the numbers of processes are missing: lat_ctx -s 0 2 4 8 16 20, each 2 to %d",
			PLAN_RING_MEMBERS_MAX);
	for (char **word = settings->words; *word; word++)
		if (!ring_size(*word))
			return error_text_set(reason, -EINVAL, "%s: the number of processes must be 2 to %d",
				option_shown(*word, shown), PLAN_RING_MEMBERS_MAX);
	uint64_t n = settings->threads * largest_lap(settings->words);

	if (n > PLAN_MEMBERS_MAX)
		return error_text_set(reason, -E2BIG,
			"-P %" PRIu64 ": with rings of %u that makes %" PRIu64
			" processes, and %d are what one run can have",
			settings->threads, largest_lap(settings->words), n, PLAN_MEMBERS_MAX);
	return compat_settle_affinity(compat, "--cpus", reason);
}

/* --- one row --- */

struct row {
	unsigned n_members;
	uint64_t laps;
	double laps_us[REPETITIONS_MAX]; /* the mean of each repetition */
	size_t n;
	struct cpus ran_on;
};

struct bench {
	struct compat_runs runs;
	struct row overhead, *rows; /* rows: owned */
	size_t n_rows;
	struct row *row;       /* of the run under way */
	uint64_t laps, sum_ns; /* of this run before the repetition under way */
};

static bool updated(void *data)
{
	struct bench *bench = data;
	const struct compat_settings *settings = &bench->runs.compat->settings;
	struct run *run = &bench->runs.run;
	const struct session *session = &run->source.session;
	bool warm = session->now_ns >= session->start_ns + settings->warmup_ns;
	struct row *row = bench->row;
	uint64_t laps = 0, sum_ns = 0;

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct hist *lap = &session->rings[i].figures[FIGURE_LAP].hist;

		laps += hist_samples(lap);
		sum_ns += lap->sum_ns;
		if (hist_samples(lap)) /* before that, members may not be on their CPUs yet */
			compat_ran_on(&session->rings[i], &row->ran_on);
	}
	if (warm && laps > bench->laps) {
		row->laps += laps - bench->laps;
		row->laps_us[row->n++] =
			(double)(sum_ns - bench->sum_ns) / (double)(laps - bench->laps) / 1000.0;
	}
	bench->laps = laps;
	bench->sum_ns = sum_ns;
	if (row->n == settings->repetitions)
		snprintf(run->source.ended_by, sizeof(run->source.ended_by), "repetitions");
	return true;
}

static double median(const double *values, size_t n)
{
	double sorted[REPETITIONS_MAX];

	if (!n)
		return 0.0;
	memcpy(sorted, values, n * sizeof(*values));
	sort_doubles(sorted, n);
	return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

/* One member's share of a lap. */
static double share_us(const struct row *row)
{
	return median(row->laps_us, row->n) / row->n_members;
}

/* Measures one row. @alone: the overhead, which one task measures by playing all members. Returns whether
 * another may follow: a ring that fails has printed why, and others may run. */
static bool measure_size(struct bench *bench, struct row *row, unsigned n_members, bool alone)
{
	const struct compat_settings *settings = &bench->runs.compat->settings;
	struct config config = settings->config;

	config.ring_members = n_members;
	config.n_rings = alone ? 1 : (unsigned)settings->threads;
	config.tool.alone = alone;
	config.fork = !alone;
	config.tick_ns = (uint64_t)config.n_rings * n_members * MEMBER_NS;
	if (config.tick_ns < REPETITION_NS)
		config.tick_ns = REPETITION_NS;
	row->n_members = n_members;
	bench->row = row;
	bench->laps = bench->sum_ns = 0;
	return compat_runs_measure(&bench->runs, &config, updated, NULL, bench);
}

static double switch_us(const struct bench *bench, const struct row *row)
{
	return share_us(row) - share_us(&bench->overhead);
}

/* The figures go to stderr, so an error in writing them can only become the exit status. A reader that has
 * closed its end is no error. */
static void check_written(struct bench *bench, int written)
{
	if (written < 0 && errno != EPIPE)
		bench->runs.status = EXIT_FAILURE;
}

static void measure_all(struct bench *bench)
{
	const struct compat_settings *settings = &bench->runs.compat->settings;
	bool goes_on = measure_size(bench, &bench->overhead, largest_lap(settings->words), true) &&
		       bench->overhead.n;

	if (bench->overhead.n)
		check_written(bench, fprintf(stderr, "\n\"size=%" PRIu64 "k ovr=%.2f\n",
					     settings->config.work_size / 1024, share_us(&bench->overhead)));
	for (char **word = settings->words; goes_on && *word; word++) {
		struct row *row = &bench->rows[bench->n_rows++];

		goes_on = measure_size(bench, row, ring_size(*word), false);
		/* Leaves out figures that are not positive, as lmbench does. */
		if (row->n && switch_us(bench, row) > 0)
			check_written(
				bench, fprintf(stderr, "%u %.2f\n", row->n_members, switch_us(bench, row)));
	}
}

/* --- --json --- */

static void print_row(FILE *out, const struct row *row, const char *key, double us)
{
	fprintf(out, "\"processes\": %u, \"laps\": %" PRIu64, row->n_members, row->laps);
	compat_print_ran_on(out, &row->ran_on);
	fprintf(out, ", \"lap_us\": [");
	for (size_t i = 0; i < row->n; i++)
		fprintf(out, "%s%.6f", i ? ", " : "", row->laps_us[i]);
	fprintf(out, "], \"%s\": ", key);
	if (row->n)
		fprintf(out, "%.6f}", us);
	else
		fputs("null}", out);
}

static void print_json(FILE *out, const void *data)
{
	const struct bench *bench = data;
	const struct compat_settings *settings = &bench->runs.compat->settings;

	fprintf(out, "{\n\"size_kib\": %" PRIu64 ",\n\"parallel\": %" PRIu64 ",\n",
		settings->config.work_size / 1024, settings->threads);
	fprintf(out, "\"pinned\": %s,\n\"overhead\": {", settings->config.tool.unpinned ? "false" : "true");
	print_row(out, &bench->overhead, "overhead_us", share_us(&bench->overhead));
	fprintf(out, ",\n\"rings\": [");
	for (size_t i = 0; i < bench->n_rows; i++) {
		fprintf(out, "%s{", i ? ",\n" : "\n");
		print_row(out, &bench->rows[i], "switch_us", switch_us(bench, &bench->rows[i]));
	}
	fprintf(out, "]\n}\n");
}

static int lat_ctx_run(const struct compat *compat)
{
	struct bench bench = {.runs = {.compat = compat, .several = true}};

	bench.rows = calloc((size_t)compat->argc, sizeof(*bench.rows)); /* at least one for each word */
	if (!bench.rows)
		return compat_complain(compat, &(struct error_text){"no memory"});
	measure_all(&bench);
	for (size_t i = 0; i < bench.n_rows; i++)
		cpus_unite(&bench.runs.ran_on, &bench.rows[i].ran_on);
	compat_runs_close(&bench.runs);
	compat_runs_write_json(&bench.runs, print_json, &bench);
	free(bench.rows);
	return bench.runs.status;
}

const struct compat_tool compat_lat_ctx = {
	.name = "lat_ctx",
	.function = "context switching between processes in a ring of pipes",
	.mechanism = "pipe",
	.takes_words = "PROCESSES [PROCESSES ...]",
	.options = {compat_bench_options, own_options},
	.defaults = &defaults,
	.settle = lat_ctx_settle,
	.run = lat_ctx_run,
};
