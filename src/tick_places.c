/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick_places.c - where members were moved, and what was away, at the end of a tick's bytes. */
#include "src/tick_places.h"

static bool any_moved(const struct tick_member *members, uint32_t n)
{
	bool moved = false;

	for (uint32_t m = 0; m < n; m++)
		moved |= members[m].moved_to != 0;
	return moved;
}

void places_encode(struct bytes *bytes, const struct tick_member *members, uint32_t n, enum locality locality)
{
	bool moved = any_moved(members, n);

	bytes_uint(bytes, moved);
	if (!moved)
		return;
	bytes_uint(bytes, locality);
	for (uint32_t m = 0; m < n; m++)
		bytes_int(bytes, members[m].moved_to);
}

enum locality places_decode(struct scan *scan, struct tick_member *members, uint32_t n)
{
	if (!scan_below(scan, 2))
		return 0;
	enum locality locality = (enum locality)scan_below(scan, N_LOCALITIES + 1);

	for (uint32_t m = 0; m < n; m++)
		members[m].moved_to = scan_int32(scan);
	return locality;
}

static bool has_news(const struct tick_ring *ring, const struct tick *tick)
{
	return ring->away || any_moved(tick->members + ring->first_member, ring->n_members);
}

void tick_places_encode(struct bytes *bytes, const struct tick *tick)
{
	size_t n = 0;

	for (size_t i = 0; i < tick->n_rings; i++)
		n += has_news(&tick->rings[i], tick);
	bytes_uint(bytes, n);
	for (size_t i = 0; i < tick->n_rings; i++) {
		const struct tick_ring *ring = &tick->rings[i];

		if (!has_news(ring, tick))
			continue;
		bytes_uint(bytes, i);
		bytes_uint(bytes, ring->away);
		places_encode(bytes, tick->members + ring->first_member, ring->n_members, ring->locality);
	}
}

void tick_places_decode(struct scan *scan, struct tick *tick)
{
	for (size_t i = 0; i < tick->n_members; i++)
		tick->members[i].moved_to = 0;
	uint64_t n = scan->at < scan->end ? scan_below(scan, tick->n_rings + 1) : 0;

	for (uint64_t i = 0; i < n && !scan->bad; i++) {
		struct tick_ring *ring = &tick->rings[scan_below(scan, tick->n_rings)];

		ring->away = scan_uint(scan);
		ring->locality = places_decode(scan, tick->members + ring->first_member, ring->n_members);
	}
}
