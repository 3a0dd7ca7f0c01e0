/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_hops.c - what is known of each hop of a ring: where it lies, and in larger rings its latency. */
#include "src/model/session_hops.h"

#include <errno.h>
#include <stdlib.h>

int session_hops_init(struct session_ring *ring)
{
	ring->hops = calloc(ring->n_members, sizeof(*ring->hops));
	for (unsigned h = 0; ring->hops && h < ring->n_members; h++)
		ring->hops[h].node = HOP_NODE_UNKNOWN;
	return ring->hops ? 0 : -ENOMEM;
}

void session_hops_finish(struct session_ring *ring)
{
	for (unsigned h = 0; ring->hops && h < ring->n_members; h++)
		hist_finish(&ring->hops[h].hist);
	free(ring->hops);
	ring->hops = NULL;
}

bool session_hops_fit(const struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick)
{
	if (seen->n_hops > ring->n_members || !session_part_of(seen->first_hop, seen->n_hops, tick->n_hops))
		return false;
	for (uint32_t h = 0; h < seen->n_hops; h++) {
		const struct tick_figure *figure = &tick->hops[seen->first_hop + h].figure;

		if (!session_part_of(figure->first_cell, figure->n_cells, tick->n_cells))
			return false;
	}
	return true;
}

int session_hops_feed(struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick)
{
	for (uint32_t h = 0; h < seen->n_hops; h++) {
		const struct tick_hop *from = &tick->hops[seen->first_hop + h];
		struct session_hop *hop = &ring->hops[h];

		if (from->node != HOP_NODE_UNKNOWN)
			hop->node = from->node;
		if (tick_figure_add(&from->figure, tick->cells, &hop->hist) < 0)
			return -ENOMEM;
		if (from->figure.last_ns)
			hop->last_ns = from->figure.last_ns;
	}
	return 0;
}
