/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe.h - the contract between ipctop and the code of one mechanism.
 *
 * A probe is a file in probes/, or a part of one, and a line in probes/meson.build. It moves a token over one
 * hop, from the sending end to the receiving end. It knows nothing of time, threads, CPUs or statistics. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum hop_end { HOP_SENDER, HOP_RECEIVER };

/* The process that owns an object. The start time distinguishes it from later processes of the same pid. */
struct owner {
	pid_t pid;
	uint64_t start_time; /* field 22 of /proc/PID/stat */
	uint64_t space;      /* a hash of the boot, the pid and the time namespace; 0: not known */
};

struct hop_task {
	pid_t pid, tid; /* in this pid namespace; equal for the first thread of a process */
};

enum { HOP_SIZE_MAX = 1 << 20 };

/* One end of a hop. Each member has its own struct hop for each of its ends. */
struct hop {
	void *state;                 /* hop_size bytes, zeroed before open, shared by keeper and members */
	const struct hop_task *ends; /* by hop_end: sender and receiver; valid from attach on */
	struct owner owner;          /* the keeper; names and keys of objects are made from it */
	uint32_t id;                 /* unique among the owner's hops */
	void *token;                 /* this member's buffer: send reads it, recv fills it */
	size_t size;                 /* bytes of the token, 1 to HOP_SIZE_MAX; the same at both ends */
	size_t done; /* bytes that this end had moved when a signal interrupted it; 0 at first */
	void *local; /* the probe's own, for this end only; set by attach */
	/* Shared memory that attach mapped for tokens; NULL: the state is enough. */
	void *memory;
	size_t memory_size;
};

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
};

struct probe {
	const char *name;  /* "mq": option value, JSON key, column text */
	const char *title; /* "POSIX message queue" */
	unsigned traits;   /* of enum probe_trait */
	size_t hop_size;   /* bytes of state for each hop */

	/* Optional. Returns why this build or system lacks the mechanism, and the remedy; NULL where it has
	 * it. When it returns a reason, no other function of the probe is called, and they may be NULL. */
	const char *(*missing)(void);

	/* All int functions return 0 or a negative errno. */

	/* Runs in the keeper, before the members exist. Objects that it makes carry the owner, or have no
	 * name. Members inherit descriptors and mappings. Returns -EMSGSIZE where the channel can't carry
	 * hop->size. */
	int (*open)(struct hop *hop);
	/* Optional. Runs in the member, on its CPU; all receiving ends attach before any sending end. Its
	 * objects end with the member's process. */
	int (*attach)(struct hop *hop, enum hop_end end);
	/* send and recv are what is measured; they allocate nothing. Interrupted by a signal, they return
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
	/* Optional. Both run in the keeper, once for each open, also after an open that failed halfway, and
	 * never wait. release closes this process's descriptors and mappings of the hop; the members, forked
	 * before, continue to use theirs, so it doesn't write to the state. remove runs after release, when
	 * there is no member left: it removes names and ids, which outlive all processes. */
	void (*release)(struct hop *hop);
	void (*remove)(struct hop *hop);
	/* Optional. Removes the objects of owners that were killed. @dead: an owner known to be dead; NULL:
	 * all owners for which owner_is_dead() holds. */
	void (*sweep)(const struct owner *dead);
	/* Optional. Returns the limit or right that is behind an errno, and the remedy; NULL: strerror(3) is
	 * enough. */
	const char *(*explain)(int error);
};

enum { PROBE_NOTICE_MS = 250 };

/* All probes of this build, by name, ended by NULL. Generated from probes/meson.build. */
extern const struct probe *const probe_registry[];

/* Undoes open, where no process was forked since. */
static inline void probe_close(const struct probe *probe, struct hop *hop)
{
	if (probe->release)
		probe->release(hop);
	if (probe->remove)
		probe->remove(hop);
}

/* Returns why a call of @probe failed with @error, a negative errno: the probe's own sentence, the remedy for
 * a limit that all probes share, or strerror(3)'s text in its memory. Never NULL. */
const char *probe_explain(const struct probe *probe, int error);

/* --- owner.c: the owner of an object, in its name or tag --- */

/* Returns whether the owner provably has ended: its pid is free, or names a process with another start time.
 * Owners of another boot or namespace count as alive, and so do all where /proc can't be read. */
bool owner_is_dead(const struct owner *owner);
/* The same, or @owner equals @dead (NULL: none), which is known to be dead. */
bool owner_has_left(const struct owner *owner, const struct owner *dead);
bool owner_equal(const struct owner *a, const struct owner *b);
/* Returns the calling process. */
struct owner owner_self(void);

/* Returns a hash of OWNER_KEY_BITS bits, for keys of SysV objects. */
enum { OWNER_KEY_BITS = 22 };
unsigned owner_key(const struct owner *owner);

/* Writes "ipctop.PID.START.SPACE", the beginning of the object's name. Returns @text. */
enum { OWNER_TEXT = 56 };
char *owner_format(const struct owner *owner, char text[OWNER_TEXT]);
/* Reads an owner from the beginning of @name. Returns false where there is none. */
bool owner_parse(const char *name, struct owner *owner);

/* --- descriptors.c: a hop whose state is two descriptors, or one --- */

struct hop_fds {
	int by_end[2]; /* of enum hop_end; 0: none. Without the sender's, both ends use the receiver's. */
};
/* Sets hop->local to the end's descriptor. */
int hop_fds_attach(struct hop *hop, enum hop_end end);
void hop_fds_release(struct hop *hop);
/* Move the whole token over the end's descriptor, a stream. */
int hop_fds_write(struct hop *hop);
int hop_fds_read(struct hop *hop, const struct timespec *deadline);
/* Sends the token as one message over the end's descriptor, a socket. */
int hop_fds_send(struct hop *hop);
static inline int hop_fd(const struct hop *hop)
{
	return (int)(intptr_t)hop->local;
}

/* --- directory.c: a private directory for objects that need a path --- */

/* Its mode is 0700, and its name can't be guessed. */
enum { PROBE_DIR_SIZE = 88, PROBE_PATH_SIZE = PROBE_DIR_SIZE + 8 };
int probe_dir_make(const struct owner *owner, char path[PROBE_DIR_SIZE]);
/* Removes the directory with its files; an empty path is none. */
void probe_dir_remove(const char *path);
/* A probe's explain and sweep. */
const char *probe_dir_explain(int error);
void probe_dir_sweep(const struct owner *dead);

/* --- names.c: objects that have a name of one part, as of mq_open(3) and shm_open(3) --- */

enum { PROBE_NAME_SIZE = 1 + OWNER_TEXT };
/* Returns @name: one for each owner. */
char *probe_name(const struct owner *owner, char name[PROBE_NAME_SIZE]);
/* A probe's sweep; @path is the directory that lists the names, where it is mounted. */
void probe_name_sweep(const char *path, const struct owner *dead, int (*unlink_name)(const char *name));

/* --- sysv.c: a hop whose state is a SysV object --- */

struct ipc_perm;
struct hop_sysv {
	int id;
	bool is_open;
};
/* Makes the object by a key of its owner's. @get makes one and returns its id, or -1 with errno. */
int probe_sysv_make(struct hop *hop, int (*get)(key_t key));
/* Returns whether mode and user are those of ipctop's objects. */
bool probe_sysv_may_be_ours(const struct ipc_perm *perm);
bool probe_sysv_has_key_of(const struct ipc_perm *perm, const struct owner *owner);

/* --- loopback.c: the network interface of 127.0.0.1 --- */

/* Returns 0, or an errno where 127.0.0.1 can't be reached; for mechanisms that would try for ever. */
int probe_loopback_check(void);
/* A probe's explain. */
const char *probe_loopback_explain(int error);

/* --- mutex.c --- */

/* @shared: PTHREAD_PROCESS_*, @protocol: PTHREAD_PRIO_*. Returns 0 or a negative errno. */
int probe_mutex_init(pthread_mutex_t *mutex, int shared, int protocol);

/* --- word.c: a counter in shared memory with one writer, used as a futex --- */

int probe_word_wake(_Atomic uint32_t *word);
/* Sleeps until the word is no longer @value. Returns 0 or -EINTR. */
int probe_word_wait(_Atomic uint32_t *word, uint32_t value);
/* Spins for the same, but less than 1 ms. Returns 0 or -EINTR. */
int probe_word_spin(_Atomic uint32_t *word, uint32_t value);
