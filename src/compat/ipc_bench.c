/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ipc_bench.c - ipc-bench: how long a message takes from a client process to a server and back, by one method
 * or by all of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/values.h"
#include "src/compat/ipc_bench_print.h"
#include "src/compat/tools.h"
#include "src/model/session.h"
#include "src/probe/probe.h"
#include "src/run/output.h"

enum { DEFAULT_SIZE = 4096, DEFAULT_COUNT = 1000, TICK_NS = 50000000 };

/* In the order of its script. */
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

/* Of its script. */
static const uint64_t all_sizes[] = {1, 10, 100, 1000};
enum { N_SIZES = sizeof(all_sizes) / sizeof(*all_sizes) };

#define FIELD(member) .field = offsetof(struct compat_settings, member)

static const struct option_range sizes = {.what = "the size",
	.min = 1,
	.max = CONFIG_TOKEN_SIZE_MAX,
	.units = value_bytes,
	.allowed = "1 to 1M, in bytes or with k or M"};
static const struct option_range counts = {
	.what = "the number of messages", .min = 1, .max = UINT64_C(1) << 48, .allowed = "1 to 2^48"};

static const struct compat_option own_options[] = {
	{'c', "count", "COUNT", .help = "how many messages to send; default=1000", .read = compat_read_number,
		FIELD(config.loops), .range = &counts},
	{'s', "size", "SIZE", .help = "of each message, in bytes; default=4096", .read = compat_read_number,
		FIELD(config.size), .range = &sizes},
	{0, "tcp", .help = "zeromq over TCP, not over a Unix socket", .read = compat_read_flag, FIELD(tcp)},
	{0},
};

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
	char shown[48], names[128] = "";

	for (size_t i = 0; i < N_METHODS; i++)
		snprintf(names + strlen(names), sizeof(names) - strlen(names), "%s, ", methods[i].name);
	if (!word)
		return error_text_set(reason, -EINVAL, "the method is missing: %sor all", names);
	return error_text_set(
		reason, -EINVAL, "%s: the method must be %sor all", options_shown(word, shown), names);
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
	bool listed = settings->affinity == COMPAT_LIST;
	size_t n = cpus_count(listed ? &settings->config.cpus : &compat->topology.usable);
	const struct probe *probe = probe_of(compat, method);

	if (n > 1 || !(probe->traits & PROBE_SPINS))
		return 0;
	return error_text_set(reason, -EINVAL, "%s: client and server spin, and want a CPU each; %s",
		method->name, listed ? "--cpus names one" : "one is allowed to this process");
}

static int ipc_bench_settle(struct compat *compat, struct error_text *reason)
{
	struct compat_settings *settings = &compat->settings;
	char shown[48];

	if (!settings->words[0] || (!wants_all(compat) && !find_method(settings->words[0])))
		return refuse_method(settings->words[0], reason);
	if (settings->words[1])
		return error_text_set(reason, -EINVAL, "%s: one method at a time, or all",
			options_shown(settings->words[1], shown));
	if (settings->tcp && !wants_all(compat) && strcmp(settings->words[0], "zeromq") != 0)
		return error_text_set(reason, -EINVAL, "--tcp: it is for zeromq");
	const struct method *method = find_method(settings->words[0]);
	int r = method ? check_method(compat, method, reason) : 0;

	if (r == 0)
		r = compat_settle_affinity(compat, "--cpus", reason);
	return r == 0 && method ? check_cpus(compat, method, reason) : r;
}

/* --- its runs --- */

struct all {
	const struct compat *compat;
	struct compat_reports reports;
	struct ipc_bench_result results[N_METHODS * N_SIZES];
	size_t n;
	int status;
};

static bool carries(const struct probe *probe)
{
	return probe->traits & PROBE_PAYLOAD;
}

/* What carries no bytes is the same at each size, and measured once. */
static void choose_probes(const struct compat *compat, struct config *config, bool first_size)
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

struct measuring {
	struct compat_measured measured;
	struct cpus ran_on[N_METHODS]; /* by ring */
};

/* Each tick: they may move. */
static bool look(void *data)
{
	struct measuring *m = data;
	const struct session *session = &m->measured.run.session;

	for (size_t i = 0; i < session->n_rings; i++)
		if (session->rings[i].laps)
			compat_add_ran_on(&session->rings[i], &m->ran_on[i]);
	return true;
}

static void take_results(struct all *all, struct measuring *m, const struct config *config)
{
	const struct session *session = &m->measured.run.session;

	look(m); /* what the last tick had */
	for (size_t i = 0; i < session->n_rings; i++) {
		const struct probe *probe = config->probes[i];

		ipc_bench_take(&all->results[all->n++], name_of(all->compat, probe), &session->rings[i],
			carries(probe) ? config->size : 0, &m->ran_on[i]);
	}
}

static int keep_report(struct all *all, const struct compat_measured *measured, struct error_text *reason)
{
	return wants_all(all->compat) ? compat_reports_add(&all->reports, all->compat, measured, reason)
				      : compat_measure_write(measured, all->compat, reason);
}

/* Returns whether another may follow. */
static bool measure(struct all *all, uint64_t size, bool first_size)
{
	struct config config = all->compat->settings.config;
	struct measuring m = {0};
	struct error_text reason;

	config.size = size;
	choose_probes(all->compat, &config, first_size);
	int r = compat_measure(&m.measured, all->compat, &config, look, &m, &reason);

	if (r == 0) {
		if (!compat_measure_tell(&m.measured))
			all->status = EXIT_FAILURE;
		take_results(all, &m, &config);
		r = keep_report(all, &m.measured, &reason);
	}
	if (r < 0)
		all->status = compat_complain(all->compat, &reason);
	bool follows = r == 0 && !compat_was_interrupted(&m.measured);

	compat_measure_finish(&m.measured);
	return follows;
}

static void measure_all(struct all *all)
{
	uint64_t asked = all->compat->settings.config.size;

	if (asked || !wants_all(all->compat)) {
		measure(all, asked ? asked : DEFAULT_SIZE, true);
		return;
	}
	for (size_t i = 0; i < N_SIZES; i++)
		if (!measure(all, all_sizes[i], i == 0))
			return;
}

/* The table goes by method, as the script does, and then by size. */
static int by_method(const void *a, const void *b)
{
	const struct ipc_bench_result *one = a, *other = b;
	const struct method *first = find_method(one->method), *second = find_method(other->method);

	if (first != second)
		return first < second ? -1 : 1;
	return (one->size > other->size) - (one->size < other->size);
}

static void print(struct all *all)
{
	struct error_text reason;
	bool nobody_reads;

	if (wants_all(all->compat))
		ipc_bench_print_table(all->results, all->n);
	else if (all->n)
		ipc_bench_print_block(&all->results[0]);
	if (output_flush(&nobody_reads, &reason) < 0)
		all->status = compat_complain(all->compat, &reason);
}

static void report(struct all *all)
{
	const struct compat *compat = all->compat;
	const char *json = compat->settings.json;
	struct cpus ran_on = {0};
	struct error_text reason;

	qsort(all->results, all->n, sizeof(*all->results), by_method);
	for (size_t i = 0; i < all->n; i++)
		cpus_unite(&ran_on, &all->results[i].ran_on);
	print(all);
	if (all->n == 1 && compat->settings.config.size && !all->results[0].size)
		fprintf(stderr, "# %s carries no bytes: its size is 0\n", all->results[0].method);
	for (size_t i = 0; i < all->n; i++)
		if (!ipc_bench_check(&all->results[i]))
			all->status = EXIT_FAILURE;
	compat_tell_ran_on(compat, &ran_on);
	if (compat_reports_close(&all->reports, &reason) < 0)
		all->status = compat_complain(compat, &reason);
	if (json && ipc_bench_write_json(json, all->results, all->n, &reason) < 0)
		all->status = compat_complain(compat, &reason);
}

static int ipc_bench_run(const struct compat *compat)
{
	struct all all = {.compat = compat, .status = EXIT_SUCCESS};
	struct error_text reason;

	if (wants_all(compat) && compat_reports_open(&all.reports, compat, &reason) < 0)
		return compat_complain(compat, &reason);
	measure_all(&all);
	report(&all);
	return all.status;
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
