/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_ring.h - what a session knows of one ring: its members, hops and sums. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/figures/hist.h"
#include "src/figures/tick.h"
#include "src/machine/task.h"
#include "src/machine/topology.h"

struct config;
struct plan_ring;

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

enum { SESSION_LAPS = 1 << 14 };

/* @n_unpinned: the CPUs that a member may run on where it is not pinned. Returns 0 or -ENOMEM;
 * session_ring_finish() accepts what is left. */
int session_ring_init(struct session_ring *ring, const struct plan_ring *planned, uint32_t n_unpinned,
	const struct topology *topology, const struct config *config);
/* The part of it that makes the members and their hops, by their planned CPUs. Returns 0 or -ENOMEM. */
int session_ring_init_members(struct session_ring *ring, const unsigned *cpus, unsigned n);
void session_ring_finish(struct session_ring *ring);

/* Does all that the tick says of the ring lie within the tick? A recording may be anyone's. */
bool session_ring_fits(
	const struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick);
/* Adds a tick that fits. Returns 0 or -ENOMEM. */
int session_ring_feed(struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick);

/* The ring's label and class follow its members. @locality: the class of their places, where somebody has
 * moved one. Returns 0 or -ENOMEM. */
int session_ring_update_places(struct session_ring *ring, enum locality locality);

/* "2: 4>0": the member that sends, and the CPUs from which and to which. Returns @text. */
char *session_hop_label(const struct session_ring *ring, unsigned hop, char *text, size_t size);

/* Is the member's policy, priority, nice value or affinity other than asked? */
bool session_member_differs(const struct session_ring *ring, unsigned member);
/* The CPU that a member is meant to be on: the planned one, or where somebody moved it; -1: any of several.
 */
int64_t session_member_place(const struct session_ring *ring, unsigned member);
/* Is a member elsewhere, since its CPU went offline or out of its cpuset? */
bool session_member_is_away(const struct session_ring *ring, unsigned member);

/* What the ring has in place of @figure: see figure_at(). */
enum figure session_figure_of(const struct session_ring *ring, enum figure figure);

/* Its token faults of all kinds, and the worst kind where it had any. */
uint64_t session_faults(const struct session_ring *ring);
enum token_fault session_worst_fault(const struct session_ring *ring);
