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
#include "src/model/own_lateness.h"
#include "src/model/phase.h"
#include "src/model/second_stats.h"
#include "src/model/series.h"
#include "src/model/session_ring.h"
#include "src/model/spikes.h"
#include "src/plan/config.h"

enum group_kind { GROUP_ALL, GROUP_ISOLATED, GROUP_HOUSEKEEPING, GROUP_MECHANISM };

/* The sums of several rings. */
struct session_group {
	enum group_kind kind;
	size_t row;       /* its number */
	const char *name; /* "all", "isolated", "housekeeping", or the session's name of the mechanism */
	TICK_COUNTS_TOGETHER;
	/* hist.last_ns: the largest one of the group's rings, in the last tick that had samples */
	struct session_figure figures[N_FIGURES];
	struct row_sums tick; /* working memory: the rings' sums of the current tick */
};

/* The knob that is being tried now (trial.h). No recording has it. */
struct trial_progress {
	char tried[PHASE_NAME_SIZE];   /* "swappiness=10"; "": none */
	char with[PHASE_NAME_SIZE];    /* the value of the phase: "swappiness=60" */
	unsigned phase, n_phases;      /* phase: from 1 on; 0: before the first */
	uint64_t phase_end_ns, end_ns; /* CLOCK_MONOTONIC; end: of the trial, at the latest */
};

/* How far a hunt is. No recording has it. */
struct hunt_progress {
	unsigned load, n_loads; /* load: from 1 on; 0: none now; n_loads 0: no hunt goes on */
	uint64_t end_ns;        /* CLOCK_MONOTONIC */
};

enum { GROUPS_MAX = GROUP_MECHANISM + CONFIG_PROBES_MAX };

struct session {
	struct machine machine;
	struct session_ring *rings; /* owned; by their ids; ended ones too, see session_end_ring() */
	size_t n_rings, rings_room;
	struct session_group *groups; /* owned; by kind: see session_rows.h */
	size_t n_groups;
	char *mechanisms[CONFIG_PROBES_MAX]; /* owned; names, in the order of their first rings */
	size_t n_mechanisms;
	unsigned n_turns;
	uint64_t turn_ns;       /* the length of each turn */
	unsigned turn;          /* the current turn */
	uint64_t turn_since_ns; /* when it began */
	bool turn_held;         /* it does not end */
	struct event *events;   /* owned, oldest first */
	size_t n_events;
	uint64_t events_dropped;   /* the oldest ones, beyond SESSION_EVENTS_MAX */
	uint64_t wall_start_ns;    /* CLOCK_REALTIME, when CLOCK_MONOTONIC was start_ns */
	uint64_t start_ns, now_ns; /* CLOCK_MONOTONIC; now: the end of the last tick */
	size_t n_ticks;
	char loadavg[64];
	uint32_t own_cpu_ppm; /* of the last tick of 25 ms or more */
	/* What the flight recorder has cost the front; and in the last tick of 25 ms or more, in millionths
	 * of one CPU and records a second. */
	uint64_t recorder_ns, n_recorded;
	uint32_t recorder_ppm, recorded_hz;
	struct own_lateness own_lateness;
	uint64_t work_size; /* bytes that each member sums before it passes the token on */
	struct phases phases;
	struct series series;
	struct second_stats seconds;
	struct session_spikes spikes;
	uint64_t machine_changed_ns; /* when a fact that bears on members did since the last tick; 0: none did
				      */
	bool facts_begin_phases;     /* if @auto_phase; false in recordings of before 5.3 */
	bool auto_phase;             /* begin a phase when members' scheduling, or such a fact, changes */
	uint64_t auto_phase_ns;      /* when that last happened; 0: never */
	bool is_sweep;               /* there are no rings */
	struct matrix *matrix;       /* owned; of a sweep, see matrix.h; NULL: none is known of this moment */
	struct trial_progress trial;
	struct hunt_progress hunt;
	struct row_sums sums; /* working memory */
};

enum { SESSION_EVENTS_MAX = 4096 };

/* Returns the end of the last tick, or the start if there was no tick. CLOCK_MONOTONIC. */
static inline uint64_t session_position_ns(const struct session *session)
{
	return session->now_ns > session->start_ns ? session->now_ns : session->start_ns;
}

/* Returns how long before that a moment was; 0 for one that was later. */
static inline uint64_t session_age_ns(const struct session *session, uint64_t at_ns)
{
	uint64_t now_ns = session_position_ns(session);

	return now_ns > at_ns ? now_ns - at_ns : 0;
}

struct plan;

/* Copies @machine. Returns 0 or -ENOMEM; session_finish() accepts a session that session_init() did not
 * finish. */
int session_init(struct session *session, const struct plan *plan, const struct topology *topology,
	const struct config *config, const struct machine *machine);
void session_finish(struct session *session);

/* Adds a ring, a copy of one that no tick was added to. Its id must be larger than those of all others.
 * Returns 0, -ENOMEM or -EINVAL. */
int session_add_ring(struct session *session, const struct session_ring *ring);
/* Ends a ring: no more ticks have it. Its row stays, with its figures, until the last phase that has them is
 * dropped. Returns 0, or -EINVAL if there is no such ring, or it has ended. */
int session_end_ring(struct session *session, uint32_t id);
/* Removes a ring at once, with its figures. */
void session_remove_ring(struct session *session, struct session_ring *ring);
/* Adds a tick of the session's rings, which are in the order of their ids, with no more members than planned:
 * sampler and tick_decode() make no others. Changes of members' scheduling, and of rings' states, become
 * events; the same event of several rings becomes one. The first tick's start is the session's if start_ns is
 * still 0. Returns 0 or -ENOMEM. */
int session_feed(struct session *session, const struct tick *tick);

/* Returns whether all rings have failed, or a ring had a token fault. */
bool session_has_failed(const struct session *session);

/* --- phases and windows --- */

/* Merges ticks that are too many to be kept one by one, after each feed. Of 1,024 pairs it may take 100 ms,
 * but it changes what others read under @lock only, which the caller does not hold; it may be NULL. Returns 0
 * or -ENOMEM. */
int session_phases_merge(struct session *session, pthread_mutex_t *lock);

/* Adds to the current phase the ticks that wait, so that its blocks have them. Returns 0 or -ENOMEM. */
int session_phases_settle(struct session *session);

/* Begins a phase after the last tick, and adds its event, whose time is @given_ns (0: the phase's start).
 * With a name, which may be empty, it is a mark. Returns 0 or -ENOMEM. */
int session_phases_begin(struct session *session, const char *name, uint64_t given_ns);
/* Would this tick begin a phase, if it ended at @now_ns: because members' scheduling, or a fact that bears on
 * them, changed? Reads only the tick's rings and members. */
bool session_phases_will_change(const struct session *session, const struct tick *tick, uint64_t now_ns);

/* Returns @window, or WINDOW_ALL if that shows the same: there is only one phase. */
enum window session_window(const struct session *session, enum window window);
/* Returns the shortest window in which each ring has its turn. */
enum window session_shortest_window(const struct session *session);
/* Add what a row did in a window. The first returns 0 or -ENOMEM. */
int session_add_figure(
	const struct session *session, size_t row, enum window window, enum figure figure, struct hist *hist);
void session_add_counts(
	const struct session *session, size_t row, enum window window, struct tick_counts *counts);
/* Returns the blocks whose sum is a phase: valid until the session is fed, or merges. */
struct block_list session_phase_blocks(const struct session *session, const struct phase *phase);
