/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.h - what the dashboard shows: its state, which keys change, and the views, which draw it. Pure.
 *
 * Three steps: keys_press() changes the state, view_update() fits it to the session and the size,
 * view_draw() draws. Only view_update() and view_draw() need the session. */
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
#include "ui/views/overview.h"

struct session;

/* In the order of view_kinds. */
enum screen_view { SCREEN_OVERVIEW, SCREEN_DETAIL, N_SCREEN_VIEWS };

struct view {
	enum screen_view screen;
	enum figure figure;
	enum unit unit;
	enum window window;
	uint64_t limit_ns;      /* samples of the figure above it are counted; 0: none */
	uint64_t refresh_ns;    /* 0: a still picture */
	bool frozen;            /* what is shown stays as it is, while collecting goes on */
	uint64_t frozen_age_ns; /* how old that is */
	bool at_first;          /* nothing older is kept */
	bool no_history;        /* what was asked for can't be shown */
	bool is_replay;
	struct playing playing; /* of a replay */

	size_t sort;   /* a column */
	bool inverted; /* against the column's own direction */
	bool has_selected;
	uint32_t selected; /* a row's id: it stays the same while rows move */
	struct filter filter;
	struct fold fold;
	bool help;
	size_t help_top; /* the first line of the help that is shown */
	struct prompt prompt;

	/* Set by view_update(). */
	enum window shortest_window; /* that holds a round of turns: shorter ones are not shown */
	enum figure shown;           /* what all rows show, or the one asked for where they differ */
	struct layout layout;
	struct columns columns;
	struct order order;
	size_t position; /* of the selected row in the order */
	size_t top;      /* the first row that is shown */
	size_t page;     /* rows that the table has room for, at least 1 */
	struct windowed windowed;
	struct windowed phase; /* the same of the phase, beside the window */
};

void view_init(struct view *view, enum figure figure, uint64_t refresh_ns);
void view_finish(struct view *view);

/* Returns 0, or -ENOMEM with the order as it was. */
int view_update(struct view *view, const struct session *session, unsigned columns, unsigned lines);
/* Selects the row that is so many places below, or above where negative; stops at the ends. */
void view_move(struct view *view, long by);
/* So many places on, or back where negative, between 0 and @last. */
size_t view_place(size_t place, long by, size_t last);

/* Are letters text? Where the dialog has no room they are keys, and it waits. */
bool view_is_typing(const struct view *view);

/* What each pane is given. */
struct frame {
	const struct session *session;
	const struct view *view;
	struct canvas *canvas;
	struct windowed *windowed; /* the view's */
	struct windowed *phase;    /* the same */
};

/* A view takes the whole screen. Adding one is a row in view_kinds, a word in enum screen_view, and a file
 * with its two functions. */
struct view_kind {
	const char *name; /* for --view */
	/* Optional: the end of view_update(), where the screen is large enough. */
	void (*update)(struct view *view, const struct session *session, unsigned columns, unsigned lines);
	void (*draw)(const struct frame *frame);
};

extern const struct view_kind view_kinds[N_SCREEN_VIEWS];

/* The name of view number @i; NULL past the last one. */
const char *view_name(unsigned i);

void view_draw(const struct frame *frame);

/* The overview's panes, one file each. */
extern void (*const view_panes[N_PANES])(const struct frame *frame, struct area area);
void header_draw(const struct frame *frame, struct area area);
/* Which of the session's groups is meant where but one is told of: isolated CPUs where there are others too,
 * or else all, which is 0. */
size_t main_group(const struct session *session);
/* Which of the session's groups stand below the table: isolated and housekeeping CPUs, or all. */
enum { TOTALS_MAX = 2 };
size_t totals_of(const struct session *session, size_t groups[TOTALS_MAX]);
void totals_draw(const struct frame *frame, struct area area);
void table_draw(const struct frame *frame, struct area area);
void histogram_draw(const struct frame *frame, struct area area);
void heat_pane_draw(const struct frame *frame, struct area area);
void histogram_bars(
	struct canvas *canvas, struct area area, const struct hist *hist, enum unit unit); /* no title */
void events_draw(const struct frame *frame, struct area area);
void footer_draw(const struct frame *frame, struct area area);
void help_draw(const struct frame *frame, struct area area); /* over the body */
void help_move(struct view *view, long by);                  /* by lines, as view_move() */
void prompt_draw(const struct frame *frame, struct area area);

/* Selects the row in its place that another one has; no further than the last. */
void view_select(struct view *view, size_t position);

/* The selected row; false: there is none. */
bool view_row(const struct frame *frame, struct row *row);
/* The selected ring, or that of the selected hop; NULL: there is none, or a group is selected. */
const struct session_ring *view_ring(const struct view *view, const struct session *session);
