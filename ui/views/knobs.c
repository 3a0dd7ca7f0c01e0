/* SPDX-License-Identifier: GPL-2.0-or-later */
/* knobs.c - the view of the settings that bear on latency, ranked by what the run has seen: all together, or
 * in groups, the one with the worst first. */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "src/base/text.h"
#include "src/model/advice.h"
#include "src/model/session.h"
#include "ui/views/act.h"
#include "ui/views/prompt.h"
#include "ui/views/view.h"

enum {
	SMALL = 12, /* lines of the largest body without the advice about the selected knob */
	MARK_WIDTH = 2,
	RANK_WIDTH = 14,
	NAME_WIDTH = 27,
	VALUE_WIDTH = 30,
	WIDE = 100,  /* columns of the narrowest line with the cost */
	WIDER = 160, /* columns of the narrowest line with long values */
	LONG_VALUE_WIDTH = 60,
	GAP = 1,
	FIELD_WIDTH = 6, /* of "good", "cost", .. in the advice */
	N_FIELDS = 6,
	TRIAL_LINES = 4, /* at most, of the sentence about the last trial */
	TRIAL_SIZE = 2048,
	LINES_MAX = KNOBS_MAX + N_KNOB_GROUPS,
};

/* The view's own state. */
struct knob_list {
	const struct knob *selected; /* the same while the ranking changes; NULL: the first one */
	bool is_grouped;
	char wanted[FILTER_SIZE]; /* knobs with this text are shown; "": all */

	/* Set by fit(). */
	struct advice_list advice; /* of the knobs that are shown; the numbers of ranks are of all */
	size_t n_all;
	bool is_heading[LINES_MAX]; /* the line has the name of a group; others a knob, in their order */
	size_t n_lines;
	struct advice_site site; /* its machine and blames are not valid any more */
	struct trial_progress trial;
	char trial_text[TRIAL_SIZE]; /* of the trial that goes on, or of the last one; "": there was none */
	size_t position;             /* of the selected knob in the list */
	size_t top;                  /* the first line that is visible */
	struct area lines;           /* those that are visible */

	const struct knob *asked; /* the prompt asks for its value */
	char question[64];
};

extern const struct view_kind view_knobs;

/* --- its layout --- */

struct layout {
	struct area title, trial, head, lines, advice; /* height 0: omitted */
};

/* "0:07", "1:52", from the end of the last tick on. */
static char *time_left(char *text, size_t size, uint64_t end_ns, uint64_t now_ns)
{
	unsigned long long s = end_ns > now_ns ? (end_ns - now_ns + 500000000) / 1000000000 : 0;

	snprintf(text, size, "%llu:%02llu", s / 60, s % 60);
	return text;
}

/* A result comes from the newest event of its kind, so recordings and the past have it, too. */
static void write_trial(struct knob_list *own, const struct session *session)
{
	const struct trial_progress *trial = &session->trial;
	char phase[16], all[16];

	own->trial = *trial;
	own->trial_text[0] = '\0';
	if (*trial->tried) {
		time_left(phase, sizeof(phase), trial->phase_end_ns, session->now_ns);
		time_left(all, sizeof(all), trial->end_ns, session->now_ns);
	}
	if (*trial->tried && !trial->phase)
		snprintf(own->trial_text, TRIAL_SIZE,
			"trying %s: measures as it is for %s, then back and forth for %s at most; x stops it",
			trial->tried, phase, all);
	else if (*trial->tried)
		snprintf(own->trial_text, TRIAL_SIZE,
			"trying %s: phase %u of %u, with %s, ends in %s, all in %s; x stops it", trial->tried,
			trial->phase, trial->n_phases, trial->with, phase, all);
	for (size_t i = session->n_events; i-- > 0 && !own->trial_text[0];)
		if (session->events[i].kind == EVENT_TRIAL)
			snprintf(own->trial_text, TRIAL_SIZE, "%s: %s", session->events[i].subject,
				session->events[i].text);
}

static unsigned trial_lines(const struct knob_list *own, struct area body)
{
	unsigned lines = *own->trial_text ? canvas_wrap_lines(body.width - GAP, own->trial_text) : 0;

	return smaller(smaller(lines, TRIAL_LINES), body.height / 3);
}

/* The lines that a command takes. */
static unsigned lines_of(const struct knob_list *own, const char *text, unsigned width)
{
	unsigned room = width > FIELD_WIDTH + 2 * GAP ? width - FIELD_WIDTH - 2 * GAP : 1;

	return *text ? canvas_wrap_lines(room, text) : 0;
}

/* The advice about the selected knob, field by field; "" for those that it does not have. */
struct fields {
	const char *names[N_FIELDS];
	char texts[N_FIELDS][ADVICE_TEXT_SIZE];
};

static void write_fields(struct fields *fields, const struct knob_list *own)
{
	static const char *const names[N_FIELDS] = {"is", "value", "good", "cost", "now", "keep"};
	const struct advice *advice = &own->advice.list[own->position];
	const struct knob *knob = advice->knob;

	*fields = (struct fields){0};
	memcpy(fields->names, names, sizeof(names));
	if (!own->advice.n)
		return;
	snprintf(fields->texts[0], ADVICE_TEXT_SIZE, "%s", knob->about);
	snprintf(fields->texts[1], ADVICE_TEXT_SIZE, "%s",
		advice->rank < ADVICE_DENIED ? advice->found.value : advice_rank_word(advice->rank));
	snprintf(fields->texts[2], ADVICE_TEXT_SIZE, "%s", knob->good);
	advice_cost_text(advice, fields->texts[3]);
	advice_command(advice, &own->site, advice_now(advice, &own->site), fields->texts[4]);
	advice_command(advice, &own->site, knob->keep, fields->texts[5]);
}

static struct layout lay_out(const struct knob_list *own, struct area body)
{
	bool small = body.height <= SMALL;
	unsigned title = small ? 0 : 1, trial = trial_lines(own, body), heads = title + trial + 1, advice = 0;
	struct fields fields;

	write_fields(&fields, own);
	for (size_t i = 0; i < N_FIELDS && !small; i++)
		advice += lines_of(own, fields.texts[i], body.width);
	advice = small ? 0 : smaller(advice + 1, (body.height - trial) / 2);
	return (struct layout){
		.title = {body.x, body.y, body.width, title},
		.trial = {body.x + GAP, body.y + title, body.width - GAP, trial},
		.head = {body.x, body.y + heads - 1, body.width, 1},
		.lines = {body.x, body.y + heads, body.width, body.height - heads - advice},
		.advice = {body.x, body.y + body.height - advice, body.width, advice},
	};
}

/* --- which knobs --- */

static bool has_text(const char *text, const char *part)
{
	size_t length = strlen(part);

	for (; strlen(text) >= length; text++)
		if (strncasecmp(text, part, length) == 0)
			return true;
	return false;
}

static bool is_wanted(const struct knob *knob, const char *part)
{
	return has_text(knob->name, part) || has_text(knob->fact, part) || has_text(knob->about, part) ||
	       has_text(knob_group_name(knob->group), part);
}

static void list_knobs(struct knob_list *own)
{
	struct advice_list *all = &own->advice;
	size_t n = 0;

	advice_make(all, &own->site);
	own->n_all = all->n;
	for (size_t i = 0; i < all->n; i++)
		if (is_wanted(all->list[i].knob, own->wanted))
			all->list[n++] = all->list[i];
	all->n = n;
	if (own->is_grouped)
		advice_group(all);
	own->n_lines = 0;
	for (size_t i = 0; i < n; i++) {
		bool begins = !i || all->list[i].knob->group != all->list[i - 1].knob->group;

		if (begins && own->is_grouped)
			own->is_heading[own->n_lines++] = true;
		own->is_heading[own->n_lines++] = false;
	}
}

/* Returns the knob of a line; of a heading the first one below it. */
static size_t knob_of_line(const struct knob_list *own, size_t line)
{
	size_t at = 0;

	for (size_t i = 0; i < line && i < own->n_lines; i++)
		at += !own->is_heading[i];
	return at;
}

static size_t line_of_knob(const struct knob_list *own, size_t knob)
{
	size_t line = 0;

	while (line < own->n_lines && (own->is_heading[line] || knob_of_line(own, line) < knob))
		line++;
	return line;
}

static void press_group(struct frame *frame, long argument)
{
	struct knob_list *own = view_own(frame, &view_knobs);

	own->is_grouped = !own->is_grouped;
}

static struct command want_knobs(struct frame *frame, const char *text)
{
	struct knob_list *own = view_own(frame, &view_knobs);

	snprintf(own->wanted, sizeof(own->wanted), "%s", text);
	return (struct command){COMMAND_NONE};
}

static void press_filter(struct frame *frame, long argument)
{
	const struct knob_list *own = view_own(frame, &view_knobs);

	prompt_open(frame, " show knobs with ", "part of a name, a group or what it is; empty: all",
		own->wanted, want_knobs);
}

/* --- the selection --- */

static void find_selected(struct knob_list *own)
{
	own->position = 0;
	for (size_t i = 0; i < own->advice.n && own->selected; i++)
		if (own->advice.list[i].knob == own->selected)
			own->position = i;
}

static void scroll(struct knob_list *own)
{
	size_t line = line_of_knob(own, own->position);

	/* With its heading. */
	if (line && own->top >= line && own->is_heading[line - 1])
		own->top = line - 1;
	own->top = view_state_top(own->top, line, own->n_lines, own->lines.height);
}

static void select_line(struct knob_list *own, size_t position)
{
	own->position = position;
	own->selected = position ? own->advice.list[position].knob : NULL;
}

static void move(struct frame *frame, long by)
{
	struct knob_list *own = view_own(frame, &view_knobs);

	if (own->advice.n)
		select_line(own, view_state_step(own->position, by, own->advice.n - 1));
}

static uint32_t click(struct frame *frame, unsigned x, unsigned y)
{
	struct knob_list *own = view_own(frame, &view_knobs);
	size_t line = view_state_line_at(own->lines, own->top, own->n_lines, x, y);

	if (line < own->n_lines)
		select_line(own, knob_of_line(own, line));
	return KEY_CODE_NONE;
}

static struct area fit(struct frame *frame, const struct session *session, struct area body)
{
	struct knob_list *own = view_own(frame, &view_knobs);

	advice_site_of(&own->site, session);
	list_knobs(own);
	write_trial(own, session);
	find_selected(own);
	struct area page = lay_out(own, body).lines;

	own->lines = page;
	own->lines.height = (unsigned)view_state_room(own->n_lines, page.height);
	scroll(own);
	return (struct area){page.x, page.y - 1, page.width, page.height + 1};
}

/* --- a trial --- */

static const struct knob *selected_knob(const struct frame *frame)
{
	const struct knob_list *own = view_own(frame, &view_knobs);

	return own->position < own->advice.n ? own->advice.list[own->position].knob : NULL;
}

static const char *refuse_try(const struct frame *frame)
{
	const struct knob_list *own = view_own(frame, &view_knobs);
	const char *refusal = act_refuse_add(frame);
	const struct knob *knob = selected_knob(frame);

	return refusal             ? refusal
	       : *own->trial.tried ? "a knob is being tried: x stops that"
	       : knob              ? knob_try_refusal(knob)
				   : "no knob is shown";
}

static const char *refuse_stop(const struct frame *frame)
{
	const struct knob_list *own = view_own(frame, &view_knobs);
	const char *refusal = act_refuse_add(frame);

	return refusal ? refusal : *own->trial.tried ? NULL : "no knob is being tried";
}

static struct command try_value(struct frame *frame, const char *text)
{
	struct command command = {COMMAND_TRY};
	const struct knob *knob = ((const struct knob_list *)view_own(frame, &view_knobs))->asked;

	if (!*text || !knob)
		return (struct command){COMMAND_NONE};
	snprintf(command.words, sizeof(command.words), "%s=%s", knob->fact, text);
	return command;
}

static void press_try(struct frame *frame, long argument)
{
	struct knob_list *own = view_own(frame, &view_knobs);
	struct command command = {COMMAND_TRY};

	own->asked = selected_knob(frame);
	snprintf(own->question, sizeof(own->question), " try %s with the value ", own->asked->name);
	snprintf(command.words, sizeof(command.words), "%s", own->asked->fact);
	prompt_open_helped(frame, &command, own->question,
		"Enter turns it, back and forth, Tab completes, Esc closes", try_value);
}

static const struct key keys[] = {
	{{KEY_CODE_ENTER, '\n'}, "Enter", "knobs: try another value", "Try", "Enter", press_try,
		.refusal = refuse_try, .bar_refusal = act_refuse_add},
	{{'x'}, "x", "knobs: stop the trial", "Stop", "x",
		.command = {COMMAND_TRY, .words = COMMAND_TRY_STOP}, .refusal = refuse_stop,
		.bar_refusal = refuse_stop},
	{{'#'}, "#", "knobs: in groups or together", "Group", "#", press_group},
	{{'/'}, "/", "knobs: show only some", "Filter", "/", press_filter},
};

/* --- what is drawn --- */

/* "10 seen in spikes, 9 not good but in no spike"; @brief: "10 seen, 9 not good". */
static void write_summary(const struct knob_list *own, bool brief, char text[ADVICE_TEXT_SIZE])
{
	const size_t *n = own->advice.n_ranks;

	if (*own->wanted)
		snprintf(text, ADVICE_TEXT_SIZE, "%zu of %zu with '%s'", own->advice.n, own->n_all,
			own->wanted);
	else if (own->advice.has_blames)
		snprintf(text, ADVICE_TEXT_SIZE,
			brief ? "%zu seen, %zu not good" : "%zu seen in spikes, %zu not good but in no spike",
			n[ADVICE_SEEN], n[ADVICE_COSTS] + n[ADVICE_MAY_COST] + n[ADVICE_NO_EFFECT]);
	else
		snprintf(text, ADVICE_TEXT_SIZE, "%s%zu cost elsewhere, %zu may cost",
			brief ? "" : "no spike blames a knob; ", n[ADVICE_COSTS], n[ADVICE_MAY_COST]);
}

/* Where the line has no room for all, it has no CPUs, then the brief summary. */
static void draw_title(const struct scene *scene, struct area line, const struct knob_list *own)
{
	char cpus[KNOB_LIST_SIZE], summary[ADVICE_TEXT_SIZE], title[2 * ADVICE_TEXT_SIZE];

	cpus_format(&own->site.cpus, cpus, sizeof(cpus));
	write_summary(own, false, summary);
	snprintf(title, sizeof(title), " knobs for CPUs %s: %s ", cpus, summary);
	if (!canvas_title_fits(scene->canvas, line, title))
		snprintf(title, sizeof(title), " knobs: %s ", summary);
	if (!canvas_title_fits(scene->canvas, line, title)) {
		write_summary(own, true, summary);
		snprintf(title, sizeof(title), " knobs: %s ", summary);
	}
	canvas_title(scene->canvas, line, title);
}

static void draw_columns(const struct scene *scene, struct area line, enum style style, enum style rank_style,
	const char *const texts[4])
{
	unsigned value_width = line.width >= WIDER ? LONG_VALUE_WIDTH : VALUE_WIDTH;
	const unsigned widths[] = {RANK_WIDTH, NAME_WIDTH, value_width};
	size_t last = line.width >= WIDE ? 3 : 2;
	unsigned x = MARK_WIDTH;

	for (size_t i = 0; i <= last && x < line.width; i++) {
		unsigned width = i < last ? smaller(widths[i], line.width - x) : line.width - x;

		canvas_left(scene->canvas, line, x, 0, width, i ? style : rank_style, texts[i]);
		x += width + GAP;
	}
}

static enum style style_of(enum advice_rank rank)
{
	return rank == ADVICE_SEEN ? STYLE_WARNING : rank == ADVICE_COSTS ? STYLE_STRONG : STYLE_PLAIN;
}

static void draw_knob(
	const struct scene *scene, struct area line, const struct advice *advice, bool is_marked)
{
	char cost[ADVICE_TEXT_SIZE], share[RANK_WIDTH + 1];
	bool has_value = advice->rank < ADVICE_DENIED, is_good = advice->rank >= ADVICE_GOOD;
	const char *const texts[] = {share, advice->knob->name, has_value ? advice->found.value : "",
		is_good || advice->rank == ADVICE_NO_EFFECT ? "" : advice_cost_brief(advice, cost)};

	if (advice->rank == ADVICE_SEEN && advice->seen_ppm >= 10000)
		snprintf(share, sizeof(share), "seen %u %%", (unsigned)((advice->seen_ppm + 5000) / 10000));
	else
		snprintf(share, sizeof(share), "%s",
			advice->rank == ADVICE_SEEN ? "seen <1 %" : advice_rank_word(advice->rank));
	draw_columns(scene, line, STYLE_PLAIN, style_of(advice->rank), texts);
	if (is_marked)
		canvas_select(scene->canvas, line, true);
}

/* "scheduler: 2 seen, 3 may cost", of those that are not good. */
static char *write_heading(const struct knob_list *own, size_t first, char heading[ADVICE_TEXT_SIZE])
{
	enum knob_group group = own->advice.list[first].knob->group;
	size_t n[N_ADVICE_RANKS] = {0};
	const char *between = ": ";

	for (size_t i = first; i < own->advice.n && own->advice.list[i].knob->group == group; i++)
		n[own->advice.list[i].rank]++;
	snprintf(heading, ADVICE_TEXT_SIZE, "%s", knob_group_name(group));
	for (enum advice_rank rank = 0; rank <= ADVICE_NO_EFFECT; rank++) {
		if (!n[rank])
			continue;
		text_print(heading, ADVICE_TEXT_SIZE, "%s%zu %s", between, n[rank], advice_rank_word(rank));
		between = ", ";
	}
	return heading;
}

static void draw_list(const struct scene *scene, const struct layout *layout, const struct knob_list *own)
{
	static const char *const heads[] = {"HERE", "KNOB", "VALUE", "BLAMED, OR PUBLISHED COST"};
	char heading[ADVICE_TEXT_SIZE];

	canvas_restyle(scene->canvas, layout->head, STYLE_HEAD);
	draw_columns(scene, layout->head, STYLE_HEAD, STYLE_HEAD, heads);
	size_t end = smaller((unsigned)own->n_lines, (unsigned)own->top + own->lines.height);

	for (size_t i = own->top; i < end; i++) {
		unsigned y = layout->lines.y + (unsigned)(i - own->top);
		struct area line = {layout->lines.x, y, layout->lines.width, 1};
		size_t at = knob_of_line(own, i);

		if (own->is_heading[i])
			canvas_left(scene->canvas, line, 0, 0, line.width, STYLE_STRONG,
				write_heading(own, at, heading));
		else
			draw_knob(scene, line, &own->advice.list[at], at == own->position);
	}
	canvas_hidden(scene->canvas, layout->lines, MARK_WIDTH, layout->lines.height - 1, own->top,
		own->n_lines - end);
	if (!own->n_lines)
		canvas_left(scene->canvas, layout->lines, MARK_WIDTH, 0, layout->lines.width - MARK_WIDTH,
			STYLE_PLAIN, "no knob has that; / and an empty line show all");
}

static void draw_advice(const struct scene *scene, struct area area, const struct knob_list *own)
{
	const struct knob *knob = own->advice.list[own->position].knob;
	struct fields fields;
	char title[128];
	unsigned y = 1;

	if (!own->advice.n)
		return;

	snprintf(title, sizeof(title), " %s: %s ", knob_group_name(knob->group), knob->name);
	canvas_title(scene->canvas, area, title);
	write_fields(&fields, own);
	for (size_t i = 0; i < N_FIELDS && y < area.height; i++) {
		unsigned n = lines_of(own, fields.texts[i], area.width), x = FIELD_WIDTH + 2 * GAP;

		if (!n)
			continue;
		n = smaller(n, area.height - y);
		canvas_text(scene->canvas, area, GAP, y, STYLE_STRONG, fields.names[i]);
		if (area.width > x)
			canvas_wrap(scene->canvas, (struct area){area.x + x, area.y + y, area.width - x, n},
				STYLE_PLAIN, fields.texts[i]);
		y += n;
	}
}

static void draw_knobs(const struct scene *scene, struct area body)
{
	const struct knob_list *own = view_own(scene->frame, &view_knobs);
	struct layout layout = lay_out(own, body);

	if (layout.title.height)
		draw_title(scene, layout.title, own);
	canvas_wrap(scene->canvas, layout.trial, STYLE_STRONG, own->trial_text);
	draw_list(scene, &layout, own);
	if (layout.advice.height)
		draw_advice(scene, layout.advice, own);
}

const struct view_kind view_knobs = {
	.name = "knobs",
	.key = {{'K'}, "K", "show knobs, ranked by cost", "Knobs", "K"},
	VIEW_KEYS(keys),
	.state_size = sizeof(struct knob_list),
	.has_no_rings = true,
	.fit = fit,
	.draw = draw_knobs,
	.move = move,
	.wheel_lines = WHEEL_LINES,
	.click = click,
};
