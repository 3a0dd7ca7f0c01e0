/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pinning.h - finds members that were moved, and pins those that the kernel moved. In each tick:
 *
 *   the affinity is                 and the planned CPU            then the member is
 *   the planned CPU                                                in its planned place
 *   all that the kernel would give  is offline or not in the       away; pinned again once the CPU
 *                                   cpuset                         is allowed
 *   the same                        is back, or was offline, or    pinned again
 *                                   the cpuset has just changed
 *   anything else                                                  moved by a user, and left there
 *
 * A move counts from the tick's end on; until then the laps are away, and in the old phase. While one member
 * is away, all laps and missed slots of its ring are. Linux before 6.2 gives all members all CPUs of their
 * cpuset when that changes: they are pinned again at once, and the row is `excluded` for a tick. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/machine/cpuset.h"
#include "src/ring/arena.h"

/* One member. Zeroed is in its planned place. */
struct pinned {
	int32_t moved_to; /* as in struct tick_member */
	bool away;        /* the kernel took its CPU */
	enum ring_condition why;
	uint64_t affinity; /* a hash of its affinity, where that is not the planned CPU; else 0 */
	uint64_t online;   /* changes each time its CPU comes online; 0: not known */
};

struct pinned_ring {
	struct pinned *members;        /* of the ring; zeroed at first */
	enum ring_condition condition; /* the word for members that are away; CONDITION_FINE: none is */
	bool is_away;                  /* a member is away */
	enum locality locality;        /* if a member was moved: of the members' places */
	bool was_reset;      /* in this tick: the kernel moved a member from a CPU that is allowed */
	uint64_t cpuset;     /* in this tick: a hash of a member's cpuset, or 0 */
	uint64_t cpusets[2]; /* the same in the last two ticks; 0: not known yet */
	bool apart;          /* in another cpuset than ipctop */
};

/* The cpuset that a process is in. */
struct pinning_cpuset {
	char path[CPUSET_PATH_MAX];
	struct cpus cpus; /* its CPUs that are online, or were until just now */
	bool knows_cpus;
	uint64_t hash; /* of both */
};

/* Common to all rings. */
struct pinning {
	struct pinning_cpuset own;   /* in this tick */
	struct cpus online, allowed; /* allowed: by ipctop's own cpuset, and online */
	bool knows_online, asked;    /* asked: whether the allowed CPUs were read in this tick */
	bool asked_again;            /* the same, once more after a member was found elsewhere */
};

/* Begins a tick. */
void pinning_tick(struct pinning *pinning);

/* Judges a member of a pinned ring, whose affinity was just read; pins it again if its CPU is back, and
 * updates @member. Returns whether it was pinned again. */
bool pinning_judge(struct pinning *pinning, struct pinned_ring *pinned, const struct arena_member *shared,
	struct tick_member *member, const struct cpus *affinity);

/* After all members of the ring were judged: finds the condition of the ring as a whole. */
void pinning_sum_up(const struct pinning *pinning, struct pinned_ring *pinned, const struct arena_ring *ring);

/* Writes which CPU is gone, and where the members that are away run: for a ring with is_away. */
void pinning_describe(const struct pinned_ring *pinned, const struct arena_ring *ring,
	const struct tick_member *members, struct error_text *reason);

/* Writes the members' places, and when they were moved, after the tick's figures were read, so that laps in a
 * new place belong to the next tick. A ring with a member that is away counts no laps. */
void pinning_publish(const struct pinned_ring *pinned, struct arena_ring *ring, uint64_t now_ns);
