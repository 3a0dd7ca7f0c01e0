/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prompt.c - a small dialog that asks for a line of text. */
#include "ui/views/prompt.h"

#include <string.h>

#include "src/base/text.h"

enum { WIDTH = 60, HEIGHT = 3 };

struct prompt {
	const char *title, *hint;
	char text[FILTER_SIZE];
	size_t length;
	bool at_once; /* done() for each letter */
	char before[FILTER_SIZE];
	char refusal[96]; /* in place of the hint */
	struct command (*done)(struct frame *frame, const char *text);
};

extern const struct view_kind view_prompt;

void prompt_open(struct frame *frame, const char *title, const char *hint, const char *before,
	struct command (*done)(struct frame *frame, const char *text))
{
	struct prompt *prompt = view_own(frame, &view_prompt);

	*prompt = (struct prompt){.title = title, .hint = hint, .at_once = before, .done = done};
	snprintf(prompt->before, sizeof(prompt->before), "%s", before ? before : "");
	view_open(frame, &view_prompt);
}

void prompt_refuse(struct frame *frame, const char *why)
{
	struct prompt *prompt = view_own(frame, &view_prompt);

	snprintf(prompt->refusal, sizeof(prompt->refusal), "%s", why);
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

	if (prompt->length + n >= sizeof(prompt->text))
		return;
	memcpy(prompt->text + prompt->length, bytes, n);
	prompt->length += n;
	prompt->text[prompt->length] = '\0';
}

static struct effect type(struct frame *frame, uint32_t code)
{
	struct prompt *prompt = view_own(frame, &view_prompt);

	prompt->refusal[0] = '\0';
	if (code == KEY_CODE_ENTER || code == '\n') {
		struct command command = prompt->done(frame, prompt->text);

		if (!*prompt->refusal)
			view_close(frame);
		return (struct effect){.command = command};
	}
	if (code == KEY_CODE_ESCAPE)
		view_close(frame);
	else if (code == KEY_CODE_BACKSPACE || code == '\b')
		erase(prompt);
	else if (code < KEY_CODE_ARROW_UP && text_is_plain(code))
		append(prompt, code);
	else
		return (struct effect){SCREEN_REDRAW};
	if (!prompt->at_once)
		return (struct effect){SCREEN_REDRAW};
	return (struct effect){
		.command = prompt->done(frame, code == KEY_CODE_ESCAPE ? prompt->before : prompt->text)};
}

/* In the middle of the body. Of a text that is too long, the end is visible. */
static void draw_prompt(const struct scene *scene, struct area body)
{
	const struct prompt *prompt = view_own(scene->frame, &view_prompt);
	struct canvas *canvas = scene->canvas;
	unsigned width = smaller(body.width, WIDTH);
	struct area box = {
		body.x + (body.width - width) / 2, body.y + (body.height - HEIGHT) / 2, width, HEIGHT};
	const char *text = prompt->text;
	unsigned end;

	while (*text && canvas_measure(canvas, text) + 4 > width)
		for (text++; follows(*text);)
			text++;
	canvas_blank(canvas, box, STYLE_PLAIN);
	canvas_title(canvas, box, prompt->title);
	end = canvas_text(canvas, box, 2, 1, STYLE_STRONG, text);
	canvas_put(canvas, box, end, 1, '_', STYLE_STRONG);
	canvas_left(canvas, box, 2, 2, width - 2, *prompt->refusal ? STYLE_WRONG : STYLE_PLAIN,
		*prompt->refusal ? prompt->refusal : prompt->hint);
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
