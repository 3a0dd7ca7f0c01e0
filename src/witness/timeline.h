/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline.h - goes through the records of a spike, from change to change, and knows at each time what they
 * say of a CPU and of a member. Pure.
 *
 * Not all switches are recorded: the return of a member from idle never is, nor that members of another ring
 * go to sleep, and on some machines no task's coming to an idle CPU. So what was recorded to begin is
 * believed only as long as its end would have been recorded. Where a switch says since when the task that
 * goes had the CPU, that is believed, however it came. */
#pragma once

#include "src/witness/witness.h"

enum timeline_end {
	TIMELINE_SENDER,
	TIMELINE_RECEIVER,
	N_TIMELINE_ENDS,
};

/* What was recorded of the CPU of one end, until now. */
struct cpu_line {
	const struct flight_record *came;        /* the last switch; NULL: none since the begin, or a gap */
	const struct flight_record *interrupted; /* the last interrupt of a task since then */
	const struct flight_record *ended;       /* the last interrupt or softirq that ended since then */
	bool had_gap;                            /* since the last switch */
	uint64_t timer_ns; /* the end of the first timer interrupt that lasted until after the due; 0: none */
	/* A real-time task that waits for the CPU, and may run nowhere else; 0: none is known. */
	int32_t waiting;
	/* The CPU is idle, or has a task without a real-time policy, though a real-time task wants it. */
	bool is_throttled;
	size_t next_switch, next_gap; /* indices of records and begins: not before these */
};

/* What was recorded of the member. */
struct member_line {
	const struct flight_record *left; /* as in struct member_moment, but to be believed within limits: */
	uint64_t unsure_ns;               /* since then it may have come back from idle; 0: it did not */
	uint64_t ran_ns;                  /* when it was on a CPU, the last time; 0: not recorded */
	bool is_lost;                     /* since a gap */
	bool has_come;                    /* it was recorded on the CPU to which it was moved */
};

struct timeline {
	const struct spike *spike;
	const struct flight_record *records;
	size_t n_records, n_read;
	const struct flight_record *begins[SPIKE_RECORDS_MAX]; /* what lasts, by from_ns */
	size_t n_begins, n_begun;
	const struct flight_record
		*open[SPIKE_RECORDS_MAX]; /* what lasts now, the last to begin at the end */
	size_t n_open;
	uint64_t unseen_ns;       /* since then records are missing, as there were too many */
	uint64_t now_ns, next_ns; /* nothing is recorded to change between them */
	struct cpu_line cpus[N_TIMELINE_ENDS];
	struct member_line members[N_TIMELINE_ENDS];
};

/* Begins at the start of the spike, which has a length. The records stay the caller's. */
void timeline_start(struct timeline *timeline, const struct spike *spike, const struct flight_record *records,
	size_t n_records);
/* Goes on at next_ns. Returns false at the end of the spike. */
bool timeline_next(struct timeline *timeline);
/* Fills in what is known from now_ns to next_ns. */
void timeline_look(struct timeline *timeline, enum timeline_end end, struct moment *moment);
