/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan.h - which rings are run, on which CPUs, and in which turns. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "src/base/error_text.h"
#include "src/machine/task.h"
#include "src/machine/topology.h"

struct config;
struct probe;

enum { PLAN_RINGS_MAX = 4096, PLAN_RING_MEMBERS_MAX = 2048, PLAN_MEMBERS_MAX = 65536 };

/* Rings of the same CPUs under each mechanism; a pair is a ring of two. */
struct plan_ring {
	uint32_t id; /* 0..n-1: its place in the plan */
	const struct probe *probe;
	unsigned *cpus; /* owned; the CPU of each member, the origin first */
	unsigned n_members;
	enum locality locality;    /* the farthest of its hops */
	unsigned turn;             /* rings of one turn run at once and share no CPU */
	unsigned n_sharers;        /* rings on its busiest CPU, itself included: 1 but with --side-by-side */
	uint64_t interval_ns;      /* of this ring, its distance added; 0: flood */
	uint64_t offset_ns;        /* of its first due: staggers what runs at once */
	const char *refusal;       /* why it is not run, and takes no turn; static; NULL: it is */
	struct task_policy policy; /* of each member; meaningless where the config asks for none */
	bool unpinned; /* its members have all CPUs of the plan's unpinned; cpus are but a start */
};

struct plan {
	struct plan_ring *rings; /* owned */
	size_t n_rings;
	unsigned n_turns;
	uint64_t slice_ns; /* of a turn: --turns, or 3 s shared by all turns, and 8 of the longest interval */
	struct cpus measured;     /* all CPUs of all rings that are run */
	struct cpus unpinned;     /* of members that are not pinned; empty: all are */
	struct cpus housekeeping; /* where screen, keeper and hosts run; never empty */
};

/* Turns the config into rings. @config's CPUs, memory, housekeeping and pairs are checked here against the
 * topology; @busy are isolated CPUs to be left out unless -c names them (NULL: none), each with a note.
 * Returns 0, or a negative errno with one sentence that names option, value and what is allowed. */
int plan_init(struct plan *plan, const struct config *config, const struct topology *topology,
	const struct cpus *busy, struct notes *notes, struct error_text *reason);
void plan_finish(struct plan *plan);

/* On which its members may run. */
struct cpus plan_ring_cpus(const struct plan *plan, const struct plan_ring *ring);

/* "2>6", "5>5", "0>1>2", "0>1>...>7 (16)" where it is long, or "any>any" where it is not pinned. Returns
 * @text. */
char *plan_label(const struct plan_ring *ring, char *text, size_t size);
/* The same, where a function names the CPU of each member of something. */
char *plan_label_by(unsigned n_members,
	const char *(*cpu_text)(const void *of, unsigned member, char text[16]), const void *of, char *text,
	size_t size);

/* What --plan prints. */
void plan_print(const struct plan *plan, const struct topology *topology, FILE *out);
