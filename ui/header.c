/* SPDX-License-Identifier: GPL-2.0-or-later */
/* header.c - the pane that says what is measured, where, and whether it can be trusted. */
#include <string.h>

#include "src/session.h"
#include "ui/view.h"

enum { NO_DMA_LATENCY = 2000000000, FIELD_MAX = 300, GAP = 2 };

static void write_program(const struct frame *frame, char *text, size_t size)
{
	(void)frame;
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

static void write_sort(const struct frame *frame, char *text, size_t size)
{
	if (frame->view->sort != COLUMN_PAIR)
		snprintf(text, size, "by %s", columns_table[frame->view->sort].title);
}

static void write_turns(const struct frame *frame, char *text, size_t size)
{
	if (frame->session->n_turns > 1)
		snprintf(text, size, "%u turns", frame->session->n_turns);
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
	if (frame->view->refresh_ns && !frame->view->frozen)
		snprintf(text, size, "LIVE %.1fs", (double)frame->view->refresh_ns / 1e9);
}

static void write_frozen(const struct frame *frame, char *text, size_t size)
{
	uint64_t s = frame->view->frozen_age_ns / 1000000000u;
	char age[48];

	write_time(age, sizeof(age), s);
	if (frame->view->frozen)
		snprintf(text, size, "FROZEN %s ago", s < 3600 ? age + strlen("00:") : age);
}

static void write_kernel(const struct frame *frame, char *text, size_t size)
{
	snprintf(text, size, "%s", frame->session->machine.kernel);
}

static void write_preemption(const struct frame *frame, char *text, size_t size)
{
	const char *model = frame->session->machine.preemption;

	snprintf(text, size, "%s%s", strncmp(model, "PREEMPT", 7) == 0 ? "" : "preempt ", model);
}

static void write_isolated(const struct frame *frame, char *text, size_t size)
{
	const char *isolated = frame->session->machine.isolated;

	snprintf(text, size, "isol %s", *isolated ? isolated : "none");
}

static void write_nohz(const struct frame *frame, char *text, size_t size)
{
	if (*frame->session->machine.nohz_full)
		snprintf(text, size, "nohz_full %s", frame->session->machine.nohz_full);
}

static void write_governor(const struct frame *frame, char *text, size_t size)
{
	if (*frame->session->machine.governor)
		snprintf(text, size, "gov %s", frame->session->machine.governor);
}

static void write_smt(const struct frame *frame, char *text, size_t size)
{
	if (frame->session->machine.smt >= 0)
		snprintf(text, size, "smt %s", frame->session->machine.smt ? "on" : "off");
}

static void write_clock(const struct frame *frame, char *text, size_t size)
{
	snprintf(text, size, "clock %uns", frame->session->machine.clock_cost_ns);
}

static void write_clock_source(const struct frame *frame, char *text, size_t size)
{
	snprintf(text, size, "%s", frame->session->machine.clock_source);
}

static void write_dma(const struct frame *frame, char *text, size_t size)
{
	const struct machine *machine = &frame->session->machine;

	if (machine->dma_latency_held_us >= 0)
		snprintf(text, size, "dma %dus held", (int)machine->dma_latency_held_us);
	else if (machine->dma_latency_state != MACHINE_VALUE)
		snprintf(text, size, "dma %s",
			machine->dma_latency_state == MACHINE_DENIED ? "denied" : "absent");
	else if (machine->dma_latency_us >= NO_DMA_LATENCY)
		snprintf(text, size, "dma none");
	else
		snprintf(text, size, "dma %dus", (int)machine->dma_latency_us);
}

static void write_asked(const struct frame *frame, char *text, size_t size)
{
	const struct session *session = frame->session;
	char policy[8];

	if (session->n_rings)
		snprintf(text, size, "asked %s", task_policy_format(session->rings[0].asked, policy));
}

static void write_pace(const struct frame *frame, char *text, size_t size)
{
	const struct session *session = frame->session;
	uint64_t interval_ns = session->n_rings ? session->rings[0].interval_ns : 0;
	char time[32];

	if (!session->n_rings)
		return;
	snprintf(text, size, "%s%s", interval_ns ? "every " : "flood",
		interval_ns ? units_short(time, sizeof(time), interval_ns, UNIT_US) : "");
	if (interval_ns && strspn(time, "0123456789.") == strlen(time))
		snprintf(text, size, "every %sus", time);
}

static void write_loadavg(const struct frame *frame, char *text, size_t size)
{
	if (*frame->session->loadavg)
		snprintf(text, size, "load %s", frame->session->loadavg);
}

static void write_pairs(const struct frame *frame, char *text, size_t size)
{
	const struct session *session = frame->session;
	const char *noun = "pair";

	for (size_t i = 0; i < session->n_rings; i++)
		if (session->rings[i].n_members != 2)
			noun = "ring";
	snprintf(text, size, "%zu %s%s", session->n_rings, noun, session->n_rings == 1 ? "" : "s");
}

/* What the running rings make in the time that they are active. */
static void write_rate(const struct frame *frame, char *text, size_t size)
{
	const struct session *session = frame->session;
	double rate = 0.0;
	char count[32];

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];
		enum figure figure = session_figure_of(ring, frame->view->shown);

		if (ring->state == RING_RUNNING && ring->active_ns)
			rate += (double)ring->figures[figure].hist.n * 1e9 / (double)ring->active_ns;
	}
	snprintf(text, size, "%s/s", units_count(count, sizeof(count), 4, (uint64_t)(rate + 0.5)));
}

static void write_missed(const struct frame *frame, char *text, size_t size)
{
	uint64_t missed = 0;
	char count[32];

	for (size_t i = 0; i < frame->session->n_rings; i++)
		missed += frame->session->rings[i].missed;
	snprintf(text, size, "missed %s", units_count(count, sizeof(count), 7, missed));
}

static void write_own(const struct frame *frame, char *text, size_t size)
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

/* In the order of the screen; where there are two lines, the third's fields join the second's. */
static const struct field {
	unsigned line;
	unsigned gives_way; /* the highest first */
	bool right;         /* stands at the line's end */
	enum style style;
	void (*write)(const struct frame *frame, char *text, size_t size); /* "" where there is nothing */
} fields[] = {
	{0, 5, false, STYLE_STRONG, write_program},
	{0, 3, false, STYLE_PLAIN, write_host},
	{0, 0, false, STYLE_STRONG, write_figure},
	{0, 2, false, STYLE_PLAIN, write_turns},
	{0, 6, false, STYLE_PLAIN, write_pace},
	{0, 4, false, STYLE_PLAIN, write_sort},
	{0, 1, true, STYLE_STRONG, write_live},
	{0, 0, true, STYLE_WARNING, write_frozen},
	{1, 9, false, STYLE_PLAIN, write_kernel},
	{1, 4, false, STYLE_PLAIN, write_preemption},
	{1, 5, false, STYLE_PLAIN, write_isolated},
	{1, 15, false, STYLE_PLAIN, write_nohz},
	{1, 0, false, STYLE_PLAIN, write_dma},
	{1, 7, false, STYLE_PLAIN, write_asked},
	{1, 10, false, STYLE_PLAIN, write_clock},
	{1, 12, false, STYLE_PLAIN, write_governor},
	{1, 13, false, STYLE_PLAIN, write_smt},
	{1, 14, false, STYLE_PLAIN, write_clock_source},
	{2, 3, false, STYLE_PLAIN, write_loadavg},
	{2, 8, false, STYLE_PLAIN, write_pairs},
	{2, 6, false, STYLE_PLAIN, write_rate},
	{2, 1, false, STYLE_PLAIN, write_missed},
	{2, 11, false, STYLE_PLAIN, write_own},
	{2, 2, true, STYLE_PLAIN, write_elapsed},
};

enum { N_FIELDS = sizeof(fields) / sizeof(*fields) };

struct line {
	char text[N_FIELDS][FIELD_MAX]; /* "" where a field is not on it */
	unsigned width[N_FIELDS];
};

/* Takes fields out until the others fit; the last one stays, and is cut. */
static void line_fit(struct line *line, unsigned columns)
{
	for (;;) {
		unsigned width = 0, n = 0;
		size_t first = N_FIELDS;

		for (size_t i = 0; i < N_FIELDS; i++) {
			if (!line->width[i])
				continue;
			width += line->width[i] + (n++ ? GAP : 0);
			if (first == N_FIELDS || fields[i].gives_way > fields[first].gives_way)
				first = i;
		}
		if (width <= columns || n <= 1)
			return;
		line->width[first] = 0;
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
		line_fit(&line, area.width);
		line_draw(frame, &line, area, y);
	}
}
