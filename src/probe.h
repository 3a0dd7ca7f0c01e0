/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe.h - the contract: all that a mechanism's file knows of ipctop, and ipctop of it.
 *
 * A probe is one file in probes/, and one word in probes/meson.build.
 * It moves a token over one hop, from its sending end to its receiving end.
 * It knows nothing of time, threads, CPUs or statistics. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum hop_end { HOP_SENDER, HOP_RECEIVER };

/* A process or thread id that an owner's leftovers carry: pids are used again, start times are not. */
struct owner {
	pid_t pid;
	uint64_t start_time; /* field 22 of /proc/PID/stat */
};

struct hop_task {
	pid_t pid, tid; /* equal for a process's first thread; as the kernel names them here */
};

/* One end's handle of one hop; each member has its own. */
struct hop {
	void *state;                 /* hop_size bytes, zeroed before open, shared by keeper and members */
	const struct hop_task *ends; /* by hop_end: who sends and who receives; valid in attach and after */
	struct owner owner;          /* the keeper's: what names and tags are made of */
	uint32_t id;                 /* unique among the owner's hops */
	void *token;                 /* this member's buffer: send reads it, recv fills it */
	size_t size;                 /* of the token, >= 1; the same at both ends */
	void *local;                 /* the probe's own, for this end only; set by attach, where needed */
};

enum probe_trait {
	PROBE_PAYLOAD = 1 << 0, /* carries bytes of any size; others carry the token alone */
	PROBE_TOKEN_IN_STATE =
		1 << 1, /* the token is a word at the start of the state: put it on the stamp's line */
	PROBE_DEADLINE = 1 << 2, /* recv obeys its deadline */
};

struct probe {
	const char *name;  /* "mq": option value, JSON key, column text */
	const char *title; /* "POSIX message queue" */
	unsigned traits;   /* of enum probe_trait */
	size_t hop_size;   /* bytes of state for each hop */

	/* All int functions return 0 or a negative errno. */

	/* In the keeper, before the members exist. What it makes carries the owner, or no name at all. */
	int (*open)(struct hop *hop);
	/* Optional: in the member, on its CPU. All receiving ends attach before any sending end. */
	int (*attach)(struct hop *hop, enum hop_end end);
	/* The measured window. A signal that interrupts either is -EINTR: with no token sent, or taken. */
	int (*send)(struct hop *hop);
	/* @deadline: CLOCK_REALTIME, as the kernel's timed calls want it; NULL, or only with PROBE_DEADLINE.
	 * -ETIMEDOUT when it passed. */
	int (*recv)(struct hop *hop, const struct timespec *deadline);
	/* Optional: makes a waiting recv return -EINTR. By default it gets a signal without restart. */
	void (*wake)(struct hop *hop);
	/* In the keeper. Undoes open, even a partial one (state is as open left it); never waits. */
	void (*close)(struct hop *hop);
	/* Optional: removes what owners left behind that were killed before they could close.
	 * @dead: an owner known to be dead, whose names can be told; NULL: whoever is found to be. */
	void (*sweep)(const struct owner *dead);
	/* Optional: the limit or right behind an errno of open, and the remedy; NULL where errno says it all.
	 */
	const char *(*explain)(int error);
};

/* All probes of this build, by name, ended by NULL. Generated from probes/meson.build. */
extern const struct probe *const probe_registry[];

/* Is the process that an object's name or tag names gone? A pid that now names another process
 * (another start time) counts as gone; one whose start time can't be read counts as alive. */
bool owner_is_dead(const struct owner *owner);
/* The calling process. */
struct owner owner_self(void);
