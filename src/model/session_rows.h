/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_rows.h - the rows of a session: its rings, and the groups of rings. Pure.
 *
 * A row has a number, see block.h. Groups come when they are needed: all rings; isolated and housekeeping
 * CPUs if there are rings of both kinds; and the mechanisms if there are several, and fewer than rings. A
 * group that comes later than its rings has all that they did before. */
#pragma once

#include "src/model/session.h"

/* Makes the groups that the rings need. To be called whenever rings have come. Returns 0 or -ENOMEM. */
int session_rows_init(struct session *session);
void session_rows_finish(struct session *session);
/* Adds a group of a recording. Returns 0, -ENOMEM, or -EINVAL if it is there. */
int session_rows_add_group(struct session *session, enum group_kind kind, const char *name);

size_t session_rows(const struct session *session); /* n_rings + n_groups */
/* Returns how many rings of a group have not been removed: the number that screens and reports show. */
size_t session_group_size(const struct session *session, size_t group);
size_t session_n_members(const struct session *session);        /* of all rings */
size_t session_n_living_members(const struct session *session); /* of those that have not been removed */
/* Returns the number of the @i-th row: the rings' come first. */
size_t session_nth_row(const struct session *session, size_t i);
/* Return all N_FIGURES figures of a row, or its counts. The row must be there. */
struct session_figure *session_row_figures(const struct session *session, size_t row);
struct tick_counts *session_row_counts(const struct session *session, size_t row);
bool session_row_is_in(const struct session *session, const struct session_ring *ring, size_t group);

/* Adds a tick to the sums and seconds of all rows, and packs it into @block, which the caller finishes, even
 * after an error. Returns 0 or -ENOMEM. */
int session_rows_feed(struct session *session, const struct tick *tick, struct block *block);
