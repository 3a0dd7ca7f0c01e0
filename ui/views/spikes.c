/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spikes.c - the view of the kept spikes, each with its cause, and whom they blame. */
#include "ui/views/spikes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/session.h"
#include "ui/panes/blame.h"
#include "ui/panes/spikes.h"

enum {
	SMALL = 10, /* lines of the largest body without a title */
	TALL = 28,  /* lines of the smallest body with a table of causes below the list */
	WIDE = 160, /* columns of the narrowest body with it beside the list */
	BESIDE_WIDTH = 72,
	GAP = 1,
	MARK_WIDTH = 2,
	ORDER_SIZE = 48,
};

/* Which spike a line shows: it stays the same while others come and go. */
struct spike_line {
	bool is_worst; /* it is in the session's list of the longest ones; else in that of the last ones */
	size_t index;  /* there */
	uint32_t ring;
	uint64_t start_ns, length_ns;
};

/* The view's own state. The list has the newest spike last, or with @by_length those of the window, the
 * longest first. Unless a key has selected another one, that spike is selected. */
struct spike_list {
	bool by_length;
	bool blames_cpus; /* the blame is by CPU */
	bool has_selected;
	struct spike_line selected;
	bool wants_longest; /* fit() selects it once */
	/* A copy of the selected one, for the dialog: it may be kept no more while somebody reads it. */
	struct kept_spike copy;
	struct flight_record records[SPIKE_RECORDS_MAX];
	struct explanation explanation;

	/* Set by fit(). */
	struct spike_line shown[2 * SPIKES_KEPT]; /* those that the filter shows */
	size_t n_shown, position, top;
	struct area lines;    /* of the list, those that are visible */
	int64_t to_moment_ns; /* from here to the selected spike */
};

static unsigned header_lines(unsigned lines)
{
	return lines < 30 ? 1 : lines < 50 ? 2 : 4;
}

/* --- the list --- */

static const struct kept_spike *kept_of(const struct session *session, const struct spike_line *line)
{
	return (line->is_worst ? session->spikes.worst : session->spikes.last) + line->index;
}

/* Returns the position of a spike in the list; n_shown if it is not there. */
static size_t find_line(const struct spike_list *own, const struct spike_line *line)
{
	size_t at = 0;

	while (at < own->n_shown &&
		(own->shown[at].ring != line->ring || own->shown[at].start_ns != line->start_ns))
		at++;
	return at;
}

/* Adds those that ended from @from_ns on. */
static void add_lines(struct spike_list *own, const struct view_state *view, const struct session *session,
	bool is_worst, uint64_t from_ns)
{
	const struct session_spikes *spikes = &session->spikes;
	size_t n = is_worst ? spikes->n_worst : spikes->n_last;

	for (size_t i = 0; i < n && i < SPIKES_KEPT; i++) {
		struct spike_line line = {.is_worst = is_worst, .index = i};
		const struct spike *spike = &kept_of(session, &line)->spike;

		line.ring = spike->ring;
		line.start_ns = spike_start_ns(spike);
		line.length_ns = spike_length_ns(spike);
		if (spike_end_ns(spike) >= from_ns && blame_passes(view, session, spike->ring) &&
			find_line(own, &line) == own->n_shown)
			own->shown[own->n_shown++] = line;
	}
}

static int compare_lengths(const void *left, const void *right)
{
	const struct spike_line *a = left, *b = right;

	if (a->length_ns != b->length_ns)
		return a->length_ns < b->length_ns ? 1 : -1;
	if (a->start_ns != b->start_ns)
		return a->start_ns > b->start_ns ? 1 : -1;
	return (a->ring > b->ring) - (a->ring < b->ring);
}

static void fill_list(
	struct spike_list *own, bool by_length, const struct view_state *view, const struct session *session)
{
	uint64_t from_ns = blame_window_start(session_window(session, view->window), session);

	own->n_shown = 0;
	if (!by_length) {
		add_lines(own, view, session, false, 0);
		return;
	}
	add_lines(own, view, session, true, from_ns);
	add_lines(own, view, session, false, from_ns);
	qsort(own->shown, own->n_shown, sizeof(*own->shown), compare_lengths);
}

/* Selects the longest one of the window. If it is not among the last ones, the list becomes that of the
 * longest. */
static void select_longest(
	struct spike_list *own, const struct view_state *view, const struct session *session)
{
	own->wants_longest = false;
	fill_list(own, true, view, session);
	bool has_any = own->n_shown > 0;

	if (has_any) {
		own->selected = own->shown[0];
		own->has_selected = true;
	}
	fill_list(own, own->by_length, view, session);
	if (!has_any || find_line(own, &own->selected) < own->n_shown)
		return;
	own->by_length = true;
	fill_list(own, true, view, session);
}

/* Where the first spike is that is selected without a key. */
static size_t usual_position(const struct spike_list *own)
{
	return own->by_length || !own->n_shown ? 0 : own->n_shown - 1;
}

/* If the selected spike is kept no more, the one at its position is selected, unless it is @taken_apart. */
static void find_selected(struct spike_list *own, bool taken_apart)
{
	size_t last = own->n_shown ? own->n_shown - 1 : 0, at = find_line(own, &own->selected);

	if (!own->has_selected)
		own->position = usual_position(own);
	else if (at < own->n_shown)
		own->position = at;
	own->position = own->position < last ? own->position : last;
	if (own->n_shown && (at < own->n_shown || !taken_apart))
		own->selected = own->shown[own->position];
}

static void copy_selected(struct spike_list *own, const struct session *session)
{
	size_t at = find_line(own, &own->selected);

	if (at == own->n_shown)
		return;
	own->copy = *kept_of(session, &own->shown[at]);
	if (own->copy.n_records > SPIKE_RECORDS_MAX)
		own->copy.n_records = SPIKE_RECORDS_MAX;
	if (own->copy.n_records)
		memcpy(own->records, own->copy.records, own->copy.n_records * sizeof(*own->records));
	own->copy.records = own->records;
	own->explanation = *own->copy.explanation;
	own->copy.explanation = &own->explanation;
}

const struct kept_spike *spikes_selected(const struct frame *frame)
{
	const struct spike_list *own = view_own(frame, &view_spikes);

	return own->copy.records ? &own->copy : NULL;
}

void spikes_pin(struct frame *frame)
{
	((struct spike_list *)view_own(frame, &view_spikes))->has_selected = true;
}

static void scroll(struct spike_list *own)
{
	own->top = view_state_top(own->top, own->position, own->n_shown, own->lines.height);
}

static void select_line(struct spike_list *own, size_t position)
{
	own->position = position;
	own->selected = own->shown[position];
	own->has_selected = position != usual_position(own) || own->by_length;
}

void spikes_move(struct frame *frame, long by)
{
	struct spike_list *own = view_own(frame, &view_spikes);

	if (own->n_shown)
		select_line(own, view_state_step(own->position, by, own->n_shown - 1));
}

/* A click on the selected line takes the spike apart. */
static uint32_t click(struct frame *frame, unsigned x, unsigned y)
{
	struct spike_list *own = view_own(frame, &view_spikes);
	size_t line = view_state_line_at(own->lines, own->top, own->n_shown, x, y);

	if (line == own->n_shown)
		return KEY_CODE_NONE;
	if (line == own->position)
		return KEY_CODE_ENTER;
	select_line(own, line);
	return KEY_CODE_NONE;
}

/* --- its layout --- */

struct layout {
	struct area title, head, lines, blame; /* height 0: omitted */
	bool has_table;                        /* of causes */
};

static struct layout lay_out(struct area body, const struct session *session, const struct blame_shown *shown)
{
	bool beside = body.width >= WIDE, below = !beside && body.height >= TALL;
	unsigned heads = body.height <= SMALL ? 1 : 2, lack = blame_lack_lines(session, shown, body.width);
	unsigned table =
		lack ? 1 + lack : (unsigned)shown->sums.n + BLAME_HEAD_LINES; /* a reason has no head */
	unsigned blame = beside  ? 0
			 : below ? smaller(table, body.height / 3)
			 : lack  ? smaller(lack, body.height / 3)
				 : 1;
	unsigned width = beside ? body.width - BESIDE_WIDTH - GAP : body.width;
	struct layout layout = {
		.has_table = beside || below,
		.title = {body.x, body.y, width, heads - 1},
		.head = {body.x, body.y + heads - 1, width, 1},
		.lines = {body.x, body.y + heads, width, body.height - heads - blame},
		.blame = {body.x, body.y + body.height - blame, width, blame},
	};

	if (beside)
		layout.blame = (struct area){body.x + width + GAP, body.y, BESIDE_WIDTH, body.height};
	return layout;
}

/* --- what is drawn --- */

/* The moment is the end of the spike, with the rest of its second: so windows and trends have it. */
static int64_t way_to(const struct session *session, const struct spike *spike)
{
	uint64_t end_ns = spike->seen_ns > spike_end_ns(spike) ? spike->seen_ns : spike_end_ns(spike);

	return (int64_t)(end_ns + 1000000000 - session_position_ns(session));
}

static void make_blame(struct blame_shown *blame, const struct spike_list *own, const struct view_state *view,
	const struct session *session)
{
	if (own->blames_cpus)
		blame_make_by_cpu(blame, view, session);
	else
		blame_make(blame, view, session);
}

static struct area fit(struct frame *frame, const struct session *session, struct area body)
{
	struct spike_list *own = view_own(frame, &view_spikes);
	struct blame_shown blame;

	make_blame(&blame, own, &frame->view, session);
	struct area page = lay_out(body, session, &blame).lines;

	fill_list(own, own->by_length, &frame->view, session);
	if (own->wants_longest)
		select_longest(own, &frame->view, session);
	find_selected(own, frame->n_open > 1);
	own->lines = page;
	own->lines.height = (unsigned)view_state_room(own->n_shown, page.height);
	scroll(own);
	copy_selected(own, session);
	own->to_moment_ns = way_to(session, &own->copy.spike);
	return (struct area){page.x, page.y - 1, page.width, page.height + 1};
}

static const char *write_order(const struct scene *scene, const struct spike_list *own, char text[ORDER_SIZE])
{
	enum window window = session_window(scene->session, scene->view->window);

	if (!own->by_length)
		snprintf(text, ORDER_SIZE, "the newest last");
	else if (window == WINDOW_PHASE || window == WINDOW_ALL)
		snprintf(text, ORDER_SIZE, "the longest of this %s first",
			window == WINDOW_ALL ? "run" : "phase");
	else
		snprintf(text, ORDER_SIZE, "the longest of the last %s first", window_name(window));
	return text;
}

static void draw_title(const struct scene *scene, struct area line, const struct spike_list *own)
{
	const struct session_spikes *spikes = &scene->session->spikes;
	unsigned long long n = spikes->blames.n_spikes;
	char kept[48] = "", order[ORDER_SIZE], title[128];

	if (n > own->n_shown)
		snprintf(kept, sizeof(kept), "%zu of ", own->n_shown);
	snprintf(title, sizeof(title), " %s%llu spike%s, %s: < > sorts by %s ", kept, n, n == 1 ? "" : "s",
		write_order(scene, own, order), own->by_length ? "time" : "length");
	canvas_title(scene->canvas, line, title);
}

static const char no_spike[] =
	"no spike yet: the limit of a ring is that of --spike, or without it 20 us, three times its median, "
	"or what 20 samples a second exceed, whichever is the longest";

/* Says why the list is empty. */
static void draw_lack(const struct scene *scene, struct area lines, const struct spike_list *own)
{
	const struct session *session = scene->session;
	struct area area = {lines.x + 1, lines.y, lines.width - 1, lines.height};
	const char *why = !session->spikes.n_last ? no_spike
			  : !own->by_length       ? "no spike of the rings that the filter shows"
			  : scene->view->filter.n_terms
				  ? "no spike in this window, of the rings that the filter shows"
				  : "no spike in this window";

	canvas_wrap(scene->canvas, area, STYLE_PLAIN, why);
}

static void draw_list(const struct scene *scene, const struct layout *layout, const struct spike_list *own)
{
	struct spike_columns columns = spike_columns(scene, MARK_WIDTH, layout->lines.width);

	spike_head_draw(scene, layout->head, &columns);
	size_t end = smaller((unsigned)own->n_shown, (unsigned)own->top + own->lines.height);

	for (size_t i = own->top; i < end; i++) {
		struct area line = {
			layout->lines.x, layout->lines.y + (unsigned)(i - own->top), layout->lines.width, 1};

		spike_draw(scene, line, &columns, kept_of(scene->session, &own->shown[i]));
		if (i == own->position && find_line(own, &own->selected) == own->position)
			canvas_select(scene->canvas, line, true);
	}
	canvas_hidden(scene->canvas, layout->lines, MARK_WIDTH, layout->lines.height - 1, own->top,
		own->n_shown - end);
}

static void draw_spikes(const struct scene *scene, struct area body)
{
	const struct spike_list *own = view_own(scene->frame, &view_spikes);
	struct blame_shown blame;

	make_blame(&blame, own, scene->view, scene->session);
	struct layout layout = lay_out(body, scene->session, &blame);

	if (layout.title.height)
		draw_title(scene, layout.title, own);
	draw_list(scene, &layout, own);
	if (!own->n_shown)
		draw_lack(scene, layout.lines, own);
	if (layout.has_table)
		blame_draw_table(scene, layout.blame, &blame);
	else
		blame_draw_brief(scene, layout.blame, &blame);
}

/* --- its keys --- */

static void press_sort(struct frame *frame, long argument)
{
	struct spike_list *own = view_own(frame, &view_spikes);

	own->by_length = !own->by_length;
	own->has_selected = false;
}

static void press_by_cpu(struct frame *frame, long argument)
{
	struct spike_list *own = view_own(frame, &view_spikes);

	own->blames_cpus = !own->blames_cpus;
}

static void press_longest(struct frame *frame, long argument)
{
	((struct spike_list *)view_own(frame, &view_spikes))->wants_longest = true;
}

const char *spikes_refusal(const struct frame *frame)
{
	const struct spike_list *own = view_own(frame, &view_spikes);

	bool is_taken_apart = frame->n_open > 1 && own->copy.records;

	return own->n_shown || is_taken_apart ? NULL : "the list has no spike";
}

static struct command seek_moment(const struct frame *frame)
{
	const struct spike_list *own = view_own(frame, &view_spikes);

	return (struct command){COMMAND_SEEK, .by_ns = own->to_moment_ns};
}

static const struct key keys[] = {
	{{'<', '>', KEY_CODE_F6}, "<, >, F6", "spikes: by time or by length", "Sort", "< >", press_sort},
	{{'!'}, "!", "spikes: select the longest", "Longest", "!", press_longest},
	{{'#'}, "#", "spikes: blame causes or CPUs", "By CPU", "#", press_by_cpu},
	{{'@'}, "@", "spikes: go to its moment", "Moment", "@", .command_of = seek_moment,
		.refusal = spikes_refusal},
};

const struct view_kind view_spikes = {
	.name = "spikes",
	.key = {{'t'}, "t", "show why responses were slow", "Spikes", "t"},
	VIEW_KEYS(keys),
	.state_size = sizeof(struct spike_list),
	.has_no_rings = true,
	.header_lines = header_lines,
	.fit = fit,
	.draw = draw_spikes,
	.move = spikes_move,
	.wheel_lines = WHEEL_LINES,
	.click = click,
};
