/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys.h - the table of keys: their effects, and their texts in help and footer. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/model/commands.h"
#include "ui/draw/key_code.h"

struct view_state;

/* The keys go to a view, or to the dialog that is open over it. */
enum key_place {
	PLACE_VIEW = 1,
	PLACE_HELP = 2,
	PLACE_LIST = 4,
	PLACE_SETUP = 8,
	PLACE_WRITE = 16,   /* the setup, where "Write the file" is marked */
	PLACE_COLUMNS = 32, /* the setup, where a column is marked */
	PLACE_ALL = PLACE_VIEW | PLACE_HELP | PLACE_LIST | PLACE_SETUP | PLACE_WRITE | PLACE_COLUMNS,
};

/* What a key asks of the screen. */
enum screen_wish {
	SCREEN_REFIT,   /* fit the view to the session again, and draw it: the key has changed the view */
	SCREEN_REDRAW,  /* draw it: a mark has moved, or the key was a letter */
	SCREEN_REPAINT, /* the same as SCREEN_REFIT, for the whole terminal */
	SCREEN_SAVE,    /* write the settings into the configuration file */
	SCREEN_NONE,    /* the key has no meaning */
};

struct effect {
	enum screen_wish wish;
	struct command command; /* COMMAND_NONE: nothing for the session */
};

struct key {
	uint32_t codes[4];                                     /* ends with KEY_CODE_NONE, unless full */
	const char *names;                                     /* "q, F10" */
	const char *help;                                      /* "quit" */
	const char *label, *short_name;                        /* in the footer; NULL: not in it */
	void (*press)(struct view_state *view, long argument); /* may be NULL */
	long argument;
	struct command command; /* for the session */
	enum screen_wish wish;
	/* The view that the key opens does not know it; only the view that the key leaves does. 0: no view.
	 */
	unsigned opens, leaves;
	unsigned places;                                       /* bits of enum key_place; 0: views and help */
	const char *(*refusal)(const struct view_state *view); /* why it has no effect now; NULL: it has */
	bool of_comparison;                                    /* known only while phases are compared */
	bool sorts; /* known only elsewhere: a comparison has an order of its own */
};

/* The keys of the views (views.h) follow the key of the help. */
size_t keys_count(void);
struct key keys_at(size_t i);
/* Returns whether the view on the screen, or the dialog over it, knows the key. */
bool keys_known(const struct key *key, const struct view_state *view);

/* Returns whether the key bar has the key. That of a dialog has only the dialog's own keys. */
bool keys_in_bar(const struct key *key, const struct view_state *view);
/* Returns the code of the known key of this name, such as "Left", or @other if there is none. */
uint32_t keys_named(const struct view_state *view, const char *name, size_t length, uint32_t other);

struct effect keys_press(struct view_state *view, uint32_t code);
