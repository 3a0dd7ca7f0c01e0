/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe.h - the contract between ipctop and the code of one mechanism.
 *
 * A probe is a file in probes/, or a part of one, and a line in probes/meson.build. It moves a token over one
 * hop, from the sending end to the receiving end. It knows nothing of time, threads, CPUs or statistics. */
#pragma once

#include <stddef.h>
#include <time.h>

/* A hop, and helpers that several probes share. */
#include "src/probe/helpers.h"
#include "src/probe/hop.h"
#include "src/probe/objects.h"
#include "src/probe/owner.h"

enum probe_trait {
	PROBE_PAYLOAD = 1 << 0, /* carries the token's bytes; without it, a token is only a wake-up */
	/* The token is in the first 40 bytes of the state, which share a cache line with the stamp. */
	PROBE_TOKEN_IN_STATE = 1 << 1,
	PROBE_DEADLINE = 1 << 2, /* recv obeys its deadline */
	/* recv polls memory, and returns -EINTR after a while without a token, so it needs no wake. The
	 * members must have different CPUs, unless PROBE_ONE_CPU is set. */
	PROBE_SPINS = 1 << 3,
	PROBE_ONE_CPU = 1 << 4,      /* the members must share one CPU */
	PROBE_THREADS_ONLY = 1 << 5, /* the members must be threads of one process */
	PROBE_MAY_LOSE = 1 << 6,     /* a token that was sent may never arrive */
	/* A token that was sent has to be answered before the next one is: the ring has two members. */
	PROBE_PAIRS_ONLY = 1 << 7,
	/* Two threads can open, attach, detach and close it hundreds of times a second, and it keeps nothing
	 * after that: sweeps (sweep_bench.h) can measure it. */
	PROBE_SWEEPS = 1 << 8,
	/* Its library has threads of its own in the members' processes: the flight recorder takes them for
	 * members. */
	PROBE_HAS_THREADS = 1 << 9,
};

struct probe {
	const char *name;  /* "mq": option value, JSON key, column text */
	const char *title; /* "POSIX message queue" */
	unsigned traits;   /* of enum probe_trait */
	size_t hop_size;   /* bytes of state for each hop */
	/* The file that has the most bytes of a token for users without rights; NULL: none is known. */
	const char *size_file;

	/* Optional. Returns why this build or system lacks the mechanism, and the remedy; NULL where it has
	 * it. When it returns a reason, no other function of the probe is called, and they may be NULL. */
	const char *(*missing)(void);

	/* All int functions return 0 or a negative errno. */

	/* Runs in the keeper, before the members exist, or in the front that tries a size (hop_trial.h).
	 * Objects that it makes carry the owner, or have no name. Members inherit descriptors and mappings.
	 * Returns -EMSGSIZE where the channel can't carry hop->size. */
	int (*open)(struct hop *hop);
	/* Optional. Runs in the member, on its CPU; all receiving ends attach before any sending end. Its
	 * objects end with the member's process. */
	int (*attach)(struct hop *hop, enum hop_end end);
	/* Frees what attach made in this process, after the last send and recv. Needed with PROBE_SWEEPS
	 * where attach makes anything. */
	void (*detach)(struct hop *hop);
	/* send and recv are measured; they allocate nothing. Interrupted by a signal, they return
	 * -EINTR, and the next call continues, even in the middle of a token. */
	int (*send)(struct hop *hop);
	/* @deadline: CLOCK_REALTIME, as the kernel's timed calls use it; always NULL without
	 * PROBE_DEADLINE. Returns -ETIMEDOUT at most PROBE_NOTICE_MS after it. */
	int (*recv)(struct hop *hop, const struct timespec *deadline);
	/* Optional. Makes a waiting recv return -EINTR; without it the receiver gets a signal without
	 * SA_RESTART. Called repeatedly once all ends are attached, from the receiver's host and from
	 * processes that have only the hop's state. A single call may have no effect, and those from other
	 * processes may have none where host and receiver are one process. It never waits, not even for a
	 * member that was killed. */
	void (*wake)(struct hop *hop);
	/* Optional. Both run where open ran, once for each open, also after an open that failed halfway, and
	 * never wait. release undoes what open made in this process besides the descriptors of hop->fds,
	 * which are closed anyway; the members, forked before, continue to use theirs, so it doesn't write to
	 * the state. remove runs after release, when there is no member left: it removes names and ids, which
	 * outlive all processes. */
	void (*release)(struct hop *hop);
	void (*remove)(struct hop *hop);
	/* Optional. Removes the objects of owners that were killed. @dead: an owner known to be dead; NULL:
	 * all owners for which owner_is_dead() holds. */
	void (*sweep)(const struct owner *dead);
	/* Optional lists. For other errors strerror(3) is enough. */
	const struct probe_remedy *remedies[2];
};

enum { PROBE_NOTICE_MS = 250 };

/* All probes of this build, by name, ended by NULL. Generated from probes/meson.build. */
extern const struct probe *const probe_registry[];

/* Calls attach, after setting the end's descriptor. Returns 0 or a negative errno. */
int probe_attach(const struct probe *probe, struct hop *hop, enum hop_end end);
/* Closes the hop's descriptors, and calls release. */
void probe_release(const struct probe *probe, struct hop *hop);
/* Undoes open, where no process was forked since. */
void probe_close(const struct probe *probe, struct hop *hop);

/* Returns the text of the probe's remedy for a negative errno, or NULL. */
const char *probe_remedy(const struct probe *probe, int error);
/* Returns why a call of @probe failed with @error, a negative errno: the probe's own sentence, the remedy for
 * a limit that all probes share, or strerror(3)'s text in its memory. Never NULL. */
const char *probe_explain(const struct probe *probe, int error);
