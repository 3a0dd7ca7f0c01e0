/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_ring.h - one ring of the plan: its mechanism, CPUs and turn. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/machine/task.h"
#include "src/machine/topology.h"

struct probe;

/* The plan has a ring on the same CPUs for each mechanism. A pair is a ring of two. */
struct plan_ring {
	uint32_t id; /* its index in the plan; of an added ring the next one: none is used twice */
	const struct probe *probe;
	const char *mechanism, *title; /* the probe's */
	uint64_t token_bytes;          /* carried by the token, and checked; 0: the probe carries none */
	unsigned *cpus;                /* owned; the CPU of each member, the origin first */
	unsigned n_members;
	enum locality locality; /* the farthest of its hops */
	unsigned turn;          /* rings of one turn run at once, and share CPUs only with --side-by-side */
	unsigned n_sharers;     /* rings on its busiest CPU, itself included: 1 without --side-by-side */
	uint64_t interval_ns;   /* with the distance added; 0: flood */
	uint64_t offset_ns;     /* of its first due: staggers the rings of a turn */
	const char *refusal;    /* the reason why it is not run, and has no turn; static; NULL: it is run */
	bool has_policy;        /* false: its members inherit that of ipctop */
	struct task_policy policy; /* of each member */
	bool unpinned;             /* its members may run on all of the plan's unpinned CPUs */
};

static inline bool plan_ring_is_realtime(const struct plan_ring *ring)
{
	return ring->has_policy && task_policy_is_realtime(ring->policy.policy);
}

/* Returns the CPUs on which its members may run. @unpinned: the plan's; NULL: as if the ring were pinned. */
struct cpus plan_ring_cpus(const struct plan_ring *ring, const struct cpus *unpinned);

/* Writes "2>6", "5>5" or "0>1>2", "0>1>...>7 (16)" for a long ring, "any>any" for one that is not pinned.
 * Returns @text. */
char *plan_ring_label(const struct plan_ring *ring, char *text, size_t size);
/* The same for any list of members: @cpu_text returns the text for the CPU of a member of @of. */
char *plan_ring_label_by(unsigned n_members,
	const char *(*cpu_text)(const void *of, unsigned member, char text[16]), const void *of, char *text,
	size_t size);
