/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row.h - a line of the table: a ring, a group or a hop, and its samples. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/model/session.h"
#include "ui/draw/canvas.h"

struct order_row;
struct view_state;

/* A ring or a group, with the figure that is shown; or a hop, which has one figure and no window. */
struct row {
	const struct session *session;
	struct view_state *view;
	const struct session_ring *ring;    /* NULL for a group */
	const struct session_group *group;  /* NULL for a ring or a hop */
	const struct session_hop *hop;      /* of the ring; NULL for a ring or a group */
	const struct session_figure *shown; /* of all of the run; see row_hist() for the window */
	enum figure figure;                 /* the figure in @shown */
	bool other;                         /* the ring does not have the figure asked for */
	/* Of the group: its rings that have not been removed; those of them that the filter lets pass. */
	size_t n_rings, n_passed;
	size_t n_gone; /* removed ones that pass: their figures are in the group's */
	bool is_part;  /* the filter hides rings of the group */
};

struct row row_of(const struct session *session, struct view_state *view, const struct order_row *of);

size_t row_number(const struct row *row); /* see block.h; a hop has its ring's */
unsigned row_hop(const struct row *row);  /* its number in the ring, if the row is a hop */
/* Returns the samples of a row in the window, or of a hop. They are valid until the same figure of another
 * row is read. */
const struct hist *row_hist(const struct row *row, enum figure figure);

/* Returns whether a ring is in the sums of the group's row: it belongs to the group, and passes the filter.
 */
bool row_includes(const struct row *row, size_t ring);

/* The word for a ring's state; "" if it just runs. */
const char *row_word(const struct session_ring *ring);
/* The text of STATE for a ring: its word, the time until its turn, or the name of its figure if that is not
 * the one asked for; "" otherwise. */
enum { ROW_STATE_SIZE = 32 };
const char *row_state(const struct row *row, char text[ROW_STATE_SIZE]);
enum style row_state_style(const struct row *row);
/* Returns whether the ring of the row waits for its turn. Its figures are old then. */
bool row_waits(const struct row *row);

/* Returns the group whose figures the header shows: isolated CPUs if the session has both kinds, or all (0).
 */
size_t row_main_group(const struct session *session);
/* "pair", or "ring" if any has more members. */
const char *row_noun(const struct session *session);
