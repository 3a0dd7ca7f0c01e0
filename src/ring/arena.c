/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena.c - lays out the memory that front, keeper, hosts and members share. */
#include "src/ring/arena.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/base/futex.h"
#include "src/base/text.h"
#include "src/machine/memory.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"

const struct figure_source figure_sources[N_FIGURE_SOURCES] = {
	{FIGURE_FIRST, LIVE_FIRST},
	{FIGURE_ANSWER, LIVE_ANSWER},
	{FIGURE_LAP, LIVE_LAP},
	{FIGURE_RESPONSE, LIVE_WAITED},
	{FIGURE_RESPONSE, LIVE_ABANDONED},
	{FIGURE_RESPONSE, LIVE_SERVED},
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
	case LIVE_WAITED:
	case LIVE_ABANDONED:
		return has_hops && member == 0;
	default:
		return member == 0;
	}
}

static void lay_out_ring(struct layout *layout, const struct plan_ring *plan, const struct config *config,
	struct ring_slot *ring)
{
	unsigned n = plan->n_members;

	ring->area = reserve(layout, 0, layout->page_size);
	size_t before = layout->size;

	ring->hop_stride = round_up(HOP_FAR_STATE + plan->probe->hop_size, layout->page_size);
	ring->hops = reserve(layout, n * ring->hop_stride, layout->page_size);
	ring->members = reserve(layout, n * sizeof(*ring->members), CACHE_LINE);
	if (config->tool.lap_log)
		ring->lap_log = reserve(layout, sizeof(*ring->lap_log), CACHE_LINE);
	for (unsigned m = 0; m < n; m++) {
		struct member_slot scratch, *member = layout->start ? &ring->members[m] : &scratch;

		reserve(layout, 0,
			layout->page_size); /* so that a member's counters can be on its own node */
		member->ring = ring;
		member->cpu = plan->cpus[m];
		member->place = plan->unpinned ? PLACE_ANY : (int32_t)plan->cpus[m];
		for (unsigned f = 0; f < N_LIVE_FIGURES; f++)
			if (member_counts(config, m, f))
				member->live[f] = reserve(layout, sizeof(struct hist_live), CACHE_LINE);
	}
	ring->area_size = round_up(layout->size, layout->page_size) - before;
}

/* The warm-up of a ring with an interval of a second must not take minutes, nor most of a short turn. Where
 * the first ring that has done its loops ends the run, no ring may warm up for longer than that one. */
static uint64_t longest_warmup_ns(const struct plan *plan, const struct config *config)
{
	const uint64_t parts = 10; /* of a turn */
	uint64_t longest_ns = 100000000;

	if (plan->n_turns > 1 && plan->slice_ns / parts < longest_ns)
		longest_ns = plan->slice_ns / parts;
	for (size_t i = 0; config->tool.first_ends && i < plan->n_rings; i++) {
		uint64_t ring_ns = WARMUP_LAPS * plan->rings[i].interval_ns;

		if (ring_ns && ring_ns < longest_ns)
			longest_ns = ring_ns;
	}
	return longest_ns;
}

static const char *why_not_mapped(int error, size_t size)
{
	const char *refused = error == ENOMEM ? memory_refused(size, MAP_SHARED) : NULL;

	if (error == EFBIG)
		return "no file may be that large: raise RLIMIT_FSIZE (ulimit -f)";
	return refused ? refused : strerror(error);
}

static int map_memory(struct arena **arena, size_t size, struct error_text *reason)
{
	int fd = memfd_create("ipctop", MFD_CLOEXEC);

	if (fd < 0)
		return error_text_set(
			reason, -errno, "can't make shared memory: %s", error_text_of_errno(-errno));
	void *start = ftruncate(fd, (off_t)size) < 0
			      ? MAP_FAILED
			      : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	int error = errno;

	close(fd); /* the mapping stays, and is inherited */
	if (start == MAP_FAILED)
		return error_text_set(reason, -error, "can't allocate %zu KiB of shared memory: %s",
			size >> 10, why_not_mapped(error, size));
	*arena = start;
	return 0;
}

int arena_create(struct arena **created, const struct plan *plan, const struct config *config,
	const struct topology *topology, size_t page_size, struct error_text *reason)
{
	const size_t head = sizeof(struct arena) + plan->n_rings * sizeof(struct ring_slot);
	struct layout layout = {.size = head, .page_size = page_size};
	struct ring_slot scratch = {0};
	uint32_t hops = 0;

	for (size_t i = 0; i < plan->n_rings; i++)
		lay_out_ring(&layout, &plan->rings[i], config, &scratch);
	size_t size = round_up(layout.size, layout.page_size);
	int r = map_memory(created, size, reason);

	if (r < 0)
		return r;
	struct arena *arena = *created;

	arena->epoch = 1;
	arena->size = size;
	arena->plan = plan;
	arena->config = config;
	arena->topology = topology;
	arena->warmup_ns = longest_warmup_ns(plan, config);
	arena->n_rings = (uint32_t)plan->n_rings;
	layout = (struct layout){(char *)arena, head, layout.page_size};
	for (size_t i = 0; i < plan->n_rings; i++) {
		struct ring_slot *ring = &arena->rings[i];

		ring->arena = arena;
		ring->plan = &plan->rings[i];
		ring->probe = ring->plan->probe;
		ring->n_members = ring->plan->n_members;
		ring->first_hop = hops;
		ring->token_size =
			ring->probe->traits & PROBE_PAYLOAD && config->size ? (uint32_t)config->size : 1;
		ring->interval_ns = ring->plan->interval_ns;
		lay_out_ring(&layout, ring->plan, config, ring);
		hops += ring->n_members;
	}
	return 0;
}

void arena_destroy(struct arena *arena)
{
	if (arena)
		munmap(arena, arena->size);
}

struct hop arena_hop_handle(const struct ring_slot *ring, unsigned hop)
{
	struct hop_slot *slot = arena_hop(ring, hop);
	bool is_near = ring->probe->traits & PROBE_TOKEN_IN_STATE;

	return (struct hop){
		.state = is_near ? slot->near_state : (char *)slot + HOP_FAR_STATE,
		.fds = slot->fds,
		.ends = slot->ends,
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
		{SHORT_OF_PLACE,
			"memory does not lie where --memory says: its node is full or not this cpuset's, or "
			"the call is refused (a container may need CAP_SYS_NICE)"},
	};

	reason->text[0] = '\0';
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (shortcomings & table[i].bit)
			text_append(reason->text, sizeof(reason->text), "; ", table[i].sentence);
}

bool arena_reason(const struct ring_slot *ring, struct error_text *reason)
{
	uint32_t shortcomings = atomic_load_explicit(&ring->shortcomings, memory_order_relaxed);

	if (atomic_load_explicit(&ring->has_reason, memory_order_acquire) == 2) {
		*reason = ring->reason;
		return true;
	}
	arena_describe(shortcomings, reason);
	return shortcomings;
}

void arena_set_state(struct ring_slot *ring, enum ring_state state)
{
	/* Release: pairs with the load in arena_state(); its readers must find the reason that was written
	 * before. */
	atomic_store_explicit(&ring->state, state, memory_order_release);
	atomic_fetch_add_explicit(&ring->arena->news, 1, memory_order_release);
	futex_wake_all(&ring->arena->news);
}

void arena_fail(struct ring_slot *ring, const char *format, ...)
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
