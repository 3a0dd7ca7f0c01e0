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
	/* Called for Enter. Returns the command for the text, or COMMAND_NONE. */
	struct command (*done)(struct view_state *view, const char *text);
};

void prompt_open(struct prompt *prompt, const char *title, const char *hint,
	struct command (*done)(struct view_state *view, const char *text));
/* Called in done(): keeps the dialog open, with the reason in place of the hint. */
void prompt_refuse(struct prompt *prompt, const char *why);
/* Handles a key while the dialog is open. Returns done()'s command. */
struct command prompt_press(struct prompt *prompt, uint32_t code, struct view_state *view);
/* Draws it in the middle of the area. Of a text that is too long, the end is visible. */
void prompt_draw(const struct prompt *prompt, struct canvas *canvas, struct area area);
