/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys.h - the table of keys: their effects, and their texts in help and footer. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/model/commands.h"
#include "ui/draw/key_code.h"

struct view_state;

struct key {
	uint32_t codes[4];                                     /* those after the last are KEY_CODE_NONE */
	const char *names;                                     /* "q, F10" */
	const char *help;                                      /* what it does */
	const char *label, *short_name;                        /* in the footer; NULL: not there */
	void (*press)(struct view_state *view, long argument); /* changes it; NULL: @command is for others */
	long argument;
	struct command command;
	unsigned opens, leaves; /* the view that does not know it, the only one that does; 0: all know it */
};

/* Those of the views (views.h) are between help and the others. */
size_t keys_count(void);
struct key keys_at(size_t i);
/* Returns whether the view on the screen, or the dialog over it, knows the key. */
bool keys_known(const struct key *key, const struct view_state *view);

/* Returns what the key asks for: COMMAND_NONE where it has no meaning, COMMAND_REDRAW where it has changed
 * the view alone. */
struct command keys_press(struct view_state *view, uint32_t code);
