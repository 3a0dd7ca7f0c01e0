/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys.h - the one table of keys: what each does, and what help and footer say of it. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/model/commands.h"

struct view;

/* What is no letter, as the screen reports it; letters and control characters are their own code. */
enum key_code {
	KEY_CODE_NONE = 0,
	KEY_CODE_ENTER = 13,
	KEY_CODE_ESCAPE = 27,
	KEY_CODE_BACKSPACE = 127,
	KEY_CODE_CTRL_L = 12,
	KEY_CODE_ARROW_UP = 0x110000, /* past Unicode */
	KEY_CODE_ARROW_DOWN,
	KEY_CODE_FIRST, /* Home */
	KEY_CODE_LAST,  /* End */
	KEY_CODE_PAGE_UP,
	KEY_CODE_PAGE_DOWN,
	KEY_CODE_F1,
	KEY_CODE_F10 = KEY_CODE_F1 + 9,
	KEY_CODE_CLICK, /* the mouse's, see mouse.h */
	KEY_CODE_WHEEL_UP,
	KEY_CODE_WHEEL_DOWN,
};

struct key {
	uint32_t codes[4];                /* those after the last are KEY_CODE_NONE */
	const char *names;                /* "q, F10" */
	const char *help;                 /* what it does */
	const char *label, *short_name;   /* in the footer; NULL: not there */
	void (*press)(struct view *view); /* changes it; NULL: @command is for others */
	struct command command;
	unsigned views; /* bits of enum screen_view: those that know it; 0: all */
};

/* Does this view know the key? */
bool keys_known(const struct key *key, const struct view *view);

extern const struct key keys_table[];
extern const size_t keys_n;

/* Returns what the key asks for: COMMAND_NONE where it has no meaning, COMMAND_REDRAW where it has changed
 * the view alone. */
struct command keys_press(struct view *view, uint32_t code);
