/* SPDX-License-Identifier: GPL-2.0-or-later */
/* explanation.h - why a spike happened, by what the flight recorder saw. Pure: the same spike and records
 * give the same explanation, in a run, in its recording and in a later version.
 *
 * [start, end] of the spike is cut into segments. Each has a cause, which a witness (witness.h) saw. No
 * culprit is named without a record of that moment. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/figures/spike.h"

/* CAUSE(kind, its name in JSON and metrics, its words). Recordings hold the numbers: a new one is the last.
 */
/* clang-format off */
#define CAUSES(CAUSE)                                                                                        \
	CAUSE(UNEXPLAINED, "unexplained", "unexplained") /* no witness */                                    \
	CAUSE(UNSEEN, "unseen", "not recorded") /* the recorder has gaps there, or there is none */          \
	CAUSE(TASK, "task", "") /* a task held the CPU */                                                    \
	CAUSE(TIMER_LATE, "timer_late", "timer late") /* a task of lower priority ran, no timer came */    \
	CAUSE(WAKE_LATE, "wake_late", "woken late") /* the same while the receiver was to be woken */        \
	CAUSE(RING, "ring", "") /* members of another ring held the CPU */                                   \
	CAUSE(OWN, "own", "ipctop itself") /* its front or keeper */                                         \
	CAUSE(IRQ, "irq", "irq")                                                                             \
	CAUSE(TIMER, "timer", "timer interrupt")                                                             \
	CAUSE(IPI, "ipi", "ipi")                                                                             \
	CAUSE(SOFTIRQ, "softirq", "softirq")                                                                 \
	CAUSE(NMI, "nmi", "NMI")                                                                             \
	CAUSE(NOT_WOKEN, "not_woken", "not woken") /* the CPU was idle: timer or wake-up came late */        \
	CAUSE(THROTTLED, "throttled", "throttled") /* runnable, without its CPU: enum throttled_by */        \
	CAUSE(STOPPED, "stopped", "stopped") /* the member, by a signal or a debugger */                     \
	CAUSE(BLOCKED, "blocked", "waited in the kernel") /* the member: page fault, disk, lock */           \
	CAUSE(LEAVING_IDLE, "leaving_idle", "leaving idle") /* the CPU took so long to leave that state */   \
	CAUSE(MIGRATED, "migrated", "migrated") /* the member was moved before it could run */               \
	CAUSE(NOT_PREEMPTED, "not_preempted", "not preempted") /* one of lower priority ran on after the timer */
/* clang-format on */
#define CAUSE_KIND(kind, ...) CAUSE_##kind,

enum cause_kind { CAUSES(CAUSE_KIND) N_CAUSES };

/* The number of CAUSE_THROTTLED: what the kernel can have done so, by the member's policy and by who got its
 * CPU. */
enum throttled_by {
	THROTTLED_BY_QUOTA,    /* a member without a real-time policy */
	THROTTLED_FOR_FAIR,    /* a real-time member; the CPU goes to a fair task */
	THROTTLED_FOR_NOBODY,  /* a real-time member; the CPU is idle, which the fair server does not leave it
				*/
	THROTTLED_BY_DEADLINE, /* one of SCHED_DEADLINE, by its own budget */
	N_THROTTLINGS,
};

struct cause {
	enum cause_kind kind;
	uint32_t cpu;     /* of a blame also CAUSE_BOTH_CPUS */
	int32_t tid;      /* of a task; else 0. Of a blame also 0: several tasks of this name */
	int32_t priority; /* of a task: the kernel's, see struct flight_record */
	/* Of a task, as in struct flight_record; of a blame also 0: several. It tells no causes apart. */
	uint32_t policy;
	/* Of an interrupt, softirq or idle state; enum throttled_by; of a migration the CPU to which the
	 * member came, plus 1, or 0: it is not known. */
	uint32_t number;
	char name[16]; /* of a task, interrupt, softirq or idle state at that time */
	/* Of a task that took turns with another one, and was not recorded alone: the other one's. 0: none.
	 */
	int32_t partner_tid;
	char partner_name[16];
};

#define CAUSE_BOTH_CPUS UINT32_MAX

struct segment {
	uint64_t from_ns, to_ns;
	struct cause cause;
};

struct blame {
	struct cause cause;
	uint64_t ns;         /* net: without what interrupted it */
	uint64_t between_ns; /* of it, of an interrupt: between two that followed each other at once */
	uint32_t n;          /* how often */
};

/* What may have been the cause of a spike. It names no culprit. */
struct hint {
	const char *kind; /* "stamps": JSON */
	char text[128];
};

enum { SEGMENTS_MAX = 32, BLAMES_MAX = 12, HINTS_MAX = 8 };

struct explanation {
	uint64_t length_ns;
	uint64_t explained_ns; /* of it, by witnesses */
	/* In order, without gaps. If they are too many, the shortest become parts of their neighbours. */
	struct segment segments[SEGMENTS_MAX];
	size_t n_segments;
	/* By time, the longest first, before segments are merged: their sum is the length. */
	struct blame blames[BLAMES_MAX];
	size_t n_blames;
	bool is_complete; /* the recorder saw all of it */
	/* A hint at the hypervisor: what it took of the spike's CPUs at that time, in a second or two; and
	 * whether there is one. */
	uint64_t steal_ns;
	bool is_guest;
	uint32_t n_smis; /* a hint at the firmware: its interrupts in that time */
	/* When the sender, and then the receiver, came to its CPU for the last time before its stamp; 0:
	 * there is no record of it, as of one that comes from idle. */
	uint64_t sender_ran_ns, receiver_ran_ns;
	/* Most of them only of a spike of which the recorder saw nothing; the most telling first. */
	struct hint hints[HINTS_MAX];
	size_t n_hints;
};

/* @records: those of the spike's CPUs, from before its start to its end, in the order of at_ns; at most
 * SPIKE_RECORDS_MAX: what happened after the last of them is unseen then. */
void explain(struct explanation *explanation, const struct spike *spike, const struct flight_record *records,
	size_t n_records);

/* Returns whether nothing of it was recorded: then it has hints alone. */
bool explanation_is_unseen(const struct explanation *explanation);
/* Returns the cause that took most, if so much is explained that the text begins with it; NULL if not. */
const struct cause *explanation_cause(const struct explanation *explanation);
enum { EXPLANATION_TEXT_SIZE = 480 };

/* "stress-ng-cpu 4711 (FF90) held CPU 0 for 205 us" (RT90: FIFO or RR); if less than 70 % is explained,
 * "unexplained 41 of 62 us; timer interrupt 9 us". Without records "hints: ", and them, or "nothing was
 * recorded". Where steal time grew, the text ends with it. Returns @text. */
char *explanation_text(const struct explanation *explanation, char text[EXPLANATION_TEXT_SIZE]);
/* "212 us": with the unit that fits. Returns @text. */
enum { EXPLANATION_TIME_SIZE = 32, EXPLANATION_SHARE_SIZE = 3 * EXPLANATION_TIME_SIZE };
char *explanation_time(char text[EXPLANATION_TIME_SIZE], uint64_t ns);
/* "41 of 62 us", "41 us of 1.2 ms". Returns @text. */
char *explanation_share(char text[EXPLANATION_SHARE_SIZE], uint64_t part_ns, uint64_t whole_ns);
/* The cause without its time: "stress-ng-cpu (FF90)", "irq nvme0q5", "unexplained": for sums over spikes. Two
 * causes are one if their texts are equal. Returns @text. */
enum { CAUSE_TEXT_SIZE = 56 };
char *cause_text(const struct cause *cause, char text[CAUSE_TEXT_SIZE]);

extern const char *const cause_names[N_CAUSES]; /* "task": JSON, metrics */
