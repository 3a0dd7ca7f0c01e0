/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_rows.h - the rows of a session: its rings, then the groups of rings. Pure. */
#pragma once

#include "src/model/session.h"

/* Makes the groups of the rings, and the seconds of all rows. Returns 0 or -ENOMEM. */
int session_rows_init(struct session *session);
void session_rows_finish(struct session *session);

size_t session_rows(const struct session *session);      /* n_rings + n_groups */
size_t session_n_members(const struct session *session); /* of all rings */
/* Return all N_FIGURES figures of a row, or its counts. */
struct session_figure *session_row_figures(const struct session *session, size_t row);
struct tick_counts *session_row_counts(const struct session *session, size_t row);
bool session_row_is_in(const struct session *session, const struct session_ring *ring, size_t group);

/* Adds a tick to the sums and seconds of all rows, and packs it into @block, which the caller finishes, even
 * after an error. Returns 0 or -ENOMEM. */
int session_rows_feed(struct session *session, const struct tick *tick, struct block *block);
