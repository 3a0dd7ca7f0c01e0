/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_group.h - the groups of a session's rings, as the session makes and feeds them. Pure. */
#pragma once

#include "src/model/session.h"

/* Makes the groups of the rings, and room for the stats of both. Returns 0 or -ENOMEM. */
int session_rows_init(struct session *session);
void session_rows_finish(struct session *session);

struct session_figure *session_row_figures(struct session *session, size_t row); /* N_FIGURES of them */

struct tick_counts *session_row_counts(const struct session *session, size_t row);
