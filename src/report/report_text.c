/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_text.c - the reports in plain text, for pipes and files: lines during a run, and a summary. */
#include "src/report/report_text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/session.h"
#include "src/model/session_events.h"
#include "src/report/report_table.h"

enum { HEAD_EVERY = 20, EVENTS_SHOWN = 50, EVENT_INDENT = 9 };

static void print_event(FILE *out, const struct session *session, const struct event *event)
{
	char when[REPORT_TIME_SIZE], *text = event_text(event);

	report_time(when, session, event->at_ns);
	int x = fprintf(out, "%s %s: ", when, event_class_name(event));

	report_wrap(out, x > 0 ? (unsigned)x : 0, EVENT_INDENT, text ? text : "no memory for its text");
	free(text);
}

void report_line(
	FILE *out, const struct session *session, enum figure figure, struct report_progress *progress)
{
	uint64_t n = session->events_dropped + session->n_events;

	if (progress->events < session->events_dropped)
		progress->events = session->events_dropped;
	for (; progress->events < n; progress->events++)
		print_event(out, session, &session->events[progress->events - session->events_dropped]);
	report_live_table(out, session, figure, &progress->widths, progress->blocks++ % HEAD_EVERY == 0);
}

static const char *or_none(const char *text)
{
	return text[0] ? text : "none";
}

/* Prints which stamps were taken, the size of the largest token, and of the members' work. */
static void print_load(FILE *out, const struct session *session)
{
	char stamps[SESSION_STAMPS_SIZE] = "";
	uint64_t bytes = 0;

	if (session->n_rings && *session_stamps_text(&session->rings[0], stamps))
		fprintf(out, ", %s", stamps);

	for (size_t i = 0; i < session->n_rings; i++)
		bytes = session->rings[i].token_bytes > bytes ? session->rings[i].token_bytes : bytes;
	if (bytes > 1)
		fprintf(out, ", token of %llu bytes", (unsigned long long)bytes);
	if (session->work_size)
		fprintf(out, ", work of %llu KiB", (unsigned long long)(session->work_size >> 10));
}

/* Of "3.69 2.80 1.95 5/113 26912" the averages: the rest jumps. */
static int averages_length(const char *loadavg)
{
	int length = (int)strlen(or_none(loadavg));

	sscanf(loadavg, "%*s %*s %*s%n", &length);
	return length;
}

static void print_machine(FILE *out, const struct session *session, enum figure asked)
{
	const struct machine *machine = &session->machine;
	char dma_latency[MACHINE_WORD_SIZE], held[48] = "", facts[4 * MACHINE_WORD_SIZE + 128];
	uint64_t duration_ns = session_position_ns(session) - session->start_ns;
	enum figure figure;

	report_figure(session, asked, &figure);
	snprintf(facts, sizeof(facts), "ipctop %s on %s, kernel %s, preemption %s", IPCTOP_VERSION,
		machine->host, machine->kernel, machine->preemption);
	report_wrap(out, 0, 0, facts);
	machine_dma_latency_word(machine, dma_latency, sizeof(dma_latency));
	if (machine->dma_latency_held_us >= 0)
		snprintf(held, sizeof(held), " (%d us held by this run)", (int)machine->dma_latency_held_us);
	snprintf(facts, sizeof(facts), "isolated %s, nohz_full %s, governor %s, dma latency %s%s",
		or_none(machine->isolated), or_none(machine->nohz_full),
		or_none(fact_rows_summary(machine->governor)), dma_latency, held);
	report_wrap(out, 0, 0, facts);
	fprintf(out, "clock %s, %u ns a read; load %.*s\n", or_none(machine->clock_source),
		(unsigned)machine->clock_cost_ns, averages_length(session->loadavg),
		or_none(session->loadavg));
	fprintf(out, "%.1f s, figure: %s, times in us", (double)duration_ns / 1e9, figure_title(figure));
	print_load(out, session);
	fprintf(out, "\n\n");
}

/* "--fail-above 50 us: 604 of 498204 samples, worst mq 0>8 705.59 us at 22:16:10" */
static void print_limit(FILE *out, const struct session *session, enum figure figure, uint64_t limit_ns)
{
	const struct session_ring *ring = NULL;
	const struct hist *worst = NULL;
	uint64_t n = 0, n_above = 0;
	char text[320], when[REPORT_TIME_SIZE];

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *each = &session->rings[i];
		const struct hist *hist = &each->figures[session_figure_of(each, figure)].hist;

		n += hist->n;
		n_above += hist_above(hist, limit_ns);
		if (hist->n && (!worst || hist->max_ns > worst->max_ns)) {
			worst = hist;
			ring = each;
		}
	}
	if (!limit_ns)
		return;
	/* The bucket of the limit counts as above if its middle is; the maximum is exact. */
	n_above += !n_above && worst && worst->max_ns > limit_ns;
	int length = snprintf(text, sizeof(text), "--fail-above %g us: %llu of %llu samples",
		(double)limit_ns / 1e3, (unsigned long long)n_above, (unsigned long long)n);

	if (worst) {
		report_time(when, session, worst->max_at_ns);
		snprintf(text + length, sizeof(text) - (size_t)length, ", worst %s %s %.3f us at %s",
			ring->mechanism, ring->label, (double)worst->max_ns / 1e3, when);
	}
	report_wrap(out, 0, 2, text);
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

void report_summary(FILE *out, const struct session *session, enum figure figure, uint64_t limit_ns)
{
	const struct event *breach = session_breach(session);
	uint64_t rested = 0;

	for (size_t i = 0; i < session->n_rings; i++)
		rested += session->rings[i].rested;
	print_machine(out, session, figure);
	struct report_signs signs = report_summary_table(out, session, figure);

	signs.has_tilde |= report_hops_tables(out, session);
	signs.has_tilde |= report_phases_table(out, session, figure);
	if (signs.has_tilde)
		fprintf(out, "~ fewer than %d samples beyond it: not to be trusted\n", HIST_BEYOND_TRUSTED);
	if (signs.has_exclamation)
		fprintf(out, "! not what was asked\n");
	if (rested)
		fprintf(out, "%llu slots rested, so that others get the CPU: in no figure, and not missed\n",
			(unsigned long long)rested);
	print_limit(out, session, figure, limit_ns);
	if (breach) {
		char *text = event_text(breach);

		report_wrap(out, (unsigned)fprintf(out, "ended by -b: "), 2, text ? text : "");
		free(text);
	}
	print_events(out, session);
}
