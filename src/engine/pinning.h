/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pinning.h - are members on the CPUs that they are meant to be on? Tells, tick by tick, a place that
 * somebody gave them, which stays, from a CPU that the kernel took from them, which they get back.
 *
 *   the affinity is                 and the planned CPU            then the member is
 *   the planned CPU                                                where it was planned
 *   all that the kernel would give  is offline or not in the       away; pinned again once it may be
 *                                   cpuset
 *   the same                        is back, or was offline, or    pinned again
 *                                   the cpuset has just changed
 *   anything else                                                  moved by somebody, and left there
 *
 * Linux before 6.2 gives all members all CPUs of their cpuset whenever that changes. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/ring/arena.h"

struct topology;

/* One member. Zeroed is where it was planned. */
struct pinned {
	int32_t moved_to; /* as in struct tick_member */
	bool away;        /* the kernel took its CPU */
	enum ring_condition why;
	uint64_t affinity; /* a hash of its affinity, where that is not the planned CPU; else 0 */
	uint64_t online;   /* a number of the time that its CPU is online, as in pinning.c; 0: not known */
};

struct pinned_ring {
	struct pinned *members;        /* owned */
	enum ring_condition condition; /* the word for members that are away; CONDITION_FINE: none is */
	struct error_text reason;      /* the same as a sentence */
	bool is_away;                  /* a member is, and the sentence tells of it */
	enum locality locality;        /* where a member was moved: of where they are now */
	bool was_reset;      /* in this tick: the kernel took its CPU from a member that could have it */
	uint64_t looked_at;  /* in this tick: a hash of a member's cpuset, or 0 */
	uint64_t cpusets[2]; /* the same in the last two ticks; 0: not known yet */
	bool apart;          /* it is another cpuset than ipctop's own */
};

enum { CPUSET_PATH_MAX = 4096 };

/* The cpuset that a process is in. */
struct pinning_cpuset {
	char path[CPUSET_PATH_MAX];
	struct cpus cpus; /* that it has, and that are online, or were until just now */
	bool knows_cpus;
	uint64_t hash; /* of both */
};

/* What all rings have in common. */
struct pinning {
	const struct topology *topology; /* the classes of new places are read from it */
	struct pinning_cpuset own;       /* in this tick */
	struct cpus online, allowed;     /* allowed: by ipctop's own cpuset, and online */
	bool knows_online, asked;        /* asked: for those that are allowed, in this tick */
	bool asked_again;                /* after a member was found elsewhere, for all that were */
};

int pinning_init_ring(struct pinned_ring *pinned, const struct ring_slot *ring); /* 0 or -ENOMEM */
void pinning_finish_ring(struct pinned_ring *pinned);

/* A tick begins. */
void pinning_tick(struct pinning *pinning);

/* Looks at a member of a ring that is pinned, whose affinity was just read; pins it again where its CPU is
 * back, which @member then says. Returns whether it was pinned again. */
bool pinning_judge(struct pinning *pinning, const struct arena *arena, const struct ring_slot *ring,
	struct pinned_ring *pinned, unsigned m, struct tick_member *member, const struct cpus *affinity);

/* All members of the ring were looked at that can be: finds what is to be said of the ring as a whole. */
void pinning_sum_up(const struct pinning *pinning, const struct arena *arena, const struct ring_slot *ring,
	struct pinned_ring *pinned, const struct tick_member *members);
/* Tells the tick. */
void pinning_tell_tick(const struct pinned_ring *pinned, struct tick_ring *out);

/* Tells the members where their laps count from now on: after the tick's figures were read, so that those of
 * a new place are the next tick's. A ring with a member that is away counts none. */
void pinning_tell_members(
	const struct arena *arena, struct ring_slot *ring, const struct pinned_ring *pinned, uint64_t now_ns);
