/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session.h - the model: sums, phases and events of all rings, from ticks of a run or of a recording. Pure.
 *
 * Views and reports read its members. src/model writes them; a run or a recording sets what is known when the
 * session begins. */
#pragma once

#include <pthread.h>
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
#include "src/model/session_ring.h"
#include "src/plan/config.h"

enum group_kind { GROUP_ALL, GROUP_ISOLATED, GROUP_HOUSEKEEPING, GROUP_MECHANISM };

/* The sums of several rings. A row is a ring or a group: row n_rings is groups[0]. */
struct session_group {
	enum group_kind kind;
	const char
		*name; /* "all", "isolated", "housekeeping", or the name of the mechanism, owned by a ring */
	size_t n_rings;
	TICK_COUNTS_TOGETHER;
	/* hist.last_ns: the largest one of the group's rings, in the last tick that had samples */
	struct session_figure figures[N_FIGURES];
	struct row_sums tick; /* working memory: the rings' sums of the current tick */
};

struct session {
	struct machine machine;
	struct session_ring *rings; /* owned */
	size_t n_rings;
	/* owned; GROUP_ALL, then isolated and housekeeping if there are rings of both kinds, then the
	 * mechanisms if there are several, and fewer than rings */
	struct session_group *groups;
	size_t n_groups;
	unsigned n_turns;
	uint64_t turn_ns;       /* of each */
	unsigned turn;          /* the current one, */
	uint64_t turn_since_ns; /* and since when it lasts */
	struct event *events;   /* owned, oldest first */
	size_t n_events;
	uint64_t events_dropped;   /* the oldest ones, beyond SESSION_EVENTS_MAX */
	uint64_t wall_start_ns;    /* CLOCK_REALTIME, when CLOCK_MONOTONIC was start_ns */
	uint64_t start_ns, now_ns; /* CLOCK_MONOTONIC; now: the end of the last tick */
	size_t n_ticks;
	char loadavg[64];
	uint32_t own_cpu_ppm; /* of the last tick of 25 ms or more */
	uint64_t work_size;   /* bytes that each member sums before it passes the token on */
	struct phases phases;
	struct series series;
	struct second_stats seconds;
	bool auto_phase;        /* a change of members' scheduling begins a phase */
	uint64_t auto_phase_ns; /* when one did last; 0: never */
	bool merges_apart;      /* who feeds it calls session_merge() after each tick */
	struct row_sums sums;   /* working memory */
};

enum { SESSION_EVENTS_MAX = 4096 };

/* Returns the end of the last tick, or the start if there was no tick. CLOCK_MONOTONIC. */
static inline uint64_t session_position_ns(const struct session *session)
{
	return session->now_ns > session->start_ns ? session->now_ns : session->start_ns;
}

struct plan;

/* Copies @machine. Returns 0 or -ENOMEM; session_finish() accepts a session that session_init() did not
 * finish. */
int session_init(struct session *session, const struct plan *plan, const struct topology *topology,
	const struct config *config, const struct machine *machine);
void session_finish(struct session *session);

/* Adds a tick of the session's rings, which are in the order of their ids, with no more members than planned:
 * sampler and tick_decode() make no others. Changes of members' scheduling, and of rings' states, become
 * events; the same event of several rings becomes one. The first tick's start is the session's if start_ns is
 * still 0. Returns 0 or -ENOMEM. */
int session_feed(struct session *session, const struct tick *tick);

/* Merges ticks that are too many to be kept one by one, which may take 100 ms of 1,024 pairs, but changes
 * what others read under @lock alone. It is not taken yet, or NULL. Returns 0 or -ENOMEM. */
int session_merge(struct session *session, pthread_mutex_t *lock);

/* Begins a phase with the tick after the last one that was fed; with a name it is a mark, which may be
 * empty. It is told as an event. Returns 0 or -ENOMEM. */
int session_phase(struct session *session, const char *name);

size_t session_rows(const struct session *session); /* n_rings + n_groups */
const struct session_figure *session_row_figure(
	const struct session *session, size_t row, enum figure figure);
bool session_row_is_in(const struct session *session, const struct session_ring *ring, size_t group);

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

/* Is what was measured nothing to rely on: have all rings failed, or had one a fault? */
bool session_has_failed(const struct session *session);

/* Returns whether a ring has a sample above @limit_ns in @figure (see session_figure_of()). 0 is no limit. */
bool session_is_above(const struct session *session, enum figure figure, uint64_t limit_ns);
