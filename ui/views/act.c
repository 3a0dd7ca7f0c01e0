/* SPDX-License-Identifier: GPL-2.0-or-later */
/* act.c - keys that act on rings, and the dialog that asks before what can't be undone. */
#include "ui/views/act.h"

#include <string.h>

#include "src/base/error_text.h"
#include "src/base/text.h"
#include "src/model/session.h"
#include "ui/views/prompt.h"

enum { WIDTH = 60, HEIGHT = 3 };

struct act {
	struct command command;    /* Enter sends it, or what the prompt asks for completes it */
	struct error_text meaning; /* of a removal: what else changes; "": nothing */
	char title[64];            /* of the prompt */
	/* Rings are opened anew: the new one of the same mechanism and place is selected, or marked, as the
	 * old one was. */
	size_t n_rings, n_anew; /* of the command; how many are still to come */
	uint32_t next_id;       /* of the session, before the frame */
	uint64_t followed;      /* the selected ring, plus 1, if it had not ended when selected; else 0 */
	uint32_t followed_from; /* of the rings that follow it, the first possible id */
	uint64_t leaves;        /* the selected ring, plus 1, if its removal was confirmed; else 0 */
	bool is_sweep;
};

/* What a key asks for before it acts: the commands' arguments, which the run reads. */
static const struct question {
	const char *title, *hint;
	const char *before, *after; /* of "20 rings" in the title, if there are several */
} questions[N_COMMANDS] = {
	[COMMAND_POLICY] = {" policy of the members ",
		"OTHER BATCH IDLE FIFO:1..98 RR:1..98 (Tab); Esc closes", " policy of the members of ", " "},
	[COMMAND_INTERVAL] = {" interval: the ring is opened anew ",
		"such as 500, 500us, 2ms; 0: flood; Esc closes", " interval: ", " are opened anew "},
	[COMMAND_SIZE] = {" size of tokens: the ring is opened anew ", "0 to 1M, such as 4k; Esc closes",
		" size of tokens: ", " are opened anew "},
	[COMMAND_DMA_LATENCY] = {" dma latency to hold, in us ", "0 keeps CPUs awake; off (Tab); Esc closes"},
	[COMMAND_CPUS] = {" CPUs of the members ", "2>10: one CPU each; 0-3: all on these; Esc closes",
		" CPUs of the members of ", " "},
};

extern const struct view_kind view_act, view_overview;

/* --- which rings are meant --- */

static const char is_folded[] = "no ring of the mechanism is shown: unfold it (f)";

static bool can_be_marked(const struct order_row *row, size_t group)
{
	return row->group == group && !row->is_group && !row->was_removed;
}

/* Marks the rings of a mechanism; unmarks them if all are marked. Returns false if none is shown. */
static bool mark_group(struct view_state *view, size_t group)
{
	const struct order *order = &view->order;
	bool all_marked = true, any = false;

	for (size_t i = 0; i < order->n; i++)
		if (can_be_marked(&order->rows[i], group)) {
			all_marked &= fold_is_turned(&view->marked, order->rows[i].ring_id);
			any = true;
		}
	for (size_t i = 0; i < order->n; i++)
		if (can_be_marked(&order->rows[i], group))
			fold_turn(&view->marked, order->rows[i].ring_id, !all_marked);
	return any;
}

/* Marks the selected row, or unmarks it, and goes to the next one; on the line of a mechanism all of its
 * rings that are shown. @all: unmarks all. */
static void press_mark(struct frame *frame, long all)
{
	struct view_state *view = &frame->view;
	int64_t ring = view_state_ring(view);

	if (all) {
		fold_finish(&view->marked);
		return;
	}
	if (view->position >= view->order.n)
		return;
	if (act_refuse_removed(frame))
		frame->message = act_refuse_removed(frame);
	else if (ring >= 0)
		fold_turn(&view->marked, (uint64_t)ring, !fold_is_turned(&view->marked, (uint64_t)ring));
	else if (!mark_group(view, view->order.rows[view->position].group))
		frame->message = is_folded;
	view_state_move(view, 1);
}

/* The rings that a key acts on: the marked ones, or without any the selected one, or on the line of a
 * mechanism those that v marks there. The caller finishes it. */
static struct fold find_meant(const struct view_state *view)
{
	const struct order *order = &view->order;
	bool on_group = view->position < order->n && order->rows[view->position].is_group;
	int64_t selected = view_state_ring(view);
	struct fold meant = {0};

	for (size_t i = 0; i < view->marked.n; i++)
		fold_turn(&meant, view->marked.turned[i], true);
	if (!view->marked.n && selected >= 0)
		fold_turn(&meant, (uint64_t)selected, true);
	for (size_t i = 0; i < order->n && !view->marked.n && on_group; i++)
		if (can_be_marked(&order->rows[i], order->rows[view->position].group))
			fold_turn(&meant, order->rows[i].ring_id, true);
	return meant;
}

/* Writes the ids of the rings that are meant: "4-7 9". Returns their number, 0 if they have no room. */
static size_t write_ids(const struct fold *meant, char *words, size_t size)
{
	const uint32_t *ids = meant->turned;
	char range[32];

	words[0] = '\0';
	for (size_t i = 0, next; i < meant->n; i = next) {
		for (next = i + 1; next < meant->n && ids[next] == ids[next - 1] + 1; next++)
			;
		if (next > i + 1)
			snprintf(range, sizeof(range), "%u-%u", (unsigned)ids[i], (unsigned)ids[next - 1]);
		else
			snprintf(range, sizeof(range), "%u", (unsigned)ids[i]);
		if (strlen(words) + 1 + strlen(range) >= size)
			return 0;
		text_append(words, size, " ", range);
	}
	return meant->n;
}

static size_t write_rings(const struct view_state *view, char *words, size_t size)
{
	struct fold meant = find_meant(view);
	size_t n = write_ids(&meant, words, size);

	fold_finish(&meant);
	return n;
}

static struct command command_on_rings(const struct frame *frame, enum command_kind kind)
{
	struct command command = {kind};

	write_rings(&frame->view, command.words, sizeof(command.words));
	return command;
}

/* Why keys that act have no effect now; NULL: they have. */
static const char *refuse(const struct frame *frame)
{
	if (frame->is_replay)
		return "a replay shows what was measured: this key acts only on a run";
	if (frame->read_only)
		return "--read-only is set: keys change nothing";
	return frame->frozen ? "frozen: press Space first; actions apply to the present" : NULL;
}

const char *act_refuse_kept(const struct frame *frame)
{
	const char *refusal = refuse(frame);

	return !refusal && frame->hunts
		       ? "--hunt compares phases that differ only in their loads: this key has no effect"
		       : refusal;
}

static const char *refuse_sweep(const struct frame *frame)
{
	return ((const struct act *)view_own(frame, &view_act))->is_sweep
		       ? "a sweep runs no rings: this key has no effect"
		       : NULL;
}

const char *act_refuse_add(const struct frame *frame)
{
	const char *refusal = act_refuse_kept(frame);

	return refusal ? refusal : refuse_sweep(frame);
}

const char *act_refuse_view(const struct frame *frame)
{
	const char *refusal = refuse_sweep(frame);

	return !refusal && frame->open[0]->has_no_rings
		       ? "this view selects no ring: Esc goes back to the overview"
		       : refusal;
}

const char *act_refuse_removed(const struct frame *frame)
{
	const struct view_state *view = &frame->view;

	return view->position < view->order.n && view->order.rows[view->position].was_removed
		       ? "this ring was removed: its figures stay, and no key acts on it"
		       : NULL;
}

/* Refuses where no ring is meant that is there. */
static const char *refuse_rings(const struct frame *frame)
{
	const char *refusal = act_refuse_add(frame);
	char words[COMMAND_WORDS_SIZE];

	if (!refusal)
		refusal = act_refuse_view(frame);
	if (!refusal && !frame->view.marked.n)
		refusal = act_refuse_removed(frame);
	if (refusal)
		return refusal;
	struct fold meant = find_meant(&frame->view);

	if (!meant.n)
		refusal = frame->view.position < frame->view.order.n ? is_folded : "no ring is selected";
	else if (!write_ids(&meant, words, sizeof(words)))
		refusal = "these rows have too many gaps: mark fewer, or adjacent ones";
	fold_finish(&meant);
	return refusal;
}

/* Refuses, too, where the selected ring has no members that run. */
static const char *refuse_members(const struct frame *frame)
{
	const struct view_state *view = &frame->view;
	const char *refusal = refuse_rings(frame);

	if (refusal || view->marked.n)
		return refusal;
	return view->order.rows[view->position].has_stopped
		       ? "this ring has failed or is done: it has no members that run (x removes it)"
		       : NULL;
}

/* --- the keys --- */

static void press_remove(struct frame *frame, long argument)
{
	struct act *act = view_own(frame, &view_act);

	act->command = command_on_rings(frame, COMMAND_REMOVE);
	act->meaning.text[0] = '\0';
	if (frame->helper)
		frame->helper->describe(
			frame->helper->data, &act->command, act->meaning.text, sizeof(act->meaning.text));
	view_open(frame, &view_act);
}

static struct command pause_rings(const struct frame *frame)
{
	return command_on_rings(frame, COMMAND_PAUSE);
}

static struct command raise_priority(const struct frame *frame)
{
	struct command command = command_on_rings(frame, COMMAND_PRIORITY);

	strcpy(command.name, "+1");
	return command;
}

static struct command lower_priority(const struct frame *frame)
{
	struct command command = command_on_rings(frame, COMMAND_PRIORITY);

	strcpy(command.name, "-1");
	return command;
}

static struct command send_value(struct frame *frame, const char *text)
{
	struct act *act = view_own(frame, &view_act);
	struct command command = act->command;

	if (!*text)
		return (struct command){COMMAND_NONE};
	act->n_anew = command.kind == COMMAND_INTERVAL || command.kind == COMMAND_SIZE ? act->n_rings : 0;
	snprintf(command.name, sizeof(command.name), "%s", text);
	return command;
}

static void press_ask(struct frame *frame, long kind)
{
	struct act *act = view_own(frame, &view_act);
	const struct question *question = &questions[kind];

	act->command = (struct command){(enum command_kind)kind};
	act->n_rings = write_rings(&frame->view, act->command.words, sizeof(act->command.words));
	if (question->before && act->n_rings > 1)
		snprintf(act->title, sizeof(act->title), "%s%zu rings%s", question->before, act->n_rings,
			question->after);
	else
		snprintf(act->title, sizeof(act->title), "%s", question->title);
	prompt_open_helped(frame, &act->command, act->title, question->hint, send_value);
}

static struct command add_rings(struct frame *frame, const char *text)
{
	struct command command = {COMMAND_ADD};

	snprintf(command.words, sizeof(command.words), "%s", text);
	((struct act *)view_own(frame, &view_act))->n_anew = 0;
	if (!text[strspn(text, " ")])
		return (struct command){COMMAND_NONE};
	if (prompt_is_refused(frame)) { /* the dialog shows why */
		prompt_refuse(frame, "this adds nothing yet: see above");
		return (struct command){COMMAND_NONE};
	}
	return command;
}

static void press_add(struct frame *frame, long argument)
{
	prompt_open_helped(frame, &(struct command){COMMAND_ADD}, " add rings, such as mq 0>3 -s 4k -p 80 ",
		"Enter adds them, Tab completes, Esc closes", add_rings);
}

static struct command set_load(struct frame *frame, const char *text)
{
	struct command command = {COMMAND_LOAD};

	snprintf(command.words, sizeof(command.words), "%s", text);
	if (!*text)
		return (struct command){COMMAND_NONE};
	if (prompt_is_refused(frame)) { /* the dialog shows why */
		prompt_refuse(frame, "this changes no load yet: see above");
		return (struct command){COMMAND_NONE};
	}
	return command;
}

static void press_load(struct frame *frame, long argument)
{
	prompt_open_helped(frame, &(struct command){COMMAND_LOAD},
		" load, such as fork:0-3:50; off, fork:off: end it ",
		"Enter opens or ends it, Tab completes, Esc closes", set_load);
}

static const char *refuse_save(const struct frame *frame)
{
	return frame->is_replay ? "a replay is saved already: --json, --render and --export write it"
				: refuse(frame);
}

#define ACTS .group = KEYS_OF_ACTING

const struct key act_keys[] = {
	{{'v'}, "v", "mark for an action, or unmark", NULL, NULL, press_mark, false,
		.refusal = act_refuse_view, ACTS},
	{{'V'}, "V", "unmark all", NULL, NULL, press_mark, true, .refusal = act_refuse_view, ACTS},
	{{'n'}, "n", "add rings", NULL, NULL, press_add, .refusal = act_refuse_add, ACTS},
	{{'x'}, "x", "remove, after a question", NULL, NULL, press_remove, .refusal = refuse_rings, ACTS},
	{{'P'}, "P", "pause, or go on", NULL, NULL, .command_of = pause_rings, .refusal = refuse_members,
		ACTS},
	{{KEY_CODE_F7}, "F7", "lower their priority by 1", NULL, NULL, .command_of = lower_priority,
		.refusal = refuse_members, ACTS},
	{{KEY_CODE_F8}, "F8", "raise their priority by 1", NULL, NULL, .command_of = raise_priority,
		.refusal = refuse_members, ACTS},
	{{'C'}, "C", "set their policy", NULL, NULL, press_ask, COMMAND_POLICY, .refusal = refuse_members,
		ACTS},
	{{'a'}, "a", "move them to other CPUs", NULL, NULL, press_ask, COMMAND_CPUS,
		.refusal = refuse_members, ACTS},
	{{'i'}, "i", "set their interval: new rings", NULL, NULL, press_ask, COMMAND_INTERVAL,
		.refusal = refuse_rings, ACTS},
	{{'S'}, "S", "set their size: new rings", NULL, NULL, press_ask, COMMAND_SIZE,
		.refusal = refuse_rings, ACTS},
	{{'L'}, "L", "hold the dma latency", NULL, NULL, press_ask, COMMAND_DMA_LATENCY,
		.refusal = act_refuse_kept, ACTS},
	{{'l'}, "l", "disturb by a load, or end it", NULL, NULL, press_load, .refusal = act_refuse_kept,
		ACTS},
	{{'e'}, "e", "save report, screen, command", NULL, NULL, .command = {COMMAND_SAVE},
		.refusal = refuse_save, ACTS},
	{{'U'}, "U", "undo the last action", NULL, NULL, .command = COMMAND("undo"), .refusal = refuse, ACTS},
};
const size_t n_act_keys = sizeof(act_keys) / sizeof(*act_keys);

/* --- rings that are opened anew --- */

/* Members that were moved to several CPUs are on their planned ones again. */
static bool is_at_place_of(const struct session_ring *ring, const struct session_ring *before)
{
	if (strcmp(ring->label, before->label) == 0)
		return true;
	if (ring->n_members != before->n_members)
		return false;
	for (unsigned m = 0; m < ring->n_members; m++) {
		int64_t place = session_member_place(before, m);

		if (ring->cpus[m] != (place >= 0 ? place : (int64_t)before->cpus[m]))
			return false;
	}
	return true;
}

static bool is_anew(const struct session_ring *ring, const struct session_ring *before)
{
	return before && ring->id > before->id && strcmp(ring->mechanism, before->mechanism) == 0 &&
	       is_at_place_of(ring, before);
}

static const struct session_ring *selected_ring(const struct view_state *view, const struct session *session)
{
	return view->has_selected && view->selected <= UINT32_MAX
		       ? session_find_ring(session, (size_t)view->selected)
		       : NULL;
}

/* Selection and marks go on to the new ring. */
static void follow_ring(
	struct view_state *view, const struct session *session, const struct session_ring *ring)
{
	struct fold *marked = &view->marked;

	for (size_t i = 0; i < marked->n; i++)
		if (is_anew(ring, session_find_ring(session, marked->turned[i]))) {
			fold_turn(marked, marked->turned[i], false);
			fold_turn(marked, ring->id, true);
			break;
		}
	if (is_anew(ring, selected_ring(view, session)))
		view->selected = ring->id;
}

/* The undoing of a size or of a removal, or another client, opens the selected ring anew, too. The selection
 * stays on a ring that had ended when it was selected. */
static void leave_ended(
	struct act *act, struct view_state *view, const struct session *session, uint32_t next_id)
{
	const struct session_ring *ring = selected_ring(view, session);
	bool has_ended = ring && ring->ended_ns && act->followed == ring->id + UINT64_C(1);

	for (size_t i = 0; has_ended && i < session->n_rings; i++) {
		const struct session_ring *other = &session->rings[i];

		if (is_anew(other, ring) && other->id >= act->followed_from && !other->ended_ns)
			view->selected = other->id;
	}
	ring = selected_ring(view, session);
	if (ring && act->followed == ring->id + UINT64_C(1))
		return;
	act->followed = ring && !ring->ended_ns ? ring->id + UINT64_C(1) : 0;
	act->followed_from = next_id;
}

static bool is_there(const struct order_row *row, const struct session *session)
{
	const struct session_ring *ring = row->is_group ? NULL : session_find_ring(session, row->ring_id);

	return ring && !ring->ended_ns;
}

/* No key acts on a ring that was removed, and its row goes to the end of the table. For the next action the
 * selection goes to the next ring, or to the one before. A view of the ring alone keeps it. */
static void leave_removed(struct act *act, struct frame *frame, const struct session *session)
{
	struct view_state *view = &frame->view;
	const struct session_ring *ring = selected_ring(view, session);
	const struct order *order = &view->order;
	bool is_selected = ring && act->leaves == ring->id + UINT64_C(1);
	size_t at = view->position;

	if (is_selected && !ring->ended_ns)
		return;
	act->leaves = 0;
	if (!is_selected || frame->open[0] != &view_overview || at >= order->n)
		return;
	while (at < order->n && !is_there(&order->rows[at], session))
		at++;
	if (at == order->n)
		for (at = view->position; at > 0 && !is_there(&order->rows[at], session);)
			at--;
	if (is_there(&order->rows[at], session))
		view->selected = order->rows[at].id;
}

static void settle(struct frame *frame, const struct session *session)
{
	struct act *act = view_own(frame, &view_act);
	uint32_t next_id = session->n_rings ? session->rings[session->n_rings - 1].id + 1 : 0;

	leave_removed(act, frame, session);

	act->is_sweep = session->is_sweep;
	for (size_t i = 0; act->n_anew && i < session->n_rings; i++)
		if (session->rings[i].id >= act->next_id) {
			follow_ring(&frame->view, session, &session->rings[i]);
			act->n_anew--;
		}
	act->next_id = next_id;
	leave_ended(act, &frame->view, session, next_id);
}

/* --- the dialog --- */

static struct command asked_command(const struct frame *frame)
{
	return ((const struct act *)view_own(frame, &view_act))->command;
}

/* @words: of write_ids(). */
static bool has_ring(const char *words, uint32_t id)
{
	unsigned first, last;

	for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ') {
		int got = sscanf(at, "%u-%u", &first, &last);

		if (got >= 1 && id >= first && id <= (got == 2 ? last : first))
			return true;
	}
	return false;
}

static void press_confirm(struct frame *frame, long argument)
{
	struct act *act = view_own(frame, &view_act);
	int64_t selected = view_state_ring(&frame->view);
	bool leaves = selected >= 0 && has_ring(act->command.words, (uint32_t)selected) &&
		      !act_refuse_removed(frame);

	act->leaves = leaves ? (uint64_t)selected + 1 : 0;
	view_close(frame);
}

void act_take_refusal(struct frame *frame)
{
	((struct act *)view_own(frame, &view_act))->leaves = 0;
}

static void press_close(struct frame *frame, long argument)
{
	view_close(frame);
}

/* "mq 0>3 (ring 4)", or "6 rings: 4-7 9 12" */
static void write_subject(const struct session *session, const char *words, char *text, size_t size)
{
	unsigned first, last, n = 0;
	const struct session_ring *ring = NULL;

	for (const char *at = words; *at; at += strcspn(at, " "), at += *at == ' ') {
		int got = sscanf(at, "%u-%u", &first, &last);

		n += got == 2 ? last - first + 1 : 1;
		ring = session_find_ring(session, first);
	}
	if (n == 1 && ring)
		snprintf(text, size, "%s %s (ring %u)", ring->mechanism, ring->label, (unsigned)ring->id);
	else
		snprintf(text, size, "%u rings: %s", n, words);
}

static void draw_act(const struct scene *scene, struct area body)
{
	const struct act *act = view_own(scene->frame, &view_act);
	struct canvas *canvas = scene->canvas;
	unsigned width = smaller(body.width, WIDTH), lines = canvas_wrap_lines(width - 2, act->meaning.text);
	unsigned height = smaller(body.height, HEIGHT + lines);
	struct area box = {
		body.x + (body.width - width) / 2, body.y + (body.height - height) / 2, width, height};
	char text[COMMAND_WORDS_SIZE + 32];

	write_subject(scene->session, act->command.words, text, sizeof(text));
	canvas_blank(canvas, box);
	canvas_title(canvas, box, " remove? the figures stay, measuring there ends ");
	canvas_left(canvas, box, 2, 1, width - 2, STYLE_STRONG, text);
	canvas_wrap(canvas, (struct area){box.x + 2, box.y + 2, width - 2, height - HEIGHT}, STYLE_PLAIN,
		act->meaning.text);
	canvas_left(
		canvas, box, 2, height - 1, width - 2, STYLE_PLAIN, "y removes (U undoes), n or Esc closes");
}

static const struct key keys[] = {
	{{KEY_CODE_ENTER, 'y', '\n'}, "Enter, y", "confirm the dialog", "Remove", "Enter y", press_confirm,
		.command_of = asked_command},
	{{KEY_CODE_ESCAPE, 'n'}, "Esc, n", "close it, remove nothing", "Close", "Esc n", press_close},
};

const struct view_kind view_act = {
	.name = "act",
	.is_dialog = true,
	.state_size = sizeof(struct act),
	VIEW_KEYS(keys),
	.settle = settle,
	.draw = draw_act,
};
