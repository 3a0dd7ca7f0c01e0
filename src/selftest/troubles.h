/* SPDX-License-Identifier: GPL-2.0-or-later */
/* troubles.h - troubles that the self-test inflicts on a pair of its own, to see what is said about them.
 *
 * A trouble is a file that defines `const struct trouble trouble_NAME`, and its name in src/meson.build. What
 * it does is done by a child process (trouble_child.c), which ends by itself, and if ipctop is killed. */
#pragma once

#include <limits.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "src/selftest/certificate.h"

struct config;
struct selftest;

enum { INJECTIONS_MAX = 64, TROUBLE_MEMBERS = 2, FDS_MAX = 20000 };

/* Once, by the clock of the figures. */
struct injection {
	uint64_t from_ns, to_ns;
	bool has_length;    /* it is known how long the pair could not run between them */
	uint64_t length_ns; /* by the kernel's account; 0: all of that time */
	uint64_t waited_ns; /* of that time, child or members for their CPU: others had it; 0: not at all, or
			       not known */
	int32_t tid;        /* that must be named; 0: none */
};

/* A cgroup of the child's own. */
struct own_cgroup {
	char path[PATH_MAX],
		home[PATH_MAX]; /* directories; "": there is none. home: where the members were */
	bool is_v2;
};

enum stage_state { STAGE_WAITS, STAGE_RUNS, STAGE_ENDED };

/* Shared by the front and the child. */
struct stage {
	_Atomic enum stage_state state; /* the front lets it run, the child ends it */
	/* The front's, before it runs. */
	unsigned cpu, n;
	uint64_t until_ns; /* then half of n is enough */
	pid_t front,
		members[TROUBLE_MEMBERS]; /* processes; the members' are one and the same without --fork */
	/* The child's. */
	_Atomic unsigned n_done;
	struct injection injections[INJECTIONS_MAX];
	struct error_text reason; /* why it could not go on; "": it could */
	int error;                /* the same as a negative errno; -EBUSY: others kept it from it */
	struct own_cgroup cgroup;
	int fds[FDS_MAX]; /* timers or sockets */
	unsigned n_fds;
	uint64_t usual_ns; /* of an injection: with others beside it, it takes longer; 0: not known */
};

struct trouble {
	const char *name, *title;
	uint32_t kinds; /* that name it: bits of enum cause_kind */
	unsigned n, n_quick;
	const char *mechanism;                    /* NULL: pipe */
	bool unlocks;                             /* the members' memory is not locked */
	void (*configure)(struct config *config); /* NULL: as it is */
	/* In the front: returns whether it can be inflicted, or says what is missing, and the remedy. */
	bool (*is_possible)(struct error_text *reason);
	/* In the child. Return 0 or a negative errno with the stage's reason. @end undoes begin, also one
	 * that failed; begin and end may be NULL. */
	int (*begin)(struct stage *stage);
	int (*inflict)(struct stage *stage, struct injection *injection);
	bool wants_quiet; /* it is inflicted by stage_try() */
	void (*end)(struct stage *stage);
};

extern const struct trouble *const troubles[]; /* ended by NULL */

/* Inflicts a trouble on a pair, until @until_ns or soon after, and judges what was said about it. Returns 0,
 * -EINTR after a signal, or another negative errno with its reason. */
int trouble_try(const struct selftest *selftest, const struct trouble *trouble, uint64_t until_ns,
	struct trouble_result *result, struct error_text *reason);

/* --- the child --- */

/* Starts it. It waits for STAGE_RUNS. Returns its pid, or a negative errno. */
pid_t trouble_child_start(struct stage *stage, const struct trouble *trouble);
/* Its name: "ipctop-hog". */
void trouble_child_name(const struct trouble *trouble, char name[16]);
/* Ends it, if it has not ended, and waits for that. */
void trouble_child_end(pid_t pid);

/* For the child: sleeps, or returns false because it is to end. */
bool stage_sleep(uint64_t ns);
/* Returns for how long the child has waited for a CPU so far. */
uint64_t stage_waited_ns(void);
/* The CPU time of the members so far, and for how long they waited for a CPU. */
struct member_times {
	uint64_t ran_ns, waited_ns;
};
struct member_times stage_member_times(const struct stage *stage);
/* Returns whether it may be tried again, after so many tries. */
bool stage_may_retry(const struct stage *stage, unsigned n_tries);
/* Inflicts by @try, again and again while stage_may_retry(), until nobody ran beside it. Then child and
 * members hardly waited for a CPU, and the try took about usual_ns, unless that is 0. Returns 0 or a negative
 * errno with the stage's reason. */
int stage_try(struct stage *stage, int (*try)(struct stage *stage, struct injection *injection),
	struct injection *injection);
/* Raises the limit of open files, and opens descriptors by @open, some at a time, until @try takes
 * @wanted_ns. @open returns 0, or a negative errno where no more can be opened. Sets usual_ns, which may be
 * less, and is without the time for which the child waited. @pause_ns: after each try. Returns 0, or a
 * negative errno with the stage's reason if @open could open none, @try failed, or the time is over. */
int stage_open_until(struct stage *stage, int (*open)(struct stage *stage),
	int (*try)(struct stage *stage, struct injection *injection), uint64_t wanted_ns, uint64_t pause_ns);
/* Closes all of fds. */
void stage_close_fds(struct stage *stage);
/* Runs on the stage's CPU from now on, at this priority of SCHED_FIFO. Returns 0 or a negative errno with
 * the stage's reason. */
int stage_run_at(struct stage *stage, int priority);

/* --- cgroups, for the child --- */

/* Returns whether a cgroup with the controller cpu can be made, or says what is missing. Removes those of
 * self-tests that were killed. */
bool cgroup_may_make(struct error_text *reason);
/* Makes one. Returns 0 or a negative errno with the stage's reason; cgroup_remove() accepts either. */
int cgroup_make(struct stage *stage);
/* Moves the members there. Returns the same. */
int cgroup_take_members(struct stage *stage);
/* Writes a number, or two with a space between them, to a file of it. Returns the same. */
int cgroup_write(struct stage *stage, const char *file, const char *text);
/* Moves the members back, and removes it. */
void cgroup_remove(struct stage *stage);
/* For the front: removes that of a child that was killed. The members must have ended. */
void cgroup_remove_left(struct stage *stage);
