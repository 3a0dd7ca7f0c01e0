/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.h - what a view is, and what all views have in common. Pure.
 *
 * A view draws all of the screen between the header and the footer. A dialog is a view that is drawn over the
 * others. Each is a file that owns its state, its keys, its layout and its help, defines `const struct
 * view_kind view_NAME`, and has its name in ui/meson.build, from which the table of views is made. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/model/commands.h"
#include "src/model/playback_state.h"
#include "ui/draw/key_code.h"
#include "ui/draw/palette.h"
#include "ui/panes/histogram.h"
#include "ui/table/view_state.h"
#include "ui/views/line_helper.h"

struct cpu_activity;
struct frame;
struct view_kind;

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

/* The groups of the help, in its order. */
enum key_group {
	KEYS_OF_VIEWS,
	KEYS_OF_ROWS,
	KEYS_OF_TIME,
	KEYS_OF_FIGURES,
	KEYS_OF_PHASES,
	KEYS_OF_ACTING,
	KEYS_OF_ONE, /* view or dialog */
	KEYS_OF_SCREEN,
	N_KEY_GROUPS
};

struct key {
	uint32_t codes[4];                                 /* ends with KEY_CODE_NONE, unless full */
	const char *names;                                 /* "q, F10"; NULL: the key is in the bar alone */
	const char *help;                                  /* "quit" */
	const char *label, *short_name;                    /* in the key bar; NULL: not in it */
	void (*press)(struct frame *frame, long argument); /* may be NULL */
	long argument;
	struct command command; /* for the session, after that */
	struct command (*command_of)(
		const struct frame *frame); /* the same, if it is not constant; or NULL */
	enum screen_wish wish;
	const char *(*refusal)(const struct frame *frame); /* why it has no effect now; NULL: it has */
	const char *(*bar_refusal)(
		const struct frame *frame);         /* it is in the key bar only while this is NULL */
	bool (*applies)(const struct frame *frame); /* NULL: always */
	bool everywhere;                            /* in all views and dialogs */

	enum key_group group;

	/* The only view that has the key; NULL: all views. Set by keys_collect(), but for the key of a
	 * dialog. */
	const struct view_kind *of;
	const struct view_kind *opens; /* or closes, if it is a dialog that is open */
};

struct view_kind {
	const char *name;       /* for --view */
	struct key key;         /* opens it; in a view, goes back to the overview */
	const struct key *keys; /* its own */
	size_t n_keys;
	size_t state_size;         /* of its own state, which is zeroed at the start: see view_own() */
	void (*finish)(void *own); /* releases what its own state owns; NULL: nothing */
	bool is_dialog;
	bool shows_activity; /* wants frame->activity */
	bool has_no_rings;   /* its lines are no rings: keys of rows and rings have no effect */
	bool passes_keys;    /* of a dialog: the keys of the view below it still work */
	/* Of a screen with so many lines; NULL: one, or two where there are 30 or more. Not for dialogs. */
	unsigned (*header_lines)(unsigned lines);
	const struct ranking *ranking; /* of the rows; NULL: by the column */

	/* All but draw() are optional. */
	void (*open)(struct frame *frame); /* it has just been opened */
	/* Follows the session before each frame, whether the view is open or not. */
	void (*settle)(struct frame *frame, const struct session *session);
	/* Lays it out. Returns where the table has its rows, below a line of titles; height 0: nowhere. */
	struct area (*fit)(struct frame *frame, const struct session *session, struct area body);
	void (*draw)(const struct scene *scene, struct area body);
	/* Does it draw the selected row's histogram, which z, Z and y change? Without it: no. */
	bool (*has_histogram)(const struct frame *frame, const struct session *session);
	void (*move)(struct frame *frame, long by);  /* without it, the selection, unless a dialog */
	size_t (*page)(const struct frame *frame);   /* lines of a page; without it, those of the table */
	void (*wheel)(struct frame *frame, long by); /* by a step; without it, as move() */
	unsigned wheel_lines;                        /* of a step, by move(); 0: one */
	/* Returns the code of the key that the click stands for, or KEY_CODE_NONE. */
	uint32_t (*click)(struct frame *frame, unsigned x, unsigned y);
	struct effect (*type)(struct frame *frame, uint32_t code); /* letters are text */
};

#define VIEW_KEYS(rows) .keys = (rows), .n_keys = sizeof(rows) / sizeof(*(rows))

enum { VIEWS_OPEN_MAX = 4, WHEEL_LINES = 3 /* of a step, where lines are scrolled */ };

/* The screen, as its views see it. */
struct frame {
	struct view_state view;                       /* the table, which views share */
	struct histogram_scale histogram;             /* of all views */
	const struct view_kind *open[VIEWS_OPEN_MAX]; /* the view on the screen, then the dialogs over it */
	size_t n_open;
	const struct view_kind *const *kinds; /* all views, the overview first, then all dialogs */
	size_t n_kinds;
	void **own;       /* owned; the state of each kind */
	struct key *keys; /* owned; all keys, in the order of the help */
	size_t n_keys;
	const char *message; /* in the last lines, in place of the keys, until the next key; NULL: none */
	bool is_answer;      /* it says what was done, and not why nothing was */

	enum palette palette;
	enum colors colors;
	enum depth depth;         /* drawn with */
	bool ascii, ascii_locale; /* asked for; the locale has no other signs */
	bool mouse;               /* the terminal reports it */
	uint64_t refresh_ns;      /* 0: a still picture */

	bool frozen;            /* shows a moment of the past, while measuring goes on */
	uint64_t frozen_age_ns; /* of that moment */
	bool at_first;          /* the history begins there */
	bool no_history;        /* the history does not have the moment asked for */
	bool is_replay;
	bool read_only;                   /* keys that act are refused */
	bool hunts;                       /* the run compares loads: keys that change anything else are */
	const struct line_helper *helper; /* the caller's; NULL: none */
	struct playback_state playing;    /* of a replay */
	/* The caller's; NULL: not known, as of the past. Read once a second while the view on the screen
	 * shows it. */
	const struct cpu_activity *activity;

	/* Set by frame_update(). */
	bool too_small;     /* the screen has no room for any pane */
	struct area body;   /* between header and footer */
	bool has_histogram; /* the view on the screen draws one: its keys have an effect */
};

/* Returns the state of a view, of which the frame has one. */
void *view_own(const struct frame *frame, const struct view_kind *kind);
/* Returns the dialog that is on top, or the view on the screen. */
const struct view_kind *view_top(const struct frame *frame);
/* Shows a view in place of the one on the screen and its dialogs, or opens a dialog over them. */
void view_open(struct frame *frame, const struct view_kind *kind);
void view_close(struct frame *frame); /* the dialog on top, if there is one */
/* Returns whether the view on top has lines to move on. A question has none, and the table below it stays. */
bool view_moves(const struct frame *frame);
/* Moves the mark of the view on top down (negative: up), at most to an end. */
void view_move(struct frame *frame, long by);
