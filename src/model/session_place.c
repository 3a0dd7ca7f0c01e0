/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_place.c - where a ring's members are meant to be, once somebody has moved some of them. */
#include "src/model/session_place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/plan/plan.h"

int64_t session_member_place(const struct session_ring *ring, unsigned member)
{
	int32_t moved_to = ring->members ? ring->members[member].moved_to : 0;

	if (!moved_to)
		return ring->cpus[member];
	return moved_to > 0 ? moved_to - 1 : -1;
}

bool session_member_is_away(const struct session_ring *ring, unsigned member)
{
	const struct tick_member *is = &ring->members[member];

	return ring_condition_is_away(ring->condition) && is->tid && !is->moved_to &&
	       is->cpu != (int64_t)ring->cpus[member];
}

static const char *place_text(const void *of, unsigned member, char text[16])
{
	int64_t cpu = session_member_place(of, member);

	if (cpu < 0)
		return "*";
	snprintf(text, 16, "%u", (unsigned)cpu);
	return text;
}

char *session_hop_label(const struct session_ring *ring, unsigned hop, char *text, size_t size)
{
	char from[16], to[16];

	snprintf(text, size, "%u: %s>%s", hop, place_text(ring, hop, from),
		place_text(ring, (hop + 1) % ring->n_members, to));
	return text;
}

int session_place_update(struct session_ring *ring, enum locality locality)
{
	char text[128];
	bool moved = false;

	for (unsigned m = 0; m < ring->n_members; m++)
		moved |= ring->members[m].moved_to != 0;
	if (!moved && !ring->moved)
		return 0;
	if (!ring->moved)
		ring->planned_locality = ring->locality;
	ring->moved = moved;
	ring->locality = moved ? locality : ring->planned_locality;
	plan_ring_label_by(ring->n_members, place_text, ring, text, sizeof(text));
	if (strcmp(text, ring->label) == 0)
		return 0;
	char *label = strdup(text);

	if (!label)
		return -ENOMEM;
	free(ring->label);
	ring->label = label;
	return 0;
}
