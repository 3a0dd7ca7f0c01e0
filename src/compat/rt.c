/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rt.c - the common part of the tools of rt-tests: options, run, JSON, and rounding of figures. */
#include "src/compat/rt.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <time.h>

#include "src/base/json.h"
#include "src/base/whole_file.h"
#include "src/report/report_json.h"

/* The tools print every 50 ms; with -q, ipctop's own tick is enough. */
enum { SHOWN_TICK_NS = 50000000, QUIET_TICK_NS = 500000000 };

/* The JSON has the format of this version. */
#define RT_TESTS_VERSION "2.40"

/* clang-format off */
const struct option_row compat_rt_options[] = {
	{'b', "breaktrace", "USEC", "stop tracing and end when a latency is > USEC", option_read_number,
		COMPAT_FIELD(config.breaktrace_ns), .range = {"the limit", 0, OPTION_SECONDS(60),
			value_microseconds, "0 (none) to 60s, in microseconds or with us, ms or s"}},
	{'D', "duration", "TIME", "how long it runs: seconds, or with m, h or d", option_read_number,
		COMPAT_FIELD(config.duration_ns), .range = {"the duration", 0, OPTION_SECONDS(366) * 86400,
			value_seconds, "up to 366d, in seconds or with s, m, h or d"}},
	COMPAT_HELP,
	{0, "json", "FILENAME", "write the results into FILENAME, as the tool does", option_read_text,
		COMPAT_FIELD(json)},
	{0, "ipctop-json", "FILENAME", "and as ipctop does, with all that was seen", option_read_text,
		COMPAT_FIELD(config.json)},
	{'l', "loops", "LOOPS", "number of loops; default=0 (endless)", option_read_number,
		COMPAT_FIELD(config.loops),
		.range = {"the number of loops", 0, UINT64_C(1) << 48, NULL, "0 (endless) to 2^48"}},
	{'p', "priority", "PRIO", "priority; default=0 (SCHED_OTHER)", option_read_number,
		COMPAT_FIELD(config.policy.priority),
		.range = {"the priority", 0, 99, NULL, "0 (SCHED_OTHER), or 1 to 99 (SCHED_FIFO)"}},
	{'q', "quiet", NULL, "print a summary only on exit", option_read_true, COMPAT_FIELD(config.quiet)},
	{0},
};
/* clang-format on */

void compat_rt_defaults(struct compat *compat)
{
	compat->settings.config.has_policy = true; /* SCHED_OTHER too, whatever chrt gave to the program */
}

/* -S overrides -a and -t, in any order. */
static void settle_smp(struct compat_settings *settings, size_t n_cpus)
{
	if (cpus_count(&settings->config.cpus))
		fprintf(stderr, "# -a: ignored, for -S takes all usable CPUs\n");
	if (settings->has_threads && settings->threads && settings->threads != n_cpus)
		fprintf(stderr, "# -t %" PRIu64 ": ignored, for -S has one for each usable CPU: %zu\n",
			settings->threads, n_cpus);
	settings->pinned = true;
	settings->config.cpus = (struct cpus){0};
	settings->threads = n_cpus;
}

void compat_rt_settle(struct compat *compat)
{
	struct config *config = &compat->settings.config;

	config->policy.policy = config->policy.priority ? SCHED_FIFO : SCHED_OTHER;
	config->tick_ns = config->quiet ? QUIET_TICK_NS : SHOWN_TICK_NS;
	if (compat->settings.smp)
		settle_smp(&compat->settings, cpus_count(&compat->topology.usable));
}

/* --- the tools' JSON, to the space: one key a line, and two keys with a colon too many that readers know ---
 */

static void print_text(FILE *out, const char *indent, const char *key, const char *text)
{
	fprintf(out, "%s\"%s\": ", indent, key);
	if (json_print_value(out, json_text(text), "") < 0)
		fputs("\"\"", out);
	fputs(",\n", out);
}

/* Prints a time as in RFC 2822. */
static void print_time(FILE *out, const char *key, time_t seconds)
{
	char text[64];
	struct tm local;

	localtime_r(&seconds, &local);
	strftime(text, sizeof(text), "%a, %d %b %Y %H:%M:%S %z", &local);
	print_text(out, "  ", key, text);
}

static int print_command(FILE *out, int argc, char *const *argv)
{
	char *text = NULL;
	size_t size;
	FILE *words = open_memstream(&text, &size);

	for (int i = 0; words && i < argc; i++)
		fprintf(words, "%s%s", i ? " " : "", argv[i]);
	bool whole = words && fclose(words) == 0;

	if (whole)
		print_text(out, "  ", "cmdline:", text);
	free(text);
	return whole ? 0 : -ENOMEM;
}

static int read_realtime(void)
{
	FILE *file = fopen("/sys/kernel/realtime", "re");
	int value = 0;

	if (file) {
		value = fgetc(file) == '1';
		fclose(file);
	}
	return value;
}

static void print_system(FILE *out)
{
	struct utsname system;

	uname(&system);
	fprintf(out, "  \"sysinfo\": {\n");
	print_text(out, "    ", "sysname", system.sysname);
	print_text(out, "    ", "nodename", system.nodename);
	print_text(out, "    ", "release", system.release);
	print_text(out, "    ", "version", system.version);
	print_text(out, "    ", "machine", system.machine);
	fprintf(out, "    \"realtime\": %d\n  },\n", read_realtime());
}

static int write_json(const struct compat_rt *rt, int status, struct error_text *reason)
{
	const struct compat *compat = rt->compat;
	const struct session *session = &rt->measured.run.source.session;
	uint64_t lasted_ns = session->now_ns - session->start_ns;
	struct whole_file file;
	int r = whole_file_open(&file, compat->settings.json, reason);

	if (r < 0)
		return r;
	fprintf(file.out, "{\n  \"file_version\": 1,\n");
	r = print_command(file.out, compat->argc, compat->argv);
	print_text(file.out, "  ", "rt_test_version:", RT_TESTS_VERSION);
	print_time(file.out, "start_time", (time_t)(session->wall_start_ns / 1000000000u));
	print_time(file.out, "end_time", (time_t)((session->wall_start_ns + lasted_ns) / 1000000000u));
	fprintf(file.out, "  \"return_code\": %d,\n", status);
	print_system(file.out);
	fprintf(file.out, "  \"num_threads\": %zu,\n  \"thread\": {\n", rt->n_threads);
	for (size_t i = 0; i < rt->n_threads; i++) {
		fprintf(file.out, "    \"%zu\": {\n", i);
		rt->output->print_thread(file.out, rt, i);
		fprintf(file.out, "    }%s\n", i + 1 < rt->n_threads ? "," : "");
	}
	fprintf(file.out, "  }\n}\n");
	if (r == 0)
		return whole_file_close(&file, reason);
	whole_file_abandon(&file);
	return error_text_set(reason, r, "can't write %s: no memory", compat->settings.json);
}

/* --- one run --- */

/* Returns false if its reader has closed its end. */
static bool print_block(struct compat_rt *rt, bool last)
{
	FILE *out = compat_live_open(&rt->live);

	if (!out)
		return true;
	rt->output->print(out, rt, last);
	return compat_live_close(&rt->live, out, last);
}

static bool updated(void *data)
{
	struct compat_rt *rt = data;

	return rt->compat->settings.config.quiet || print_block(rt, false);
}

static int report(struct compat_rt *rt)
{
	const struct compat *compat = rt->compat;
	const struct run *run = &rt->measured.run;
	int status = compat_measure_print(&rt->measured) ? EXIT_SUCCESS : EXIT_FAILURE;
	struct error_text reason;

	print_block(rt, true);
	rt->output->compare(&run->source.session);
	if (rt->live.error)
		status = compat_complain(compat, &rt->live.reason);
	if (compat->settings.json && write_json(rt, status, &reason) < 0)
		status = compat_complain(compat, &reason);
	if (run->source.config->json &&
		report_json_write(run->source.config->json, &run->source.session, run->source.config,
			&compat->topology, run->source.ended_by, &reason) < 0)
		status = compat_complain(compat, &reason);
	return status;
}

int compat_rt_run(const struct compat *compat, const struct compat_rt_output *output, size_t n_threads)
{
	struct compat_rt rt = {.compat = compat, .output = output, .n_threads = n_threads};
	const struct config *config = &compat->settings.config;
	struct error_text reason;

	/* As in the tools: scripts end them by these signals, which a shell ignores for commands with "&". */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	compat_live_init(&rt.live, config->tool.lap_log);
	int r = compat_measure(&rt.measured, compat, config, updated, &rt, &reason);
	int status = r < 0 ? compat_complain(compat, &reason) : report(&rt);

	compat_measure_finish(&rt.measured);
	return status;
}
