/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick.h - one tick: everything that the sampler measured since the previous tick. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/field.h"
#include "src/figures/hist.h"
#include "src/machine/numa_policy.h"
#include "src/machine/task.h"
#include "src/machine/topology.h"

/* The figures of a ring that users see. */
enum figure {
	FIGURE_FIRST,    /* latency of the hop that leaves the origin after a sleep */
	FIGURE_ANSWER,   /* latency of every other hop */
	FIGURE_LAP,      /* back at the origin - sent of the first hop */
	FIGURE_RESPONSE, /* received of the first hop - due; missed slots with their waiting time */
	FIGURE_LATENESS, /* sent of the first hop - due; missed slots with their waiting time */
	FIGURE_SERVED,   /* the response without missed slots */
	N_FIGURES,
};

enum { N_FIGURES_SHOWN = FIGURE_RESPONSE + 1 }; /* --show and `o` choose among first..response */

const char *figure_name(enum figure figure);  /* "first": option value, JSON key */
const char *figure_title(enum figure figure); /* "first hop": for the screen */
const char *figure_help(
	enum figure figure); /* what it measures: a line of the glossary, as the other _help */

/* Which times of a lap are read. */
enum stamps {
	STAMPS_ALL, /* sent and received, by each member */
	STAMPS_LAP, /* by the origin alone: the ring has lap and lateness, and no figure of a hop */
	N_STAMPS,
};

const char *stamps_name(enum stamps stamps); /* "all": option value, JSON */

/* Returns the figure that a ring of this interval has in place of @figure: flood (0) has no first hop,
 * response or lateness, and STAMPS_LAP no hop and no response. */
enum figure figure_at(enum figure figure, uint64_t interval_ns, enum stamps stamps);

enum ring_state {
	RING_PLANNED,
	RING_OPENING,
	RING_RUNNING,
	RING_PAUSED,
	RING_DONE,
	RING_FAILED,
	RING_GONE,
	N_RING_STATES,
};

const char *ring_state_name(enum ring_state state);
const char *ring_state_help(enum ring_state state);
bool ring_state_has_ended(enum ring_state state); /* done, failed or gone: no more laps */

/* Why a ring's row has no current figure. */
enum ring_condition {
	CONDITION_FINE,
	CONDITION_NEVER_RAN, /* running, and no lap done yet */
	CONDITION_WAITING,   /* its turn has not come */
	CONDITION_LATE,      /* overdue, for an unknown reason */
	CONDITION_STARVED,   /* overdue, and a member is runnable but gets no CPU */
	CONDITION_THROTTLED, /* the same, because of the kernel's real-time throttling */
	CONDITION_STOPPED,   /* overdue, and a member is stopped (SIGSTOP, a debugger) */
	CONDITION_OFFLINE,   /* a member's CPU went offline: its laps are away */
	CONDITION_EXCLUDED,  /* the same, and its CPU was taken out of its cpuset */
	N_CONDITIONS,
};

const char *ring_condition_name(enum ring_condition condition); /* "starved"; "": fine */
const char *ring_condition_help(enum ring_condition condition);
bool ring_condition_is_away(enum ring_condition condition); /* a member's CPU was taken from it */

/* The faults of a token. */
enum token_fault {
	FAULT_LOST,      /* did not arrive within a second, on a channel that may lose it */
	FAULT_REPEATED,  /* arrived twice */
	FAULT_REORDERED, /* arrived after it was declared lost */
	FAULT_DAMAGED,   /* its bytes have changed */
	N_TOKEN_FAULTS,
};

const char *token_fault_name(enum token_fault fault); /* "lost" */
const char *token_fault_help(enum token_fault fault);
/* "2 tokens lost, 1 damaged". Returns @text, which is empty without faults. */
char *token_faults_text(const uint64_t n[N_TOKEN_FAULTS], char *text, size_t size);

struct tick_figure {
	uint64_t sum_ns;
	uint64_t min_ns, max_ns,
		max_at_ns;          /* of the samples in this tick; meaningless while has_extremes is false */
	uint64_t last_ns;           /* the latest sample, of any tick */
	size_t first_cell, n_cells; /* in the tick's cells */
	bool has_extremes;
	bool min_is_wait; /* see hist_extend_by_waits() */
};

/* Extends the extremes. Of equal maxima the first one stays. */
void tick_figure_extend(struct tick_figure *figure, uint64_t min_ns, uint64_t max_ns, uint64_t max_at_ns);
/* Adds the samples of a figure, with the @cells of its tick. Returns 0, or -ENOMEM with nothing added. */
int tick_figure_add(const struct tick_figure *figure, const struct hist_cell *cells, struct hist *hist);

struct tick_member {
	int32_t pid, tid;          /* 0 before it started */
	struct task_policy policy; /* as the kernel says now */
	int32_t cpu;               /* the only CPU of its affinity, or -1 if it has several */
	uint32_t n_cpus;           /* number of CPUs of its affinity */
	/* Its place if it was moved (taskset): that CPU plus 1, or -1 for any of several. 0: its place is the
	 * planned CPU, whether it is there or away. */
	int32_t moved_to;
	/* The following is in no recording: see config.h. */
	int32_t ran_on;         /* if n_cpus > 1: the CPU it ran on last, plus 1; 0: not known */
	struct tick_figure lap; /* as this member sees it; zero unless config.tool.member_laps */
};

/* From one member to the next. */
struct tick_hop {
	int32_t node; /* the NUMA node of its state, or HOP_NODE_* of numa_policy.h */
	/* Its latency: first hops and answers together. For pairs only if config.tool.pair_hops is set;
	 * else FIGURE_FIRST and FIGURE_ANSWER have it, though the first hop of a late lap counts as an
	 * answer. */
	struct tick_figure figure;
};

/* The counts of a ring since the previous tick. Each count is recorded, and added up for rings, groups,
 * windows and phases: one more takes a line here, and the line that measures it. */
#define TICK_COUNTS(X)                                                                                       \
	X(active_ns) /* how long it was running */                                                           \
	X(laps)                                                                                              \
	X(warmup_laps)                                                                                       \
	X(missed)                                                                                            \
	X(rested) /* slots that went by while the ring rested */                                             \
	X(away)   /* laps, and missed slots, while a member was not on its CPU; in no figure */
#define TICK_COUNT(name) uint64_t name;

struct tick_counts {
	TICK_COUNTS(TICK_COUNT)
};

/* Returns how long it was running where it should: without the time of laps and slots that are away. */
uint64_t tick_counts_in_place_ns(const struct tick_counts *counts);

/* Gives a struct each count as a member, and all of them as .counts. */
#define TICK_COUNTS_TOGETHER                                                                                 \
	union {                                                                                              \
		struct tick_counts counts;                                                                   \
		struct {                                                                                     \
			TICK_COUNTS(TICK_COUNT)                                                              \
		};                                                                                           \
	}

struct tick_ring {
	uint32_t id;
	enum ring_state state;
	enum ring_condition condition;
	const char *reason; /* why it failed, or why a member is not as asked; may be NULL; the tick's */
	TICK_COUNTS_TOGETHER;
	uint64_t age_ns;        /* of the overdue lap; 0: none */
	enum locality locality; /* if a member was moved: of the members' places, N_LOCALITIES if not known */
	uint64_t faults[N_TOKEN_FAULTS]; /* since the previous tick */
	struct tick_figure figures[N_FIGURES];
	size_t first_member; /* in the tick's members */
	uint32_t n_members;
	size_t first_hop; /* in the tick's hops, by the member that sends */
	uint32_t n_hops;  /* as many as members, or 0 */
	/* The following is in no recording: see config.h. */
	uint64_t timeouts;       /* of receives with a deadline, since the previous tick */
	const uint64_t *laps_ns; /* each lap since then, in order; the tick's */
	size_t n_laps_ns;        /* 0 unless config.tool.lap_log */
};

/* Returns the longest wait that ended in this tick, or lasts. */
uint64_t tick_ring_longest_wait(const struct tick_ring *ring);
/* A missed slot waits until it is passed over, perhaps for less than any that was served. Then Min becomes
 * that of the @served samples, or without these in the tick @least_ns, the shortest of the ticks before; 0:
 * none, and is a wait. The mean is no shorter. @cells: of the tick. Updates @least_ns. */
void tick_figure_bound_waits(struct tick_figure *figure, const struct hist_cell *cells,
	const struct tick_figure *served, uint64_t *least_ns);

struct tick {
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	unsigned turn;             /* the turn at its end */
	uint64_t turn_since_ns;    /* when that turn began */
	bool turn_held;            /* it does not end */
	uint64_t turn_ns;          /* the length of each turn; 0: not known */
	struct tick_ring *rings;
	size_t n_rings;
	struct tick_member *members;
	size_t n_members;
	struct tick_hop *hops;
	size_t n_hops;
	struct hist_cell *cells;
	size_t n_cells;
	char loadavg[64];     /* the line of /proc/loadavg, without its newline */
	uint32_t own_cpu_ppm; /* CPU time of ipctop's front and keeper, in millionths of one CPU */
	uint64_t late_ns;     /* how long after it was due the tick was made */
	uint64_t interrupts;  /* of all CPUs, since the previous tick; 0: not known */
	uint64_t own_wait_ns; /* of its length, how long the sampling thread waited for a CPU; 0: not known */
	/* What the flight recorder cost the front since the previous tick: CPU time, and records read. */
	uint64_t recorder_ns, n_recorded;
};

/* The rows of the tables below. */
enum {
	N_TICK_FIELDS = 13,
	N_TICK_RING_FIELDS = 9,
	N_TICK_COUNTS = sizeof(struct tick_counts) / sizeof(uint64_t),
	N_TICK_MEMBER_FIELDS = 8,
	N_TICK_HOP_FIELDS = 1,
};

/* The recorded fields of a tick, of a ring (except counts and figures), of counts, of a member, and of a hop
 * (except its figure). A new field is a row at the end of its table. */
extern const struct field tick_fields[N_TICK_FIELDS], tick_ring_fields[N_TICK_RING_FIELDS],
	tick_count_fields[N_TICK_COUNTS], tick_member_fields[N_TICK_MEMBER_FIELDS],
	tick_hop_fields[N_TICK_HOP_FIELDS];

void tick_counts_add(struct tick_counts *counts, const struct tick_counts *more);
