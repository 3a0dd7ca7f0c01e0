/* SPDX-License-Identifier: GPL-2.0-or-later */
/* header.c - the pane that says what is measured, where, and whether it can be trusted. */
#include <string.h>
#include <time.h>

#include "src/model/session.h"
#include "ui/panes/header.h"

enum { FIELD_MAX = 300, GAP = 2 };

static void write_program(const struct frame *frame, char *text, size_t size)
{
	snprintf(text, size, "ipctop");
}

static void write_host(const struct frame *frame, char *text, size_t size)
{
	snprintf(text, size, "%s", frame->session->machine.host);
}

static void write_figure(const struct frame *frame, char *text, size_t size)
{
	snprintf(text, size, "%s [%s]", figure_title(frame->view->shown), unit_name(frame->view->unit));
}

static void brief_figure(const struct frame *frame, char *text, size_t size)
{
	snprintf(text, size, "%s [%s]", figure_name(frame->view->shown), unit_name(frame->view->unit));
}

static void write_window(const struct frame *frame, char *text, size_t size)
{
	snprintf(text, size, "window %s", window_name(frame->view->window));
}

static void write_sort(const struct frame *frame, char *text, size_t size)
{
	char title[32];

	columns_title(frame->view->sort, frame->view->limit_ns, title, sizeof(title));
	if (frame->view->sort != COLUMN_PAIR)
		snprintf(text, size, "by %s", title);
}

static void write_filter(const struct frame *frame, char *text, size_t size)
{
	const struct filter *filter = &frame->view->filter;

	if (filter->n_words)
		snprintf(text, size, "filter %s (%zu of %zu)", filter->text, frame->view->order.n_passed,
			frame->session->n_rings);
}

static void brief_filter(const struct frame *frame, char *text, size_t size)
{
	snprintf(text, size, "%zu of %zu", frame->view->order.n_passed, frame->session->n_rings);
}

static void write_turn(const struct frame *frame, char *text, size_t size)
{
	if (frame->session->n_turns > 1)
		snprintf(text, size, "turn %u/%u", frame->session->turn + 1, frame->session->n_turns);
}

/* "01:12:34", then "2d 01:12". Returns @text. */
static char *write_time(char *text, size_t size, unsigned long long s)
{
	if (s >= 86400)
		snprintf(text, size, "%llud %02llu:%02llu", s / 86400, s / 3600 % 24, s / 60 % 60);
	else
		snprintf(text, size, "%02llu:%02llu:%02llu", s / 3600, s / 60 % 60, s % 60);
	return text;
}

static void write_live(const struct frame *frame, char *text, size_t size)
{
	if (frame->view->refresh_ns && !frame->view->frozen && !frame->view->is_replay)
		snprintf(text, size, "LIVE %.1fs", (double)frame->view->refresh_ns / 1e9);
}

/* What is shown is not what is now: which sign says so. */
static void write_moment(const struct frame *frame, char *text, size_t size)
{
	const struct view *view = frame->view;
	uint64_t s = view->frozen_age_ns / 1000000000u;
	char age[48];

	write_time(age, sizeof(age), s);
	if (view->no_history)
		snprintf(text, size, "NO HISTORY");
	else if (view->frozen)
		snprintf(text, size, "FROZEN %s ago", s < 3600 ? age + strlen("00:") : age);
	else if (view->is_replay && view->playing.ended)
		snprintf(text, size, "END");
	else if (view->is_replay && view->playing.paused)
		snprintf(text, size, "PAUSED");
	else if (view->is_replay)
		snprintf(text, size, "REPLAY x%g", view->playing.speed);
}

static void write_place(const struct frame *frame, char *text, size_t size)
{
	const struct playing *playing = &frame->view->playing;
	const struct session *session = frame->session;
	uint64_t at_ns = playing->sought_ns ? playing->sought_ns : session->now_ns;
	char at[48], end[48];

	at_ns = at_ns > playing->start_ns ? at_ns - playing->start_ns : 0;
	write_time(at, sizeof(at), at_ns / 1000000000u);
	write_time(end, sizeof(end), (playing->end_ns - playing->start_ns) / 1000000000u);
	snprintf(text, size, "%s/%s", at, end);
}

/* When it was: by the clock on the wall, or in the recording. */
static void write_moment_time(const struct frame *frame, char *text, size_t size)
{
	const struct session *session = frame->session;
	int64_t since_ns =
		session->now_ns > session->start_ns ? (int64_t)(session->now_ns - session->start_ns) : 0;
	time_t wall_s = (time_t)(((int64_t)session->wall_start_ns + since_ns) / 1000000000);
	struct tm wall;

	if (frame->view->is_replay) {
		write_place(frame, text, size);
	} else if (frame->view->frozen) {
		localtime_r(&wall_s, &wall);
		snprintf(text, size, "%02d:%02d:%02d%s", wall.tm_hour, wall.tm_min, wall.tm_sec,
			frame->view->at_first ? " the first kept" : "");
	}
}

static void write_loadavg(const struct frame *frame, char *text, size_t size)
{
	if (*frame->session->loadavg)
		snprintf(text, size, "load %s", frame->session->loadavg);
}

/* Without the tasks and the last pid. */
static void brief_loadavg(const struct frame *frame, char *text, size_t size)
{
	const char *line = frame->session->loadavg, *end = line;

	for (unsigned i = 0; i < 3; i++)
		end += strcspn(end, " ") + (end[strcspn(end, " ")] == ' ' && i < 2);
	snprintf(text, size, "load %.*s", (int)(end - line), line);
}

static void write_pairs(const struct frame *frame, char *text, size_t size)
{
	const struct session *session = frame->session;

	snprintf(text, size, "%zu %s%s", session->n_rings, row_noun(session),
		session->n_rings == 1 ? "" : "s");
}

/* In the last second that is over; the first one is told while it lasts. */
static void write_rate(const struct frame *frame, char *text, size_t size)
{
	const struct session *session = frame->session;
	unsigned back = session->trails.second > 0;
	double rate = 0.0;
	char count[32];

	if (!trails_covered_ns(&session->trails, back))
		return;
	for (size_t i = 0; i < session->n_rings; i++)
		rate += trails_rate(
			&session->trails, i, session_figure_of(&session->rings[i], frame->view->shown), back);
	snprintf(text, size, "%s/s", units_count(count, sizeof(count), 4, (uint64_t)(rate + 0.5)));
}

static void write_missed(const struct frame *frame, char *text, size_t size)
{
	uint64_t missed = 0, rested = 0;
	char count[32], rests[32];

	for (size_t i = 0; i < frame->session->n_rings; i++) {
		missed += frame->session->rings[i].missed;
		rested += frame->session->rings[i].rested;
	}
	units_count(count, sizeof(count), 7, missed);
	units_count(rests, sizeof(rests), 7, rested);
	snprintf(text, size, "missed %s%s%s", count, rested ? " rested " : "", rested ? rests : "");
}

static void write_own(const struct frame *frame, char *text, size_t size)
{
	const char *cpus = frame->session->machine.own_cpus;

	snprintf(text, size, "self %.1f%%%s%s", frame->session->own_cpu * 100.0, *cpus ? " @cpu" : "", cpus);
}

static void brief_own(const struct frame *frame, char *text, size_t size)
{
	snprintf(text, size, "self %.1f%%", frame->session->own_cpu * 100.0);
}

static void write_elapsed(const struct frame *frame, char *text, size_t size)
{
	const struct session *session = frame->session;
	unsigned long long s =
		session->now_ns > session->start_ns ? (session->now_ns - session->start_ns) / 1000000000u : 0;

	write_time(text, size, s);
}

/* In the order of the screen; where there are fewer lines, those of the others join the last one's. */
static const struct header_field {
	unsigned line;
	unsigned shortens;  /* to its brief form: the highest first, of these and of */
	unsigned gives_way; /* those that go; 0: never */
	bool right;         /* stands at the line's end */
	enum style style;
	void (*write)(const struct frame *frame, char *text, size_t size); /* "" where there is nothing */
	void (*brief)(const struct frame *frame, char *text, size_t size); /* the same, shorter; or NULL */
} fields[] = {
	{0, 0, 11, false, STYLE_STRONG, write_program, NULL},
	{0, 0, 10, false, STYLE_PLAIN, write_host, NULL},
	{0, 3, 1, false, STYLE_STRONG, write_figure, brief_figure},
	{0, 0, 3, false, STYLE_PLAIN, write_window, NULL},
	{0, 5, 0, false, STYLE_STRONG, write_filter, brief_filter},
	{0, 0, 6, false, STYLE_PLAIN, write_turn, NULL},
	{0, 0, 7, false, STYLE_PLAIN, write_sort, NULL},
	{0, 0, 4, true, STYLE_STRONG, write_live, NULL},
	{0, 0, 0, true, STYLE_WARNING, write_moment, NULL},
	{0, 0, 2, true, STYLE_PLAIN, write_moment_time, NULL},
	{1, 38, 28, false, STYLE_PLAIN, header_kernel, header_brief_kernel},
	{1, 0, 11, false, STYLE_PLAIN, header_preemption, NULL},
	{1, 36, 29, false, STYLE_PLAIN, header_governor, header_brief_governor},
	{1, 26, 13, false, STYLE_PLAIN, header_isolated, header_brief_isolated},
	{1, 0, 33, false, STYLE_PLAIN, header_nohz, NULL},
	{1, 0, 30, false, STYLE_PLAIN, header_smt, NULL},
	{1, 35, 9, false, STYLE_PLAIN, header_dma, header_brief_dma},
	{1, 37, 6, false, STYLE_PLAIN, header_policy, header_brief_policy},
	{1, 34, 27, false, STYLE_PLAIN, header_pace, header_brief_pace},
	{1, 0, 23, false, STYLE_PLAIN, header_size, NULL},
	{1, 0, 23, false, STYLE_PLAIN, header_work, NULL},
	{1, 0, 39, false, STYLE_PLAIN, header_clock, NULL},
	{1, 0, 40, false, STYLE_PLAIN, header_clock_source, NULL},
	{2, 32, 12, false, STYLE_PLAIN, write_loadavg, brief_loadavg},
	{2, 0, 25, false, STYLE_PLAIN, write_pairs, NULL},
	{2, 0, 22, false, STYLE_PLAIN, write_rate, NULL},
	{2, 0, 8, false, STYLE_PLAIN, write_missed, NULL},
	{2, 0, 4, false, STYLE_WARNING, header_faults, NULL},
	{2, 23, 21, false, STYLE_PLAIN, write_own, brief_own},
	{2, 0, 10, true, STYLE_PLAIN, write_elapsed, NULL},
	{3, 49, 47, false, STYLE_STRONG, header_phase, header_brief_phase},
	{3, 0, 48, false, STYLE_PLAIN, header_worst, NULL},
	{3, 9, 7, false, STYLE_STRONG, header_above, header_brief_above},
	{3, 0, 50, false, STYLE_PLAIN, header_worst_housekeeping, NULL},
};

enum { N_FIELDS = sizeof(fields) / sizeof(*fields) };

struct line {
	char text[N_FIELDS][FIELD_MAX]; /* "" where a field is not on it */
	unsigned width[N_FIELDS];
	bool is_brief[N_FIELDS];
};

static unsigned line_width(const struct line *line)
{
	unsigned width = 0, n = 0;

	for (size_t i = 0; i < N_FIELDS; i++)
		if (line->width[i])
			width += line->width[i] + (n++ ? GAP : 0);
	return width;
}

/* What comes next to a field: the higher of its two ranks that is still to be obeyed. */
static unsigned field_rank(const struct line *line, size_t i)
{
	unsigned shortens = fields[i].brief && !line->is_brief[i] ? fields[i].shortens : 0;

	return !line->width[i] ? 0 : shortens > fields[i].gives_way ? shortens : fields[i].gives_way;
}

/* Makes fields brief, or takes them out, until the others fit; those that stay whatever comes are cut. */
static void line_fit(struct line *line, const struct frame *frame, unsigned columns)
{
	while (line_width(line) > columns) {
		size_t next = 0;

		for (size_t i = 1; i < N_FIELDS; i++)
			if (field_rank(line, i) > field_rank(line, next))
				next = i;
		unsigned rank = field_rank(line, next);

		if (!rank)
			return;
		line->text[next][0] = '\0';
		if (fields[next].brief && !line->is_brief[next] && rank == fields[next].shortens)
			fields[next].brief(frame, line->text[next], sizeof(line->text[next]));
		line->is_brief[next] = true;
		line->width[next] = canvas_measure(frame->canvas, line->text[next]);
	}
}

static void line_draw(const struct frame *frame, const struct line *line, struct area area, unsigned y)
{
	unsigned left = 0, right = area.width;

	for (size_t i = N_FIELDS; i-- > 0;) {
		if (!line->width[i] || !fields[i].right)
			continue;
		right -= line->width[i] < right ? line->width[i] : right;
		canvas_left(frame->canvas, area, right, y, line->width[i], fields[i].style, line->text[i]);
		right -= GAP < right ? GAP : right;
	}
	for (size_t i = 0; i < N_FIELDS; i++) {
		if (!line->width[i] || fields[i].right)
			continue;
		canvas_left(frame->canvas, area, left, y, area.width - left, fields[i].style, line->text[i]);
		left += line->width[i] + GAP;
	}
}

void header_draw(const struct frame *frame, struct area area)
{
	for (unsigned y = 0; y < area.height; y++) {
		struct line line = {0};

		for (size_t i = 0; i < N_FIELDS; i++) {
			unsigned at = fields[i].line < area.height ? fields[i].line : area.height - 1;

			if (at != y)
				continue;
			fields[i].write(frame, line.text[i], sizeof(line.text[i]));
			line.width[i] = canvas_measure(frame->canvas, line.text[i]);
		}
		line_fit(&line, frame, area.width);
		line_draw(frame, &line, area, y);
	}
}
