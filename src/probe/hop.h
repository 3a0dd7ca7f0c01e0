/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hop.h - one end of a hop, as its probe gets it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "src/probe/owner.h"

enum hop_end { HOP_SENDER, HOP_RECEIVER };

struct hop_task {
	pid_t pid, tid; /* in this pid namespace; equal for the first thread of a process */
};

enum { HOP_SIZE_MAX = 1 << 20, HOP_FDS = 3 };

/* One end of a hop. Each member has its own struct hop for each of its ends. */
struct hop {
	void *state; /* hop_size bytes, zeroed before open, shared by keeper and members */
	/* HOP_FDS descriptors that open makes and the keeper closes, shared as the state; 0: none. The first
	 * two are for the sender and the receiver, as in hop_end. If the sender has none, both use the
	 * receiver's. */
	int *fds;
	const struct hop_task *ends; /* by hop_end: sender and receiver; valid from attach on */
	struct owner owner;          /* the keeper; names and keys of objects are made from it */
	uint32_t id;                 /* unique among the owner's hops */
	int fd;                      /* this end's; valid from attach on */
	void *token;                 /* this member's buffer: send reads it, recv fills it */
	size_t size;                 /* bytes of the token, 1 to HOP_SIZE_MAX; the same at both ends */
	size_t done; /* bytes that this end had moved when a signal interrupted it; 0 at first */
	void *local; /* the probe's own, for this end only; set by attach */
	/* In a ring of two: this member's end of the other hop, and whether this hop leads back to the
	 * origin. Members alone have the first. */
	struct hop *back;
	bool is_answer;
	/* A receiver that spins reads memory again at once, without the CPU's pause. */
	bool spins_tight;
	/* Shared memory that attach mapped for tokens; NULL: the state is enough. */
	void *memory;
	size_t memory_size;
};

/* Why a call failed: the limit or right behind some errnos, and what to do. */
struct probe_remedy {
	int errors[3];    /* negative errnos; 0: none */
	const char *text; /* NULL ends a list */
};
