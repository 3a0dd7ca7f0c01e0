/* SPDX-License-Identifier: GPL-2.0-or-later */
/* header_phase.c - the header's line of the phase: its name and age, and what was worst in it. */
#include "src/model/session.h"
#include "ui/panes/header.h"

static uint64_t since(const struct session *session, uint64_t then_ns)
{
	return session->now_ns > then_ns ? session->now_ns - then_ns : 0;
}

static void write_phase(const struct frame *frame, bool with_name, char *text, size_t size)
{
	const struct phase *phase = phases_current(&frame->session->phases);
	char age[32];

	if (!phase)
		return;
	units_ago(age, sizeof(age), since(frame->session, phase->start_ns));
	if (with_name && phase->name[0])
		snprintf(text, size, "PHASE %u '%s' %s", (unsigned)phase->number, phase->name, age);
	else
		snprintf(text, size, "PHASE %u %s", (unsigned)phase->number, age);
}

void header_phase(const struct frame *frame, char *text, size_t size)
{
	write_phase(frame, true, text, size);
}

void header_brief_phase(const struct frame *frame, char *text, size_t size)
{
	write_phase(frame, false, text, size);
}

/* The ring with the largest sample of the phase, of the figure that is shown; NULL where there is none. */
static const struct session_ring *find_worst(const struct frame *frame, bool both, bool isolated)
{
	const struct session *session = frame->session;
	const struct session_ring *worst = NULL;
	uint64_t worst_ns = 0;

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];
		const struct session_figure *figure =
			&ring->figures[session_figure_of(ring, frame->view->shown)];

		if ((both && ring->isolated != isolated) || !figure->phase_max_at_ns ||
			(worst && figure->phase_max_ns <= worst_ns))
			continue;
		worst = ring;
		worst_ns = figure->phase_max_ns;
	}
	return worst;
}

static void write_worst(const struct frame *frame, const char *words, const struct session_ring *worst,
	char *text, size_t size)
{
	bool several = frame->view->columns.width[COLUMN_MECHANISM] > 0;
	const struct session_figure *figure;
	char time[32], ago[32];

	if (!worst)
		return;
	figure = &worst->figures[session_figure_of(worst, frame->view->shown)];
	units_time(time, sizeof(time), 8, figure->phase_max_ns, frame->view->unit);
	units_ago(ago, sizeof(ago), since(frame->session, figure->phase_max_at_ns));
	snprintf(text, size, "%s %s%s%s %s %s ago", words, several ? worst->mechanism : "",
		several ? " " : "", worst->label, time, ago);
}

/* Of isolated CPUs where there are others too. */
void header_worst(const struct frame *frame, char *text, size_t size)
{
	bool both = row_main_group(frame->session) > 0;

	write_worst(frame, both ? "isol worst" : "worst", find_worst(frame, both, true), text, size);
}

void header_worst_housekeeping(const struct frame *frame, char *text, size_t size)
{
	if (row_main_group(frame->session) > 0)
		write_worst(frame, "hk worst", find_worst(frame, true, false), text, size);
}

/* How many samples of the phase are above the limit; of isolated CPUs where there are others too. */
static void write_above(const struct frame *frame, bool in_full, char *text, size_t size)
{
	const struct session *session = frame->session;
	uint64_t limit_ns = frame->view->limit_ns;
	size_t group = row_main_group(session);
	char title[32], count[32];

	if (!limit_ns || session->n_groups <= group)
		return;
	const struct hist *hist =
		windowed_hist(&frame->view->phase, session->n_rings + group, frame->view->shown);

	columns_title(COLUMN_ABOVE, limit_ns, title, sizeof(title));
	units_count(count, sizeof(count), 8, hist_above(hist, limit_ns));
	if (in_full)
		snprintf(text, size, "%s%s in phase: %s", group ? "isol " : "", title, count);
	else
		snprintf(text, size, "%s: %s", title, count);
}

/* The column of the same title may be of another window. */
void header_above(const struct frame *frame, char *text, size_t size)
{
	write_above(frame, true, text, size);
}

void header_brief_above(const struct frame *frame, char *text, size_t size)
{
	write_above(frame, false, text, size);
}
