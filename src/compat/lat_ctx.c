/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lat_ctx.c - lat_ctx of lmbench: what a context switch costs, by the number and the size of the processes.
 *
 * A ring of N processes passes a token round over pipes, and each works before it passes the token on. One
 * task that does the same alone, over as many pipes, tells what of it is no switch: the overhead. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/values.h"
#include "src/compat/bench.h"
#include "src/compat/tools.h"
#include "src/model/session.h"
#include "src/plan/plan.h"

/* A repetition is a tick of the engine's, and of as many ticks as the first lap takes. Each tick looks at all
 * members, and should not be noticed. */
enum { REPETITION_NS = 50000000, MEMBER_NS = 100000, REPETITIONS_MAX = 1000, RINGS_MAX = 256 };

#define FIELD(member) .field = offsetof(struct compat_settings, member)

static const struct option_range sizes = {.what = "the size",
	.max = UINT64_C(1) << 30,
	.units = value_kibibytes,
	.allowed = "0 to 1024M, in KiB or with M"};
static const struct option_range numbers = {
	.what = "the number of rings", .min = 1, .max = RINGS_MAX, .allowed = "1 to 256"};
static const struct option_range warmups = {.what = "the warm-up",
	.max = UINT64_C(3600) * 1000000000,
	.units = value_microseconds,
	.allowed = "0 to 3600s, in microseconds or with us, ms or s"};
static const struct option_range counts = {
	.what = "the number of repetitions", .min = 1, .max = REPETITIONS_MAX, .allowed = "1 to 1000"};

static const struct compat_option own_options[] = {
	{'N', "repetitions", "NUM", .help = "take the median of so many; default=11",
		.read = compat_read_number, FIELD(repetitions), .range = &counts},
	{'P', "parallel", "NUM", .help = "so many rings at once; default=1", .read = compat_read_number,
		FIELD(threads), .range = &numbers},
	{'s', "size", "KIB", .help = "what each process sums before it passes the\ntoken on; default=0",
		.read = compat_read_number, FIELD(config.work_size), .range = &sizes},
	{'W', "warmup", "USEC", .help = "don't count the first USEC of each ring; default=0",
		.read = compat_read_number, FIELD(warmup_ns), .range = &warmups},
	{0},
};

static void lat_ctx_defaults(struct compat *compat)
{
	struct compat_settings *settings = &compat->settings;

	settings->threads = 1;
	settings->repetitions = 11;
	settings->config.side_by_side = settings->config.force = true;
	settings->config.figure = FIGURE_LAP;
}

/* --- which rings --- */

/* 0 where it is none. */
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
	char shown[48];

	if (!*settings->words)
		return error_text_set(reason, -EINVAL,
			"the numbers of processes are missing: lat_ctx -s 0 2 4 8 16 20, each 2 to %d",
			PLAN_RING_MEMBERS_MAX);
	for (char **word = settings->words; *word; word++)
		if (!ring_size(*word))
			return error_text_set(reason, -EINVAL, "%s: the number of processes must be 2 to %d",
				options_shown(*word, shown), PLAN_RING_MEMBERS_MAX);
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

/* Of one row; or of the overhead, where one task plays them all. */
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

struct measuring {
	struct compat_measured measured;
	struct row *row;
	size_t repetitions;
	uint64_t warmup_ns;
	uint64_t laps, sum_ns; /* before this repetition */
};

static bool take_repetition(void *data)
{
	struct measuring *m = data;
	struct run *run = &m->measured.run;
	const struct session *session = &run->session;
	bool warm = session->now_ns >= session->start_ns + m->warmup_ns;
	uint64_t laps = 0, sum_ns = 0;

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct hist *lap = &session->rings[i].figures[FIGURE_LAP].hist;

		laps += lap->n;
		sum_ns += lap->sum_ns;
		if (lap->n) /* before, they may not have come to their CPUs */
			compat_add_ran_on(&session->rings[i], &m->row->ran_on);
	}
	if (warm && laps > m->laps) {
		m->row->laps += laps - m->laps;
		m->row->laps_us[m->row->n++] =
			(double)(sum_ns - m->sum_ns) / (double)(laps - m->laps) / 1000.0;
	}
	m->laps = laps;
	m->sum_ns = sum_ns;
	if (m->row->n == m->repetitions)
		snprintf(run->ended_by, sizeof(run->ended_by), "repetitions");
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

/* What one member's share of a lap takes. */
static double share_us(const struct row *row)
{
	return median(row->laps_us, row->n) / row->n_members;
}

struct all {
	const struct compat *compat;
	struct compat_reports reports;
	struct row overhead, *rows; /* rows: owned */
	size_t n_rows;
	int status;
};

/* A ring that fails has said why, and others follow. Returns whether they may. */
static bool measure(struct all *all, struct row *row, unsigned n_members, bool alone)
{
	const struct compat *compat = all->compat;
	const struct config config = config_of(compat, n_members, alone);
	struct measuring m = {.row = row,
		.repetitions = compat->settings.repetitions,
		.warmup_ns = compat->settings.warmup_ns};
	struct error_text reason;

	row->n_members = n_members;
	int r = compat_measure(&m.measured, compat, &config, take_repetition, &m, &reason);
	bool ran = r == 0 && compat_measure_tell(&m.measured);
	bool goes_on = !compat_was_interrupted(&m.measured);

	if (r == 0)
		r = compat_reports_add(&all->reports, compat, &m.measured, &reason);
	if (r < 0)
		compat_complain(compat, &reason);
	if (r < 0 || !ran)
		all->status = EXIT_FAILURE;
	compat_measure_finish(&m.measured);
	return r == 0 && goes_on;
}

static double switch_us(const struct all *all, const struct row *row)
{
	return share_us(row) - share_us(&all->overhead);
}

/* What tells of an error can't be written there either. A reader that has seen enough is none. */
static void check_written(struct all *all, int written)
{
	if (written < 0 && errno != EPIPE)
		all->status = EXIT_FAILURE;
}

/* As there, what is not positive is left out. */
static void print_row(struct all *all, const struct row *row)
{
	if (row->n && switch_us(all, row) > 0)
		check_written(all, fprintf(stderr, "%u %.2f\n", row->n_members, switch_us(all, row)));
}

static void measure_all(struct all *all)
{
	const struct compat_settings *settings = &all->compat->settings;
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
	compat_put_cpus(out, ", ", "ran_on", &row->ran_on);
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
	const struct compat_settings *settings = &all->compat->settings;
	struct report_file file;
	int r = report_file_open(&file, settings->json, reason);

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
	return report_file_close(&file, reason);
}

static void report(struct all *all)
{
	const struct compat *compat = all->compat;
	struct cpus ran_on = {0};
	struct error_text reason;

	for (size_t i = 0; i < all->n_rows; i++)
		cpus_unite(&ran_on, &all->rows[i].ran_on);
	compat_tell_ran_on(compat, &ran_on);
	if (compat_reports_close(&all->reports, &reason) < 0)
		all->status = compat_complain(compat, &reason);
	if (compat->settings.json && write_json(all, &reason) < 0)
		all->status = compat_complain(compat, &reason);
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
	struct all all = {.compat = compat, .status = EXIT_SUCCESS};
	struct error_text reason;

	all.rows = calloc(count_words(compat->settings.words), sizeof(*all.rows));
	int r = all.rows ? compat_reports_open(&all.reports, compat, &reason)
			 : error_text_set(&reason, -ENOMEM, "no memory");

	if (r < 0) {
		all.status = compat_complain(compat, &reason);
	} else {
		measure_all(&all);
		report(&all);
	}
	free(all.rows);
	return all.status;
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
