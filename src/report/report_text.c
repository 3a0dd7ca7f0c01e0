/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_text.c - the reports in plain text, for pipes and files: lines during a run, and a summary. */
#include "src/report/report_text.h"

#include <stdbool.h>

#include "src/model/session.h"
#include "src/model/session_events.h"
#include "src/report/report_table.h"

enum { HEAD_EVERY = 20, EVENTS_SHOWN = 50 };

static void print_event(FILE *out, const struct session *session, const struct event *event)
{
	char when[REPORT_TIME_SIZE];

	report_time(when, session, event->at_ns);
	fprintf(out, "%s %s: ", when, event_class_name(event));
	event_print(out, event);
	fputc('\n', out);
}

void report_line(
	FILE *out, const struct session *session, enum figure figure, struct report_progress *progress)
{
	uint64_t n = session->events_dropped + session->n_events;

	if (progress->events < session->events_dropped)
		progress->events = session->events_dropped;
	for (; progress->events < n; progress->events++)
		print_event(out, session, &session->events[progress->events - session->events_dropped]);
	report_live_table(out, session, figure, progress->blocks++ % HEAD_EVERY == 0);
}

static const char *or_none(const char *text)
{
	return text[0] ? text : "none";
}

static void print_dma_latency(FILE *out, const struct machine *machine)
{
	char word[MACHINE_WORD_SIZE];

	machine_dma_latency_word(machine, word, sizeof(word));
	fprintf(out, "dma latency %s", word);
	if (machine->dma_latency_held_us >= 0)
		fprintf(out, " (%d us held by this run)", (int)machine->dma_latency_held_us);
}

/* Names the size of the largest token and of the members' work, where they have one. */
static void print_load(FILE *out, const struct session *session)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < session->n_rings; i++)
		bytes = session->rings[i].token_bytes > bytes ? session->rings[i].token_bytes : bytes;
	if (bytes > 1)
		fprintf(out, ", token of %llu bytes", (unsigned long long)bytes);
	if (session->work_size)
		fprintf(out, ", work of %llu KiB", (unsigned long long)(session->work_size >> 10));
}

static void print_machine(FILE *out, const struct session *session, enum figure figure)
{
	const struct machine *machine = &session->machine;
	enum figure shown = session->n_rings ? session_figure_of(&session->rings[0], figure) : figure;
	uint64_t duration_ns = session_position_ns(session) - session->start_ns;

	fprintf(out, "ipctop %s on %s, kernel %s, preemption %s\n", IPCTOP_VERSION, machine->host,
		machine->kernel, machine->preemption);
	fprintf(out, "isolated %s, nohz_full %s, governor %s, ", or_none(machine->isolated),
		or_none(machine->nohz_full), or_none(machine->governor));
	print_dma_latency(out, machine);
	fprintf(out, "\nclock %s, %u ns a read; load %s\n", or_none(machine->clock_source),
		(unsigned)machine->clock_cost_ns, or_none(session->loadavg));
	fprintf(out, "%.1f s, figure: %s, times in us", (double)duration_ns / 1e9, figure_title(shown));
	print_load(out, session);
	fprintf(out, "\n\n");
}

static void print_rests(FILE *out, const struct session *session)
{
	uint64_t slots = 0;

	for (size_t i = 0; i < session->n_rings; i++)
		slots += session->rings[i].rested;
	if (slots)
		fprintf(out,
			"%llu slots rested, so that others get the CPU: they are in no figure, and not missed\n",
			(unsigned long long)slots);
}

static void print_breach(FILE *out, const struct session *session)
{
	const struct event *breach = session_breach(session);

	if (!breach)
		return;
	fprintf(out, "ended by -b: ");
	event_print(out, breach);
	fputc('\n', out);
}

static void print_events(FILE *out, const struct session *session)
{
	size_t first = session->n_events > EVENTS_SHOWN ? session->n_events - EVENTS_SHOWN : 0;
	uint64_t earlier = session->events_dropped + first;

	if (session->n_events > 0)
		fputc('\n', out);
	if (earlier > 0)
		fprintf(out, "(%llu earlier events are not shown)\n", (unsigned long long)earlier);
	for (size_t i = first; i < session->n_events; i++)
		print_event(out, session, &session->events[i]);
}

void report_summary(FILE *out, const struct session *session, enum figure figure)
{
	print_machine(out, session, figure);
	struct report_signs signs = report_summary_table(out, session, figure);

	signs.has_tilde |= report_hops_tables(out, session);
	if (signs.has_tilde)
		fprintf(out, "~ fewer than %d samples beyond it: not to be trusted\n", REPORT_TRUSTED_BEYOND);
	if (signs.has_exclamation)
		fprintf(out, "! not what was asked\n");
	print_rests(out, session);
	print_breach(out, session);
	print_events(out, session);
}
