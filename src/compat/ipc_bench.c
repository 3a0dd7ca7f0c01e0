/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ipc_bench.c - ipc-bench: how long a message takes from a client process to a server and back, by one method
 * or by all of them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/compat/runs.h"
#include "src/probe/probe.h"
#include "src/run/output.h"

enum { DEFAULT_SIZE = 4096, DEFAULT_COUNT = 1000, TICK_NS = 50000000 };

/* In the order of ipc-bench's script. */
static const struct method {
	const char *name, *mechanism;
} methods[] = {
	{"shm", "shm"},
	{"mq", "svmsg"},
	{"domain", "unix"},
	{"fifo", "fifo"},
	{"pipe", "pipe"},
	{"mmap", "mmap"},
	{"tcp", "tcp"},
	{"signal", "signal"},
	{"zeromq", "zmq-req-ipc"},
	{"eventfd", "eventfd"},
};
enum { N_METHODS = sizeof(methods) / sizeof(*methods) };

/* The sizes of its script, in bytes. */
static const uint64_t all_sizes[] = {1, 10, 100, 1000};
enum { N_SIZES = sizeof(all_sizes) / sizeof(*all_sizes) };

/* clang-format off */
static const struct option_row own_options[] = {
	{'c', "count", "COUNT", "how many messages to send; default=1000", option_read_number,
		COMPAT_FIELD(config.loops),
		.range = {"the number of messages", 1, UINT64_C(1) << 48, NULL, "1 to 2^48"}},
	{'s', "size", "SIZE", "of each message, in bytes; default=4096", option_read_number,
		COMPAT_FIELD(config.size), .range = {"the size", 1, CONFIG_TOKEN_SIZE_MAX, value_bytes,
			"1 to 1M, in bytes or with k or M"}},
	{0, "tcp", NULL, "zeromq over TCP, not over a Unix socket", option_read_true, COMPAT_FIELD(tcp)},
	{0},
};
/* clang-format on */

static const struct compat_settings defaults = {
	.config =
		{
			.ring_members = 2,
			.n_rings = 1,
			.fork = true,
			.force = true,
			.loops = DEFAULT_COUNT,
			.tick_ns = TICK_NS,
			.figure = FIGURE_LAP,
			.stamps = STAMPS_LAP,
		},
};

/* --- which methods --- */

static const struct method *find_method(const char *name)
{
	for (const struct method *method = methods; method < methods + N_METHODS; method++)
		if (!strcmp(method->name, name))
			return method;
	return NULL;
}

static const struct probe *probe_of(const struct compat *compat, const struct method *method)
{
	bool tcp = compat->settings.tcp && !strcmp(method->name, "zeromq");

	return compat_probe(compat, tcp ? "zmq-req-tcp" : method->mechanism);
}

static bool wants_all(const struct compat *compat)
{
	return !strcmp(compat->settings.words[0], "all");
}

static int refuse_method(const char *word, struct error_text *reason)
{
	char shown[OPTION_SHOWN_SIZE], names[128] = "";

	for (size_t i = 0; i < N_METHODS; i++)
		text_append(names, sizeof(names), ", ", methods[i].name);
	if (!word)
		return error_text_set(reason, -EINVAL, "the method is missing: %s, or all", names);
	return error_text_set(
		reason, -EINVAL, "%s: the method must be %s, or all", option_shown(word, shown), names);
}

static int check_cpus(const struct compat *compat, const struct method *method, struct error_text *reason)
{
	const struct compat_settings *settings = &compat->settings;
	size_t n = cpus_count(settings->pinned ? &settings->config.cpus : &compat->topology.usable);
	const struct probe *probe = probe_of(compat, method);

	if (n > 1 || !(probe->traits & PROBE_SPINS))
		return 0;
	return error_text_set(reason, -EINVAL, "%s: client and server spin, and need a CPU each; %s",
		method->name, settings->pinned ? "--cpus names one" : "one is allowed to this process");
}

static int ipc_bench_settle(struct compat *compat, struct error_text *reason)
{
	struct compat_settings *settings = &compat->settings;
	char shown[OPTION_SHOWN_SIZE];

	if (!settings->words[0] || (!wants_all(compat) && !find_method(settings->words[0])))
		return refuse_method(settings->words[0], reason);
	if (settings->words[1])
		return error_text_set(reason, -EINVAL, "%s: one method at a time, or all",
			option_shown(settings->words[1], shown));
	if (settings->tcp && !wants_all(compat) && strcmp(settings->words[0], "zeromq") != 0)
		return error_text_set(reason, -EINVAL, "--tcp: it is for zeromq");
	const struct method *method = find_method(settings->words[0]);
	/* One method that this build or machine lacks is an error; among all it is a row without figures. */
	int r = method ? compat_check_probe(probe_of(compat, method), method->name, reason) : 0;

	if (r == 0)
		r = compat_settle_affinity(compat, "--cpus", reason);
	return r == 0 && method ? check_cpus(compat, method, reason) : r;
}

/* --- its runs --- */

/* In microseconds. The text output has those before N_PRINTED, the JSON all. */
enum { AVERAGE, MINIMUM, MAXIMUM, STDDEV, N_PRINTED, P50 = N_PRINTED, P90, P99, P99_9, N_STATS };

/* The round trips by one method at one size. */
struct result {
	const struct method *method;
	uint64_t size;  /* bytes of each message; 0: it carries none */
	uint64_t count; /* 0: there are no figures */
	uint64_t sum_ns;
	double stats[N_STATS];
	uint64_t faults; /* messages that came back damaged, or not as they were sent */
	struct cpus ran_on;
};

struct bench {
	struct compat_runs runs;
	struct result results[N_METHODS * N_SIZES];
	size_t n; /* the results from here on are those of the run under way, ring by ring */
};

/* Adds a ring for each method. A mechanism that carries no bytes is the same at each size, and measured once.
 */
static void name_probes(struct bench *bench, struct config *config, bool first_size)
{
	const struct compat *compat = bench->runs.compat;

	for (const struct method *method = methods; method < methods + N_METHODS; method++) {
		const struct probe *probe = probe_of(compat, method);
		bool carries = probe && probe->traits & PROBE_PAYLOAD;
		bool wanted = wants_all(compat) ? first_size || carries
						: method == find_method(compat->settings.words[0]);

		if (!probe || !wanted)
			continue;
		bench->results[bench->n + config->n_probes] =
			(struct result){.method = method, .size = carries ? config->size : 0};
		config->probes[config->n_probes++] = probe;
	}
}

/* Members may move with each tick. */
static bool updated(void *data)
{
	struct bench *bench = data;
	const struct session *session = &bench->runs.run.source.session;

	for (size_t i = 0; i < session->n_rings; i++)
		if (session->rings[i].laps)
			compat_ran_on(&session->rings[i], &bench->results[bench->n + i].ran_on);
	return true;
}

static void ended(void *data)
{
	static const double percentiles[] = {50, 90, 99, 99.9};
	struct bench *bench = data;
	const struct session *session = &bench->runs.run.source.session;

	updated(bench); /* the last tick */
	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];
		const struct hist *hist = &ring->figures[FIGURE_LAP].hist;
		struct result *result = &bench->results[bench->n++];

		result->count = hist->n;
		result->sum_ns = hist->sum_ns;
		result->stats[AVERAGE] = hist_mean(hist) / 1000;
		result->stats[MINIMUM] = (double)hist->min_ns / 1000;
		result->stats[MAXIMUM] = (double)hist->max_ns / 1000;
		result->stats[STDDEV] = hist_stddev(hist) / 1000;
		for (size_t p = P50; p < N_STATS; p++)
			result->stats[p] = (double)hist_percentile(hist, percentiles[p - P50]) / 1000;
		for (int f = 0; f < N_TOKEN_FAULTS; f++)
			result->faults += ring->faults[f];
	}
}

/* Returns whether another run may follow. */
static bool measure_method(struct bench *bench, uint64_t size, bool first_size)
{
	struct config config = bench->runs.compat->settings.config;

	config.size = size;
	name_probes(bench, &config, first_size);
	return compat_runs_measure(&bench->runs, &config, updated, ended, bench);
}

static void measure_all(struct bench *bench)
{
	uint64_t asked = bench->runs.compat->settings.config.size;

	if (asked || !bench->runs.several) {
		measure_method(bench, asked ? asked : DEFAULT_SIZE, true);
		return;
	}
	for (size_t i = 0; i < N_SIZES; i++)
		if (!measure_method(bench, all_sizes[i], i == 0))
			return;
}

/* --- output --- */

static uint64_t rate(const struct result *result)
{
	return result->sum_ns ? (uint64_t)((double)result->count / ((double)result->sum_ns / 1e9) + 0.5) : 0;
}

static void print_block(const struct result *result)
{
	static const char *const labels[N_PRINTED] = {
		"Average duration:", "Minimum duration:", "Maximum duration:", "Standard deviation:"};

	if (!result->count)
		return;
	printf("\n============ RESULTS ================\n");
	printf("Message size:       %" PRIu64 "\n", result->size);
	printf("Message count:      %" PRIu64 "\n", result->count);
	printf("Total duration:     %.3f\tms\n", (double)result->sum_ns / 1e6);
	for (size_t i = 0; i < N_PRINTED; i++)
		printf("%-19s %.3f\tus\n", labels[i], result->stats[i]);
	printf("Message rate:       %" PRIu64 "\tmsg/s\n", rate(result));
	printf("=====================================\n");
}

static void print_table(const struct result *results, size_t n)
{
	printf("%-8s %7s %8s %10s %10s %10s %10s %9s\n", "method", "size", "count", "average us",
		"minimum us", "maximum us", "std dev us", "msg/s");
	for (const struct result *result = results; result < results + n; result++) {
		char size[24] = "-";

		if (result->size)
			snprintf(size, sizeof(size), "%" PRIu64, result->size);
		printf("%-8s %7s %8" PRIu64, result->method->name, size, result->count);
		for (size_t i = 0; result->count && i < N_PRINTED; i++)
			printf(" %10.3f", result->stats[i]);
		if (result->count)
			printf(" %9" PRIu64 "\n", rate(result));
		else
			printf(" %10s %10s %10s %10s %9s\n", "-", "-", "-", "-", "-");
	}
}

static void print_result(FILE *out, const struct result *result)
{
	static const char *const keys[N_STATS] = {"average_us", "minimum_us", "maximum_us", "stddev_us",
		"p50_us", "p90_us", "p99_us", "p99_9_us"};

	fprintf(out,
		"{\"method\": \"%s\", \"size\": %" PRIu64 ", \"count\": %" PRIu64 ", \"faults\": %" PRIu64,
		result->method->name, result->size, result->count, result->faults);
	compat_print_ran_on(out, &result->ran_on);
	if (result->count) {
		fprintf(out, ", \"total_ms\": %.6f", (double)result->sum_ns / 1e6);
		for (size_t i = 0; i < N_STATS; i++)
			fprintf(out, ", \"%s\": %.*f", keys[i], i == AVERAGE ? 6 : 3, result->stats[i]);
		fprintf(out, ", \"messages_per_s\": %" PRIu64, rate(result));
	}
	fputc('}', out);
}

static void print_json(FILE *out, const void *data)
{
	const struct bench *bench = data;

	fprintf(out, "{\n\"results\": [");
	for (size_t i = 0; i < bench->n; i++) {
		fputs(i ? ",\n" : "\n", out);
		print_result(out, &bench->results[i]);
	}
	fprintf(out, "]\n}\n");
}

/* Compares by method, in the order of the script, then by size. */
static int by_method(const void *a, const void *b)
{
	const struct result *one = a, *other = b;

	if (one->method != other->method)
		return one->method < other->method ? -1 : 1;
	return (one->size > other->size) - (one->size < other->size);
}

static void report(struct bench *bench)
{
	struct compat_runs *runs = &bench->runs;
	struct error_text reason;

	qsort(bench->results, bench->n, sizeof(*bench->results), by_method);
	if (runs->several)
		print_table(bench->results, bench->n);
	else if (bench->n)
		print_block(&bench->results[0]);
	if (output_flush(&reason) < 0)
		runs->status = compat_complain(runs->compat, &reason);
	if (bench->n == 1 && runs->compat->settings.config.size && !bench->results[0].size)
		fprintf(stderr, "# %s carries no bytes: its size is 0\n", bench->results[0].method->name);
	for (const struct result *result = bench->results; result < bench->results + bench->n; result++) {
		cpus_unite(&runs->ran_on, &result->ran_on);
		if (!result->faults)
			continue;
		fprintf(stderr, "# %s: %" PRIu64 " messages did not come back as sent\n",
			result->method->name, result->faults);
		runs->status = EXIT_FAILURE;
	}
	compat_runs_close(runs);
	compat_runs_write_json(runs, print_json, bench);
}

static int ipc_bench_run(const struct compat *compat)
{
	struct bench bench = {.runs = {.compat = compat, .several = wants_all(compat)}};

	measure_all(&bench);
	report(&bench);
	return bench.runs.status;
}

const struct compat_tool compat_ipc_bench = {
	.name = "ipc-bench",
	.function = "messages between a client and a server process",
	.takes_words = "METHOD|all",
	.options = {compat_bench_options, own_options},
	.defaults = &defaults,
	.settle = ipc_bench_settle,
	.run = ipc_bench_run,
};
