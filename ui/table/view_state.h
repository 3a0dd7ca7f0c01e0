/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_state.h - the dashboard's state: the table's rows, the figure and window, and the open dialogs. Pure.
 *
 * Keys change it; view_state_order() and view_state_fit() fit it to the session and to the screen's size. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "src/base/setting.h"
#include "src/figures/tick.h"
#include "src/model/playback_state.h"
#include "ui/draw/canvas.h"
#include "ui/draw/list.h"
#include "ui/draw/palette.h"
#include "ui/draw/prompt.h"
#include "ui/draw/units.h"
#include "ui/table/columns.h"
#include "ui/table/compared.h"
#include "ui/table/filter.h"
#include "ui/table/fold.h"
#include "ui/table/order.h"
#include "ui/table/window_sums.h"

struct session;

enum help_page { HELP_KEYS, HELP_GLOSSARY, N_HELP_PAGES };

/* How the table begins, by options. */
struct table_options {
	const unsigned char *columns; /* indices of columns_name(), from left to right */
	size_t n_columns;             /* 0: all */
	unsigned sort;                /* an index of columns_sort_name() */
	enum unit unit;
};

enum setup_list { SETUP_COLUMNS, SETUP_SETTINGS, N_SETUP_LISTS };

/* The state of the setup screen (ui/views/setup.h). */
struct setup {
	bool open;
	enum setup_list list;
	size_t n[N_SETUP_LISTS], position[N_SETUP_LISTS]; /* lines, and the marked one */
	struct error_text said;                           /* about the file that was written; or "" */
};

enum { SETTINGS_MAX = 16 };

struct view_state {
	unsigned screen; /* the view that takes the screen: its place in views_table */
	enum figure figure;
	enum unit unit;
	enum palette palette;
	enum colors colors;
	enum depth depth;         /* drawn with */
	bool ascii, ascii_locale; /* asked for; the locale has no other signs */
	bool mouse;               /* the terminal reports it */
	enum window window;
	uint64_t limit_ns;      /* samples of the figure above it are counted; 0: none */
	uint64_t refresh_ns;    /* 0: a still picture */
	bool frozen;            /* shows a moment of the past, while measuring goes on */
	uint64_t frozen_age_ns; /* of that moment */
	bool at_first;          /* the history begins there */
	bool no_history;        /* the history does not have the moment asked for */
	bool is_replay;
	struct playing playing; /* of a replay */

	struct column_choice chosen;
	size_t sort;   /* a column */
	bool inverted; /* against the column's own direction */
	bool has_selected;
	uint64_t selected; /* a row's id: it stays the same while rows move */
	struct filter filter;
	struct fold fold;
	bool help;
	enum help_page help_page;
	size_t help_top, help_last; /* the first visible line of the help; its maximum */
	struct prompt prompt;
	struct list list;
	struct setup setup;
	struct setting kept[SETTINGS_MAX]; /* as at the start, or in the file that was written */
	struct compared compared;
	const char *message; /* in the last line, in place of the keys, until the next key; NULL: none */

	/* Set by view_state_order() and view_state_fit(). */
	enum window shortest_window; /* that covers a round of turns */
	bool has_turns, turn_held;   /* the rings have several turns; the current one does not end */
	enum figure shown;           /* of all rings, or the one asked for if they differ */
	bool too_small;              /* the screen has no place for any pane */
	struct area table,
		body; /* table: the overview's or the comparison's; body: between header and footer */
	struct columns columns;
	struct order order;
	size_t position; /* of the selected row in the order */
	size_t top;      /* the first row that is shown */
	size_t page;     /* lines below the table's head, at least 1 */
	struct window_sums sums;
};

/* A pane draws a session, as the view state selects it, into a part of the canvas. */
struct scene {
	const struct session *session;
	struct view_state *view; /* panes change only its sums */
	struct canvas *canvas;
};

void view_state_init(struct view_state *view, enum figure figure, uint64_t refresh_ns);
void view_state_set_table(struct view_state *view, const struct table_options *options);
void view_state_finish(struct view_state *view);

/* Sorts the session's rows. Returns 0, or -ENOMEM with the order as it was. */
int view_state_order(struct view_state *view, const struct session *session);
/* Selects the rows and columns that fit into a table. */
void view_state_fit(struct view_state *view, const struct session *session, struct area table);

/* Moves the selection down by so many rows (negative: up), at most to an end; in an open list its mark; or
 * scrolls the help, if it is open. */
void view_state_move(struct view_state *view, long by);
/* Returns how many rows are visible from view->top on. If more follow, the last line of the page counts them.
 */
size_t view_state_visible(const struct view_state *view);
/* Goes to the next longer or shorter refresh (@step 1 or -1). A still picture has none. */
void view_state_step_refresh(struct view_state *view, int step);
/* Returns the place @by further (negative: back), within 0 to @last. */
size_t view_state_place(size_t place, long by, size_t last);
/* Selects the row at a place of the order, or the last one. */
void view_state_select(struct view_state *view, size_t position);

/* Folds or unfolds the hops of the selected ring, or else its mechanism. @all: all rings or mechanisms. After
 * folding, the line of the ring or of the mechanism is selected. */
void view_state_fold(struct view_state *view, bool all);

/* Returns whether letters are text. On a screen too small for the dialog they are keys. */
bool view_state_is_typing(const struct view_state *view);

/* Returns the id of the ring that is selected, or has the selected hop; -1 if there is none. */
int64_t view_state_ring(const struct view_state *view);
/* Gets the selected row. Returns false if there is none. */
bool view_state_row(const struct scene *scene, struct row *row);
