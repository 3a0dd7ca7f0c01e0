/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prompt.c - a small dialog that asks for a line of text. */
#include "ui/views/prompt.h"

#include <string.h>

#include "src/base/error_text.h"
#include "src/base/text.h"

enum { WIDTH = 60, HEIGHT = 3, WIDTH_HELPED = 78, HEIGHT_HELPED = 9, HEIGHT_VALUE = 6, LINE_SIZE = 64 };

struct prompt {
	const char *title, *hint;
	char text[COMMAND_WORDS_SIZE];
	size_t length, size; /* size: with the final 0, at most that of @text */
	bool is_helped;
	struct command about;      /* of a line that is helped: its kind, and if it has a value, its rings */
	bool is_value;             /* the line is its value, and not its words */
	int described;             /* 0: the line has a meaning */
	struct error_text meaning; /* of a line that is helped */
	char words[256];           /* the same: completions */
	bool at_once;              /* done() for each letter */
	bool is_sent;              /* the command of the text; its reply is not there yet */
	char before[FILTER_SIZE];
	struct error_text refusal; /* in place of the hint */
	struct command (*done)(struct frame *frame, const char *text);
};

extern const struct view_kind view_prompt;

void prompt_open(struct frame *frame, const char *title, const char *hint, const char *before,
	struct command (*done)(struct frame *frame, const char *text))
{
	struct prompt *prompt = view_own(frame, &view_prompt);

	*prompt = (struct prompt){.title = title,
		.hint = hint,
		.size = before ? FILTER_SIZE : LINE_SIZE,
		.at_once = before,
		.done = done};
	snprintf(prompt->before, sizeof(prompt->before), "%s", before ? before : "");
	view_open(frame, &view_prompt);
}

static void describe(const struct frame *frame, struct prompt *prompt)
{
	const struct line_helper *helper = frame->helper;

	struct command command = prompt->about;

	if (!prompt->is_helped || !helper)
		return;
	if (prompt->is_value)
		snprintf(command.name, sizeof(command.name), "%.*s", LINE_SIZE - 1, prompt->text);
	else
		snprintf(command.words, sizeof(command.words), "%s", prompt->text);
	prompt->described =
		helper->describe(helper->data, &command, prompt->meaning.text, sizeof(prompt->meaning.text));
}

static void complete(const struct frame *frame, struct prompt *prompt)
{
	const struct line_helper *helper = frame->helper;

	if (!helper)
		return;
	helper->complete(helper->data, &prompt->about, prompt->text, prompt->size, prompt->words,
		sizeof(prompt->words));
	prompt->length = strlen(prompt->text);
	if (!strchr(prompt->words, ' ')) /* the only one is in the line: what that means is shown */
		prompt->words[0] = '\0';
}

void prompt_open_helped(struct frame *frame, const struct command *about, const char *title, const char *hint,
	struct command (*done)(struct frame *frame, const char *text))
{
	struct prompt *prompt = view_own(frame, &view_prompt);
	bool is_value = about->kind != COMMAND_ADD && about->kind != COMMAND_LOAD;

	*prompt = (struct prompt){.title = title,
		.hint = hint,
		.size = is_value ? LINE_SIZE : sizeof(prompt->text),
		.is_helped = true,
		.about = *about,
		.is_value = is_value,
		.done = done};
	describe(frame, prompt);
	view_open(frame, &view_prompt);
}

bool prompt_is_refused(const struct frame *frame)
{
	return ((const struct prompt *)view_own(frame, &view_prompt))->described < 0;
}

void prompt_refuse(struct frame *frame, const char *why)
{
	struct prompt *prompt = view_own(frame, &view_prompt);

	snprintf(prompt->refusal.text, sizeof(prompt->refusal.text), "%s", why);
}

bool prompt_awaits_reply(const struct frame *frame)
{
	return view_top(frame) == &view_prompt &&
	       ((const struct prompt *)view_own(frame, &view_prompt))->is_sent;
}

void prompt_take_reply(struct frame *frame, const char *refusal)
{
	((struct prompt *)view_own(frame, &view_prompt))->is_sent = false;
	if (refusal)
		prompt_refuse(frame, refusal);
	else
		view_close(frame);
}

static bool follows(char byte)
{
	return ((unsigned char)byte & 0xc0) == 0x80;
}

static void erase(struct prompt *prompt)
{
	while (prompt->length && follows(prompt->text[--prompt->length]))
		;
	prompt->text[prompt->length] = '\0';
}

/* Appends as UTF-8, if there is room. */
static void append(struct prompt *prompt, uint32_t code)
{
	char bytes[4];
	size_t n = canvas_encode(code, bytes);

	if (prompt->length + n >= prompt->size)
		return;
	memcpy(prompt->text + prompt->length, bytes, n);
	prompt->length += n;
	prompt->text[prompt->length] = '\0';
}

static struct effect type(struct frame *frame, uint32_t code)
{
	struct prompt *prompt = view_own(frame, &view_prompt);

	if (prompt->is_sent && code != KEY_CODE_ESCAPE)
		return (struct effect){SCREEN_NONE};
	prompt->refusal.text[0] = prompt->words[0] = '\0';
	if (code == KEY_CODE_ENTER || code == '\n') {
		struct command command = prompt->done(frame, prompt->text);

		/* No name of a phase is refused: a q behind it quits, however late the main thread is. */
		prompt->is_sent = command.kind != COMMAND_NONE && command.kind != COMMAND_MARK;
		if (!prompt->is_sent && !*prompt->refusal.text)
			view_close(frame);
		return (struct effect){.command = command};
	}
	if (code == KEY_CODE_ESCAPE)
		view_close(frame);
	else if (code == KEY_CODE_BACKSPACE || code == '\b')
		erase(prompt);
	else if (code == KEY_CODE_CTRL_U)
		prompt->text[prompt->length = 0] = '\0';
	else if (code == KEY_CODE_TAB && prompt->is_helped)
		complete(frame, prompt);
	else if (code < KEY_CODE_ARROW_UP && text_is_plain(code))
		append(prompt, code);
	else
		return (struct effect){SCREEN_REDRAW};
	describe(frame, prompt);
	if (!prompt->at_once)
		return (struct effect){SCREEN_REDRAW};
	return (struct effect){
		.command = prompt->done(frame, code == KEY_CODE_ESCAPE ? prompt->before : prompt->text)};
}

/* The words that Tab has found, or what the line means. */
static const char *help_of(const struct prompt *prompt)
{
	return *prompt->words ? prompt->words : prompt->meaning.text;
}

/* Between the text and the hint. */
static void draw_help(
	struct canvas *canvas, struct area box, unsigned hint_lines, const struct prompt *prompt)
{
	struct area place = {box.x + 2, box.y + 2, box.width - 4, box.height - 2 - hint_lines};

	canvas_wrap(canvas, place, prompt->described < 0 ? STYLE_WARNING : STYLE_PLAIN, help_of(prompt));
}

/* In the middle of the body. Of a text that is too long, the end is visible. */
static void draw_prompt(const struct scene *scene, struct area body)
{
	const struct prompt *prompt = view_own(scene->frame, &view_prompt);
	struct canvas *canvas = scene->canvas;
	unsigned widest = prompt->is_helped && !prompt->is_value ? WIDTH_HELPED : WIDTH;
	/* A column at either side would show a letter of what is below. */
	unsigned width = body.width <= widest + 2 ? body.width : widest;
	unsigned least = !prompt->is_helped ? HEIGHT : prompt->is_value ? HEIGHT_VALUE : HEIGHT_HELPED;
	const char *hint = *prompt->refusal.text ? prompt->refusal.text : prompt->hint;
	unsigned hint_lines = canvas_wrap_lines(width - 2, hint);
	unsigned help_lines = prompt->is_helped ? 2 + canvas_wrap_lines(width - 4, help_of(prompt)) : 0;

	if (!*prompt->refusal.text && help_lines + hint_lines > body.height)
		hint_lines = 1;
	unsigned height = smaller(body.height, larger(least - 1, help_lines) + hint_lines);
	struct area box = {
		body.x + (body.width - width) / 2, body.y + (body.height - height) / 2, width, height};
	const char *text = prompt->text;
	unsigned end;

	hint_lines = smaller(hint_lines, height - 2);
	while (*text && canvas_measure(canvas, text) + 4 > width)
		for (text++; follows(*text);)
			text++;
	canvas_blank(canvas, box);
	canvas_title(canvas, box, prompt->title);
	end = canvas_text(canvas, box, 2, 1, STYLE_STRONG, text);
	if (prompt->is_sent)
		canvas_text(canvas, box, end, 1, STYLE_PLAIN, canvas->ascii ? "..." : "\u2026");
	else
		canvas_put(canvas, box, end, 1, '_', STYLE_STRONG);
	/* The run refuses a value for the reason that the helper knew. */
	if (prompt->is_helped && !(prompt->is_value && prompt->described < 0 && *prompt->refusal.text))
		draw_help(canvas, box, hint_lines, prompt);
	canvas_wrap(canvas, (struct area){box.x + 2, box.y + height - hint_lines, width - 2, hint_lines},
		*prompt->refusal.text ? STYLE_WRONG : STYLE_PLAIN, hint);
}

/* For the key bar: type() gets their codes. */
static const struct key keys[] = {
	{.short_name = "Enter", .label = "Done"},
	{.short_name = "Esc", .label = "Close"},
	{.short_name = "F10", .label = "Quit"},
};

const struct view_kind view_prompt = {
	.name = "prompt",
	.is_dialog = true,
	.state_size = sizeof(struct prompt),
	VIEW_KEYS(keys),
	.draw = draw_prompt,
	.type = type,
};
