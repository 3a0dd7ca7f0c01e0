/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_state.h - the table, which all views share: its rows and columns, the selected row, figure and window.
 * Pure.
 *
 * Keys change it; view_state_settle(), order_make() and view_state_fit() fit it to the session and to the
 * screen's size. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/figures/tick.h"
#include "ui/draw/canvas.h"
#include "ui/draw/units.h"
#include "ui/table/columns.h"
#include "ui/table/compared.h"
#include "ui/table/filter.h"
#include "ui/table/fold.h"
#include "ui/table/order.h"
#include "ui/table/usual.h"
#include "ui/table/window_sums.h"

struct frame;
struct histogram_scale;
struct session;

/* How the table begins, by options. */
struct table_options {
	const unsigned char *columns; /* indices of columns_name(), from left to right */
	size_t n_columns;             /* 0: all */
	unsigned sort;                /* an index of columns_sort_name() */
	enum unit unit;
	enum window window;
};

/* How a view sorts the rows if not by a column. */
struct ranking {
	const char *shows, *by;                /* in the header, in place of window and column */
	double (*rank)(const struct row *row); /* the largest first */
};

struct view_state {
	enum figure figure;
	enum unit unit;
	enum window window;
	uint64_t limit_ns; /* samples of the figure above it are counted; 0: none */

	struct column_choice chosen;
	size_t sort;                   /* a column */
	bool inverted;                 /* against the column's own direction */
	const struct ranking *ranking; /* of the view on the screen; NULL: by the column */
	bool has_selected;
	uint64_t selected;  /* a row's id: it stays the same while rows move */
	bool selects_worst; /* view_state_fit() does so once */
	struct filter filter;
	struct fold fold;
	struct fold marked; /* the ids of rings that are marked for the next action, as "turned" */
	struct compared compared;

	/* Set by view_state_settle() and view_state_fit(). */
	enum window shortest_window; /* that covers a round of turns */
	bool has_turns, turn_held;   /* the rings have several turns; the current one does not end */
	enum figure shown_as[N_FIGURES_SHOWN]; /* what all rings have in place of each, as of the lap in a
						* flood; itself if they differ */
	enum figure shown;                     /* of all rings, or the one asked for if they differ */
	enum figure response;                  /* the response, or what all rings have in its place */
	enum figure response_column;           /* of groups: see session_response_of() */
	uint64_t calm_ns;  /* up to twice or four times the usual response: see palette_step() */
	struct area table; /* of the view on the screen; height 0: it has none */
	struct columns columns;
	struct order order;
	size_t position; /* of the selected row in the order */
	size_t top;      /* the first row that is shown */
	size_t page; /* lines below the table's head, at least 1: those of the last table that was shown */
	struct window_sums sums;
	struct usual usual; /* of the classes on the page */
};

/* A pane draws a session, as the view state selects it, into a part of the canvas. */
struct scene {
	const struct session *session;
	struct view_state *view; /* panes change only its sums, and what is usual */
	struct canvas *canvas;
	struct frame *frame; /* for views: their own state is there */
	const struct histogram_scale *histogram;
};

void view_state_init(struct view_state *view, enum figure figure);
void view_state_set_table(struct view_state *view, const struct table_options *options);
void view_state_finish(struct view_state *view);

/* Follows the session, before order_make() sorts its rows. */
void view_state_settle(struct view_state *view, const struct session *session);
/* Selects the rows that fit into a table, and the columns that fit into a screen of @columns. Without a table
 * (height 0) the page stays what it was. */
void view_state_fit(
	struct view_state *view, const struct session *session, unsigned columns, struct area table);

/* Moves the selection down by so many rows (negative: up), at most to an end. */
void view_state_move(struct view_state *view, long by);
/* Returns how many rows are visible from view->top on. */
size_t view_state_visible(const struct view_state *view);
size_t view_state_last_top(const struct view_state *view); /* with which the last row is visible */
/* Returns how many of @n lines are visible on a page of @page lines: if some are hidden, its last line counts
 * them, by canvas_hidden(). */
size_t view_state_room(size_t n, size_t page);
/* Returns the first of the visible lines of @n: @top scrolled by as few as possible, so that @position is
 * visible, and at most to the last page. @room: how many are visible; 0 counts as 1. */
size_t view_state_top(size_t top, size_t position, size_t n, size_t room);
/* Returns which of @n lines is at (@x, @y), where line @top is the first in @area; @n: none. */
size_t view_state_line_at(struct area area, size_t top, size_t n, unsigned x, unsigned y);
/* Returns the position @by further (negative: back), within 0 to @last. */
size_t view_state_step(size_t position, long by, size_t last);
/* Selects the row at a position of the order, or the last one. */
void view_state_select(struct view_state *view, size_t position);

/* Folds or unfolds the hops of the selected ring, or else its mechanism. @all: all rings or mechanisms. After
 * folding, the line of the ring or of the mechanism is selected. */
void view_state_fold(struct view_state *view, bool all);

/* Returns the id of the ring that is selected, or has the selected hop; -1 if there is none. */
int64_t view_state_ring(const struct view_state *view);
/* Gets the selected row. Returns false if there is none. */
bool view_state_row(const struct scene *scene, struct row *row);
