/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_arena.c - the layout of the shared memory, for kernels with larger pages than this one's, too. */
#include "src/ring/arena.h"
#include "tests/unit/plan_rows.h"
#include "tests/unit/tap.h"

static size_t offset_in(const struct arena *arena, const void *place)
{
	return (size_t)((const char *)place - (const char *)arena);
}

/* The pages of a hop, and those of a member's counters, can be bound to a node only if they hold nothing
 * else. */
static void check_ring(const struct arena *arena, const struct ring_slot *ring, size_t page)
{
	CHECK(offset_in(arena, ring->area) % page == 0 && ring->area_size % page == 0);
	CHECK(offset_in(arena, ring->hops) % page == 0 && ring->hop_stride % page == 0);
	for (unsigned m = 0; m < ring->n_members; m++) {
		size_t first = offset_in(arena, ring->members[m].live[LIVE_ANSWER]) / page;
		size_t members_end = offset_in(arena, &ring->members[ring->n_members]) - 1;

		CHECK(first > members_end / page, "member %u", m);
		if (m > 0)
			CHECK(first > offset_in(arena, ring->members[m - 1].live[LIVE_ANSWER]) / page);
	}
	CHECK(offset_in(arena, ring->area) + ring->area_size <= arena->size && arena->size % page == 0);
}

static void what_is_bound_to_nodes_has_pages_of_its_own(void)
{
	static const size_t sizes[] = {4096, 16384, 65536};
	static const struct row row = {"pack:2 [numa] core:2 pu:1", .members = 3, .n_rings = 2};
	struct planned planned;

	if (!planned_init(&planned, &row))
		return;
	CHECK(planned.result == 0, "%s", planned.reason.text);
	for (size_t i = 0; i < COUNT(sizes); i++) {
		struct arena *arena;
		int r = arena_create(
			&arena, &planned.plan, &planned.config, &planned.topology, sizes[i], &planned.reason);

		CHECK(r == 0, "%s", planned.reason.text);
		if (r < 0)
			continue;
		for (size_t k = 0; k < planned.plan.n_rings; k++)
			check_ring(arena, &arena->rings[k], sizes[i]);
		arena_destroy(arena);
	}
	planned_finish(&planned);
}

int main(void)
{
	TEST(what_is_bound_to_nodes_has_pages_of_its_own);
	return tap_done();
}
