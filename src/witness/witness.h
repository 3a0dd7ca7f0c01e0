/* SPDX-License-Identifier: GPL-2.0-or-later */
/* witness.h - a witness says what caused a moment of a spike. Pure.
 *
 * A witness is a file that defines `const struct witness witness_NAME`, and its name in src/meson.build. It
 * judges what the records say of the moment, and nothing else. */
#pragma once

#include <stdbool.h>

#include "src/witness/explanation.h"

enum { TID_OF_MEMBERS = -1 };

/* A task on a CPU, as a switch recorded it. */
struct occupant {
	/* 0: none is recorded; the CPU is idle, or has members of this ring. TID_OF_MEMBERS: members of
	 * several rings take turns. */
	int32_t tid;
	int32_t priority;
	uint32_t policy; /* as in struct flight_record */
	enum flight_role role;
	const char *name;
	/* Another one that took turns with it. tid 0: none did. */
	int32_t partner_tid;
	const char *partner_name;
};

/* What is known of a CPU at a moment. */
struct cpu_moment {
	uint32_t cpu;
	bool is_unseen;                        /* the recorder has a gap there */
	const struct flight_record *interrupt; /* the innermost one; NULL: none */
	/* Between two of them, which follow each other at once: the next one; else NULL. */
	const struct flight_record *next_interrupt;
	const struct flight_record *idle;  /* the time in which it was idle; NULL: not recorded */
	const struct flight_record *turns; /* two tasks, or members, took turns; NULL: not recorded */
	struct occupant task;
	bool timer_fired;  /* the timer's interrupt came after the lap was due, and has ended */
	bool is_throttled; /* the kernel lets no real-time task run there */
	bool hides_tasks;  /* some tasks are not recorded there */
	bool is_doubtful;  /* without a task: one may have been there, but its coming was not recorded */
};

/* What is known of a member. */
struct member_moment {
	const struct spike_end *end;
	/* The switch by which it left its CPU without going to sleep, and after which it did not come back;
	 * NULL: it runs, or sleeps. */
	const struct flight_record *left;
	int32_t comes_to; /* unless it waits or is stopped: the CPU to which it comes next; -1: not recorded
			   */
	bool has_run;     /* since it was to run, so it was woken */
	bool is_lost;     /* no record has it since a gap, or a move: it may be away without one */
};

/* A time in which nothing is recorded to have changed. */
struct moment {
	const struct spike *spike;
	uint64_t from_ns, to_ns;
	bool is_sent;   /* the first hop is under way */
	bool is_sender; /* whom the moment is about; else the receiver */
	struct cpu_moment cpu;
	struct member_moment member;
};

struct witness {
	/* Returns whether it knows the cause, and fills it; its CPU is the moment's already. */
	bool (*find_cause)(const struct moment *moment, struct cause *cause);
	/* Whether the sum of the moments of a cause is long enough, in a spike of this length: else they are
	 * unexplained. NULL: it always is. */
	bool (*suffices)(uint64_t ns, uint64_t length_ns);
};

extern const struct witness *const witnesses[]; /* the first that knows a cause names it; ended by NULL */

/* Says what may have been the cause of a spike, mostly of one without a record: a file that defines `const
 * struct hint_source hint_NAME`, and its name in src/meson.build. It knows the spike alone. */
struct hint_source {
	const char *kind; /* "stamps": JSON */
	/* Writes a hint for each end of the hop, or for both as that of the sender. Returns false if there is
	 * none. */
	bool (*find_hint)(const struct spike *spike, bool is_sender, char text[128]);
	bool is_beside_records; /* it knows what the flight recorder does not see */
};

extern const struct hint_source *const hint_sources[]; /* the most telling one first; ended by NULL */

/* Returns what is known of the CPU of an end, and the end; NULL if it has no CPU, or if it is the receiver
 * and has the sender's. */
const struct cpu_hints *hint_cpu(const struct spike *spike, bool is_sender, const struct spike_end **end);

enum { PRIORITY_FAIR = 100 }; /* the kernel's priority: from here on tasks have no real-time policy */

/* " (RT90)", " (nice 5)", ""; whether it is FIFO or RR does not show in the kernel's priority. */
enum { POLICY_SIZE = 32 };
char *witness_format_priority(char text[POLICY_SIZE], int32_t priority);
/* The same of a member. */
int32_t spike_end_priority(const struct spike_end *end);
/* Whether the member is to run: the sender from due on, the receiver once it was sent. Of a lap whose hops
 * are not known, that is not known once it was sent. */
bool moment_wants_member(const struct moment *moment);
/* Whether a real-time member would take the CPU from the task at once. As it has not, it sleeps. */
bool moment_outranks_task(const struct moment *moment);
/* Whether the sender is to be woken by its timer, and nothing is recorded to be on its CPU. */
bool moment_awaits_timer(const struct moment *moment);
/* Names the task of the moment, which must have one. */
void cause_name_task(struct cause *cause, const struct moment *moment);
