/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_text.c - the reports in plain text, for pipes and files: lines during a run, and a summary. */
#include "src/report/report_text.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/model/matrix.h"
#include "src/model/session.h"
#include "src/model/session_events.h"
#include "src/report/load_effects_text.h"
#include "src/report/matrix_text.h"
#include "src/report/report_lines.h"

enum { HEAD_EVERY = 20, EVENTS_SHOWN = 50, EVENT_INDENT = 9, CAUSES_SHOWN = 5, BLAME_SIZE = 512 };
enum { SPIKE_SIZE = EXPLANATION_TEXT_SIZE + 256 };

/* Returns the longest spike that has ended; NULL if there is none. */
static const struct kept_spike *find_worst_spike(const struct session_spikes *spikes)
{
	size_t i = 0;

	while (i < spikes->n_worst && !spikes->worst[i].spike.received_ns)
		i++;
	return i < spikes->n_worst ? &spikes->worst[i] : NULL;
}

/* "mq 0>0, 11 ms: sh 4711 (RT90) held CPU 0 for 11 ms" */
static char *format_spike(char text[SPIKE_SIZE], const struct session *session, const struct kept_spike *kept)
{
	const struct session_ring *ring = session_find_ring(session, kept->spike.ring);
	char time[EXPLANATION_TIME_SIZE], explanation[EXPLANATION_TEXT_SIZE], name[SESSION_NAME_SIZE];

	snprintf(text, SPIKE_SIZE, "%s, %s: %s",
		ring ? session_spike_name(ring, &kept->spike, name) : "ring removed",
		explanation_time(time, spike_length_ns(&kept->spike)),
		explanation_text(kept->explanation, explanation));
	return text;
}

/* "chrt (RT90) 45 %, not woken 14 %, others 3 %": of the time of all spikes. */
static char *format_blame(char text[BLAME_SIZE], const struct blame_sums *sums)
{
	uint64_t rest_ns = sums->ns, least_ns = sums->ns / 200;
	size_t n = 0;

	text[0] = '\0';
	for (size_t i = 0; i < sums->n && n < CAUSES_SHOWN && sums->list[i].ns > least_ns; i++) {
		const struct blamed *blamed = &sums->list[i];

		if (blamed_is_others(blamed))
			continue;
		text_print(text, BLAME_SIZE, "%s%s %.0f %%", n++ ? ", " : "", blamed->text,
			100 * (double)blamed->ns / (double)sums->ns);
		rest_ns -= blamed->ns < rest_ns ? blamed->ns : rest_ns;
	}
	if (rest_ns > least_ns)
		text_print(text, BLAME_SIZE, "%sothers %.0f %%", n ? ", " : "",
			100 * (double)rest_ns / (double)sums->ns);
	return text;
}

/* "spikes 112: chrt (RT90) 45 %, not woken 14 %", and the worst one. */
static void print_spikes(FILE *out, const struct session *session)
{
	const struct session_spikes *spikes = &session->spikes;
	const struct kept_spike *worst = find_worst_spike(spikes);
	char blame[BLAME_SIZE], text[SPIKE_SIZE + REPORT_CLOCK_SIZE + 32], spike[SPIKE_SIZE],
		when[REPORT_CLOCK_SIZE];

	if (!spikes->blames.n_spikes)
		return;
	snprintf(text, sizeof(text), "spikes %llu", (unsigned long long)spikes->blames.n_spikes);
	if (spikes->blames.n_passed_over)
		text_print(text, sizeof(text), ", and %llu that are only counted",
			(unsigned long long)spikes->blames.n_passed_over);
	text_print(text, sizeof(text), ": %s", format_blame(blame, &spikes->blames));
	report_wrap(out, 0, 2, text);
	if (!worst)
		return;
	report_clock(when, session, spike_end_ns(&worst->spike));
	snprintf(text, sizeof(text), "worst spike at %s: %s", when, format_spike(spike, session, worst));
	report_wrap(out, 0, 2, text);
}

/* Prints the longest spike that has ended if it is longer than the one that was printed before. */
static void print_new_worst_spike(FILE *out, const struct session *session, struct report_progress *progress)
{
	const struct kept_spike *worst = find_worst_spike(&session->spikes);
	char when[REPORT_CLOCK_SIZE], text[SPIKE_SIZE];

	if (!worst || spike_length_ns(&worst->spike) <= progress->worst_spike_ns)
		return;
	progress->worst_spike_ns = spike_length_ns(&worst->spike);
	report_clock(when, session, spike_end_ns(&worst->spike));
	int x = fprintf(out, "%s worst spike: ", when);

	report_wrap(out, x > 0 ? (unsigned)x : 0, EVENT_INDENT, format_spike(text, session, worst));
}

static void print_event(FILE *out, const struct session *session, const struct event *event)
{
	char when[REPORT_CLOCK_SIZE], *text = event_text(event);

	report_clock(when, session, event->at_ns);
	int x = fprintf(out, "%s %s: ", when, event_class_name(event));

	report_wrap(out, x > 0 ? (unsigned)x : 0, EVENT_INDENT, text ? text : "no memory for its text");
	free(text);
}

void report_line(FILE *out, const struct session *session, enum figure figure, enum window window,
	struct report_progress *progress)
{
	const struct event *event = NULL;

	while ((event = session_event_after(session, event ? event->serial : progress->events)))
		print_event(out, session, event);
	progress->events = session_last_serial(session);
	print_new_worst_spike(out, session, progress);
	report_tables_live(
		out, session, figure, window, &progress->widths, progress->blocks++ % HEAD_EVERY == 0);
}

static const char *or_none(const char *text)
{
	return text[0] ? text : "none";
}

/* Prints which stamps were taken, the size of the largest token, and of the members' work. */
static void print_load(FILE *out, const struct session *session)
{
	char stamps[SESSION_STAMPS_SIZE] = "";
	uint64_t bytes = 0, least = UINT64_MAX;

	if (session->n_rings && *session_stamps_text(&session->rings[0], stamps))
		fprintf(out, ", %s", stamps);

	for (size_t i = 0; i < session->n_rings; i++) {
		bytes = session->rings[i].token_bytes > bytes ? session->rings[i].token_bytes : bytes;
		least = session->rings[i].token_bytes < least ? session->rings[i].token_bytes : least;
	}
	if (bytes > 1)
		fprintf(out, least < bytes ? ", tokens of up to %llu bytes" : ", token of %llu bytes",
			(unsigned long long)bytes);
	if (session->work_size)
		fprintf(out, ", work of %llu KiB", (unsigned long long)(session->work_size >> 10));
}

/* Returns the length of the averages in "3.69 2.80 1.95 5/113 26912": the rest jumps. */
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

	report_tables_figure(session, asked, &figure);
	const char *title = !session->matrix             ? figure_title(figure)
			    : session->matrix->has_first ? "first hop, hop and lap"
							 : "hop and lap";

	snprintf(facts, sizeof(facts), "ipctop %s on %s, kernel %s, preemption %s", IPCTOP_VERSION,
		machine->host, machine->kernel, machine->preemption);
	report_wrap(out, 0, 0, facts);
	machine_word(machine, machine_fact_reported("dma_latency.us"), dma_latency);
	if (machine->dma_latency_held_us >= 0)
		snprintf(held, sizeof(held), " (%d us held by this run)", (int)machine->dma_latency_held_us);
	snprintf(facts, sizeof(facts), "isolated %s, nohz_full %s, governor %s, dma latency %s%s",
		or_none(machine->isolated), or_none(machine->nohz_full),
		or_none(fact_rows_summary(machine->governor)), dma_latency, held);
	report_wrap(out, 0, 0, facts);
	snprintf(facts, sizeof(facts), "disturbed by --load %s", machine->loads);
	if (*machine->loads && strcmp(machine->loads, "none") != 0)
		report_wrap(out, 0, 0, facts);
	fprintf(out, "clock %s, %u ns a read; load %.*s\n", or_none(machine->clock_source),
		(unsigned)machine->clock_cost_ns, averages_length(session->loadavg),
		or_none(session->loadavg));
	fprintf(out, "%.1f s, figure: %s, times in us", (double)duration_ns / 1e9, title);
	print_load(out, session);
	fprintf(out, "\n\n");
}

/* "--fail-above 50 us: 604 of 498204 samples, worst mq 0>8 705.59 us at 22:16:10" */
static void print_limit(FILE *out, const struct session *session, enum figure figure, uint64_t limit_ns)
{
	const struct session_ring *ring = NULL;
	const struct hist *worst = NULL;
	uint64_t n = 0, n_above = 0;
	char text[320], when[REPORT_CLOCK_SIZE], name[SESSION_NAME_SIZE];

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
	snprintf(text, sizeof(text), "--fail-above %.10g us: %llu of %llu samples", (double)limit_ns / 1e3,
		(unsigned long long)n_above, (unsigned long long)n);

	if (worst) {
		report_clock(when, session, worst->max_at_ns);
		text_print(text, sizeof(text), ", worst %s %.3f us at %s", session_ring_name(ring, name),
			(double)worst->max_ns / 1e3, when);
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
	if (session->matrix) {
		matrix_text_summary(out, session);
		print_events(out, session);
		return;
	}
	struct report_signs signs = report_tables_summary(out, session, figure);

	signs.has_tilde |= report_tables_hops(out, session);
	signs.has_tilde |= report_tables_phases(out, session, figure);
	signs.has_tilde |= load_effects_text_print(out, session);
	if (signs.has_tilde)
		fprintf(out, "~ fewer than %d samples beyond it: not to be trusted\n", HIST_BEYOND_TRUSTED);
	if (signs.has_exclamation)
		fprintf(out, "! differs from the requested scheduling\n");
	if (rested)
		fprintf(out,
			"%llu slot%s rested so that other tasks get the CPU: in no figure, and not missed\n",
			(unsigned long long)rested, rested == 1 ? "" : "s");
	print_spikes(out, session);
	print_limit(out, session, figure, limit_ns);
	if (breach) {
		char *text = event_text(breach);

		report_wrap(out, (unsigned)fprintf(out, "ended by -b: "), 2, text ? text : "");
		free(text);
	}
	print_events(out, session);
}
