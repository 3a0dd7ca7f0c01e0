/* SPDX-License-Identifier: GPL-2.0-or-later */
/* arena.h - the memory that front, keeper, hosts and members share.
 *
 * One memfd, mapped before any fork: pointers into it, and to the front's plan and config, are valid in all
 * of these processes. Each counter has one writer. Words that start and stop rings may have several, and so
 * does claimed_ns. The comment above a group of words names its writers; words of different writers are on
 * different cache lines.
 *
 * A ring has an entry (struct arena_ring), with its descriptor (struct plan_ring), and an area for its hops
 * and members. Addresses for PLAN_RINGS_MAX entries and ARENA_ROOM bytes of areas are reserved before the
 * first fork, so rings can be added while others run. The reservation takes no memory: pages appear when they
 * are used. */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

#include "src/base/error_text.h"
#include "src/figures/breach.h"
#include "src/figures/hist.h"
#include "src/figures/tick.h"
#include "src/load/load_process.h"
#include "src/machine/topology.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/probe/probe.h"
#include "src/ring/spike_log.h"

enum { CACHE_LINE = 64 };

struct sweep_board;

enum ring_command { RING_COMMAND_PAUSE, RING_COMMAND_RUN, RING_COMMAND_STOP };

enum member_stage {
	MEMBER_NEW,
	MEMBER_RECEIVES, /* its receiving end is attached */
	MEMBER_SENDS,    /* its sending end too: it may start */
	MEMBER_ENDED,
};

/* The histograms of a member. It has those of its number in the ring. Read in this order, the sources of each
 * figure follow one another (sampler.c). */
enum live_figure {
	LIVE_FIRST,     /* member 1 */
	LIVE_ANSWER,    /* all */
	LIVE_LATENESS,  /* the origin: of served laps */
	LIVE_WAITED,    /* the origin: the waiting time of slots that it missed */
	LIVE_ABANDONED, /* the origin's, but written by the front: the same of slots that are not served */
	LIVE_SERVED,    /* member 1: the response of served laps */
	LIVE_LAP,       /* the origin */
	LIVE_OWN_LAP,   /* all others, with config.tool.member_laps: the lap as this member sees it */
	N_LIVE_FIGURES,
};

/* The figure that a live histogram adds to. Response and lateness of a missed slot are its waiting time. */
struct figure_source {
	enum figure figure;
	enum live_figure live;
};

enum { N_FIGURE_SOURCES = 10 };
extern const struct figure_source figure_sources[N_FIGURE_SOURCES];

/* What a ring lacks, and runs without. */
enum shortcoming {
	SHORT_OF_REALTIME = 1 << 0,   /* no right to a real-time policy */
	SHORT_OF_RT_RUNTIME = 1 << 1, /* its CPU cgroup has no real-time bandwidth */
	SHORT_OF_POLICY = 1 << 2,     /* the policy was refused for another reason */
	SHORT_OF_LOCKED_MEMORY = 1 << 3,
	SHORT_OF_NODE = 1 << 4, /* memory is not on the node of --memory */
};

enum stamp_flag {
	STAMP_FIRST = 1 << 0,  /* this hop leaves the origin after a sleep */
	STAMP_DUE = 1 << 1,    /* the lap had a due, so it has a response */
	STAMP_WARMUP = 1 << 2, /* the lap is not counted */
	STAMP_REST = 1 << 3,   /* the member rests after passing it on: the next token comes later */
	STAMP_AWAY = 1 << 4,   /* a member on the way was not on its CPU: the lap is in no figure */
	STAMP_FLAG_BITS = 32,
};

/* Written by the sender before each send, read by the receiver after recv. */
struct hop_stamp {
	_Atomic uint64_t sent_ns;
	_Atomic uint64_t due_ns;
	_Atomic uint64_t says; /* enum stamp_flag, and above these bits the token's number */
};

enum hop_opened { HOP_CLOSED, HOP_OPENED, HOP_RELEASED };

/* The state of a probe whose token is a word in shared memory is on the stamp's cache line: one line more
 * takes a third of its lap. The state of other probes is mostly read, and is kept away from words that are
 * written. */
struct arena_hop {
	alignas(CACHE_LINE) struct hop_task ends[2]; /* the members', before they attach */
	uint32_t opened;                             /* the keeper's: enum hop_opened */
	int fds[HOP_FDS];                            /* the keeper's */
	int32_t wanted_node;                         /* the keeper's: the node asked for, see numa_policy.h */
	_Atomic int32_t node; /* the receiver's: the node that has it, plus 1; 0: not known */
	alignas(CACHE_LINE) struct hop_stamp stamp;
	alignas(8) char near_state[];
};

enum { HOP_FAR_STATE = 2 * CACHE_LINE }; /* from the hop's start */

/* In place of the CPU on which a member's laps count: any; none. */
enum { PLACE_ANY = -1, PLACE_AWAY = INT32_MIN };

struct arena_member {
	/* The front's, before the word to open. */
	alignas(CACHE_LINE) struct arena_ring *ring;
	uint32_t cpu;
	_Atomic int32_t place; /* its laps count on this CPU, or one of the above; see pinning.h */
	uint64_t moved_ns;     /* the end of the last tick that found it in another place; 0: none did */
	struct hist_live *live[N_LIVE_FIGURES]; /* in the arena; NULL: it counts none */

	/* The host's. */
	alignas(CACHE_LINE) _Atomic int32_t pid;

	/* The member's; its host writes the stage of a dead member. */
	alignas(CACHE_LINE) _Atomic int32_t tid;
	_Atomic uint32_t stage; /* enum member_stage */

	/* The member's, each lap; only the origin has a due. */
	alignas(CACHE_LINE) _Atomic uint64_t due_ns; /* the oldest slot that is not served; 0: none */
	_Atomic uint64_t turn_ns;     /* the turn that the origin is in: the ring's run_ns; 0: none yet */
	_Atomic uint64_t turn_end_ns; /* when the origin noticed its end; 0: it goes on */
	_Atomic uint64_t laps, warmup_laps, missed, rested, timeouts;
	_Atomic uint64_t away; /* laps, and missed slots, while a member was not on its CPU */
	_Atomic uint64_t faults[N_TOKEN_FAULTS];
	_Atomic uint64_t received_ns; /* the origin's, of the lap before; with LIVE_OWN_LAP */
	/* Member 1's: the due of the last response that it recorded, and since when that had waited. */
	_Atomic uint64_t responded_due_ns, responded_from_ns;
};

/* Single laps; new ones overwrite the oldest. */
enum { LAP_LOG_SIZE = 1 << 14 };

struct lap_log {
	_Atomic uint64_t count; /* of laps written; stored after the lap itself */
	_Atomic uint64_t lap_ns[LAP_LOG_SIZE];
};

/* The laps of the longest warm-up. */
enum { WARMUP_LAPS = 100 };

struct arena_ring {
	/* The front's: counts the words by which it wants the ring opened (then it is odd) and closed (even).
	 */
	alignas(CACHE_LINE) _Atomic uint32_t wanted;
	/* The keeper's: the last of these that it has obeyed. After a word to close, no member, object or
	 * descriptor of the ring is left. */
	alignas(CACHE_LINE) _Atomic uint32_t obeyed;

	/* The front's, before the word to open. All from here on is zeroed for the next ring. */
	alignas(CACHE_LINE) struct arena *arena;
	struct plan_ring plan;        /* its CPUs are in the area */
	bool is_used;                 /* false: another ring may get the entry */
	struct arena_ring *next_area; /* the ring with the next area in use; NULL: this is the last one */
	const struct probe *probe;
	uint32_t n_members;
	uint32_t first_hop, token_size;
	uint64_t interval_ns;         /* of the plan; 0: flood */
	struct arena_member *members; /* by member */
	char *hops;                   /* struct arena_hop; hop i leads from member i to member i + 1 */
	size_t hop_stride;
	struct lap_log *lap_log; /* NULL: single laps are not kept */
	struct spike_log *spike_log;
	void *area; /* the memory of this ring alone, its hops first */
	size_t area_size;

	/* Of front, input thread, keeper or host; a futex on which a paused origin waits. */
	alignas(CACHE_LINE) _Atomic uint32_t command;
	_Atomic uint32_t changes; /* the front's: counts changes that need a new warm-up */
	/* The time of the command; written before it. */
	_Atomic uint64_t run_ns, pause_ns; /* to pause or to stop */
	/* The front's. It has counted the slots that were not served until then, and waits go on from there.
	 * BORDER_CLOSED: it is not the ring's turn. */
	_Atomic uint64_t border_ns;
	/* The front's. Samples of the spike figure (see arena_spike_figure()) that are longer are spikes;
	 * UINT64_MAX: none is. And the same, or the limit of -b if that is shorter: the one that is compared.
	 */
	_Atomic uint64_t spike_ns, slow_ns;
	/* The front's: rings on its busiest CPU, itself included; see engine_rings.h. */
	_Atomic uint32_t n_sharers;

	/* Origin and front both write it, see missed_slots.h: slots that were due before are counted, or
	 * being counted. */
	alignas(CACHE_LINE) _Atomic uint64_t claimed_ns;
	/* Written by the member that has the token: for how long the ring's were parked, in all. See
	 * duty_cycle.h.
	 */
	_Atomic uint64_t parked_ns;

	/* The front's. */
	alignas(CACHE_LINE) uint64_t ran_ns; /* in earlier turns */
	bool is_paused;                      /* by a command: its turns pass it by */
	bool is_removed;                     /* the keeper is to close it */
	uint64_t pausing_ns;                 /* since when it is to leave its turn alone; 0: it is not */
	uint64_t abandoned;                  /* slots that the front counted as missed */
	uint64_t abandoned_away;             /* and as away */
	/* A phase ended while this slot was under way, and the slot after it was left to the origin: it is
	 * claimed, and not counted. 0: none was left. */
	uint64_t left_due_ns;

	/* The host's; a futex on which the members wait for each other. */
	alignas(CACHE_LINE) _Atomic uint32_t go; /* the enum member_stage that all have reached */
	/* The members'; a futex on which the host waits. A locked counter, before the first lap and after the
	 * last one. */
	alignas(CACHE_LINE) _Atomic uint32_t arrivals;

	/* The keeper's, the origin's, and that of any process that fails the ring; the keeper writes last. */
	alignas(CACHE_LINE) _Atomic uint32_t state; /* enum ring_state */
	_Atomic int32_t host;                       /* pid; 0: none, or reaped */
	/* The keeper's: when it forked the host, which stores the same; when it found it dead. 0: not yet. */
	_Atomic uint64_t forked_ns, ended_ns;
	bool is_closing; /* the keeper's alone: it ends the host, since closing_ns */
	uint64_t closing_ns;
	_Atomic uint32_t shortcomings; /* of enum shortcoming; host and members add to it */
	_Atomic uint32_t has_reason;   /* 1: being written; 2: the text is valid */
	struct error_text reason;      /* why it failed; the first one stays */
};

enum breach_state { BREACH_NONE, BREACH_CLAIMED, BREACH_TOLD };

/* -b: the files by which a member stops the kernel's tracing, and the first breach. */
struct breaktrace {
	/* The front's, before any fork; all inherit the descriptors. */
	alignas(CACHE_LINE) int tracing_on, trace_marker;
	int told; /* the front's eventfd */
	/* The member's that was first. */
	alignas(CACHE_LINE) _Atomic uint32_t state; /* enum breach_state */
	struct breach breach;
};

struct arena {
	/* The sampler's, each tick; members read it each lap. Never 0. */
	alignas(CACHE_LINE) _Atomic uint32_t epoch;
	/* Of the front or its input thread: all rings end. */
	alignas(CACHE_LINE) _Atomic uint32_t stop;
	_Atomic uint64_t end_ns;    /* the front's: when all rings end by themselves; 0: never */
	_Atomic uint64_t warmup_ns; /* the front's: no warm-up is longer, unless its first lap is */
	/* Of all: a futex that is woken when a ring's state changes. */
	alignas(CACHE_LINE) _Atomic uint32_t news;
	struct breaktrace breaktrace;
	/* The front's: the keeper restores the terminal from these if the front is killed. */
	alignas(CACHE_LINE) _Atomic uint32_t terminal_taken;
	uint32_t terminal_size;
	char terminal_bytes[256], terminal_name[64];
	struct termios terminal;
	/* The front's, before any fork. */
	size_t size;             /* of the mapping */
	const struct plan *plan; /* the caller's, and so are the next two */
	const struct config *config;
	const struct topology *topology;
	struct sweep_board *sweep; /* the engine's, see sweeper.h; NULL: there is no sweep */
	bool rt_runtime_zero;      /* a v1 cpu cgroup refuses real-time policies even to root */
	struct owner keeper;       /* the keeper's */
	/* The front's alone. */
	size_t page_size;
	uint32_t n_slots, n_used; /* that fit; and of them used */
	uint32_t next_id, next_hop;
	struct arena_ring *first_area, *last_area; /* by their addresses; NULL: no ring */
	struct error_text no_room;                 /* why no ring can be added; empty: rings can be */
	struct load_board loads[LOADS_MAX];        /* see load_process.h */
	/* The front's. Those that are or were used; stored after a new one is filled in. */
	alignas(CACHE_LINE) _Atomic uint32_t n_rings;
	struct arena_ring rings[];
};

/* The addresses for the areas of rings that are added. */
#define ARENA_ROOM (sizeof(void *) > 4 ? (size_t)UINT64_C(0x400000000) : (size_t)64 << 20)

/* Maps an arena with all rings of the plan, laid out for pages of @page_size bytes. The inputs stay the
 * caller's, and must outlive it. Where a limit refuses the reservation, it has room for these rings alone.
 * Returns 0 or a negative errno with its reason. */
int arena_create(struct arena **arena, const struct plan *plan, const struct config *config,
	const struct topology *topology, size_t page_size, struct error_text *reason);
void arena_destroy(struct arena *arena); /* unmaps it from this process */

/* --- the front's --- */

/* Gives a ring an entry and an area, both zeroed but for its descriptor, a copy of @plan with the next id.
 * Returns 0, or a negative errno with its reason. */
int arena_add(struct arena *arena, const struct plan_ring *plan, struct arena_ring **ring,
	struct error_text *reason);
/* Gives back the memory of a ring that the keeper has closed, or never opened, and its entry. */
void arena_remove(struct arena_ring *ring);
/* Sets from which length on the ring's samples are spikes; UINT64_MAX: none is. Until a tick knows what is
 * usual, stalls of paced rings are. */
enum { SPIKE_FIRST_NS = 20000000 };
void arena_set_spike_limit(struct arena_ring *ring, uint64_t limit_ns);
/* Sets how long a warm-up may be, by the turns. */
void arena_limit_warmup(struct arena *arena, unsigned n_turns, uint64_t slice_ns);
/* Returns the used ring after @before, NULL if there is none; the first one after NULL. */
struct arena_ring *arena_next(struct arena *arena, const struct arena_ring *before);

/* --- of all --- */

/* Acquire: pairs with the release in arena_add(), before which the ring was filled in. */
static inline uint32_t arena_n_rings(const struct arena *arena)
{
	return atomic_load_explicit(&arena->n_rings, memory_order_acquire);
}

static inline struct arena_hop *arena_hop(const struct arena_ring *ring, unsigned hop)
{
	return (struct arena_hop *)(void *)(ring->hops + hop * ring->hop_stride);
}

static inline unsigned arena_member_index(const struct arena_member *member)
{
	return (unsigned)(member - member->ring->members);
}

/* The hop that leads to the member. */
static inline unsigned arena_hop_before(const struct arena_ring *ring, unsigned member)
{
	return (member + ring->n_members - 1) % ring->n_members;
}

static inline enum ring_state arena_state(const struct arena_ring *ring)
{
	/* Acquire: pairs with the release in arena_set_state(). */
	return (enum ring_state)atomic_load_explicit(&ring->state, memory_order_acquire);
}

/* Returns of which samples a ring's spikes are made: the response, or the lap if the ring has none. */
static inline enum live_figure arena_spike_figure(const struct arena_ring *ring)
{
	return ring->interval_ns && ring->arena->config->stamps == STAMPS_ALL ? LIVE_SERVED : LIVE_LAP;
}

/* Returns the ring's hop as this process hands it to the probe. */
struct hop arena_hop_handle(const struct arena_ring *ring, unsigned hop);

/* Writes the shortcomings as a sentence that names the right or limit, and the remedy. */
void arena_describe(uint32_t shortcomings, struct error_text *reason);
/* Writes why the ring failed, or else its shortcomings. Returns false where it has neither. */
bool arena_reason(const struct arena_ring *ring, struct error_text *reason);

/* Sets a ring's state, and wakes those that wait for news. */
void arena_set_state(struct arena_ring *ring, enum ring_state state);
/* Sets RING_FAILED with a reason; the first reason stays. */
__attribute__((format(printf, 2, 3))) void arena_fail(struct arena_ring *ring, const char *format, ...);
