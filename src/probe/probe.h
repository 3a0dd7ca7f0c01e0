/* SPDX-License-Identifier: GPL-2.0-or-later */
/* probe.h - the contract: all that a mechanism's file knows of ipctop, and ipctop of it.
 *
 * A probe is a file in probes/, perhaps with others of its kind, and a line in probes/meson.build.
 * It moves a token over one hop, from its sending end to its receiving end.
 * It knows nothing of time, threads, CPUs or statistics. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

enum hop_end { HOP_SENDER, HOP_RECEIVER };

/* The process whose an object is, as its leftovers carry it: pids are used again, start times are not. */
struct owner {
	pid_t pid;
	uint64_t start_time; /* field 22 of /proc/PID/stat */
	uint64_t space;      /* the boot and the namespaces that both are of; 0: not known */
};

struct hop_task {
	pid_t pid, tid; /* equal for a process's first thread; as the kernel names them here */
};

enum { HOP_SIZE_MAX = 1 << 20 };

/* One end's handle of one hop; each member has its own. */
struct hop {
	void *state;                 /* hop_size bytes, zeroed before open, shared by keeper and members */
	const struct hop_task *ends; /* by hop_end: who sends and who receives; valid in attach and after */
	struct owner owner;          /* the keeper's: what names and tags are made of */
	uint32_t id;                 /* unique among the owner's hops */
	void *token;                 /* this member's buffer: send reads it, recv fills it */
	size_t size;                 /* of the token, 1 to HOP_SIZE_MAX; the same at both ends */
	size_t done; /* of it: what this end has moved when a signal interrupted it; 0 at first */
	void *local; /* the probe's own, for this end only; set by attach, where needed */
	/* Shared memory that attach has mapped for tokens, beside the state; NULL: none. */
	void *memory;
	size_t memory_size;
};

enum probe_trait {
	PROBE_PAYLOAD = 1 << 0, /* carries the token's bytes; of others only the token's coming is seen */
	/* The token lies in the state's first 40 bytes, which are on the stamp's line. */
	PROBE_TOKEN_IN_STATE = 1 << 1,
	PROBE_DEADLINE = 1 << 2, /* recv obeys its deadline */
	/* recv polls memory, and returns -EINTR after a stretch without a token, so that it needs no wake.
	 * The members must have different CPUs, unless PROBE_ONE_CPU says otherwise. */
	PROBE_SPINS = 1 << 3,
	PROBE_ONE_CPU = 1 << 4,      /* the members must share one CPU */
	PROBE_THREADS_ONLY = 1 << 5, /* the members must be threads of one process */
	PROBE_MAY_LOSE = 1 << 6,     /* a token that was sent may never come */
};

struct probe {
	const char *name;  /* "mq": option value, JSON key, column text */
	const char *title; /* "POSIX message queue" */
	unsigned traits;   /* of enum probe_trait */
	size_t hop_size;   /* bytes of state for each hop */

	/* Optional: why this build or this system can't do it at all, and the remedy; NULL where it can.
	 * Then nothing else of the probe is called, and it may be absent. */
	const char *(*missing)(void);

	/* All int functions return 0 or a negative errno. */

	/* In the keeper, before the members exist. What it makes carries the owner, or no name at all.
	 * Descriptors and mappings are inherited by all members. -EMSGSIZE where the channel can't carry
	 * hop->size. */
	int (*open)(struct hop *hop);
	/* Optional: in the member, on its CPU. All receiving ends attach before any sending end. What it
	 * makes goes with the member's process. */
	int (*attach)(struct hop *hop, enum hop_end end);
	/* The measured window, in which the probe allocates nothing. A signal that interrupts either is
	 * -EINTR: the next call goes on where it was, be it in the middle of a token. */
	int (*send)(struct hop *hop);
	/* @deadline: CLOCK_REALTIME, as the kernel's timed calls want it; NULL, or only with PROBE_DEADLINE.
	 * -ETIMEDOUT when it passed, which may be noticed PROBE_NOTICE_MS late. */
	int (*recv)(struct hop *hop, const struct timespec *deadline);
	/* Optional: makes a waiting recv return -EINTR. By default it gets a signal without restart. Called
	 * once all ends have attached, again and again, from the receiver's host and from other processes,
	 * which have the state and nothing else of the hop; may do nothing now and then, and from those
	 * others always where host and receiver are one process; never waits, not even for a member that was
	 * killed. */
	void (*wake)(struct hop *hop);
	/* Both optional, in the keeper, and called once for each open, even a partial one (the state is as
	 * open left it). They never wait. release: closes this process's descriptors and mappings of the hop.
	 * The host was forked before, and its members go on with theirs: so it writes nothing to the state
	 * and removes nothing else. remove: after release and without any member, removes what outlives all
	 * processes: names and ids. */
	void (*release)(struct hop *hop);
	void (*remove)(struct hop *hop);
	/* Optional: removes what owners left behind that were killed before they could close.
	 * @dead: an owner known to be dead, whose names can be told; NULL: all that are proved to be. */
	void (*sweep)(const struct owner *dead);
	/* Optional: the limit or right behind an errno, and the remedy; NULL where errno says it all. */
	const char *(*explain)(int error);
};

enum { PROBE_NOTICE_MS = 250 };

/* All probes of this build, by name, ended by NULL. Generated from probes/meson.build. */
extern const struct probe *const probe_registry[];

/* Undoes open where no process was forked since. */
static inline void probe_close(const struct probe *probe, struct hop *hop)
{
	if (probe->release)
		probe->release(hop);
	if (probe->remove)
		probe->remove(hop);
}

/* Why @probe answered a call with this negative errno: its own words, else what remedies a limit that all
 * share, else errno's text. Never NULL; strerror's memory. */
const char *probe_explain(const struct probe *probe, int error);

/* Is it proved that the process that an object's name or tag names is gone? A pid that now names another
 * process (another start time) is such a proof, in the owner's pid and time namespaces, with their /proc;
 * from anywhere else, and without /proc, all count as alive. */
bool owner_is_dead(const struct owner *owner);
bool owner_equal(const struct owner *a, const struct owner *b);
/* The calling process. */
struct owner owner_self(void);

/* OWNER_KEY_BITS bits that hardly two owners share, for keys of SysV objects. */
enum { OWNER_KEY_BITS = 22 };
unsigned owner_key(const struct owner *owner);

/* "ipctop.PID.START.SPACE", which names of objects begin with. Returns @text. */
enum { OWNER_TEXT = 56 };
char *owner_format(const struct owner *owner, char text[OWNER_TEXT]);
/* Does @name begin so? Then @owner is whose it is. */
bool owner_parse(const char *name, struct owner *owner);

/* --- what several probes need --- */

/* src/probe_fd.c: a hop over two descriptors, which are the state. */
struct hop_fds {
	int by_end[2]; /* of enum hop_end; 0: none */
};
/* hop->local is the end's descriptor. */
int hop_fds_attach(struct hop *hop, enum hop_end end);
void hop_fds_release(struct hop *hop);
/* The whole token over the end's descriptor, which is a stream. */
int hop_fds_write(struct hop *hop);
int hop_fds_read(struct hop *hop, const struct timespec *deadline);
static inline int hop_fd(const struct hop *hop)
{
	return (int)(intptr_t)hop->local;
}

/* src/probe_dir.c: a private directory, of mode 0700 and with a name that can't be guessed, for what must
 * have a name in a file system. */
enum { PROBE_DIR_SIZE = 88, PROBE_PATH_SIZE = PROBE_DIR_SIZE + 8 };
/* In open. */
int probe_dir_make(const struct owner *owner, char path[PROBE_DIR_SIZE]);
/* Removes it with all that is in it; an empty path is none. */
void probe_dir_remove(const char *path);
/* A probe's explain: of what making one needs; else NULL. */
const char *probe_dir_explain(int error);
/* A probe's sweep. */
void probe_dir_sweep(const struct owner *dead);

/* src/probe_loopback.c: what is reached over 127.0.0.1. */
/* In open, where nothing else there would notice: 0, or why it can't be reached. */
int probe_loopback_check(void);
/* A probe's explain: of what reaching it needs; else NULL. */
const char *probe_loopback_explain(int error);

/* src/probe_word.c: a counter in shared memory that its one writer advances, and a futex. */
int probe_word_wake(_Atomic uint32_t *word);
/* Sleeps until it is no longer @value. Returns 0 or -EINTR. */
int probe_word_wait(_Atomic uint32_t *word, uint32_t value);
/* Spins until then, for a stretch. Returns 0 or -EINTR. */
int probe_word_spin(_Atomic uint32_t *word, uint32_t value);
