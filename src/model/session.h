/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session.h - the model: what has been seen of each ring, from ticks, whoever made them. Pure.
 *
 * Views, reports and recordings read it; what it was told is written by the functions below alone, and by
 * checkpoint_decode(). */
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

/* Sums over some rings, fed with each tick. A row is a ring or a group: row n_rings is groups[0]. */
struct session_group {
	enum group_kind kind;
	const char *name; /* "all", "isolated", "housekeeping", or the mechanism's; the session's */
	size_t n_rings;
	TICK_COUNTS_TOGETHER;
	/* last_ns: of its rings' in the last tick that had one, the largest */
	struct session_figure figures[N_FIGURES];
	struct row_sums tick; /* working memory: what the rings did in the tick that is fed */
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
	struct second_stats seconds;
	bool auto_phase;        /* a change of members' scheduling begins a phase */
	uint64_t auto_phase_ns; /* when one did last; 0: never */
	bool merges_apart;      /* who feeds it calls session_merge() after each tick */
	struct row_sums sums;   /* working memory */
};

enum { SESSION_EVENTS_MAX = 4096 };

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

/* Has a ring a sample above @limit_ns, of @figure or of what it has in its place? 0 is no limit. */
bool session_is_above(const struct session *session, enum figure figure, uint64_t limit_ns);
