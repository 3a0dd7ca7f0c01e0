/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phase.h - the phases of a session: from one mark, or change, to the next. Pure.
 *
 * A phase has its sum, and blocks of equally many ticks, by which its statistics can be compared with those
 * of another phase. A block is one tick at first; each two neighbours become one when there are 64, or when
 * they take too much memory. The last three phases and the baseline keep their blocks, older ones while all
 * blocks have room. So memory has a bound. Others are read again from the recording, or from the history
 * (phase_source.h).
 *
 * Merging several ticks at once is cheaper, so the newest ticks wait in the series. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

#include "src/base/error_text.h"
#include "src/machine/machine.h"
#include "src/machine/task.h"
#include "src/model/block.h"
#include "src/model/spikes.h"

struct session;

enum {
	PHASES_MAX = 256, /* then the oldest is dropped */
	PHASE_BLOCKS_MAX = 64,
	PHASE_BLOCKS_MIN = 8,           /* no fewer are left, whatever they take */
	PHASE_BLOCKS_BYTES = 16 << 20,  /* all blocks of a phase may take that much */
	PHASES_WITH_BLOCKS = 3,         /* the last ones keep them, whatever they take */
	PHASES_BLOCKS_BYTES = 16 << 20, /* that the blocks of all phases may take */
	PHASE_WAITING_MAX = 8,          /* ticks that wait to be added */
	PHASE_NAME_SIZE = 64,           /* with its 0 */
};

enum phase_cause { PHASE_START, PHASE_KEY, PHASE_MARK, PHASE_CHANGE };

const char *phase_cause_name(enum phase_cause cause); /* "start", "key", "mark", "change" */

/* How users call a phase. A name may be a number: the phase with that number is looked for first. */
enum phase_call { PHASE_BY_NUMBER, PHASE_BY_NAME, N_PHASE_CALLS };

/* Is this the phase that a user calls @wanted? */
bool phase_is_called(uint32_t number, const char *name, const char *wanted, enum phase_call call);
/* Appends "2 'later'" to a list of phases. Returns whether another one would have room, before which the
 * caller ends the list. */
bool phase_list_append(char *list, size_t size, uint32_t number, const char *name);

/* Sets the reason to the phases of a file that there are in place of @wanted. Returns -ENOENT. */
int phase_list_refuse(const char *list, const char *path, const char *wanted, struct error_text *reason);

/* Copies a name, cut to whole UTF-8 characters and cleaned for a terminal (text.h). */
void phase_copy_name(char copy[PHASE_NAME_SIZE], const char *name);

struct member_condition {
	struct task_policy policy;
	int64_t place; /* a CPU; -1: several */
};

/* What a phase was measured under when it ended: the machine's settings, the members' policies and places.
 * Zeroed is empty. */
struct phase_conditions {
	struct machine machine;
	struct member_condition *members; /* owned; of all rings, in their order */
	size_t n_members;                 /* 0: not known, as after a seek */
};

/* Replaces the conditions by those that the session sees now. Returns 0 or -ENOMEM. */
int phase_conditions_take(struct phase_conditions *conditions, const struct session *session);
void phase_conditions_finish(struct phase_conditions *conditions);

struct phase {
	uint32_t number; /* from 1 on */
	enum phase_cause cause;
	char name[PHASE_NAME_SIZE]; /* "": none */
	uint64_t start_ns, end_ns;  /* CLOCK_MONOTONIC; end: of its last tick; start_ns without a tick */
	struct block sum;           /* of all ticks that do not wait */
	struct block *blocks;       /* owned; PHASE_BLOCKS_MAX, or NULL; the last one may have fewer ticks */
	unsigned n_blocks;
	unsigned n_halved; /* of the blocks, the first ones have twice the ticks already; 0: all are alike */
	uint32_t block_ticks; /* of each */
	uint64_t load_sum;    /* of all ticks: the load of a minute, in hundredths */
	uint64_t n_loads;     /* ticks in it */
	uint64_t n_late;      /* late ticks of ipctop itself (own_lateness.h) */
	uint64_t interrupts;  /* of all CPUs; 0: not known */
	struct blame_sums blames;
	bool lacks_blocks; /* they are gone, or, after a seek, begin with the phase's later ticks */
	struct phase_conditions conditions;
};

struct phases {
	struct phase *list; /* owned, PHASES_MAX, oldest first; the last one is the current one */
	size_t n;
	uint64_t dropped;  /* phases, the oldest first */
	uint32_t baseline; /* the number of the phase that later ones are compared with, whose blocks are
			    * kept; 0: none */
	size_t n_waiting;  /* the last ticks of the series, which the current phase has yet to add */
};

/* Begins a phase. No ticks wait. @name may be NULL. Returns 0, 1 if the oldest phase was dropped for it, or
 * -ENOMEM. */
int phases_begin(struct phases *phases, enum phase_cause cause, const char *name, uint64_t start_ns);
/* Adds @n ticks, whose sum is @sum, to the blocks of the current phase. Here and below, @sums is working
 * memory, and @lock is held only while a block is replaced; it may be NULL. Returns 0 or -ENOMEM. */
int phases_add_to_blocks(struct phases *phases, const struct block *ticks, size_t n, const struct block *sum,
	struct row_sums *sums, pthread_mutex_t *lock);
/* Merges two pairs of blocks of the current phase if its blocks take too much memory. Returns 0 or -ENOMEM.
 */
int phases_bound_blocks(struct phases *phases, struct row_sums *sums, pthread_mutex_t *lock);
void phases_finish(struct phases *phases);

/* Copies a phase to an empty one, with which it shares its blocks. Returns 0 or -ENOMEM; phase_finish()
 * accepts what is left. */
int phase_copy(struct phase *copy, const struct phase *phase);
void phase_finish(struct phase *phase);

/* Writes the numbers of a phase and of its replicates, in the order of time: those with the name of the same
 * mark, or of a configuration that was left and come back to. @max: the oldest others are left out. Returns
 * how many. */
size_t phases_like(const struct phases *phases, const struct phase *phase, uint32_t *numbers, size_t max);
/* The next two are rounded to the decimals that a summary has, so that it compares as its recording does.
 * Returns the mean of the load of a minute, in hundredths; NAN: not known. */
double phase_load(const struct phase *phase);
/* Returns the interrupts of all CPUs in a second, in tenths; NAN: not known. */
double phase_interrupts(const struct phase *phase);
/* Returns the phase with a number; NULL if there is none. */
const struct phase *phases_find(const struct phases *phases, uint32_t number);
struct phase *phases_current(const struct phases *phases); /* NULL before the first */
