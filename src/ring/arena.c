/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena.c - lays out the memory that front, keeper, hosts and members share. */
#include "src/ring/arena.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include "src/base/futex.h"
#include "src/base/text.h"
#include "src/machine/memory.h"

const struct figure_source figure_sources[N_FIGURE_SOURCES] = {
	{FIGURE_FIRST, LIVE_FIRST},
	{FIGURE_ANSWER, LIVE_ANSWER},
	{FIGURE_LAP, LIVE_LAP},
	{FIGURE_RESPONSE, LIVE_WAITED},
	{FIGURE_RESPONSE, LIVE_ABANDONED},
	{FIGURE_RESPONSE, LIVE_SERVED},
	{FIGURE_LATENESS, LIVE_WAITED},
	{FIGURE_LATENESS, LIVE_ABANDONED},
	{FIGURE_LATENESS, LIVE_LATENESS},
	{FIGURE_SERVED, LIVE_SERVED},
};

static size_t round_up(size_t value, size_t to)
{
	return (value + to - 1) / to * to;
}

/* Where the next bytes go; without @start, only the size is wanted. */
struct layout {
	char *start;
	size_t size, page_size;
};

/* Hands out the next @size bytes; everything starts zeroed. */
static void *reserve(struct layout *layout, size_t size, size_t align)
{
	size_t at = round_up(layout->size, align);

	layout->size = at + size;
	return layout->start ? layout->start + at : NULL;
}

static bool member_counts(const struct config *config, unsigned member, enum live_figure figure)
{
	bool has_hops = config->stamps == STAMPS_ALL;

	switch (figure) {
	case LIVE_OWN_LAP:
		return member > 0 && config->tool.member_laps;
	case LIVE_ANSWER:
		return has_hops;
	case LIVE_FIRST:
	case LIVE_SERVED:
		return has_hops && member == 1;
	default:
		return member == 0;
	}
}

/* Without a start, only finds the size. */
static void lay_out_ring(struct layout *layout, const struct plan_ring *plan, const struct config *config,
	struct arena_ring *ring)
{
	unsigned n = plan->n_members;

	ring->area = layout->start;
	ring->hop_stride = round_up(HOP_FAR_STATE + plan->probe->hop_size, layout->page_size);
	ring->hops = reserve(layout, n * ring->hop_stride, layout->page_size);
	ring->members = reserve(layout, n * sizeof(*ring->members), CACHE_LINE);
	ring->plan.cpus = reserve(layout, n * sizeof(*ring->plan.cpus), CACHE_LINE);
	if (layout->start)
		memcpy(ring->plan.cpus, plan->cpus, n * sizeof(*plan->cpus));
	ring->spike_log = reserve(layout, sizeof(*ring->spike_log), CACHE_LINE);
	if (config->tool.lap_log)
		ring->lap_log = reserve(layout, sizeof(*ring->lap_log), CACHE_LINE);
	for (unsigned m = 0; m < n; m++) {
		struct arena_member scratch, *member = layout->start ? &ring->members[m] : &scratch;

		reserve(layout, 0,
			layout->page_size); /* so that a member's counters can be on its own node */
		member->ring = ring;
		member->cpu = plan->cpus[m];
		member->place = plan->unpinned ? PLACE_ANY : (int32_t)plan->cpus[m];
		for (unsigned f = 0; f < N_LIVE_FIGURES; f++)
			if (member_counts(config, m, f))
				member->live[f] = reserve(layout, sizeof(struct hist_live), CACHE_LINE);
	}
	ring->area_size = round_up(layout->size, layout->page_size);
}

static size_t area_size_of(const struct plan_ring *plan, const struct config *config, size_t page_size)
{
	struct layout layout = {.page_size = page_size};
	struct arena_ring scratch;

	lay_out_ring(&layout, plan, config, &scratch);
	return scratch.area_size;
}

/* The warm-up of a ring with an interval of a second must not take minutes, nor most of a short turn. Where
 * the first ring that has done its loops ends the run, no ring may warm up for longer than that one. */
void arena_limit_warmup(struct arena *arena, unsigned n_turns, uint64_t slice_ns)
{
	const uint64_t parts = 10; /* of a turn */
	uint64_t longest_ns = 100000000;

	if (n_turns > 1 && slice_ns / parts < longest_ns)
		longest_ns = slice_ns / parts;
	for (size_t i = 0; arena->config->tool.first_ends && i < arena->plan->n_rings; i++) {
		uint64_t ring_ns = WARMUP_LAPS * arena->plan->rings[i].interval_ns;

		if (ring_ns && ring_ns < longest_ns)
			longest_ns = ring_ns;
	}
	/* Relaxed: origins read it when a warm-up begins. */
	atomic_store_explicit(&arena->warmup_ns, longest_ns, memory_order_relaxed);
}

static const char *why_not_mapped(int error, size_t size)
{
	const char *refused = error == ENOMEM ? memory_refused(size, MAP_SHARED) : NULL;

	if (error == EFBIG)
		return "no file may be that large: raise RLIMIT_FSIZE (ulimit -f)";
	return refused ? refused : strerror(error);
}

static int map_memory(struct arena **arena, size_t size)
{
	int fd = memfd_create("ipctop", MFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	void *start = ftruncate(fd, (off_t)size) < 0
			      ? MAP_FAILED
			      : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
	int error = errno;

	close(fd); /* the mapping stays, and is inherited */
	if (start == MAP_FAILED)
		return -error;
	*arena = start;
	return 0;
}

/* Hosts and members need addresses, too: the reservation leaves them as many as it takes. */
static int map_reservation(struct arena **arena, size_t size, struct error_text *reason)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur / 2 < size)
		return error_text_set(reason, -ENOMEM,
			"no ring can be added: %zu MiB of addresses could not be reserved at the start: raise "
			"RLIMIT_AS (ulimit -v)",
			size >> 20);
	int r = map_memory(arena, size);

	return r < 0 ? error_text_set(reason, r,
			       "no ring can be added: %zu MiB of addresses could not be reserved at the "
			       "start: %s",
			       size >> 20, why_not_mapped(-r, size))
		     : 0;
}

static size_t head_size(size_t n_slots, size_t page_size)
{
	return round_up(sizeof(struct arena) + n_slots * sizeof(struct arena_ring), page_size);
}

int arena_create(struct arena **created, const struct plan *plan, const struct config *config,
	const struct topology *topology, size_t page_size, struct error_text *reason)
{
	size_t areas = 0, n_slots = PLAN_RINGS_MAX;
	struct error_text no_room = {0};

	for (size_t i = 0; i < plan->n_rings; i++)
		areas += area_size_of(&plan->rings[i], config, page_size);
	size_t size = head_size(n_slots, page_size) + areas + ARENA_ROOM;
	int r = map_reservation(created, size, &no_room);

	if (r < 0) {
		n_slots = plan->n_rings;
		size = head_size(n_slots, page_size) + areas;
		r = map_memory(created, size);
	}
	if (r < 0)
		return error_text_set(reason, r, "can't allocate %zu KiB of shared memory: %s", size >> 10,
			why_not_mapped(-r, size));
	struct arena *arena = *created;

	arena->epoch = 1;
	arena->size = size;
	arena->plan = plan;
	arena->config = config;
	arena->topology = topology;
	arena_limit_warmup(arena, plan->n_turns, plan->slice_ns);
	arena->page_size = page_size;
	arena->n_slots = (uint32_t)n_slots;
	for (size_t i = 0; r == 0 && i < plan->n_rings; i++) {
		struct arena_ring *ring;

		r = arena_add(arena, &plan->rings[i], &ring, reason);
	}
	arena->no_room = no_room;
	return r;
}

/* --- rings that come and go --- */

/* Returns the first gap of @size bytes between areas or behind the last one, and the ring before it (NULL:
 * none); NULL if there is none. No gap is looked for while no ring was removed. */
static char *find_area(struct arena *arena, size_t size, struct arena_ring **before)
{
	bool none_was_removed = arena->next_id == arena->n_used;

	*before = none_was_removed ? arena->last_area : NULL;
	for (;;) {
		char *start = *before ? (char *)(*before)->area + (*before)->area_size
				      : (char *)arena + head_size(arena->n_slots, arena->page_size);
		struct arena_ring *next = *before ? (*before)->next_area : arena->first_area;
		const char *end = next ? next->area : (char *)arena + arena->size;

		if ((size_t)(end - start) >= size)
			return start;
		if (!next)
			return NULL;
		*before = next;
	}
}

static struct arena_ring *find_free(struct arena *arena)
{
	uint32_t i = arena_n_rings(arena);

	if (arena->n_used < i)
		for (i = 0; arena->rings[i].is_used;)
			i++;
	return i < arena->n_slots ? &arena->rings[i] : NULL;
}

/* @before: the ring with the area before; NULL: it is the first one. */
static void link_area(struct arena *arena, struct arena_ring *ring, struct arena_ring *before)
{
	struct arena_ring **link = before ? &before->next_area : &arena->first_area;

	ring->next_area = *link;
	*link = ring;
	if (!ring->next_area)
		arena->last_area = ring;
}

int arena_add(struct arena *arena, const struct plan_ring *plan, struct arena_ring **added,
	struct error_text *reason)
{
	size_t size = area_size_of(plan, arena->config, arena->page_size);
	struct layout layout = {.page_size = arena->page_size};
	struct arena_ring *ring = find_free(arena), *before;

	if (arena->no_room.text[0]) {
		*reason = arena->no_room;
		return -ENOMEM;
	}
	if (!ring)
		return error_text_set(
			reason, -ENOSPC, "no ring can be added: there are %u already", arena->n_used);
	layout.start = find_area(arena, size, &before);
	if (!layout.start)
		return error_text_set(reason, -ENOSPC,
			"no ring can be added: it takes %zu KiB, and all that were added may take %zu MiB",
			size >> 10, ARENA_ROOM >> 20);
	memset((char *)ring + offsetof(struct arena_ring, arena), 0,
		sizeof(*ring) - offsetof(struct arena_ring, arena));
	ring->arena = arena;
	ring->plan = *plan;
	ring->plan.id = arena->next_id++;
	ring->is_used = true;
	ring->probe = plan->probe;
	ring->n_members = plan->n_members;
	ring->first_hop = arena->next_hop;
	ring->token_size = plan->token_bytes ? (uint32_t)plan->token_bytes : 1;
	ring->interval_ns = plan->interval_ns;
	ring->n_sharers = plan->n_sharers;
	arena_set_spike_limit(ring, arena->config->spike_ns ? arena->config->spike_ns
				    : plan->interval_ns     ? SPIKE_FIRST_NS
							    : UINT64_MAX);
	lay_out_ring(&layout, plan, arena->config, ring);
	link_area(arena, ring, before);
	arena->next_hop += ring->n_members;
	arena->n_used++;
	/* Release: pairs with the load in arena_n_rings(). */
	if (ring == &arena->rings[arena_n_rings(arena)])
		atomic_store_explicit(&arena->n_rings, arena_n_rings(arena) + 1, memory_order_release);
	*added = ring;
	return 0;
}

void arena_set_spike_limit(struct arena_ring *ring, uint64_t limit_ns)
{
	uint64_t breach_ns = ring->arena->config->breaktrace_ns;
	uint64_t slow_ns = breach_ns && breach_ns < limit_ns ? breach_ns : limit_ns;

	/* Relaxed: no other data depends on them. Lines of running members are written only for a change. */
	if (ring->spike_ns != limit_ns)
		atomic_store_explicit(&ring->spike_ns, limit_ns, memory_order_relaxed);
	if (ring->slow_ns != slow_ns)
		atomic_store_explicit(&ring->slow_ns, slow_ns, memory_order_relaxed);
}

void arena_remove(struct arena_ring *ring)
{
	struct arena *arena = ring->arena;
	struct arena_ring *before = NULL;

	for (struct arena_ring *at = arena->first_area; at != ring; at = at->next_area)
		before = at;
	*(before ? &before->next_area : &arena->first_area) = ring->next_area;
	if (arena->last_area == ring)
		arena->last_area = before;
	madvise(ring->area, ring->area_size, MADV_REMOVE);
	ring->is_used = false;
	arena->n_used--;
}

struct arena_ring *arena_next(struct arena *arena, const struct arena_ring *before)
{
	size_t i = before ? (size_t)(before - arena->rings) + 1 : 0, n = arena_n_rings(arena);

	while (i < n && !arena->rings[i].is_used)
		i++;
	return i < n ? &arena->rings[i] : NULL;
}

void arena_destroy(struct arena *arena)
{
	if (arena)
		munmap(arena, arena->size);
}

struct hop arena_hop_handle(const struct arena_ring *ring, unsigned hop)
{
	struct arena_hop *shared = arena_hop(ring, hop);
	bool is_near = ring->probe->traits & PROBE_TOKEN_IN_STATE;

	return (struct hop){
		.state = is_near ? shared->near_state : (char *)shared + HOP_FAR_STATE,
		.fds = shared->fds,
		.ends = shared->ends,
		.owner = ring->arena->keeper,
		.id = ring->first_hop + hop,
		.size = ring->token_size,
		.is_answer = ring->n_members == 2 && hop == 1,
	};
}

void arena_describe(uint32_t shortcomings, struct error_text *reason)
{
	static const struct {
		enum shortcoming bit;
		const char *sentence;
	} table[] = {
		{SHORT_OF_REALTIME,
			"no right to the real-time policy: raise RLIMIT_RTPRIO (ulimit -r) or run with "
			"CAP_SYS_NICE"},
		{SHORT_OF_RT_RUNTIME,
			"the cpu cgroup has cpu.rt_runtime_us=0 and refuses real-time policies: give it "
			"some, or leave it"},
		{SHORT_OF_POLICY, "the policy was refused"},
		{SHORT_OF_LOCKED_MEMORY,
			"memory is not locked: raise RLIMIT_MEMLOCK (ulimit -l) or run with CAP_IPC_LOCK"},
		{SHORT_OF_NODE,
			"memory is not where --memory says: its node is full or not this cpuset's, or "
			"the call is refused (a container may need CAP_SYS_NICE)"},
	};

	reason->text[0] = '\0';
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (shortcomings & table[i].bit)
			text_append(reason->text, sizeof(reason->text), "; ", table[i].sentence);
}

bool arena_reason(const struct arena_ring *ring, struct error_text *reason)
{
	uint32_t shortcomings = atomic_load_explicit(&ring->shortcomings, memory_order_relaxed);

	if (atomic_load_explicit(&ring->has_reason, memory_order_acquire) == 2) {
		*reason = ring->reason;
		return true;
	}
	arena_describe(shortcomings, reason);
	return shortcomings;
}

void arena_set_state(struct arena_ring *ring, enum ring_state state)
{
	/* Release: pairs with the load in arena_state(); its readers must find the reason that was written
	 * before. */
	atomic_store_explicit(&ring->state, state, memory_order_release);
	atomic_fetch_add_explicit(&ring->arena->news, 1, memory_order_release);
	futex_wake_all(&ring->arena->news);
}

void arena_fail(struct arena_ring *ring, const char *format, ...)
{
	uint32_t none = 0;
	va_list arguments;

	/* 1: being written, 2: valid. Members may fail at the same time. */
	if (atomic_compare_exchange_strong(&ring->has_reason, &none, 1)) {
		va_start(arguments, format);
		vsnprintf(ring->reason.text, sizeof(ring->reason.text), format, arguments);
		va_end(arguments);
		text_clean(ring->reason.text);
		atomic_store_explicit(&ring->has_reason, 2, memory_order_release);
	}
	arena_set_state(ring, RING_FAILED);
}
