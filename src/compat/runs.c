/* SPDX-License-Identifier: GPL-2.0-or-later */
/* runs.c - the runs of one call of a compat tool, one after the other: from configs to figures and reports.
 */
#include "src/compat/runs.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/model/session_events.h"
#include "src/report/report_json.h"
#include "src/run/output.h"

enum { LIST_SIZE = 256 };

/* --- one run --- */

/* The tools' output does not show the policy, so a reader would take figures of another one for those of the
 * requested one. */
static int check_policy(const struct run *run, struct error_text *reason)
{
	static const uint32_t no_policy = SHORT_OF_REALTIME | SHORT_OF_RT_RUNTIME | SHORT_OF_POLICY;
	uint32_t lacks = engine_shortcomings(&run->engine) & no_policy;

	if (!lacks)
		return 0;
	arena_describe(lacks, reason);
	return -EPERM;
}

static int open_compat_tool(struct source *source, void **state, struct error_text *reason)
{
	*state = (char *)source - offsetof(struct compat_runs, run.source);
	return source_listen(source, reason);
}

/* After FEED_STOP, compat_runs_measure() ends with its own print. */
static int print_tick(void *state, const struct feed_item *item, struct error_text *reason)
{
	struct compat_runs *runs = state;

	if (item->kind == FEED_TICK && !runs->run.source.has_result && !runs->updated(runs->data))
		source_end(&runs->run.source, "output closed");
	return 0;
}

static const struct module module_compat_tool = {.open = open_compat_tool, .feed = print_tick};
static const struct module *const modules[] = {&module_session, &module_compat_tool, NULL};

static int start_run(struct compat_runs *runs, const struct config *config, struct error_text *reason)
{
	const struct compat *compat = runs->compat;
	const struct engine_job job = {&runs->plan, config, &compat->topology, compat->registry};
	struct run *run = &runs->run;
	int r = plan_init(&runs->plan, config, &compat->topology, NULL, &runs->notes, reason);

	if (r < 0)
		return r;
	input_thread_block_signals();
	runs->started = true;
	r = run_prepare(run, &job, &runs->notes, reason);
	output_begin(); /* after the keeper's fork: only the front writes to terminals */
	if (r == 0)
		r = source_start(&run->source, modules, command_rows, reason);
	return r < 0 ? r : check_policy(run, reason);
}

/* Only one run of all methods has such a ring; of a single one, settle has refused it. */
static bool lacks_its_mechanism(const struct plan_ring *ring)
{
	return ring->probe->missing && ring->probe->missing();
}

static void print_event(const char *before, const struct event *event)
{
	fputs(before, stderr);
	event_print(stderr, event);
	fputc('\n', stderr);
}

/* Prints notes, missing rights and limits, why rings failed, and the latency that exceeded -b. Returns
 * whether all rings ran, and -b could stop tracing: if not, the trace is lost. Tracing may have been off
 * before, or missing. A mechanism that build or machine lacks is no failure. */
static bool print_notes(const struct compat_runs *runs)
{
	const struct run *run = &runs->run;
	const struct session *session = &run->source.session;
	const struct event *breach = session_breach(session);
	uint32_t lacks = engine_shortcomings(&run->engine);
	char found[TRACING_TEXT_SIZE];
	struct error_text reason;
	bool all_ran = !run->keeper_lost;

	for (size_t i = 0; i < runs->notes.n; i++)
		fprintf(stderr, "# %s\n", runs->notes.text[i]);
	if (lacks) {
		arena_describe(lacks, &reason);
		fprintf(stderr, "# %s\n", reason.text);
	}
	if (run->keeper_lost)
		fprintf(stderr, "# the process that keeps the rings was killed\n");
	for (size_t i = 0; i < session->n_events; i++)
		if (event_class(&session->events[i]) == CLASS_RING)
			print_event("# ", &session->events[i]);
	for (size_t i = 0; i < session->n_rings; i++)
		all_ran &=
			session->rings[i].state != RING_FAILED || lacks_its_mechanism(&runs->plan.rings[i]);
	if (breaktrace_found(&run->engine.tracing, found)[0])
		fprintf(stderr, "# %s\n", found);
	if (breach)
		print_event("# -b: ", breach);
	return all_ran &&
	       (!breach || !breach->error || breach->error == -EALREADY || breach->error == -ENOENT);
}

static int write_report(struct compat_runs *runs, struct error_text *reason)
{
	const struct source *source = &runs->run.source;
	const char *path = source->config->json;
	int r = path && !runs->report.out ? whole_file_open(&runs->report, path, reason) : 0;

	if (!path || r < 0)
		return r;
	if (runs->several)
		fputs(runs->n_reports ? ",\n" : "[\n", runs->report.out);
	runs->n_reports++;
	r = report_json_print(runs->report.out, &source->session,
		&(struct report_origin){source->ended_by, source->config, &runs->compat->topology});
	if (r < 0) {
		whole_file_abandon(&runs->report);
		return error_text_set(reason, r, "can't write %s: no memory", path);
	}
	return runs->several ? 0 : whole_file_close(&runs->report, reason);
}

bool compat_runs_measure(struct compat_runs *runs, const struct config *config, bool (*updated)(void *data),
	void (*ended)(void *data), void *data)
{
	struct error_text reason;
	bool goes_on = false;

	runs->run = (struct run){0};
	runs->started = false;
	runs->updated = updated;
	runs->data = data;
	int r = start_run(runs, config, &reason);

	if (r == 0) {
		/* While hosts are the tool, this process is not: its input thread has real-time priority. */
		process_words_show(&runs->compat->shown, false);
		source_loop(&runs->run.source);
		process_words_show(&runs->compat->shown, true);
		run_stop(&runs->run);
		input_thread_unblock_signals(); /* from here on nothing is left behind */
		if (!print_notes(runs))
			runs->status = EXIT_FAILURE;
		if (ended)
			ended(data);
		r = write_report(runs, &reason);
		goes_on = r == 0 && !runs->run.source.signal;
	}
	if (r < 0)
		runs->status = compat_complain(runs->compat, &reason);
	if (runs->started)
		run_finish(&runs->run); /* its modules have nothing to end */
	plan_finish(&runs->plan);
	notes_finish(&runs->notes);
	return goes_on;
}

void compat_runs_write_json(
	struct compat_runs *runs, void (*print)(FILE *out, const void *data), const void *data)
{
	const char *path = runs->compat->settings.json;
	struct error_text reason;
	struct whole_file file;
	int r = path ? whole_file_open(&file, path, &reason) : 0;

	if (path && r == 0) {
		print(file.out, data);
		r = whole_file_close(&file, &reason);
	}
	if (r < 0)
		runs->status = compat_complain(runs->compat, &reason);
}

int compat_cpu(const struct session_ring *ring, unsigned member)
{
	const struct tick_member *is = &ring->members[member];

	if (ring->observed && is->cpu >= 0)
		return is->cpu;
	return ring->observed && is->ran_on ? is->ran_on - 1 : (int)ring->cpus[member];
}

/* --- benchmarks --- */

/* clang-format off */
const struct option_row compat_bench_options[] = {
	{0, "cpus", "LIST", "pin member #N to the Nth CPU of LIST, from the first\non again", option_read_cpus,
		COMPAT_FIELD(config.cpus), COMPAT_HAS(pinned)},
	COMPAT_HELP,
	{0, "json", "FILENAME", "write the results into FILENAME too", option_read_text, COMPAT_FIELD(json)},
	{0, "ipctop-json", "FILENAME", "also write ipctop's own JSON, with all results", option_read_text,
		COMPAT_FIELD(config.json)},
	{0},
};
/* clang-format on */

void compat_runs_close(struct compat_runs *runs)
{
	bool one = cpus_count(&runs->ran_on) == 1;
	struct error_text reason;
	char list[LIST_SIZE];

	if (!runs->compat->settings.pinned && cpus_count(&runs->ran_on))
		fprintf(stderr,
			"# the members ran on CPU%s %s, as the scheduler placed them; --cpus LIST pins them\n",
			one ? "" : "s", cpus_format(&runs->ran_on, list, sizeof(list)));
	if (!runs->report.out)
		return;
	fputs("]\n", runs->report.out);
	if (whole_file_close(&runs->report, &reason) < 0)
		runs->status = compat_complain(runs->compat, &reason);
}

void compat_ran_on(const struct session_ring *ring, struct cpus *ran_on)
{
	for (unsigned m = 0; m < ring->n_members; m++)
		if (ring->members[m].tid)
			cpus_add(ran_on, (unsigned)compat_cpu(ring, m));
}

void compat_print_ran_on(FILE *out, const struct cpus *ran_on)
{
	char list[LIST_SIZE];

	fprintf(out, ", \"ran_on\": \"%s\"", cpus_format(ran_on, list, sizeof(list)));
}
