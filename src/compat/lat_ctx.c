/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lat_ctx.c - lat_ctx of lmbench: the cost of a context switch, by the number and the size of the processes.
 *
 * A ring of N processes passes a token round over pipes, and each works before it passes the token on. One
 * task does the same alone, over as many pipes, without a switch: that lap is the overhead. Both laps
 * contain the engine's own time stamps. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/compat/bench.h"
#include "src/plan/plan.h"

/* A repetition is a tick of the engine, or several ticks if a lap takes longer. Each tick reads the state of
 * all members, so its length grows with their number. */
enum { REPETITION_NS = 50000000, MEMBER_NS = 100000, REPETITIONS_MAX = 1000, RINGS_MAX = 256 };

/* clang-format off */
static const struct option_row own_options[] = {
	{'N', "repetitions", "NUM", "take the median of so many; default=11", option_read_number,
		COMPAT_FIELD(repetitions),
		.range = {"the number of repetitions", 1, REPETITIONS_MAX, NULL, "1 to 1000"}},
	{'P', "parallel", "NUM", "so many rings at once; default=1", option_read_number, COMPAT_FIELD(threads),
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

static void lat_ctx_defaults(struct compat *compat)
{
	struct compat_settings *settings = &compat->settings;

	settings->threads = 1;
	settings->repetitions = 11;
	settings->config.side_by_side = settings->config.force = true;
	settings->config.figure = FIGURE_LAP;
}

/* --- which rings --- */

/* Returns 0 if @word is not the size of a ring. */
static unsigned ring_size(const char *word)
{
	uint64_t size;

	return value_number(word, &size) == 0 && size >= 2 && size <= PLAN_RING_MEMBERS_MAX ? (unsigned)size
											    : 0;
}

static unsigned largest(char *const *words)
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
	if (settings->threads * largest(settings->words) > PLAN_MEMBERS_MAX)
		return error_text_set(reason, -E2BIG,
			"-P %" PRIu64 ": with rings of %u that makes %" PRIu64
			" processes, and %d are what one run can have",
			settings->threads, largest(settings->words),
			settings->threads * largest(settings->words), PLAN_MEMBERS_MAX);
	return compat_settle_affinity(compat, "--cpus", reason);
}

static uint64_t tick_ns(const struct config *config)
{
	uint64_t wanted_ns = (uint64_t)config->n_rings * config->ring_members * MEMBER_NS;

	return wanted_ns > REPETITION_NS ? wanted_ns : REPETITION_NS;
}

/* @alone: for the overhead, which one task measures by playing all members. */
static struct config config_of(const struct compat *compat, unsigned n_members, bool alone)
{
	struct config config = compat->settings.config;

	config.ring_members = n_members;
	config.n_rings = alone ? 1 : (unsigned)compat->settings.threads;
	config.tool.alone = alone;
	config.fork = !alone;
	config.tick_ns = tick_ns(&config);
	return config;
}

/* --- one row --- */

struct row {
	unsigned n_members;
	uint64_t laps;
	double laps_us[REPETITIONS_MAX]; /* the mean of each repetition */
	size_t n;
	struct cpus ran_on;
};

struct all {
	struct compat_bench bench;
	struct row overhead, *rows; /* rows: owned */
	size_t n_rows;
	struct row *row;       /* of the run under way */
	uint64_t laps, sum_ns; /* of this run before the repetition under way */
};

static bool updated(void *data)
{
	struct all *all = data;
	const struct compat_settings *settings = &all->bench.compat->settings;
	struct run *run = &all->bench.measured.run;
	const struct session *session = &run->source.session;
	bool warm = session->now_ns >= session->start_ns + settings->warmup_ns;
	struct row *row = all->row;
	uint64_t laps = 0, sum_ns = 0;

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct hist *lap = &session->rings[i].figures[FIGURE_LAP].hist;

		laps += lap->n;
		sum_ns += lap->sum_ns;
		if (lap->n) /* before that, members may not be on their CPUs yet */
			compat_ran_on(&session->rings[i], &row->ran_on);
	}
	if (warm && laps > all->laps) {
		row->laps += laps - all->laps;
		row->laps_us[row->n++] = (double)(sum_ns - all->sum_ns) / (double)(laps - all->laps) / 1000.0;
	}
	all->laps = laps;
	all->sum_ns = sum_ns;
	if (row->n == settings->repetitions)
		snprintf(run->source.ended_by, sizeof(run->source.ended_by), "repetitions");
	return true;
}

static int compare(const void *a, const void *b)
{
	double one = *(const double *)a, other = *(const double *)b;

	return (one > other) - (one < other);
}

static double median(const double *values, size_t n)
{
	double sorted[REPETITIONS_MAX];

	if (!n)
		return 0.0;
	memcpy(sorted, values, n * sizeof(*values));
	qsort(sorted, n, sizeof(*sorted), compare);
	return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

/* One member's share of a lap. */
static double share_us(const struct row *row)
{
	return median(row->laps_us, row->n) / row->n_members;
}

/* Returns whether another may follow: a ring that fails has printed why, and others do. */
static bool measure(struct all *all, struct row *row, unsigned n_members, bool alone)
{
	const struct config config = config_of(all->bench.compat, n_members, alone);

	row->n_members = n_members;
	all->row = row;
	all->laps = all->sum_ns = 0;
	return compat_bench_run(&all->bench, &config, updated, NULL, all);
}

static double switch_us(const struct all *all, const struct row *row)
{
	return share_us(row) - share_us(&all->overhead);
}

/* An error message could not be written to stderr either. A reader that has gone is no error. */
static void check_written(struct all *all, int written)
{
	if (written < 0 && errno != EPIPE)
		all->bench.status = EXIT_FAILURE;
}

/* Like lmbench, leaves out figures that are not positive. */
static void print_row(struct all *all, const struct row *row)
{
	if (row->n && switch_us(all, row) > 0)
		check_written(all, fprintf(stderr, "%u %.2f\n", row->n_members, switch_us(all, row)));
}

static void measure_all(struct all *all)
{
	const struct compat_settings *settings = &all->bench.compat->settings;
	bool goes_on = measure(all, &all->overhead, largest(settings->words), true) && all->overhead.n;

	if (all->overhead.n)
		check_written(all, fprintf(stderr, "\n\"size=%" PRIu64 "k ovr=%.2f\n",
					   settings->config.work_size / 1024, share_us(&all->overhead)));
	for (char **word = settings->words; goes_on && *word; word++) {
		struct row *row = &all->rows[all->n_rows++];

		goes_on = measure(all, row, ring_size(*word), false);
		print_row(all, row);
	}
}

/* --- --json --- */

static void put_row(FILE *out, const struct row *row)
{
	fprintf(out, "\"processes\": %u, \"laps\": %" PRIu64, row->n_members, row->laps);
	compat_print_ran_on(out, &row->ran_on);
	fprintf(out, ", \"lap_us\": [");
	for (size_t i = 0; i < row->n; i++)
		fprintf(out, "%s%.6f", i ? ", " : "", row->laps_us[i]);
	fprintf(out, "]");
}

static void put_figure(FILE *out, const char *key, const struct row *row, double us)
{
	if (row->n)
		fprintf(out, ", \"%s\": %.6f}", key, us);
	else
		fprintf(out, ", \"%s\": null}", key);
}

static int write_json(const struct all *all, struct error_text *reason)
{
	const struct compat_settings *settings = &all->bench.compat->settings;
	struct whole_file file;
	int r = whole_file_open(&file, settings->json, reason);

	if (r < 0)
		return r;
	fprintf(file.out, "{\n\"size_kib\": %" PRIu64 ",\n\"parallel\": %" PRIu64 ",\n",
		settings->config.work_size / 1024, settings->threads);
	fprintf(file.out, "\"pinned\": %s,\n\"overhead\": {",
		settings->config.tool.unpinned ? "false" : "true");
	put_row(file.out, &all->overhead);
	put_figure(file.out, "overhead_us", &all->overhead, share_us(&all->overhead));
	fprintf(file.out, ",\n\"rings\": [");
	for (size_t i = 0; i < all->n_rows; i++) {
		fprintf(file.out, "%s{", i ? ",\n" : "\n");
		put_row(file.out, &all->rows[i]);
		put_figure(file.out, "switch_us", &all->rows[i], switch_us(all, &all->rows[i]));
	}
	fprintf(file.out, "]\n}\n");
	return whole_file_close(&file, reason);
}

static size_t count_words(char *const *words)
{
	size_t n = 0;

	while (words[n])
		n++;
	return n;
}

static int lat_ctx_run(const struct compat *compat)
{
	struct all all = {.bench = {.compat = compat, .several = true}};
	struct error_text reason;

	all.rows = calloc(count_words(compat->settings.words), sizeof(*all.rows));
	int r = all.rows ? compat_bench_open(&all.bench, &reason)
			 : error_text_set(&reason, -ENOMEM, "no memory");

	if (r == 0) {
		measure_all(&all);
		for (size_t i = 0; i < all.n_rows; i++)
			cpus_unite(&all.bench.ran_on, &all.rows[i].ran_on);
		compat_bench_close(&all.bench);
		if (compat->settings.json)
			r = write_json(&all, &reason);
	}
	if (r < 0)
		all.bench.status = compat_complain(compat, &reason);
	free(all.rows);
	return all.bench.status;
}

const struct compat_tool compat_lat_ctx = {
	.name = "lat_ctx",
	.function = "context switching between processes in a ring of pipes",
	.mechanism = "pipe",
	.takes_words = "PROCESSES [PROCESSES ...]",
	.options = {compat_bench_options, own_options},
	.defaults = lat_ctx_defaults,
	.settle = lat_ctx_settle,
	.run = lat_ctx_run,
};
