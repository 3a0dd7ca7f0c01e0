/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prompt.c - a small dialog that asks for a line of text. */
#include "ui/draw/prompt.h"

#include <string.h>

#include "src/base/text.h"
#include "ui/draw/key_code.h"

enum { WIDTH = 60, HEIGHT = 3 };

void prompt_open(struct prompt *prompt, const char *title, const char *hint,
	struct command (*done)(struct view_state *view, const char *text))
{
	*prompt = (struct prompt){.open = true, .title = title, .hint = hint, .done = done};
}

void prompt_refuse(struct prompt *prompt, const char *why)
{
	snprintf(prompt->refusal, sizeof(prompt->refusal), "%s", why);
	prompt->open = true;
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

struct command prompt_press(struct prompt *prompt, uint32_t code, struct view_state *view)
{
	prompt->refusal[0] = '\0';
	if (code == KEY_CODE_ENTER || code == '\n') {
		prompt->open = false;
		return prompt->done(view, prompt->text);
	}
	if (code == KEY_CODE_ESCAPE) {
		prompt->open = false;
	} else if (code == KEY_CODE_BACKSPACE || code == '\b') {
		erase(prompt);
	} else if (code < KEY_CODE_ARROW_UP && text_is_plain(code)) {
		append(prompt, code);
	}
	return (struct command){COMMAND_NONE};
}

void prompt_draw(const struct prompt *prompt, struct canvas *canvas, struct area area)
{
	unsigned width = area.width < WIDTH ? area.width : WIDTH;
	struct area box = {
		area.x + (area.width - width) / 2, area.y + (area.height - HEIGHT) / 2, width, HEIGHT};
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
