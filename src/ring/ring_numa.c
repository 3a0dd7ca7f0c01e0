/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring_numa.c - places the memory of a ring's hops by --memory, and finds out where it is. */
#include "src/ring/ring_numa.h"

#include "src/machine/memory.h"

enum { PAGES_MAX = HOP_SIZE_MAX / 4096 + 64 }; /* of a hop's state, or of its mapping; 4 KiB are the least */

static bool has_choice(const struct arena_ring *ring)
{
	return cpus_count(&ring->arena->topology->nodes) > 1;
}

static void check_place(struct arena_ring *ring, bool good)
{
	if (!good && ring->arena->config->has_memory)
		atomic_fetch_or_explicit(&ring->shortcomings, SHORT_OF_NODE, memory_order_relaxed);
}

/* Members that are not pinned have no node of their own. */
static int node_of(const struct arena_ring *ring, unsigned member)
{
	if (ring->plan.unpinned)
		return MEMORY_LOCAL;
	return memory_node_of_cpu(ring->members[member % ring->n_members].cpu);
}

static void place_hop(struct arena_ring *ring, unsigned hop)
{
	struct arena_hop *shared = arena_hop(ring, hop);
	int node = numa_policy_node(ring->arena->config->memory, node_of(ring, hop), node_of(ring, hop + 1));

	if (node != MEMORY_LOCAL)
		check_place(ring, memory_place(shared, ring->hop_stride, node) == 0);
	shared->wanted_node = node;
}

static void place_counters(const struct arena_ring *ring, unsigned m)
{
	const struct arena_member *member = &ring->members[m];
	size_t page_size = memory_page_size();
	int node = node_of(ring, m);

	for (unsigned f = 0; f < N_LIVE_FIGURES; f++)
		if (member->live[f])
			memory_place((void *)((uintptr_t)member->live[f] / page_size * page_size),
				sizeof(struct hist_live) + page_size, node);
}

void ring_numa_bind(struct arena_ring *ring)
{
	for (unsigned m = 0; has_choice(ring) && m < ring->n_members; m++) {
		place_hop(ring, m);
		place_counters(ring, m);
	}
}

void ring_numa_prefer(struct arena_ring *ring, unsigned hop)
{
	if (has_choice(ring))
		check_place(ring, memory_prefer(arena_hop(ring, hop)->wanted_node) == 0);
}

void ring_numa_prefer_local(const struct arena_ring *ring)
{
	if (has_choice(ring))
		memory_prefer(MEMORY_LOCAL);
}

static int find_node(const struct arena_ring *ring, unsigned hop, const struct hop *handle)
{
	int nodes[2 * PAGES_MAX];
	size_t n = memory_find(arena_hop(ring, hop), ring->hop_stride, nodes, PAGES_MAX);

	if (handle->memory)
		n += memory_find(handle->memory, handle->memory_size, nodes + n, PAGES_MAX);
	int node = numa_policy_common_node(nodes, n);

	/* Where the kernel does not report it, a single node is known all the same. */
	return node == HOP_NODE_UNKNOWN && !has_choice(ring) ? cpus_next(&ring->arena->topology->nodes, -1)
							     : node;
}

void ring_numa_check_hop(struct arena_ring *ring, unsigned hop, const struct hop *handle)
{
	struct arena_hop *shared = arena_hop(ring, hop);

	/* Binding holds for pages that are swapped in again; the pages of a file stay where they are. */
	if (has_choice(ring) && handle->memory && shared->wanted_node != MEMORY_LOCAL)
		check_place(
			ring, memory_place(handle->memory, handle->memory_size, shared->wanted_node) == 0);
	int node = find_node(ring, hop, handle);

	atomic_store_explicit(&shared->node, node + 1, memory_order_relaxed);
	if (has_choice(ring) && shared->wanted_node >= 0)
		check_place(ring, node == shared->wanted_node || node == HOP_NODE_UNKNOWN);
}
