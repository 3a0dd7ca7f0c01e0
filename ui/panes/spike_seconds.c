/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike_seconds.c - the seconds in which a spike ended whose cause is named. */
#include "ui/panes/spike_seconds.h"

#include <string.h>

#include "src/model/session.h"
#include "src/model/session_rows.h"

static void note_seconds(const struct second_stats *stats, uint32_t ring, bool seconds[SECONDS_KEPT])
{
	for (unsigned back = 0; back < SECONDS_KEPT; back++)
		seconds[back] |= second_stats_is_marked(stats, ring, back);
}

void spike_seconds(const struct session *session, size_t row, const bool *passes, bool seconds[SECONDS_KEPT])
{
	size_t group = 0;

	memset(seconds, 0, SECONDS_KEPT * sizeof(*seconds));
	if (row < GROUP_ROW) {
		note_seconds(&session->seconds, (uint32_t)row, seconds);
		return;
	}
	while (group < session->n_groups && session->groups[group].row != row)
		group++;
	for (size_t i = 0; i < session->n_rings && group < session->n_groups; i++)
		if (session_row_is_in(session, &session->rings[i], group) && (!passes || passes[i]))
			note_seconds(&session->seconds, session->rings[i].id, seconds);
}
