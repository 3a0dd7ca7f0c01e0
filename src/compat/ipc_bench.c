/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ipc_bench.c - ipc-bench: how long a message takes from a client process to a server and back, by one method
 * or by all of them. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/compat/bench.h"
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
	{"zeromq", "zmq-ipc"},
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

static void ipc_bench_defaults(struct compat *compat)
{
	struct config *config = &compat->settings.config;

	config->ring_members = 2;
	config->n_rings = 1;
	config->fork = true;
	config->force = true;
	config->loops = DEFAULT_COUNT;
	config->tick_ns = TICK_NS;
	config->figure = FIGURE_LAP;
}

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

	return compat_probe(compat, tcp ? "zmq-tcp" : method->mechanism);
}

static bool wants_all(const struct compat *compat)
{
	return !strcmp(compat->settings.words[0], "all");
}

static int refuse_method(const char *word, struct error_text *reason)
{
	char shown[OPTION_SHOWN_SIZE], names[128] = "";

	for (size_t i = 0; i < N_METHODS; i++)
		option_append_word(names, sizeof(names), methods[i].name);
	if (!word)
		return error_text_set(reason, -EINVAL, "the method is missing: %s, or all", names);
	return error_text_set(
		reason, -EINVAL, "%s: the method must be %s, or all", option_shown(word, shown), names);
}

/* One method that can't be had here is an error; among all it is a row without figures. */
static int check_method(const struct compat *compat, const struct method *method, struct error_text *reason)
{
	const struct probe *probe = probe_of(compat, method);
	const char *missing = !probe ? "not in this build" : probe->missing ? probe->missing() : NULL;

	return missing ? error_text_set(reason, -ENOTSUP, "%s: %s", method->name, missing) : 0;
}

static int check_cpus(const struct compat *compat, const struct method *method, struct error_text *reason)
{
	const struct compat_settings *settings = &compat->settings;
	size_t n = cpus_count(settings->pinned ? &settings->config.cpus : &compat->topology.usable);
	const struct probe *probe = probe_of(compat, method);

	if (n > 1 || !(probe->traits & PROBE_SPINS))
		return 0;
	return error_text_set(reason, -EINVAL, "%s: client and server spin, and want a CPU each; %s",
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
	int r = method ? check_method(compat, method, reason) : 0;

	if (r == 0)
		r = compat_settle_affinity(compat, "--cpus", reason);
	return r == 0 && method ? check_cpus(compat, method, reason) : r;
}

/* --- its runs --- */

/* In microseconds. The text output has those before N_PRINTED, the JSON all. */
enum { AVERAGE, MINIMUM, MAXIMUM, STDDEV, N_PRINTED, P50 = N_PRINTED, P90, P99, P99_9, N_STATS };

/* The round trips by one method at one size. */
struct result {
	const char *method; /* static */
	uint64_t size;      /* bytes of each message; 0: it carries none */
	uint64_t count;     /* 0: there are no figures */
	uint64_t sum_ns;
	double stats[N_STATS];
	uint64_t faults; /* messages that came back damaged, or not as they were sent */
	struct cpus ran_on;
};

struct all {
	struct compat_bench bench;
	struct result results[N_METHODS * N_SIZES];
	size_t n;
	const struct config *config;   /* of the run under way */
	struct cpus ran_on[N_METHODS]; /* the same: by ring */
};

static bool carries(const struct probe *probe)
{
	return probe->traits & PROBE_PAYLOAD;
}

/* A mechanism that carries no bytes is the same at each size, and measured once. */
static void name_probes(const struct compat *compat, struct config *config, bool first_size)
{
	for (const struct method *method = methods; method < methods + N_METHODS; method++) {
		const struct probe *probe = probe_of(compat, method);
		bool wanted = wants_all(compat) ? first_size || (probe && carries(probe))
						: method == find_method(compat->settings.words[0]);

		if (probe && wanted)
			config->probes[config->n_probes++] = probe;
	}
}

static const char *name_of(const struct compat *compat, const struct probe *probe)
{
	const struct method *method = methods;

	while (probe_of(compat, method) != probe)
		method++;
	return method->name;
}

/* Members may move with each tick. */
static bool updated(void *data)
{
	struct all *all = data;
	const struct session *session = &all->bench.measured.run.source.session;

	for (size_t i = 0; i < session->n_rings; i++)
		if (session->rings[i].laps)
			compat_ran_on(&session->rings[i], &all->ran_on[i]);
	return true;
}

static void ended(void *data)
{
	struct all *all = data;
	const struct session *session = &all->bench.measured.run.source.session;

	updated(all); /* the last tick */
	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];
		const struct hist *hist = &ring->figures[FIGURE_LAP].hist;
		const struct probe *probe = all->config->probes[i];
		struct result *result = &all->results[all->n++];

		*result = (struct result){
			.method = name_of(all->bench.compat, probe),
			.size = carries(probe) ? all->config->size : 0,
			.ran_on = all->ran_on[i],
			.count = hist->n,
			.sum_ns = hist->sum_ns,
			.stats = {hist_mean(hist) / 1000, (double)hist->min_ns / 1000,
				(double)hist->max_ns / 1000, hist_stddev(hist) / 1000,
				(double)hist_percentile(hist, 50) / 1000,
				(double)hist_percentile(hist, 90) / 1000,
				(double)hist_percentile(hist, 99) / 1000,
				(double)hist_percentile(hist, 99.9) / 1000},
		};
		for (int f = 0; f < N_TOKEN_FAULTS; f++)
			result->faults += ring->faults[f];
	}
}

/* Returns whether another may follow. */
static bool measure(struct all *all, uint64_t size, bool first_size)
{
	struct config config = all->bench.compat->settings.config;

	config.size = size;
	name_probes(all->bench.compat, &config, first_size);
	all->config = &config;
	memset(all->ran_on, 0, sizeof(all->ran_on));
	return compat_bench_run(&all->bench, &config, updated, ended, all);
}

static void measure_all(struct all *all)
{
	uint64_t asked = all->bench.compat->settings.config.size;

	if (asked || !all->bench.several) {
		measure(all, asked ? asked : DEFAULT_SIZE, true);
		return;
	}
	for (size_t i = 0; i < N_SIZES; i++)
		if (!measure(all, all_sizes[i], i == 0))
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

static void print_row(const struct result *result)
{
	char size[24] = "-";

	if (result->size)
		snprintf(size, sizeof(size), "%" PRIu64, result->size);
	printf("%-8s %7s %8" PRIu64, result->method, size, result->count);
	if (!result->count) {
		printf(" %10s %10s %10s %10s %9s\n", "-", "-", "-", "-", "-");
		return;
	}
	for (size_t i = 0; i < N_PRINTED; i++)
		printf(" %10.3f", result->stats[i]);
	printf(" %9" PRIu64 "\n", rate(result));
}

static void print_table(const struct result *results, size_t n)
{
	printf("%-8s %7s %8s %10s %10s %10s %10s %9s\n", "method", "size", "count", "average us",
		"minimum us", "maximum us", "std dev us", "msg/s");
	for (size_t i = 0; i < n; i++)
		print_row(&results[i]);
}

static void print_result(FILE *out, const struct result *result)
{
	static const char *const keys[N_STATS] = {"average_us", "minimum_us", "maximum_us", "stddev_us",
		"p50_us", "p90_us", "p99_us", "p99_9_us"};

	fprintf(out,
		"{\"method\": \"%s\", \"size\": %" PRIu64 ", \"count\": %" PRIu64 ", \"faults\": %" PRIu64,
		result->method, result->size, result->count, result->faults);
	compat_print_ran_on(out, &result->ran_on);
	if (result->count) {
		fprintf(out, ", \"total_ms\": %.6f", (double)result->sum_ns / 1e6);
		for (size_t i = 0; i < N_STATS; i++)
			fprintf(out, ", \"%s\": %.*f", keys[i], i == AVERAGE ? 6 : 3, result->stats[i]);
		fprintf(out, ", \"messages_per_s\": %" PRIu64, rate(result));
	}
	fputc('}', out);
}

static int write_json(const char *path, const struct all *all, struct error_text *reason)
{
	struct whole_file file;
	int r = whole_file_open(&file, path, reason);

	if (r < 0)
		return r;
	fprintf(file.out, "{\n\"results\": [");
	for (size_t i = 0; i < all->n; i++) {
		fputs(i ? ",\n" : "\n", file.out);
		print_result(file.out, &all->results[i]);
	}
	fprintf(file.out, "]\n}\n");
	return whole_file_close(&file, reason);
}

/* Compares by method, in the order of the script, then by size. */
static int by_method(const void *a, const void *b)
{
	const struct result *one = a, *other = b;
	const struct method *first = find_method(one->method), *second = find_method(other->method);

	if (first != second)
		return first < second ? -1 : 1;
	return (one->size > other->size) - (one->size < other->size);
}

static void report(struct all *all)
{
	const struct compat *compat = all->bench.compat;
	struct error_text reason;
	bool nobody_reads;

	qsort(all->results, all->n, sizeof(*all->results), by_method);
	if (all->bench.several)
		print_table(all->results, all->n);
	else if (all->n)
		print_block(&all->results[0]);
	if (output_flush(&nobody_reads, &reason) < 0)
		all->bench.status = compat_complain(compat, &reason);
	if (all->n == 1 && compat->settings.config.size && !all->results[0].size)
		fprintf(stderr, "# %s carries no bytes: its size is 0\n", all->results[0].method);
	for (const struct result *result = all->results; result < all->results + all->n; result++) {
		cpus_unite(&all->bench.ran_on, &result->ran_on);
		if (!result->faults)
			continue;
		fprintf(stderr, "# %s: %" PRIu64 " messages did not come back as they were sent\n",
			result->method, result->faults);
		all->bench.status = EXIT_FAILURE;
	}
	compat_bench_close(&all->bench);
	if (compat->settings.json && write_json(compat->settings.json, all, &reason) < 0)
		all->bench.status = compat_complain(compat, &reason);
}

static int ipc_bench_run(const struct compat *compat)
{
	struct all all = {.bench = {.compat = compat, .several = wants_all(compat)}};
	struct error_text reason;

	if (compat_bench_open(&all.bench, &reason) < 0)
		return compat_complain(compat, &reason);
	measure_all(&all);
	report(&all);
	return all.bench.status;
}

const struct compat_tool compat_ipc_bench = {
	.name = "ipc-bench",
	.function = "messages between a client and a server process",
	.takes_words = "METHOD|all",
	.options = {compat_bench_options, own_options},
	.defaults = ipc_bench_defaults,
	.settle = ipc_bench_settle,
	.run = ipc_bench_run,
};
