/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rt.c - the common part of the tools of rt-tests: options, run, live lines, JSON, and rounding of figures.
 */
#include "src/compat/rt.h"

#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "src/base/json.h"
#include "src/base/small_file.h"
#include "src/run/output.h"

static void init_live(struct compat_live *live, bool log)
{
	const char *term = getenv("TERM");

	*live = (struct compat_live){
		.log = log,
		.terminal = isatty(STDOUT_FILENO) && !(term && !strcmp(term, "dumb")),
	};
}

/* Returns a stream for one block of whole lines; NULL without memory. */
static FILE *open_block(struct compat_live *live)
{
	return open_memstream(&live->block, &live->size);
}

/* Draws the block over the one before. A line that wraps would take a second row, and the next block would
 * start too low, so long lines are cut. */
static void draw_block(struct compat_live *live, bool last)
{
	const char *line = live->block;

	if (live->lines)
		printf("\033[%uA\r", live->lines);
	fputs(last ? "" : "\033[?7l", stdout);
	for (live->lines = 0; *line; live->lines++) {
		int length = (int)strcspn(line, "\n");

		printf("%.*s\033[K\n", length, line);
		line += length + (line[length] == '\n');
	}
	fputs(last ? "" : "\033[?7h", stdout);
}

/* Prints the block, with lines cut to the terminal's width unless it is the @last, and closes the stream.
 * Returns false if its reader has closed its end. */
static bool close_block(struct compat_live *live, FILE *out, bool last)
{
	bool whole = fclose(out) == 0 && live->size > 0;
	int r = 0;

	if (live->log) {
		live->lines = 0;
		last = true;
	}
	if (whole && (!live->terminal || last || output_keeps_up())) {
		if (live->terminal)
			draw_block(live, last);
		else
			fputs(live->block, stdout);
		if (!live->error)
			r = output_flush(&live->reason);
		if (r < 0)
			live->error = r;
	}
	free(live->block);
	return !live->error && r == 0;
}

/* --- the tools --- */

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
	{0, "ipctop-json", "FILENAME", "also write ipctop's own JSON, with all results", option_read_text,
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

void compat_rt_settle(struct compat *compat)
{
	struct compat_settings *settings = &compat->settings;
	struct config *config = &settings->config;
	size_t n_cpus = cpus_count(&compat->topology.usable);

	config->tool.break_untraced = true;
	config->has_policy = true; /* SCHED_OTHER too: chrt may have given the program another policy */
	config->policy.policy = config->policy.priority ? SCHED_FIFO : SCHED_OTHER;
	config->tick_ns = config->quiet ? QUIET_TICK_NS : SHOWN_TICK_NS;
	if (!settings->smp)
		return;
	/* -S overrides -a and -t, in any order. */
	if (cpus_count(&config->cpus))
		fprintf(stderr, "# -a: ignored, because -S uses all usable CPUs\n");
	if (settings->has_threads && settings->threads && settings->threads != n_cpus)
		fprintf(stderr, "# -t %" PRIu64 ": ignored, because -S has one for each usable CPU: %zu\n",
			settings->threads, n_cpus);
	settings->pinned = true;
	config->cpus = (struct cpus){0};
	settings->threads = n_cpus;
}

/* --- the tools' JSON, to the byte: two of its keys end with a colon --- */

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

static void print_command(FILE *out, int argc, char *const *argv)
{
	char *text = NULL;
	size_t size;
	FILE *words = open_memstream(&text, &size);

	for (int i = 0; words && i < argc; i++)
		fprintf(words, "%s%s", i ? " " : "", argv[i]);
	bool whole = words && fclose(words) == 0;

	print_text(out, "  ", "cmdline:", whole ? text : "");
	free(text);
}

static void print_system(FILE *out)
{
	struct utsname system;
	char realtime[8];

	uname(&system);
	small_file_read("/sys/kernel/realtime", realtime, sizeof(realtime));
	fprintf(out, "  \"sysinfo\": {\n");
	print_text(out, "    ", "sysname", system.sysname);
	print_text(out, "    ", "nodename", system.nodename);
	print_text(out, "    ", "release", system.release);
	print_text(out, "    ", "version", system.version);
	print_text(out, "    ", "machine", system.machine);
	fprintf(out, "    \"realtime\": %d\n  },\n", realtime[0] == '1');
}

static void print_json(FILE *out, const void *data)
{
	const struct compat_rt *rt = data;
	const struct compat *compat = rt->runs.compat;
	uint64_t n_threads = compat->settings.threads;
	const struct session *session = &rt->runs.run.source.session;
	uint64_t lasted_ns = session->now_ns - session->start_ns;

	fprintf(out, "{\n  \"file_version\": 1,\n");
	print_command(out, compat->argc, compat->argv);
	print_text(out, "  ", "rt_test_version:", RT_TESTS_VERSION);
	print_time(out, "start_time", (time_t)(session->wall_start_ns / 1000000000u));
	print_time(out, "end_time", (time_t)((session->wall_start_ns + lasted_ns) / 1000000000u));
	fprintf(out, "  \"return_code\": %d,\n", rt->runs.status);
	print_system(out);
	fprintf(out, "  \"num_threads\": %" PRIu64 ",\n  \"thread\": {\n", n_threads);
	for (size_t i = 0; i < n_threads; i++) {
		fprintf(out, "    \"%zu\": {\n", i);
		compat->tool->rt->print_thread(out, rt, i);
		fprintf(out, "    }%s\n", i + 1 < n_threads ? "," : "");
	}
	fprintf(out, "  }\n}\n");
}

/* --- one run --- */

/* Returns false if its reader has closed its end. */
static bool print_block(struct compat_rt *rt, bool last)
{
	FILE *out = open_block(&rt->live);

	if (!out)
		return true;
	rt->runs.compat->tool->rt->print(out, rt, last);
	return close_block(&rt->live, out, last);
}

static bool updated(void *data)
{
	struct compat_rt *rt = data;

	return rt->runs.compat->settings.config.quiet || print_block(rt, false);
}

static void ended(void *data)
{
	struct compat_rt *rt = data;

	print_block(rt, true);
	rt->runs.compat->tool->rt->print_gaps(&rt->runs.run.source.session);
	if (rt->live.error)
		rt->runs.status = compat_complain(rt->runs.compat, &rt->live.reason);
	compat_runs_write_json(&rt->runs, print_json, rt);
}

int compat_rt_run(const struct compat *compat)
{
	struct compat_rt rt = {.runs = {.compat = compat}};
	const struct config *config = &compat->settings.config;

	/* As in the tools: scripts end them by these signals, which a shell ignores for commands with "&". */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	init_live(&rt.live, config->tool.lap_log);
	compat_runs_measure(&rt.runs, config, updated, ended, &rt);
	return rt.runs.status;
}

/* --- figures as the tools print them --- */

uint64_t compat_min_us(const struct hist *hist)
{
	return hist->n ? hist->min_ns / 1000 : 0;
}

uint64_t compat_max_us(const struct hist *hist)
{
	return hist->n ? (hist->max_ns + 999) / 1000 : 0;
}

uint64_t compat_mean_us(const struct hist *hist)
{
	return compat_us((uint64_t)(hist_mean(hist) + 0.5));
}

int compat_priority(const struct session_ring *ring, unsigned member)
{
	struct task_policy is = ring->members[member].policy;

	return ring->observed && is.policy >= 0 ? is.priority : ring->asked.priority;
}

uint64_t compat_gap_ns(const struct hist *response, const struct hist *latency)
{
	uint64_t due_ns = response->max_ns, sent_ns = latency->n ? latency->max_ns : 0;

	if (!response->n) /* flood */
		return 0;
	if (due_ns > 2 * sent_ns)
		return due_ns - sent_ns;
	return sent_ns > 2 * due_ns ? sent_ns - due_ns : 0;
}

void compat_print_gap(const char *name, const struct hist *response, const struct hist *latency, size_t n)
{
	fprintf(stderr, "# %s: response up to %" PRIu64 " us, from when it was due; ", name,
		compat_max_us(response));
	if (latency->n)
		fprintf(stderr, "latency, as printed, up to %" PRIu64 " us, from the actual send",
			compat_max_us(latency));
	else
		fprintf(stderr, "no latency, because no cycle was counted");
	if (n > 1)
		fprintf(stderr, " (the worst of %zu such)", n);
	fputc('\n', stderr);
}
