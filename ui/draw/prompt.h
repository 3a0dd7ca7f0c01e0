/* SPDX-License-Identifier: GPL-2.0-or-later */
/* prompt.h - a small dialog that asks for a line of text. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/model/commands.h"
#include "ui/draw/canvas.h"

struct view_state;

enum { PROMPT_SIZE = 64 }; /* bytes of UTF-8, with their 0 */

struct prompt {
	bool open;
	const char *title, *hint;
	char text[PROMPT_SIZE];
	size_t length;
	char refusal[96]; /* in place of the hint */
	/* Enter; Esc calls nothing. Returns the command that the text asks for. */
	struct command (*done)(struct view_state *view, const char *text);
};

void prompt_open(struct prompt *prompt, const char *title, const char *hint,
	struct command (*done)(struct view_state *view, const char *text));
/* Called in done(): keeps it open, and shows why. */
void prompt_refuse(struct prompt *prompt, const char *why);
/* A key while it is open. Returns done()'s command, or COMMAND_REDRAW. */
struct command prompt_press(struct prompt *prompt, uint32_t code, struct view_state *view);
/* In the middle of the area. Shows the end of a text that is too long. */
void prompt_draw(const struct prompt *prompt, struct canvas *canvas, struct area area);
