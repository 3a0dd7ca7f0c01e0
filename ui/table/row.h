/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row.h - a line of the table: a ring, a group or a hop, and its samples. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/model/session.h"

struct order_row;
struct view_state;

/* A ring or a group, with the figure that is shown; or a hop, which has one figure and no window. */
struct row {
	const struct session *session;
	struct view_state *view;
	const struct session_ring *ring;    /* NULL: it is a group, and */
	const struct session_group *group;  /* this one */
	const struct session_hop *hop;      /* not NULL: it is this hop of the ring */
	const struct session_figure *shown; /* of all; in the window: row_hist(); a hop has none */
	enum figure figure;                 /* the one shown */
	bool other;                         /* it is not the one asked for */
};

struct row row_of_ring(
	const struct session *session, struct view_state *view, const struct session_ring *ring);
struct row row_of_group(const struct session *session, struct view_state *view, size_t group);
struct row row_of_hop(const struct session *session, struct view_state *view, const struct session_ring *ring,
	unsigned hop);
struct row row_of(const struct session *session, struct view_state *view, const struct order_row *order_row);

size_t row_index(const struct row *row); /* in the session; a hop's ring's */
unsigned row_hop(const struct row *row); /* its number in the ring, if the row is a hop */
/* Returns the samples of a row in the window, or of a hop. They are valid until the same figure of another
 * row is read. */
const struct hist *row_hist(const struct row *row, enum figure figure);

/* A ring's word where it is not simply running; "" otherwise. */
const char *row_word(const struct session_ring *ring);
/* The text of STATE for a ring: its word, the time until its turn, or the name of its figure if that is not
 * the one asked for; "" otherwise. */
enum { ROW_STATE_SIZE = 32 };
const char *row_state(const struct row *row, char text[ROW_STATE_SIZE]);
/* Is it a ring, or a hop of one, whose turn has not come? Then its figures are not of now. */
bool row_waits(const struct row *row);

/* Returns the group whose figures the header shows: isolated CPUs if the session has both kinds, or all (0).
 */
size_t row_main_group(const struct session *session);
/* "pair", or "ring" if any has more members. */
const char *row_noun(const struct session *session);
