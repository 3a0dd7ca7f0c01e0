/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike.c - the dialog that takes the selected spike apart. */
#include <stdio.h>
#include <string.h>

#include "src/base/text.h"
#include "src/model/session.h"
#include "ui/panes/spikes.h"
#include "ui/views/spikes.h"

/* --- the axis of time: what ran meanwhile on each CPU --- */

enum {
	NAME_WIDTH = 9, /* columns of "CPU 1023 " */
	AXIS_CPUS = 8,
	MARK_LINES = 2, /* the marks' names, the marks */
	SCALE_LINES = 1,
	LABEL_WIDTH = 10, /* columns of the scale from one number to the next, at least */
};

/* The columns of the axis, and its time. */
struct axis {
	struct area area;
	uint64_t start_ns, length_ns;
};

struct axis_cpus {
	uint32_t cpus[AXIS_CPUS]; /* in the order of their first segments */
	size_t n;
};

/* Returns the letter of a cause: 'A' took the most time; '?' is not explained. */
static char cause_letter(const struct explanation *explanation, const struct cause *cause)
{
	char text[CAUSE_TEXT_SIZE], other[CAUSE_TEXT_SIZE];
	unsigned letter = 0;

	if (cause->kind == CAUSE_UNEXPLAINED || cause->kind == CAUSE_UNSEEN)
		return '?';
	cause_text(cause, text);
	for (size_t i = 0; i < explanation->n_blames; i++) {
		const struct cause *blamed = &explanation->blames[i].cause;

		if (strcmp(cause_text(blamed, other), text) == 0)
			return (char)('A' + letter);
		letter += blamed->kind > CAUSE_UNSEEN;
	}
	return '*'; /* too many causes */
}

static struct axis_cpus cpus_of(const struct explanation *explanation)
{
	struct axis_cpus cpus = {.n = 0};

	for (size_t i = 0; i < explanation->n_segments && cpus.n < AXIS_CPUS; i++) {
		uint32_t cpu = explanation->segments[i].cause.cpu;
		size_t at = 0;

		while (at < cpus.n && cpus.cpus[at] != cpu)
			at++;
		if (at == cpus.n)
			cpus.cpus[cpus.n++] = cpu;
	}
	return cpus;
}

/* Returns the lines of the axis: marks, a bar for each of its CPUs, the scale; at most @most (4 or more). */
static unsigned axis_lines(const struct explanation *explanation, unsigned most)
{
	return smaller(most, MARK_LINES + SCALE_LINES + (unsigned)cpus_of(explanation).n);
}

/* Returns the column that begins at a time: the axis's width for the end. */
static unsigned column_of(const struct axis *axis, uint64_t at_ns)
{
	uint64_t since_ns = at_ns > axis->start_ns ? at_ns - axis->start_ns : 0;

	if (since_ns >= axis->length_ns)
		return axis->area.width;
	return (unsigned)((double)since_ns / (double)axis->length_ns * axis->area.width + 0.5);
}

/* --- marks --- */

struct axis_mark {
	const char *name;
	unsigned column;
};

/* Moves names to the left until none covers the next one; a name without room is omitted, as are all where
 * @y, the line of the marks, is the first one. */
static void draw_marks(
	const struct scene *scene, const struct axis *axis, unsigned y, struct axis_mark *marks, size_t n)
{
	unsigned end = y ? axis->area.width : 0, tick = scene->canvas->ascii ? '|' : 0x2502;

	for (size_t i = n; i-- > 0;) {
		unsigned width = (unsigned)strlen(marks[i].name);
		unsigned x = marks[i].column > width / 2 ? marks[i].column - width / 2 : 0;

		x = x + width <= end ? x : end > width ? end - width : 0;
		if (width <= end)
			canvas_text(scene->canvas, axis->area, x, 0, STYLE_PLAIN, marks[i].name);
		end = width > end ? 0 : x ? x - 1 : 0;
		canvas_put(scene->canvas, axis->area, smaller(marks[i].column, axis->area.width - 1), y, tick,
			STYLE_PLAIN);
	}
}

static void draw_moments(
	const struct scene *scene, const struct axis *axis, unsigned y, const struct kept_spike *kept)
{
	const struct spike *spike = &kept->spike;
	const struct explanation *explanation = kept->explanation;
	struct axis_mark marks[6];
	size_t n = 0;

	if (spike->due_ns)
		marks[n++] = (struct axis_mark){"due", column_of(axis, spike->due_ns)};
	if (explanation->sender_ran_ns)
		marks[n++] = (struct axis_mark){"running", column_of(axis, explanation->sender_ran_ns)};
	if (spike_hop_sent_ns(spike))
		marks[n++] = (struct axis_mark){"sent", column_of(axis, spike_hop_sent_ns(spike))};
	if (explanation->receiver_ran_ns)
		marks[n++] = (struct axis_mark){"running", column_of(axis, explanation->receiver_ran_ns)};
	if (spike_hop_is_passed_on(spike) && spike_hop_end_ns(spike))
		marks[n++] = (struct axis_mark){"passed on", column_of(axis, spike_hop_end_ns(spike))};
	marks[n++] = (struct axis_mark){
		spike->received_ns ? "received" : "still out", column_of(axis, spike_end_ns(spike))};
	draw_marks(scene, axis, y, marks, n);
}

/* --- bars --- */

static void draw_segment_on_axis(const struct scene *scene, const struct axis *axis, unsigned y,
	const struct explanation *explanation, const struct segment *segment)
{
	unsigned from = smaller(column_of(axis, segment->from_ns), axis->area.width - 1),
		 to = column_of(axis, segment->to_ns);
	char letter = cause_letter(explanation, &segment->cause);

	for (unsigned x = from; x < to || x == from; x++)
		canvas_put(scene->canvas, axis->area, x, y, (unsigned char)letter,
			letter == '?' ? STYLE_UNDECIDED : STYLE_STRONG);
}

/* Segments shorter than a column are drawn over the others. */
static void draw_cpu(const struct scene *scene, const struct axis *axis, unsigned y, uint32_t cpu,
	const struct explanation *explanation)
{
	for (unsigned x = 0; x < axis->area.width; x++)
		canvas_put(scene->canvas, axis->area, x, y, scene->canvas->ascii ? '.' : 0xb7, STYLE_THIN);
	for (int is_short = 0; is_short < 2; is_short++) {
		for (size_t i = 0; i < explanation->n_segments; i++) {
			const struct segment *segment = &explanation->segments[i];
			bool fits = column_of(axis, segment->from_ns) < column_of(axis, segment->to_ns);

			if (segment->cause.cpu == cpu && fits != is_short)
				draw_segment_on_axis(scene, axis, y, explanation, segment);
		}
	}
}

/* --- the scale --- */

/* Returns 1, 2 or 5 times a power of ten: the time from one number to the next. */
static uint64_t scale_step(const struct axis *axis)
{
	uint64_t least_ns = axis->length_ns * LABEL_WIDTH / axis->area.width, step = 1;

	while (step < least_ns) {
		if (step * 2 >= least_ns)
			return step * 2;
		if (step * 5 >= least_ns)
			return step * 5;
		step *= 10;
	}
	return step;
}

static void draw_scale(const struct scene *scene, const struct axis *axis, unsigned y)
{
	uint64_t step = scale_step(axis);
	unsigned end = 0;

	for (uint64_t at = 0; at <= axis->length_ns; at += step) {
		unsigned x = column_of(axis, axis->start_ns + at);
		char text[40], time[32];

		units_named(time, sizeof(time), at);
		snprintf(text, sizeof(text), "%s%s", scene->canvas->ascii ? "^" : "\u2514", at ? time : "0");
		unsigned width = canvas_measure(scene->canvas, text);

		if (x + width > axis->area.width || x < end)
			break;
		end = canvas_text(scene->canvas, axis->area, x, y, STYLE_PLAIN, text) + 1;
	}
}

static void draw_axis(const struct scene *scene, struct area area, const struct kept_spike *kept)
{
	struct axis axis = {.area = {area.x + NAME_WIDTH, area.y, area.width - NAME_WIDTH, area.height},
		.start_ns = spike_start_ns(&kept->spike),
		.length_ns = spike_length_ns(&kept->spike)};
	struct axis_cpus cpus = cpus_of(kept->explanation);
	char name[24];

	if (area.width <= NAME_WIDTH + LABEL_WIDTH || area.height <= SCALE_LINES || !axis.length_ns)
		return;
	unsigned bars = smaller((unsigned)cpus.n, area.height - SCALE_LINES); /* before the marks */
	unsigned marks = smaller(MARK_LINES, area.height - SCALE_LINES - bars), y = marks;

	if (marks)
		draw_moments(scene, &axis, marks - 1, kept);
	for (size_t i = 0; i < bars; i++, y++) {
		snprintf(name, sizeof(name), "CPU %u", (unsigned)cpus.cpus[i]);
		canvas_left(scene->canvas, area, 0, y, NAME_WIDTH - 1, STYLE_PLAIN, name);
		draw_cpu(scene, &axis, y, cpus.cpus[i], kept->explanation);
	}
	snprintf(name, sizeof(name), "+%zu CPU%s", cpus.n - bars, cpus.n - bars == 1 ? "" : "s");
	if (cpus.n > bars)
		canvas_left(scene->canvas, area, 0, y, NAME_WIDTH - 1, STYLE_PLAIN, name);
	draw_scale(scene, &axis, y);
}

/* --- the dialog --- */

enum {
	INDENT = 1,
	TITLE_SIZE = 256,
	VERDICT_LINES = 2,
	TIMES_LINES = 2,
	TIMES_SIZE = 256,
	AXIS_MAX = 11,
	LIST_MIN = 3, /* lines of the list with its head */
	SMALL = 12,   /* lines of the largest body without blank lines */
	LETTER_WIDTH = 3,
	TIME_WIDTH = 9,
	CPU_WIDTH = 4,
	GAP = 2,
};

/* The view's own state: the first line of its list, and the spike that it belongs to. */
struct spike_dialog {
	size_t top;
	uint32_t ring;
	uint64_t start_ns;

	/* Set by fit(). */
	size_t last, page; /* the largest top; the lines of the list */
};

extern const struct view_kind view_spike;

/* "+206.0us": since the spike's start. */
static char *since_start(const struct spike *spike, uint64_t at_ns, char *text, size_t size)
{
	uint64_t start_ns = spike_start_ns(spike);
	char time[32];

	snprintf(text, size, "+%s", units_named(time, sizeof(time), at_ns > start_ns ? at_ns - start_ns : 0));
	return text;
}

/* "spike of mq 0>1 at 22:13:21.550123: response 212us, above 30us". */
static void draw_title(const struct scene *scene, struct area body, const struct spike *spike)
{
	const struct session *session = scene->session;
	uint64_t wall_ns = session->wall_start_ns + spike_start_ns(spike) - session->start_ns;
	char title[TITLE_SIZE], ring[SPIKE_RING_SIZE], clock[32], length[32], limit[32];

	snprintf(title, sizeof(title), " %s at %s.%06u: %s %s%s, above %s ", spike_ring(scene, spike, ring),
		units_clock(clock, sizeof(clock), wall_ns), (unsigned)(wall_ns / 1000 % 1000000),
		figure_name(spike->figure), spike->received_ns ? "" : "over ",
		units_named(length, sizeof(length), spike_length_ns(spike)),
		units_named(limit, sizeof(limit), spike->limit_ns));
	canvas_title(scene->canvas, body, title);
}

/* "sent +206us", "not received yet". */
static void append_moment(const char *word, const struct spike *spike, uint64_t at_ns, char *text)
{
	char time[32];

	text_print(text, TIMES_SIZE, "%s%s %s", at_ns ? "" : "not ", word,
		at_ns ? since_start(spike, at_ns, time, sizeof(time)) : "yet");
}

/* " by tid 5002 (FF80) on CPU 3". */
static void append_end(const struct spike_end *end, char *text)
{
	char policy[8], cpu[32] = "";

	if (end->cpu >= 0)
		snprintf(cpu, sizeof(cpu), " on CPU %d", (int)end->cpu);
	text_print(text, TIMES_SIZE, " by tid %d (%s)%s", (int)end->tid,
		task_policy_format(end->policy, policy), cpu);
}

static char *write_times(const struct spike *spike, char text[TIMES_SIZE])
{
	text[0] = '\0';
	if (spike_hop_was_sent_before(spike))
		text_print(text, TIMES_SIZE, "sent before due");
	else
		append_moment("sent", spike, spike_hop_sent_ns(spike), text);
	append_end(&spike->sender, text);
	text_print(text, TIMES_SIZE, "; ");
	append_moment(spike_hop_is_passed_on(spike) ? "passed on" : "received", spike,
		spike_hop_end_ns(spike), text);
	append_end(&spike->receiver, text);
	return text;
}

/* --- its parts --- */

static struct area below(struct area area, unsigned lines)
{
	lines = smaller(lines, area.height);
	return (struct area){area.x, area.y + lines, area.width, area.height - lines};
}

/* Blank lines between the parts. */
static unsigned gap_of(struct area body)
{
	return body.height > SMALL;
}

struct parts {
	struct area verdict, times, axis, head, list; /* height 0: omitted */
};

static struct parts lay_out(struct area body, const struct kept_spike *kept)
{
	unsigned gap = gap_of(body), most = gap ? VERDICT_LINES : 1, axis;
	struct area rest = {body.x + INDENT, body.y + 1, body.width - 2 * INDENT, body.height - 1};
	struct parts parts = {.verdict = rest, .times = rest, .axis = rest};
	char text[EXPLANATION_TEXT_SIZE], times[TIMES_SIZE];

	parts.verdict.height =
		smaller(most, canvas_wrap_lines(rest.width, explanation_text(kept->explanation, text)));
	rest = below(rest, parts.verdict.height);
	parts.times = rest;
	parts.times.height =
		gap ? smaller(TIMES_LINES, canvas_wrap_lines(rest.width, write_times(&kept->spike, times)))
		    : 0;
	rest = below(rest, parts.times.height + gap);
	axis = rest.height > LIST_MIN + gap
		       ? axis_lines(kept->explanation, smaller(AXIS_MAX, rest.height - LIST_MIN - gap))
		       : 0;
	parts.axis = (struct area){rest.x, rest.y, rest.width, axis};
	rest = below(rest, axis + gap);
	if (rest.height <= 1)
		return parts;
	parts.head = (struct area){rest.x, rest.y, rest.width, 1};
	parts.list = below(rest, 1);
	return parts;
}

/* --- the evidence: segments, hints and records, a list that scrolls --- */

struct evidence {
	const struct scene *scene;
	struct area area; /* of the visible lines; height 0: lines are only counted */
	size_t top, n;    /* the first visible line; so many were passed */
};

/* Passes a line. Returns whether it is visible. */
static bool next_line(struct evidence *evidence, struct area *line)
{
	size_t at = evidence->n++;

	if (at < evidence->top || at - evidence->top >= evidence->area.height)
		return false;
	*line = (struct area){
		evidence->area.x, evidence->area.y + (unsigned)(at - evidence->top), evidence->area.width, 1};
	return true;
}

static void draw_segment(const struct scene *scene, struct area line, const struct kept_spike *kept,
	const struct segment *segment)
{
	struct canvas *canvas = scene->canvas;
	enum unit unit = scene->view->unit;
	char letter[2] = {cause_letter(kept->explanation, &segment->cause)}, time[32], cause[96];
	uint64_t start_ns = spike_start_ns(&kept->spike);
	unsigned x = LETTER_WIDTH;

	canvas_left(
		canvas, line, 0, 0, LETTER_WIDTH, *letter == '?' ? STYLE_UNDECIDED : STYLE_STRONG, letter);
	canvas_right(canvas, line, x, 0, TIME_WIDTH, STYLE_PLAIN,
		units_time(time, sizeof(time), TIME_WIDTH, segment->from_ns - start_ns, unit));
	x += TIME_WIDTH + GAP;
	canvas_right(canvas, line, x, 0, TIME_WIDTH, STYLE_PLAIN,
		units_time(time, sizeof(time), TIME_WIDTH, segment->to_ns - segment->from_ns, unit));
	x += TIME_WIDTH + GAP;
	snprintf(time, sizeof(time), "%u", (unsigned)segment->cause.cpu);
	canvas_right(canvas, line, x, 0, CPU_WIDTH, STYLE_PLAIN, time);
	x += CPU_WIDTH + GAP;
	cause_text(&segment->cause, cause);
	if (segment->cause.tid > 0)
		text_print(cause, sizeof(cause), ", tid %d", (int)segment->cause.tid);
	canvas_left(canvas, line, x, 0, line.width - x, STYLE_PLAIN, cause);
}

static void draw_segments_head(const struct scene *scene, struct area line)
{
	struct canvas *canvas = scene->canvas;
	unsigned x = LETTER_WIDTH;
	char title[32];

	canvas_restyle(canvas, line, STYLE_HEAD);
	snprintf(title, sizeof(title), "FROM %s", unit_name(scene->view->unit));
	canvas_right(canvas, line, x, 0, TIME_WIDTH, STYLE_HEAD, title);
	x += TIME_WIDTH + GAP;
	snprintf(title, sizeof(title), "FOR %s", unit_name(scene->view->unit));
	canvas_right(canvas, line, x, 0, TIME_WIDTH, STYLE_HEAD, title);
	x += TIME_WIDTH + GAP;
	canvas_right(canvas, line, x, 0, CPU_WIDTH, STYLE_HEAD, "CPU");
	canvas_left(canvas, line, x + CPU_WIDTH + GAP, 0, line.width - x, STYLE_HEAD, "CAUSE");
}

/* A gap is the lack of records. */
static bool has_records(const struct kept_spike *kept)
{
	for (size_t i = 0; i < kept->n_records; i++)
		if (kept->records[i].kind != FLIGHT_GAP)
			return true;
	return false;
}

/* Wraps it behind its sign. */
static void add_hint(struct evidence *evidence, const char *text)
{
	unsigned room = evidence->area.width > LETTER_WIDTH ? evidence->area.width - LETTER_WIDTH : 1;
	const char *sign = "-";
	struct area line;

	for (size_t length; *text; text += length, text += strspn(text, " "), sign = "") {
		length = canvas_line_length(text, room);
		if (!next_line(evidence, &line))
			continue;
		char part[EXPLANATION_TEXT_SIZE];

		snprintf(part, sizeof(part), "%.*s", (int)length, text);
		canvas_text(evidence->scene->canvas, line, 0, 0, STYLE_PLAIN, sign);
		canvas_left(evidence->scene->canvas, line, LETTER_WIDTH, 0, room, STYLE_PLAIN, part);
	}
}

static void add_title(struct evidence *evidence, unsigned gap, const char *title)
{
	struct area line;

	evidence->n += gap;
	if (next_line(evidence, &line))
		canvas_title(evidence->scene->canvas, line, title);
}

/* "stress-ng-cpu 4711 > ipctop 5002", or the name of what lasted, and for how long. */
static void write_record(
	const struct scene *scene, const struct flight_record *record, char *text, size_t size)
{
	char time[32];

	if (record->kind == FLIGHT_TURNS)
		snprintf(text, size, "%u of %s %d and %s %d for %s", (unsigned)record->number,
			record->prev_name, (int)record->prev_tid, record->next_name, (int)record->next_tid,
			units_named(time, sizeof(time), record->until_ns - record->from_ns));
	else if (record->kind == FLIGHT_MEMBERS)
		snprintf(text, size, "%u switches between rings, for %s", (unsigned)record->number,
			units_named(time, sizeof(time), record->until_ns - record->from_ns));
	else if (record->kind == FLIGHT_SWITCH)
		snprintf(text, size, "%s %d > %s %d", record->prev_name, (int)record->prev_tid,
			record->next_name, (int)record->next_tid);
	else
		snprintf(text, size, "%s%sfor %s", record->next_name, *record->next_name ? " " : "",
			units_named(time, sizeof(time), record->at_ns - record->from_ns));
}

static void draw_record(const struct scene *scene, struct area line, const struct spike *spike,
	const struct flight_record *record)
{
	uint64_t start_ns = spike_start_ns(spike);
	bool is_before = record->at_ns < start_ns;
	struct canvas *canvas = scene->canvas;
	char time[40], text[128];
	unsigned x = LETTER_WIDTH;

	units_time(text, sizeof(text), TIME_WIDTH - 1,
		is_before ? start_ns - record->at_ns : record->at_ns - start_ns, scene->view->unit);
	snprintf(time, sizeof(time), "%s%.32s", is_before ? "-" : "", text);
	canvas_right(canvas, line, x, 0, TIME_WIDTH, STYLE_PLAIN, time);
	x += TIME_WIDTH + GAP;
	canvas_left(canvas, line, x + GAP, 0, TIME_WIDTH - GAP, STYLE_PLAIN, flight_kind_names[record->kind]);
	x += TIME_WIDTH + GAP;
	snprintf(time, sizeof(time), "%u", (unsigned)record->cpu);
	canvas_right(canvas, line, x, 0, CPU_WIDTH, STYLE_PLAIN, time);
	x += CPU_WIDTH + GAP;
	write_record(scene, record, text, sizeof(text));
	canvas_left(canvas, line, x, 0, line.width - x, STYLE_PLAIN, text);
}

/* Draws the lines that are visible, and counts all. */
static size_t add_evidence(struct evidence *evidence, const struct kept_spike *kept, unsigned gap)
{
	const struct explanation *explanation = kept->explanation;
	char title[64];
	struct area line;

	for (size_t i = 0; i < explanation->n_segments; i++)
		if (next_line(evidence, &line))
			draw_segment(evidence->scene, line, kept, &explanation->segments[i]);
	if (explanation_is_unseen(explanation) && explanation->n_hints) {
		add_title(evidence, gap,
			has_records(kept)
				? " hints, as records are missing: none of them was seen as the cause "
				: " hints, as nothing was recorded: none of them was seen as the cause ");
		for (size_t i = 0; i < explanation->n_hints; i++)
			add_hint(evidence, explanation->hints[i].text);
	}
	if (!has_records(kept))
		return evidence->n;
	snprintf(title, sizeof(title), " recorded: %zu ", kept->n_records);
	add_title(evidence, gap, title);
	for (size_t i = 0; i < kept->n_records; i++)
		if (next_line(evidence, &line))
			draw_record(evidence->scene, line, &kept->spike, &kept->records[i]);
	return evidence->n;
}

static size_t count_evidence(struct area list, const struct kept_spike *kept, unsigned gap)
{
	struct evidence evidence = {.area = {.width = list.width}};

	return add_evidence(&evidence, kept, gap);
}

/* If not all lines fit, the last one counts those that are hidden. */
static size_t visible_lines(struct area list, size_t n)
{
	return n <= list.height || !list.height ? n : list.height - 1;
}

static void draw_evidence(
	const struct scene *scene, struct area list, const struct kept_spike *kept, unsigned gap)
{
	const struct spike_dialog *own = view_own(scene->frame, &view_spike);
	size_t n = count_evidence(list, kept, gap), visible = visible_lines(list, n);
	struct evidence evidence = {scene, {list.x, list.y, list.width, (unsigned)visible}, own->top};

	add_evidence(&evidence, kept, gap);
	canvas_hidden(scene->canvas, list, LETTER_WIDTH, list.height - 1, own->top, n - own->top - visible);
}

static struct area fit(struct frame *frame, const struct session *session, struct area body)
{
	struct spike_dialog *own = view_own(frame, &view_spike);
	const struct kept_spike *kept = spikes_selected(frame);

	own->last = 0;
	if (!kept)
		return (struct area){0};
	if (own->ring != kept->spike.ring || own->start_ns != spike_start_ns(&kept->spike))
		own->top = 0;
	own->ring = kept->spike.ring;
	own->start_ns = spike_start_ns(&kept->spike);
	struct area list = lay_out(body, kept).list;
	size_t n = count_evidence(list, kept, gap_of(body)), visible = visible_lines(list, n);

	own->last = visible ? n - visible : 0;
	own->page = list.height;
	own->top = view_state_step(own->top, 0, own->last);
	return (struct area){0};
}

static void draw_kept(const struct scene *scene, struct area body, const struct kept_spike *kept)
{
	struct parts parts = lay_out(body, kept);
	char text[EXPLANATION_TEXT_SIZE], times[TIMES_SIZE];

	draw_title(scene, body, &kept->spike);
	canvas_wrap(scene->canvas, parts.verdict, STYLE_STRONG, explanation_text(kept->explanation, text));
	if (parts.times.height)
		canvas_wrap(scene->canvas, parts.times, STYLE_PLAIN, write_times(&kept->spike, times));
	draw_axis(scene, parts.axis, kept);
	if (parts.head.height)
		draw_segments_head(scene, parts.head);
	if (parts.list.height)
		draw_evidence(scene, parts.list, kept, gap_of(body));
}

static void draw_spike(const struct scene *scene, struct area body)
{
	const struct kept_spike *kept = spikes_selected(scene->frame);

	canvas_blank(scene->canvas, body);
	if (kept)
		draw_kept(scene, body, kept);
	else
		canvas_title(scene->canvas, body, " no spike is selected ");
}

static void open(struct frame *frame)
{
	spikes_pin(frame);
	((struct spike_dialog *)view_own(frame, &view_spike))->top = 0;
}

static void move(struct frame *frame, long by)
{
	struct spike_dialog *own = view_own(frame, &view_spike);

	own->top = view_state_step(own->top, by, own->last);
}

static size_t page(const struct frame *frame)
{
	return ((const struct spike_dialog *)view_own(frame, &view_spike))->page;
}

static const struct key keys[] = {
	{{KEY_CODE_ARROW_LEFT}, "Left", "spikes: open the one before", NULL, NULL, spikes_move, -1},
	{{KEY_CODE_ARROW_RIGHT}, "Right", "spikes: open the next one", "Spike", "Left Right", spikes_move, 1},
};

const struct view_kind view_spike = {
	.name = "spike",
	.key = {{KEY_CODE_ENTER, '\n'}, "Enter", "spikes: take one apart", "Spike", "Enter",
		.refusal = spikes_refusal, .of = &view_spikes},
	VIEW_KEYS(keys),
	.state_size = sizeof(struct spike_dialog),
	.is_dialog = true,
	.passes_keys = true,
	.open = open,
	.fit = fit,
	.draw = draw_spike,
	.move = move,
	.page = page,
	.wheel_lines = WHEEL_LINES,
};
