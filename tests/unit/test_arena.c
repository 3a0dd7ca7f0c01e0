/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_arena.c - the layout of the shared memory, for kernels with larger pages than this one's, too. */
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "src/ring/arena.h"
#include "src/ring/member.h"
#include "tests/unit/plan_rows.h"
#include "tests/unit/tap.h"

static size_t offset_in(const struct arena *arena, const void *place)
{
	return (size_t)((const char *)place - (const char *)arena);
}

/* The pages of a hop, and those of a member's counters, can be bound to a node only if they hold nothing
 * else. */
static void check_ring(const struct arena *arena, const struct arena_ring *ring, size_t page)
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

/* An arena of three pairs. */
struct rig {
	struct planned planned;
	struct arena *arena;
};

static bool rig_start(struct rig *rig)
{
	static const struct row row = {"core:3 pu:1", .members = 2, .n_rings = 3};

	*rig = (struct rig){0};
	if (!planned_init(&rig->planned, &row))
		return false;
	int r = arena_create(&rig->arena, &rig->planned.plan, &rig->planned.config, &rig->planned.topology,
		4096, &rig->planned.reason);

	CHECK(r == 0 && arena_n_rings(rig->arena) == 3, "%s", rig->planned.reason.text);
	return r == 0;
}

static void rig_finish(struct rig *rig)
{
	arena_destroy(rig->arena);
	planned_finish(&rig->planned);
}

static struct arena_ring *add_new_ring(struct rig *rig, size_t like)
{
	struct arena_ring *ring = NULL;
	int r = arena_add(rig->arena, &rig->planned.plan.rings[like], &ring, &rig->planned.reason);

	CHECK(r == 0 && ring, "%s", rig->planned.reason.text);
	return ring;
}

static void an_entry_is_used_again_and_an_id_is_not(void)
{
	struct rig rig;

	if (!rig_start(&rig))
		return;
	struct arena_ring *second = &rig.arena->rings[1];
	void *area = second->area;

	for (uint32_t i = 0; i < 1000; i++) {
		second->members[0].laps = 7;
		second->command = 7;
		arena_remove(second);
		CHECK(arena_next(rig.arena, &rig.arena->rings[0]) == &rig.arena->rings[2]);
		CHECK(add_new_ring(&rig, 0) == second && second->area == area && second->plan.id == 3 + i);
		CHECK(second->members[0].laps == 0 && second->command == 0 && second->first_hop == 6 + 2 * i);
	}
	CHECK(arena_n_rings(rig.arena) == 3 && rig.arena->rings[0].plan.id == 0);
	rig_finish(&rig);
}

static void areas_never_overlap(void)
{
	struct rig rig;

	if (!rig_start(&rig))
		return;
	for (unsigned i = 0; i < 2000; i++) {
		struct arena_ring *ring = &rig.arena->rings[i * 7919 % arena_n_rings(rig.arena)];
		struct plan_ring *like = &rig.planned.plan.rings[0];
		unsigned n = like->n_members;

		if (i % 3 && ring->is_used)
			arena_remove(ring);
		like->n_members = 1 + i % 2;
		add_new_ring(&rig, 0);
		like->n_members = n;
	}
	const struct arena_ring *last = NULL;
	uint32_t n_used = 0;

	for (const struct arena_ring *at = rig.arena->first_area; at; last = at, at = at->next_area, n_used++)
		CHECK(!last || (char *)last->area + last->area_size <= (char *)at->area);
	CHECK(n_used == rig.arena->n_used && last == rig.arena->last_area);
	for (struct arena_ring *at = NULL; (at = arena_next(rig.arena, at));)
		n_used--;
	CHECK(n_used == 0 && rig.arena->n_used < arena_n_rings(rig.arena) + 1);
	rig_finish(&rig);
}

/* A copy of the CPUs: the caller may free his. */
static void a_ring_has_its_own_descriptor(void)
{
	static const unsigned cpus[] = {2, 1};
	struct plan_ring plan;
	struct rig rig;

	if (!rig_start(&rig))
		return;
	const struct plan_ring kept = rig.planned.plan.rings[2];

	plan = kept;
	plan.cpus = (unsigned[]){cpus[0], cpus[1]};
	plan.token_bytes = 4096;
	plan.interval_ns = 77;
	rig.planned.plan.rings[2] = plan;
	const struct arena_ring *ring = add_new_ring(&rig, 2);

	plan.cpus[0] = 9;
	CHECK(ring->plan.cpus[0] == 2 && ring->members[1].cpu == 1 && ring->members[0].place == 2);
	CHECK(ring->token_size == 4096 && ring->interval_ns == 77 && arena_hop_handle(ring, 1).size == 4096);
	CHECK((char *)ring->plan.cpus > (char *)ring->area &&
		(char *)ring->plan.cpus < (char *)ring->area + ring->area_size);
	rig.planned.plan.rings[2] = kept;
	rig_finish(&rig);
}

static void without_addresses_no_ring_can_be_added(void)
{
	struct rlimit before, less;
	struct rig rig;

	getrlimit(RLIMIT_AS, &before);
	less = before;
	less.rlim_cur = ARENA_ROOM;
	if (setrlimit(RLIMIT_AS, &less) < 0) {
		printf("# a sanitizer's addresses are more than the limit\n");
		return;
	}
	void *more = mmap(NULL, 1 << 20, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (more == MAP_FAILED) {
		printf("# a sanitizer's addresses are more than the limit\n");
	} else if (munmap(more, 1 << 20) == 0 && rig_start(&rig)) {
		struct arena_ring *ring;
		int r = arena_add(rig.arena, &rig.planned.plan.rings[0], &ring, &rig.planned.reason);

		CHECK(r == -ENOMEM && strstr(rig.planned.reason.text, "raise RLIMIT_AS (ulimit -v)"), "%s",
			rig.planned.reason.text);
		CHECK(rig.arena->size < 1 << 20, "%zu", rig.arena->size);
		rig_finish(&rig);
	}
	setrlimit(RLIMIT_AS, &before);
}

static void a_members_name_has_its_place_however_large_the_id(void)
{
	static const struct {
		const char *mechanism;
		uint32_t ring;
		unsigned member;
		const char *name;
	} rows[] = {
		{"mq", 0, 1, "mq:0.1"},
		{"zmq-inproc", 4095, 1, "zmq-inpr:4095.1"},
		{"zmq-inproc", 4095, 12, "zmq-inp:4095.12"},
		{"unix-stream", 1234567, 2047, "un:1234567.2047"},
		{"mq", 4294967295, 0, "mq:4294967295.0"},
		{"mq", 4294967295, 2047, "m:4294967295.2047"},
	};
	char name[MEMBER_NAME_SIZE];

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK(!strcmp(member_name(name, rows[i].mechanism, rows[i].ring, rows[i].member),
			      rows[i].name),
			"%s", name);
}

int main(void)
{
	TEST(what_is_bound_to_nodes_has_pages_of_its_own);
	TEST(an_entry_is_used_again_and_an_id_is_not);
	TEST(areas_never_overlap);
	TEST(a_ring_has_its_own_descriptor);
	TEST(without_addresses_no_ring_can_be_added);
	TEST(a_members_name_has_its_place_however_large_the_id);
	return tap_done();
}
