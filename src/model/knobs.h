/* SPDX-License-Identifier: GPL-2.0-or-later */
/* knobs.h - the table of advice: which settings of a machine bear on latency, what is good, what it costs
 * otherwise, and how to change it. Pure.
 *
 * A knob is a row here and a fact of the machine (src/machine/machine.h), which has its value. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/machine/cpus.h"
#include "src/machine/machine.h"
#include "src/witness/explanation.h"

enum knob_group {
	KNOB_SCHEDULER,
	KNOB_CPUS,
	KNOB_INTERRUPTS,
	KNOB_POWER,
	KNOB_MEMORY,
	KNOB_KERNEL,
	KNOB_VIRTUAL,
	N_KNOB_GROUPS
};

const char *knob_group_name(enum knob_group group); /* "CPUs and isolation" */

/* What the value of a knob means. */
enum knob_state {
	KNOB_BAD,    /* not what is good for latency */
	KNOB_INFORM, /* neither good nor bad by itself: to be known */
	KNOB_GOOD,
	KNOB_DENIED,    /* it can't be read without more rights */
	KNOB_UNMOUNTED, /* it is in debugfs or tracefs, which is not mounted */
	KNOB_RUN_ONLY,  /* it is of members, which only a run has */
	KNOB_ABSENT,    /* this machine, or this kernel, has no such knob, or it can't be known */
};

/* The machine, the members and the run that advice is for. */
struct advice_site {
	const struct machine *machine;
	struct cpus cpus;                /* of the members */
	struct cpus others;              /* of the machine, without them */
	bool is_realtime;                /* a member has a real-time policy, or may get one */
	bool is_fair;                    /* a member has another policy, or may get one */
	int least_priority;              /* of members with SCHED_FIFO or SCHED_RR; 0: there are none */
	const struct blame_sums *blames; /* of the run; NULL: there is none */
};

enum { KNOB_VALUE_SIZE = MACHINE_WORD_SIZE, KNOB_LIST_SIZE = 128 };

/* What was found. */
struct knob_finding {
	enum knob_state state;
	char value[KNOB_VALUE_SIZE]; /* as it is shown */
	const char *no_effect;       /* why the knob does nothing here; NULL: it may do something */
};

struct knob {
	const char *name; /* for users: of the sysctl, the file or the boot option */
	enum knob_group group;
	const char *fact;  /* the key of the machine's fact */
	const char *about; /* what it is: one line */
	const char *good;  /* "performance" */
	const char
		*cost; /* what it costs if it is not good, as published, or as known; NULL: not published */
	uint64_t cost_ns; /* the same, to rank by; 0: not published */
	/* Judges a value that is there. NULL: the value only informs. */
	void (*judge)(const struct knob *knob, const struct advice_site *site, struct knob_finding *finding);
	const char *wanted; /* the judge's: words with '|' between them, or a number */
	uint32_t causes;    /* of spikes that it can make: bits by enum cause_kind; 0: no record names it */
	const char
		*named; /* of causes only those with one of these words, with '|' between them; NULL: all */
	const char *blamed; /* these causes in words, if any: "timer interrupts" */
	/* Commands to copy. {cpus}: the members' CPUs, {others}: all others, {mask}: those as a mask; in a
	 * run {tids}: the members' threads, {cgroup}: their cgroup, {unit}: its unit of systemd. */
	const char *now;  /* changes it at once; NULL: only a new start does */
	const char *keep; /* keeps it over a new start; NULL: it can't be kept, or need not be */
	bool of_fair;     /* it bears on tasks without real-time policy alone: no other task is its fault */
	bool of_cgroups;  /* @now is for those of version 2 */
	const char *now_v1;
	const char *instead; /* why it is not tried, and what to try in its place; NULL: nothing else */
};

/* With it begins what a row keeps by options of the kernel. */
#define KNOB_BOOT_PREFIX "kernel command line: "

/* Returns the fact of the machine that has the value of a knob. `ipctop try` turns those that have a form. */
const struct machine_fact *knob_fact(const struct knob *knob);

/* Why `ipctop try` does not turn a knob; NULL: it does. */
const char *knob_try_refusal(const struct knob *knob);

/* Returns knob @i of those that it turns; NULL past the last one. */
const struct knob *knobs_to_try(unsigned i);

extern const struct knob knobs[];
extern const size_t knobs_n;
enum { KNOBS_MAX = 80 };
