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

static uint64_t round_up(uint64_t value, uint64_t to)
{
	return (value + to - 1) / to * to;
}

/* Hands out the next @size bytes; everything starts zeroed. */
static uint64_t reserve(uint64_t *next, uint64_t size, uint64_t align)
{
	uint64_t at = round_up(*next, align);

	*next = at + size;
	return at;
}

static bool member_counts(const struct config *config, unsigned member, enum live_figure figure)
{
	switch (figure) {
	case LIVE_OWN_LAP:
		return member > 0 && config->tool.member_laps;
	case LIVE_ANSWER:
		return true;
	case LIVE_FIRST:
	case LIVE_SERVED:
		return member == 1;
	default:
		return member == 0;
	}
}

/* Lays out the ring from *next on. Without @arena, only the size is wanted. */
static void lay_out_ring(uint64_t *next, const struct plan_ring *planned, const struct config *config,
	struct ring_slot *ring, const struct arena *arena)
{
	unsigned n = planned->n_members;

	ring->area = reserve(next, 0, PAGE);
	ring->hop_stride = round_up(HOP_FAR_STATE + planned->probe->hop_size, PAGE);
	ring->hops = reserve(next, n * ring->hop_stride, PAGE);
	ring->members = reserve(next, n * sizeof(struct member_slot), CACHE_LINE);
	if (config->tool.lap_log)
		ring->lap_log = reserve(next, sizeof(struct lap_log), CACHE_LINE);
	for (unsigned m = 0; m < n; m++) {
		struct member_slot scratch, *member = arena ? arena_member(arena, ring, m) : &scratch;

		reserve(next, 0, PAGE); /* so that a member's counters can be on its own node */
		member->cpu = planned->cpus[m];
		member->place = planned->unpinned ? PLACE_ANY : (int32_t)planned->cpus[m];
		for (unsigned f = 0; f < N_LIVE_FIGURES; f++)
			if (member_counts(config, m, f))
				member->live[f] = reserve(next, sizeof(struct hist_live), CACHE_LINE);
	}
	ring->area_size = round_up(*next, PAGE) - ring->area;
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

static void fill_ring(const struct plan_ring *planned, const struct config *config,
	const struct probe *const *registry, struct ring_slot *ring, uint32_t first_hop)
{
	bool carries = planned->probe->traits & PROBE_PAYLOAD;

	ring->id = planned->id;
	while (registry[ring->probe] != planned->probe)
		ring->probe++;
	ring->n_members = planned->n_members;
	ring->burst = config->tool.burst ? config->tool.burst : 1;
	ring->n_sharers = planned->unpinned ? 1 : planned->n_sharers;
	ring->interval_ns = planned->interval_ns;
	ring->offset_ns = planned->offset_ns;
	ring->loops = config->loops;
	ring->policy = planned->policy;
	ring->has_policy = config->has_policy;
	ring->fork = config->fork;
	ring->spins = planned->probe->traits & PROBE_SPINS;
	ring->first_hop = first_hop;
	ring->token_size = carries && config->size ? config->size : 1;
	ring->work_size = config->work_size;
	ring->memory = config->memory;
	ring->has_memory = config->has_memory;
	plan_ring_label(planned, ring->label, sizeof(ring->label));
	ring->timeout_ns = config->tool.timeout_ns;
	ring->timeout_fails = config->tool.timeout_fails;
	ring->hold_ns = config->tool.hold_ns;
	ring->unpinned = planned->unpinned;
	ring->has_hops = planned->n_members > 2 || config->tool.pair_hops;
	ring->has_member_laps = config->tool.member_laps;
	ring->alone = config->tool.alone;
}

static int map(struct arena *arena, size_t size, struct error_text *reason)
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
		return error_text_set(reason, -error,
			"can't allocate %zu KiB of shared memory (RLIMIT_FSIZE, ulimit -f, counts too): %s",
			size >> 10, strerror(error));
	*arena = (struct arena){.head = start, .size = size};
	return 0;
}

int arena_init(struct arena *arena, const struct plan *plan, const struct config *config,
	const struct probe *const *registry, struct error_text *reason)
{
	uint64_t rings = sizeof(struct arena_head) + plan->n_rings * sizeof(struct ring_slot), next = rings;
	struct ring_slot scratch = {0};

	for (size_t i = 0; i < plan->n_rings; i++)
		lay_out_ring(&next, &plan->rings[i], config, &scratch, NULL);
	int r = map(arena, round_up(next, PAGE), reason);

	if (r < 0)
		return r;
	struct arena_head *head = arena->head;
	uint32_t hops = 0;

	head->epoch = 1;
	head->warmup_ns = longest_warmup_ns(plan, config);
	head->n_rings = (uint32_t)plan->n_rings;
	head->housekeeping = plan->housekeeping;
	head->unpinned = plan->unpinned;
	next = rings;
	for (size_t i = 0; i < plan->n_rings; i++) {
		lay_out_ring(&next, &plan->rings[i], config, &head->rings[i], arena);
		fill_ring(&plan->rings[i], config, registry, &head->rings[i], hops);
		hops += plan->rings[i].n_members;
	}
	return 0;
}

void arena_finish(struct arena *arena)
{
	if (arena->head)
		munmap(arena->head, arena->size);
	*arena = (struct arena){0};
}

void arena_open_handle(const struct arena *arena, const struct ring_slot *ring, const struct probe *probe,
	unsigned hop, struct hop *handle)
{
	struct hop_slot *slot = arena_hop(arena, ring, hop);

	*handle = (struct hop){
		.state = probe->traits & PROBE_TOKEN_IN_STATE ? slot->near_state
							      : (char *)slot + HOP_FAR_STATE,
		.fds = slot->fds,
		.ends = slot->ends,
		.owner = arena->head->keeper,
		.id = ring->first_hop + hop,
		.size = ring->token_size,
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
	size_t used = 0;

	reason->text[0] = '\0';
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (shortcomings & table[i].bit && used < sizeof(reason->text))
			used += (size_t)snprintf(reason->text + used, sizeof(reason->text) - used, "%s%s",
				used ? "; " : "", table[i].sentence);
}

void arena_set_state(const struct arena *arena, struct ring_slot *ring, enum ring_state state)
{
	/* Release: pairs with the sampler's load, which must find the reason that was written before. */
	atomic_store_explicit(&ring->state, state, memory_order_release);
	atomic_fetch_add_explicit(&arena->head->news, 1, memory_order_release);
	futex_wake_all(&arena->head->news);
}

void arena_fail(const struct arena *arena, struct ring_slot *ring, const char *format, ...)
{
	uint32_t nobody = 0;
	va_list arguments;

	/* 1: being written, 2: valid. Members may fail at the same time. */
	if (atomic_compare_exchange_strong(&ring->has_reason, &nobody, 1)) {
		va_start(arguments, format);
		vsnprintf(ring->reason.text, sizeof(ring->reason.text), format, arguments);
		va_end(arguments);
		text_clean(ring->reason.text);
		atomic_store_explicit(&ring->has_reason, 2, memory_order_release);
	}
	arena_set_state(arena, ring, RING_FAILED);
}
