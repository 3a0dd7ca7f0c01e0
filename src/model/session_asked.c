/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_asked.c - what front ends ask to be seen of a ring beyond its figures: the lap as each member sees
 * it, each lap by itself, and receives that timed out. */
#include "src/model/session_asked.h"

#include <errno.h>
#include <stdlib.h>

#include "src/model/session_hops.h"

int session_asked_init(struct session_ring *ring, const struct config *config)
{
	if (config->tool.member_laps)
		ring->member_laps = calloc(ring->n_members, sizeof(*ring->member_laps));
	if (config->tool.lap_log)
		ring->laps_ns = calloc(SESSION_LAPS, sizeof(*ring->laps_ns));
	return (ring->member_laps || !config->tool.member_laps) && (ring->laps_ns || !config->tool.lap_log)
		       ? 0
		       : -ENOMEM;
}

void session_asked_finish(struct session_ring *ring)
{
	for (unsigned m = 0; ring->member_laps && m < ring->n_members; m++)
		hist_finish(&ring->member_laps[m].hist);
	free(ring->member_laps);
	free(ring->laps_ns);
	ring->member_laps = NULL;
	ring->laps_ns = NULL;
}

bool session_asked_fits(
	const struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick)
{
	for (uint32_t m = 0; ring->member_laps && m < seen->n_members; m++) {
		const struct tick_figure *lap = &tick->members[seen->first_member + m].lap;

		if (!session_part_of(lap->first_cell, lap->n_cells, tick->n_cells))
			return false;
	}
	return true;
}

int session_asked_feed(struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick)
{
	int r = 0;

	ring->timeouts += seen->timeouts;
	for (size_t i = 0; ring->laps_ns && i < seen->n_laps_ns; i++)
		ring->laps_ns[ring->n_laps_ns++ % SESSION_LAPS] = seen->laps_ns[i];
	for (uint32_t m = 0; r == 0 && ring->member_laps && m < seen->n_members; m++) {
		const struct tick_figure *figure = &tick->members[seen->first_member + m].lap;

		r = tick_figure_add(figure, tick->cells, &ring->member_laps[m].hist);
		ring->member_laps[m].last_ns = figure->last_ns;
	}
	return r;
}
