/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_group.h - the groups of a session's rings, as the session makes and feeds them. Pure. */
#pragma once

#include "src/model/session.h"

/* Makes the groups of the rings, and room for the trails of both. Returns 0 or -ENOMEM. */
int session_groups_init(struct session *session);
void session_groups_finish(struct session *session);

/* Sums up anew what the rings have, where that came from elsewhere than a tick. Returns 0 or -ENOMEM. */
int session_groups_sum(struct session *session);

struct session_figure *session_row_figures(struct session *session, size_t row); /* N_FIGURES of them */

/* Adds what a tick says of a ring to the groups that it is in. Returns 0 or -ENOMEM. */
int session_groups_add(struct session *session, const struct session_ring *ring, const struct tick_ring *seen,
	const struct hist_cell *cells);
/* After all rings: GROUP_ALL is made of those that it is the sum of. Returns 0 or -ENOMEM. */
int session_groups_add_up(struct session *session);
