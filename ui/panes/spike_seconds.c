/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike_seconds.c - the seconds in which a spike ended whose cause is named. */
#include "ui/panes/spike_seconds.h"

#include <string.h>

#include "src/model/session.h"
#include "src/model/session_rows.h"

void spike_seconds(const struct session *session, size_t row, const bool *passes, bool seconds[SECONDS_KEPT])
{
	size_t group = 0;

	memset(seconds, 0, SECONDS_KEPT * sizeof(*seconds));
	if (row < GROUP_ROW) {
		second_stats_note_marks(&session->seconds, row, seconds);
		return;
	}
	while (group < session->n_groups && session->groups[group].row != row)
		group++;
	for (size_t i = 0; i < session->n_rings && group < session->n_groups; i++)
		if (session_row_is_in(session, &session->rings[i], group) && (!passes || passes[i]))
			second_stats_note_marks(&session->seconds, session->rings[i].id, seconds);
}
