/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view.h - the overview: its state, which keys change, and its panes, which draw it. Pure.
 *
 * Three steps: keys_press() changes the state, view_update() fits it to the session and the size,
 * view_draw() draws. Only view_update() and view_draw() need the session. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/tick.h"
#include "ui/canvas.h"
#include "ui/columns.h"
#include "ui/layout.h"
#include "ui/order.h"
#include "ui/units.h"

struct session;

struct view {
	enum figure figure;
	enum unit unit;
	uint64_t refresh_ns;    /* 0: a still picture */
	bool frozen;            /* what is shown stays as it is, while collecting goes on */
	uint64_t frozen_age_ns; /* how old that is */

	size_t sort;   /* a column */
	bool inverted; /* against the column's own direction */
	bool has_selected;
	uint32_t selected; /* a ring's id: it stays the same while rows move */
	bool help;
	unsigned help_top;  /* the first line of the help that is shown */
	bool quit, repaint; /* asked for by a key; taken back by whoever does it */

	/* Set by view_update(). */
	enum figure shown; /* what all rows show, or the one asked for where they differ */
	struct layout layout;
	struct columns columns;
	struct order order;
	size_t position; /* of the selected row in the order */
	size_t top;      /* the first row that is shown */
	size_t page;     /* rows that the table has room for, at least 1 */
};

void view_init(struct view *view, enum figure figure, uint64_t refresh_ns);
void view_finish(struct view *view);

/* Returns 0, or -ENOMEM with the order as it was. */
int view_update(struct view *view, const struct session *session, unsigned columns, unsigned lines);
/* Selects the row that is so many places below, or above where negative; stops at the ends. */
void view_move(struct view *view, long by);

/* What each pane is given. */
struct frame {
	const struct session *session;
	const struct view *view;
	struct canvas *canvas;
};

void view_draw(const struct frame *frame);

/* The panes, one file each. */
void header_draw(const struct frame *frame, struct area area);
void table_draw(const struct frame *frame, struct area area);
void histogram_draw(const struct frame *frame, struct area area);
void events_draw(const struct frame *frame, struct area area);
void footer_draw(const struct frame *frame, struct area area);
void help_draw(const struct frame *frame, struct area area); /* over the body */

/* The selected ring, or NULL. */
const struct session_ring *view_ring(const struct view *view, const struct session *session);
