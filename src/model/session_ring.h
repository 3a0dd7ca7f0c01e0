/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_ring.h - one ring in a session: its members, hops and sums. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/figures/hist.h"
#include "src/figures/tick.h"
#include "src/machine/task.h"
#include "src/machine/topology.h"

struct config;
struct session;
struct plan_ring;

struct session_figure {
	struct hist hist;
	uint64_t phase_max_ns, phase_max_at_ns; /* of the current phase; at 0: it has no sample yet */
};

/* From one member to the next. */
struct session_hop {
	int32_t node;     /* the NUMA node of its state, or HOP_NODE_UNKNOWN, HOP_NODE_SEVERAL */
	struct hist hist; /* its latency; empty for pairs unless config.tool.pair_hops is set */
};

struct session_ring {
	uint32_t id;
	uint64_t added_ns, ended_ns; /* CLOCK_MONOTONIC; 0: it is there from the start; it has not ended */
	uint32_t last_phase;         /* if it has ended: the number of the last phase that has it */
	char *mechanism, *title;     /* owned; "mq", "POSIX message queue" */
	char *label;       /* owned; "2>6": the members' places; "2>*": a member was moved to several CPUs */
	bool has_namesake; /* in the session, of its mechanism and label: see session_ring_name() */
	unsigned *cpus;    /* owned; the planned CPU of each member */
	unsigned n_members;
	enum locality locality;         /* of the members' places; N_LOCALITIES: not known */
	bool moved;                     /* a user moved a member from its planned CPU */
	enum locality planned_locality; /* if moved */
	unsigned turn;
	uint64_t interval_ns;
	enum stamps stamps;
	uint32_t batch_laps; /* 0: each lap has its stamps; else the lap has no samples, only sum and laps */
	bool isolated;       /* all its CPUs are isolated */
	struct task_policy asked;

	enum ring_state state;
	enum ring_condition condition;
	char *reason;                /* owned, or NULL */
	struct tick_member *members; /* owned; n_members, as the last tick had them */
	TICK_COUNTS_TOGETHER;
	uint64_t age_ns;
	uint64_t token_bytes; /* carried and checked; 0: the mechanism carries no bytes */
	uint64_t faults[N_TOKEN_FAULTS];
	bool observed; /* its members were compared with the requested policy and CPUs */
	bool refused;  /* these differed then, and no user has changed a policy since */
	/* CONDITION_FINE, or CONDITION_LATE and later ones: unlike the condition, a trouble lasts while the
	 * ring waits for its turn. wait_ns: the longest wait since the trouble began. */
	enum ring_condition trouble;
	uint64_t wait_ns;
	struct session_figure figures[N_FIGURES];
	struct session_hop *hops; /* owned; n_members, by the member that sends */

	/* For compat tools: see config.h. */
	uint32_t n_cpus; /* the number of CPUs of each member if members are not pinned; else 0 */
	uint64_t timeouts;
	struct hist *member_laps; /* owned; the lap as each of n_members measures it, or NULL */
	uint64_t *laps_ns;        /* owned; the last SESSION_LAPS laps, lap i at i % SESSION_LAPS; or NULL */
	uint64_t n_laps_ns;       /* laps so far */
};

enum { SESSION_LAPS = 1 << 14 };

/* @n_unpinned: the number of CPUs on which a member may run that is not pinned. Returns 0 or -ENOMEM;
 * session_ring_finish() accepts a ring that is not finished. */
int session_ring_init(struct session_ring *ring, const struct plan_ring *planned, uint32_t n_unpinned,
	const struct topology *topology, const struct config *config);
/* Copies a ring that no tick was added to. Returns as above. */
int session_ring_copy(struct session_ring *copy, const struct session_ring *ring);
/* Makes @n members and hops for the planned @cpus; session_ring_init() calls it. Returns 0 or -ENOMEM. */
int session_ring_init_members(struct session_ring *ring, const unsigned *cpus, unsigned n);
void session_ring_finish(struct session_ring *ring);

/* Returns the session's ring with an id, or NULL. */
struct session_ring *session_find_ring(const struct session *session, size_t id);

/* Adds a tick. Returns 0 or -ENOMEM. */
int session_ring_feed(struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick);

/* Finds the rings that have namesakes. To be called after a label has changed, or a ring was removed. Returns
 * 0 or -ENOMEM. */
int session_find_namesakes(struct session *session);
/* "#7", the id of a ring that has a namesake, or "". Returns @text. */
enum { SESSION_SUFFIX_SIZE = 12 };
const char *session_ring_suffix(const struct session_ring *ring, char text[SESSION_SUFFIX_SIZE]);
/* How people read of a ring: "mq 2>6", or "mq 2>6#7" if it has a namesake. Returns @text. */
enum { SESSION_NAME_SIZE = 160 };
char *session_ring_name(const struct session_ring *ring, char text[SESSION_NAME_SIZE]);

/* Updates label and locality by the members' places. @locality: of these places, used if a member was moved.
 * Returns 0 or -ENOMEM. */
int session_ring_update_places(struct session_ring *ring, enum locality locality);

/* "2: 4>0": the sending member, its CPU and the receiver's. Returns @text. */
char *session_hop_label(const struct session_ring *ring, unsigned hop, char *text, size_t size);

/* Return whether the member's scheduling differs from the requested one: its policy, priority or nice value;
 * its affinity; any of these. */
bool session_member_policy_differs(const struct session_ring *ring, unsigned member);
bool session_member_affinity_differs(const struct session_ring *ring, unsigned member);
bool session_member_differs(const struct session_ring *ring, unsigned member);
/* Returns the member's place: the planned CPU, or the one to which a user moved it; -1: any of several. */
int64_t session_member_place(const struct session_ring *ring, unsigned member);
/* The ring's label with the CPUs that the two members of the spike's hop had at its time, from which they may
 * have moved since. Returns @text. */
enum { SPIKE_LABEL_SIZE = 128 };
struct spike;
char *session_spike_label(
	const struct session_ring *ring, const struct spike *spike, char text[SPIKE_LABEL_SIZE]);
/* The same with the mechanism, and the suffix of a ring that has a namesake. Returns @text. */
char *session_spike_name(
	const struct session_ring *ring, const struct spike *spike, char text[SESSION_NAME_SIZE]);
/* Returns whether a member is on another CPU because its own went offline or left its cpuset. */
bool session_member_is_away(const struct session_ring *ring, unsigned member);

/* Returns the figure that the ring has in place of @figure: see figure_at(). */
enum figure session_figure_of(const struct session_ring *ring, enum figure figure);
/* Returns the figure of the columns that have the response, whichever is shown: of a flood, which has none,
 * the lap. A paced ring with STAMPS_LAP has no samples of it. */
enum figure session_response_of(const struct session_ring *ring);

/* "stamps lap", "batches of 64 laps"; "" if all hops are stamped. Returns @text. */
enum { SESSION_STAMPS_SIZE = 40 };
const char *session_stamps_text(const struct session_ring *ring, char text[SESSION_STAMPS_SIZE]);

/* Return the number of token faults, and the worst kind of a ring that had any. */
uint64_t session_faults(const struct session_ring *ring);
enum token_fault session_worst_fault(const struct session_ring *ring);
