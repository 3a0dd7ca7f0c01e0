/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_state.h - the dashboard's state: the table's rows, the figure and window, and the open dialogs. Pure.
 *
 * Keys change it; view_state_order() and view_state_fit() fit it to the session and to the screen's size. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/figures/tick.h"
#include "src/model/playback_state.h"
#include "ui/draw/canvas.h"
#include "ui/draw/prompt.h"
#include "ui/draw/units.h"
#include "ui/table/columns.h"
#include "ui/table/filter.h"
#include "ui/table/fold.h"
#include "ui/table/order.h"
#include "ui/table/window_sums.h"

struct session;

struct view_state {
	unsigned screen; /* the view that takes the screen: its place in views_table */
	enum figure figure;
	enum unit unit;
	enum window window;
	uint64_t limit_ns;      /* samples of the figure above it are counted; 0: none */
	uint64_t refresh_ns;    /* 0: a still picture */
	bool frozen;            /* shows a moment of the past, while measuring goes on */
	uint64_t frozen_age_ns; /* of that moment */
	bool at_first;          /* the history begins there */
	bool no_history;        /* the history does not have the moment asked for */
	bool is_replay;
	struct playing playing; /* of a replay */

	size_t sort;   /* a column */
	bool inverted; /* against the column's own direction */
	bool has_selected;
	uint64_t selected; /* a row's id: it stays the same while rows move */
	struct filter filter;
	struct fold fold;
	bool help;
	size_t help_top, help_last; /* the first line of the help that is shown; the last that may be */
	struct prompt prompt;

	/* Set by view_state_order() and view_state_fit(). */
	enum window shortest_window; /* that holds a round of turns: shorter ones are not shown */
	enum figure shown;           /* the figure of all rows, or the one asked for where they differ */
	bool too_small;              /* the screen has no place for any pane */
	struct area table, body;     /* the overview's table; all between header and footer */
	struct columns columns;
	struct order order;
	size_t position; /* of the selected row in the order */
	size_t top;      /* the first row that is shown */
	size_t page;     /* rows that the table has room for, at least 1 */
	struct window_sums window_sums;
	struct window_sums phase_sums; /* the sums of the phase, beside those of the window */
};

/* A pane draws a session, as the view state selects it, into a part of the canvas. */
struct scene {
	const struct session *session;
	struct view_state *view; /* panes change only its sums */
	struct canvas *canvas;
};

void view_state_init(struct view_state *view, enum figure figure, uint64_t refresh_ns);
void view_state_finish(struct view_state *view);

/* Sorts the session's rows. Returns 0, or -ENOMEM with the order as it was. */
int view_state_order(struct view_state *view, const struct session *session);
/* Selects the rows and columns that fit into a table. */
void view_state_fit(struct view_state *view, const struct session *session, struct area table);

/* Moves the selection down by so many rows (negative: up), at most to an end; in an open list its mark; or
 * scrolls the help, if it is open. */
void view_state_move(struct view_state *view, long by);
/* So many places on, or back where negative, between 0 and @last. */
size_t view_state_place(size_t place, long by, size_t last);
/* Selects the row at a place of the order, or the last one. */
void view_state_select(struct view_state *view, size_t position);

/* Folds or unfolds the hops of the selected ring, or else its mechanism. @all: all rings or mechanisms. After
 * folding, the line of the ring or of the mechanism is selected. */
void view_state_fold(struct view_state *view, bool all);

/* Returns whether letters are text. On a screen too small for the dialog they are keys. */
bool view_state_is_typing(const struct view_state *view);

/* The selected row; false: there is none. */
bool view_state_row(const struct scene *scene, struct row *row);
/* The ring of the selected row, or of the selected hop; NULL: there is none, or a group is selected. */
const struct session_ring *view_ring(const struct view_state *view, const struct session *session);
