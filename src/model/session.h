/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session.h - the model: what has been seen of each ring, from ticks, whoever made them. Pure.
 *
 * Views, reports and recordings read it; what it was told is written by the functions below alone, and by
 * checkpoint_decode(). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/figures/hist.h"
#include "src/figures/tick.h"
#include "src/machine/machine.h"
#include "src/machine/topology.h"
#include "src/model/event.h"
#include "src/model/phase.h"
#include "src/model/second_stats.h"
#include "src/model/series.h"
#include "src/plan/config.h"

struct session_figure {
	struct hist hist;
	uint64_t last_ns;
	uint64_t phase_max_ns, phase_max_at_ns; /* in the current phase; at: 0 where it has no sample yet */
};

/* From one member to the next. */
struct session_hop {
	int32_t node; /* on which its state lies, or HOP_NODE_UNKNOWN, HOP_NODE_SEVERAL */
	/* Its latency; of a pair only where that was asked for. */
	uint64_t last_ns;
	struct hist hist;
};

struct session_ring {
	uint32_t id;
	char *mechanism, *title; /* owned; "mq", "POSIX message queue" */
	char *label; /* owned; "2>6": where its members are meant to be, "2>*" where one was moved to several
			CPUs */
	unsigned *cpus; /* owned; planned, for each member */
	unsigned n_members;
	enum locality locality;         /* of the label; N_LOCALITIES where it is not known */
	bool moved;                     /* somebody gave a member another place than the planned one */
	enum locality planned_locality; /* only where it was moved */
	unsigned turn;
	uint64_t interval_ns;
	bool isolated; /* all its CPUs are isolated */
	struct task_policy asked;

	enum ring_state state;
	enum ring_condition condition;
	char *reason;                /* owned, or NULL */
	struct tick_member *members; /* owned; as last seen, n_members of them */
	TICK_COUNTS_TOGETHER;
	uint64_t age_ns;
	uint64_t token_bytes; /* that it carries, and that are checked; 0: none, and nothing can be */
	uint64_t faults[N_TOKEN_FAULTS];
	bool observed; /* its members have been compared with what was asked */
	/* What is wrong with it, of CONDITION_LATE and those after it, or CONDITION_FINE; it lasts while the
	 * ring waits for its turn. wait_ns: the largest age that was shown since it began. */
	enum ring_condition trouble;
	uint64_t wait_ns;
	struct session_figure figures[N_FIGURES];
	struct session_hop *hops; /* owned; n_members, by the member that sends */

	/* What front ends ask for, beyond the figures: see config.h. */
	uint32_t n_cpus; /* that each member may run on, where it is not pinned; else 0 */
	uint64_t timeouts;
	struct session_member_lap *member_laps; /* owned; n_members, or NULL */
	uint64_t *laps_ns; /* owned; each of the last SESSION_LAPS laps, lap i at i % SESSION_LAPS; or NULL */
	uint64_t n_laps_ns; /* all that there were */
};

/* The lap as one member sees it. */
struct session_member_lap {
	uint64_t last_ns;
	struct hist hist;
};

enum group_kind { GROUP_ALL, GROUP_ISOLATED, GROUP_HOUSEKEEPING, GROUP_MECHANISM };

/* Sums over some rings, fed with each tick. A row is a ring or a group: row n_rings is groups[0]. */
struct session_group {
	enum group_kind kind;
	const char *name; /* "all", "isolated", "housekeeping", or the mechanism's; the session's */
	size_t n_rings;
	TICK_COUNTS_TOGETHER;
	/* last_ns: of its rings' in the last tick that had one, the largest */
	struct session_figure figures[N_FIGURES];
};

struct session {
	struct machine machine;
	struct session_ring *rings; /* owned */
	size_t n_rings;
	/* owned; GROUP_ALL first, then isolated and housekeeping where there are rings of both kinds, then
	 * each mechanism where there are several, with several rings */
	struct session_group *groups;
	size_t n_groups;
	unsigned n_turns;
	uint64_t turn_ns;       /* of each */
	unsigned turn;          /* the current one, */
	uint64_t turn_since_ns; /* and since when it lasts */
	struct event *events;   /* owned, oldest first */
	size_t n_events;
	uint64_t events_dropped;   /* forgotten, the oldest first, past SESSION_EVENTS_MAX */
	uint64_t wall_start_ns;    /* CLOCK_REALTIME, when CLOCK_MONOTONIC was start_ns */
	uint64_t start_ns, now_ns; /* CLOCK_MONOTONIC; now: the end of the last tick */
	size_t n_ticks;
	char loadavg[64];
	double own_cpu;     /* of the last tick of 25 ms or more */
	uint64_t work_size; /* bytes that each member sums before it passes the token on */
	struct phases phases;
	struct series series;
	struct trails trails;
	bool auto_phase;        /* a change of members' scheduling begins a phase */
	uint64_t auto_phase_ns; /* when one did last; 0: never */
	struct row_sums sums;   /* working memory */
};

enum { SESSION_EVENTS_MAX = 4096, SESSION_LAPS = 1 << 14 };

/* How far it has come: to the end of the last tick, or to the start where there was none. CLOCK_MONOTONIC. */
static inline uint64_t session_position_ns(const struct session *session)
{
	return session->now_ns > session->start_ns ? session->now_ns : session->start_ns;
}

struct plan;

/* @machine is copied. Returns 0 or -ENOMEM; session_finish() accepts what is left of it. */
int session_init(struct session *session, const struct plan *plan, const struct topology *topology,
	const struct config *config, const struct machine *machine);
void session_finish(struct session *session);

/* Takes one tick; rings are found by id. Changes of members' scheduling, and of rings' states, become
 * events; what several rings have in common becomes one. The first tick's start is the session's where
 * start_ns is still 0. Returns 0, -ENOMEM, or -EINVAL for a tick of other rings, or of one twice,
 * with nothing taken. */
int session_feed(struct session *session, const struct tick *tick);

/* Begins a phase with the tick after the last one that was fed; with a name it is a mark, which may be
 * empty. It is told as an event. Returns 0 or -ENOMEM. */
int session_phase(struct session *session, const char *name);

size_t session_rows(const struct session *session); /* n_rings + n_groups */
const struct session_figure *session_row_figure(
	const struct session *session, size_t row, enum figure figure);
bool session_in_group(const struct session *session, const struct session_ring *ring, size_t group);

/* The same window, or WINDOW_ALL where that is what it shows: the only phase. */
enum window session_window(const struct session *session, enum window window);
/* The shortest one in which each ring has its turn. */
enum window session_shortest_window(const struct session *session);
/* What a window that is not WINDOW_ALL, or a phase, is the sum of: good until the session is fed. */
struct blocks session_blocks(const struct session *session, enum window window);
struct blocks session_phase_blocks(const struct session *session, const struct phase *phase);
/* What a row did in a phase, in place of what @sums held. Returns 0 or -ENOMEM. */
int session_phase_sums(
	const struct session *session, const struct phase *phase, size_t row, struct row_sums *sums);
/* Add what a row did in a window. The first returns 0 or -ENOMEM. */
int session_add_figure(
	const struct session *session, size_t row, enum window window, enum figure figure, struct hist *hist);
void session_add_counts(
	const struct session *session, size_t row, enum window window, struct tick_counts *counts);

/* "2: 4>0": the member that sends, and the CPUs from which and to which. Returns @text. */
char *session_hop_label(const struct session_ring *ring, unsigned hop, char *text, size_t size);

/* Is the member's policy, priority, nice value or affinity other than asked? */
bool session_member_differs(const struct session_ring *ring, unsigned member);
/* The CPU that a member is meant to be on: the planned one, or where somebody moved it; -1: any of several.
 */
int64_t session_member_place(const struct session_ring *ring, unsigned member);
/* Is a member elsewhere, since its CPU went offline or out of its cpuset? */
bool session_member_is_away(const struct session_ring *ring, unsigned member);

/* Has a ring a sample above @limit_ns, of @figure or of what it has in its place? 0 is no limit. */
bool session_is_above(const struct session *session, enum figure figure, uint64_t limit_ns);

/* What the ring has in place of @figure: see figure_at(). */
enum figure session_figure_of(const struct session_ring *ring, enum figure figure);
