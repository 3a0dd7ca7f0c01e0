/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session.h - the model: what has been seen of each ring, from ticks, whoever made them. Pure.
 *
 * Views, reports and recordings read it; nothing but session_feed() and session_event() writes it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/config.h"
#include "src/hist.h"
#include "src/machine.h"
#include "src/tick.h"
#include "src/topology.h"

enum event_kind { EVENT_NOTE, EVENT_WARNING, EVENT_CHANGE, EVENT_RING };

const char *event_kind_name(enum event_kind kind); /* "note", "warning", "change", "ring" */

struct event {
	uint64_t at_ns; /* CLOCK_MONOTONIC */
	enum event_kind kind;
	int64_t ring; /* id, or -1 */
	char *text;   /* owned */
};

struct session_figure {
	struct hist hist;
	uint64_t last_ns;
};

/* From one member to the next. */
struct session_hop {
	int32_t node; /* on which its state lies, or HOP_NODE_UNKNOWN, HOP_NODE_SEVERAL */
	/* Its latency; empty in a pair, whose hops are its first hop and its answer. */
	uint64_t last_ns;
	struct hist hist;
};

struct session_ring {
	uint32_t id;
	char *mechanism, *title; /* owned; "mq", "POSIX message queue" */
	char *label;             /* owned; "2>6" */
	unsigned *cpus;          /* owned; planned, for each member */
	unsigned n_members;
	enum locality locality;
	unsigned turn;
	uint64_t interval_ns;
	bool isolated; /* all its CPUs are isolated */
	struct task_policy asked;

	enum ring_state state;
	enum ring_condition condition;
	char *reason;                /* owned, or NULL */
	struct tick_member *members; /* owned; as last seen, n_members of them */
	uint64_t active_ns, age_ns;
	uint64_t laps, warmup_laps, missed;
	uint64_t token_bytes; /* that it carries, and that are checked; 0: none, and nothing can be */
	uint64_t faults[N_TOKEN_FAULTS];
	bool observed;    /* its members have been compared with what was asked */
	uint64_t wait_ns; /* the longest wait since its condition began */
	struct session_figure figures[N_FIGURES];
	struct session_hop *hops; /* owned; n_members, by the member that sends */
};

struct session {
	struct machine machine;
	struct session_ring *rings; /* owned */
	size_t n_rings;
	unsigned n_turns;
	struct event *events; /* owned, oldest first */
	size_t n_events;
	uint64_t events_dropped;   /* forgotten, the oldest first, past SESSION_EVENTS_MAX */
	uint64_t wall_start_ns;    /* CLOCK_REALTIME, when CLOCK_MONOTONIC was start_ns */
	uint64_t start_ns, now_ns; /* CLOCK_MONOTONIC; now: the end of the last tick */
	size_t n_ticks;
	char loadavg[64];
	double own_cpu;
};

enum { SESSION_EVENTS_MAX = 4096 };

struct plan;

/* @machine is copied. Returns 0 or -ENOMEM; session_finish() accepts what is left of it. */
int session_init(struct session *session, const struct plan *plan, const struct topology *topology,
	const struct config *config, const struct machine *machine);
void session_finish(struct session *session);

/* A copy that owns all it points at. Returns 0, or -ENOMEM with nothing to finish. */
int session_copy(struct session *copy, const struct session *session);

/* Takes one tick; rings are found by id. Changes of members' scheduling, and of rings' states, become
 * events; what several rings have in common becomes one. The first tick's start is the session's where
 * start_ns is still 0. Returns 0, -ENOMEM, or -EINVAL for a tick of other rings, with nothing taken. */
int session_feed(struct session *session, const struct tick *tick);

/* Takes the machine's changing facts; a change becomes an event. */
int session_machine(struct session *session, const struct machine *machine, uint64_t now_ns);

__attribute__((format(printf, 5, 6))) int session_event(
	struct session *session, uint64_t at_ns, enum event_kind kind, int64_t ring, const char *format, ...);

/* Is the member's policy, priority or affinity other than asked? */
bool session_member_differs(const struct session_ring *ring, unsigned member);

/* The figure that a flood ring has in place of @figure: it knows no first hop, response or lateness. */
enum figure session_figure_of(const struct session_ring *ring, enum figure figure);
