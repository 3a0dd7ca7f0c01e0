/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure.c - one run for a front end: from its config to the session that it prints from. */
#include "src/compat/measure.h"

#include <errno.h>
#include <stdio.h>

#include "src/model/session_events.h"
#include "src/run/output.h"

static const uint32_t no_policy = SHORT_OF_REALTIME | SHORT_OF_RT_RUNTIME | SHORT_OF_POLICY;

/* Figures at another priority would be taken for those of the priority that was asked for: the output does
 * not show which it was. */
static int check_policy(const struct run *run, struct error_text *reason)
{
	uint32_t lacks = engine_shortcomings(&run->engine) & no_policy;

	if (!lacks)
		return 0;
	arena_describe(lacks, reason);
	return -EPERM;
}

static int start(struct compat_measured *measured, const struct compat *compat, const struct config *config,
	struct error_text *reason)
{
	struct run *run = &measured->run;
	int r = plan_init(&measured->plan, config, &compat->topology, NULL, &measured->notes, reason);

	if (r < 0)
		return r;
	input_thread_block_signals();
	measured->started = true;
	r = run_prepare(
		run, config, &compat->topology, &measured->plan, &measured->notes, compat->registry, reason);
	output_begin(); /* after the keeper's fork: terminals are the front's alone */
	if (r == 0)
		r = source_listen(&run->source, reason);
	if (r == 0)
		r = source_start(&run->source, false, reason);
	return r < 0 ? r : check_policy(run, reason);
}

int compat_measure(struct compat_measured *measured, const struct compat *compat, const struct config *config,
	bool (*updated)(void *data), void *data, struct error_text *reason)
{
	*measured = (struct compat_measured){0};
	int r = start(measured, compat, config, reason);

	if (r < 0)
		return r;
	source_loop(&measured->run.source, updated, data);
	run_stop(&measured->run);
	input_thread_unblock_signals(); /* nothing is left to be cleaned up */
	return 0;
}

void compat_measure_finish(struct compat_measured *measured)
{
	if (measured->started)
		run_finish(&measured->run);
	plan_finish(&measured->plan);
	notes_finish(&measured->notes);
}

static void print_event(const char *before, const struct event *event)
{
	fputs(before, stderr);
	event_print(stderr, event);
	fputc('\n', stderr);
}

/* Tracing that was off already is no failure. Tracing that could not be stopped is one: the trace is lost. */
static bool print_breach(const struct run *run)
{
	const struct event *breach = session_breach(&run->source.session);
	char found[TRACING_TEXT_SIZE];

	if (breaktrace_found(&run->engine.tracing, found)[0])
		fprintf(stderr, "# %s\n", found);
	if (breach)
		print_event("# -b: ", breach);
	return !breach || !breach->error || breach->error == -EALREADY;
}

bool compat_measure_print(const struct compat_measured *measured)
{
	const struct session *session = &measured->run.source.session;
	uint32_t lacks = engine_shortcomings(&measured->run.engine);
	struct error_text reason;
	bool all_ran = !measured->run.keeper_lost;

	for (size_t i = 0; i < measured->notes.n; i++)
		fprintf(stderr, "# %s\n", measured->notes.text[i]);
	if (lacks) {
		arena_describe(lacks, &reason);
		fprintf(stderr, "# %s\n", reason.text);
	}
	if (measured->run.keeper_lost)
		fprintf(stderr, "# the process that keeps the rings was killed\n");
	for (size_t i = 0; i < session->n_events; i++)
		if (event_class(&session->events[i]) == CLASS_RING)
			print_event("# ", &session->events[i]);
	for (size_t i = 0; i < session->n_rings; i++)
		all_ran &= session->rings[i].state != RING_FAILED;
	return print_breach(&measured->run) && all_ran;
}
