/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike_seconds.c - the seconds in which a spike ended whose cause is named. */
#include "ui/panes/spike_seconds.h"

#include <string.h>

#include "src/model/session.h"
#include "src/model/session_rows.h"

static bool is_of_row(
	const struct session *session, const struct session_ring *ring, size_t row, const bool *passes)
{
	size_t group = 0;

	if (row < GROUP_ROW)
		return ring->id == row;
	while (group < session->n_groups && session->groups[group].row != row)
		group++;
	return group < session->n_groups && session_row_is_in(session, ring, group) &&
	       (!passes || passes[ring - session->rings]);
}

static void note_seconds(const struct session *session, const struct kept_spike *list, size_t n, size_t row,
	const bool *passes, bool seconds[SECONDS_KEPT])
{
	for (size_t i = 0; i < n; i++) {
		const struct session_ring *ring = session_find_ring(session, list[i].spike.ring);
		uint64_t back = second_stats_back(&session->seconds, spike_end_ns(&list[i].spike));

		if (ring && back < SECONDS_KEPT && !seconds[back] && is_of_row(session, ring, row, passes))
			seconds[back] = explanation_cause(&list[i].explanation) != NULL;
	}
}

void spike_seconds(const struct session *session, size_t row, const bool *passes, bool seconds[SECONDS_KEPT])
{
	const struct session_spikes *spikes = &session->spikes;

	memset(seconds, 0, SECONDS_KEPT * sizeof(*seconds));
	note_seconds(session, spikes->last, spikes->n_last, row, passes, seconds);
	note_seconds(session, spikes->worst, spikes->n_worst, row, passes, seconds);
}
