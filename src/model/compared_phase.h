/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compared_phase.h - a phase as comparison.h needs it: one figure of all rings, and what they were measured
 * under. Pure. */
#pragma once

#include "src/figures/hist.h"
#include "src/figures/tick.h"
#include "src/model/phase.h"

struct session;

/* An option or a fact of the machine, by its name in the JSON summary. */
struct compared_fact {
	char *name, *value; /* owned */
};

/* One block of ticks. */
struct compared_block {
	struct hist hist; /* with its extremes */
	uint64_t active_ns;
};

/* Reads a row's blocks of a figure. @blocks: the caller frees them, whatever is returned. Returns 0 or
 * -ENOMEM. */
int compared_blocks_read(const struct phase *phase, size_t row, enum figure figure,
	struct compared_block **blocks, size_t *n_blocks);
void compared_blocks_free(struct compared_block *blocks, size_t n_blocks);

struct compared_row {
	size_t row;                       /* of a session: its number */
	char *mechanism, *label;          /* owned */
	char *cpus;                       /* owned; the planned ones: "0 8" */
	unsigned n_planned;               /* of a session: its members */
	struct member_condition *members; /* owned; as they were when the phase ended; NULL: not known */
	size_t n_members;
	enum figure figure;            /* what this ring has in place of the phase's */
	struct compared_block *blocks; /* owned; none where the phase kept none */
	size_t n_blocks;
	struct hist sum;
	uint64_t late99_ns; /* of the lateness; 0: no sample */
	uint64_t active_ns;
};

/* Zeroed is empty. */
struct compared_phase {
	char *source; /* owned; the file's name, or "" */
	uint32_t number;
	char name[PHASE_NAME_SIZE];
	uint64_t length_ns;
	enum figure figure;
	struct compared_fact *facts; /* owned */
	size_t n_facts;
	struct compared_row *rows; /* owned */
	size_t n_rows;
};

/* Takes a phase that the session still has, without blocks and sums, members and facts, which are the
 * caller's to add. Returns 0 or -ENOMEM; compared_phase_finish() accepts what is left. */
int compared_phase_describe(struct compared_phase *compared, const struct session *session,
	const struct phase *phase, enum figure figure, const char *source);
/* Adds the members of all rows. Returns 0 or -ENOMEM. */
int compared_phase_add_members(struct compared_phase *compared, const struct phase_conditions *conditions);
/* Adds blocks and sums, from the phase or a copy of it, whose ticks do not wait (session_phases_settle()).
 * @index: the number of the session's row; a group is a row without mechanism and members. Returns 0 or
 * -ENOMEM. */
int compared_row_read(struct compared_row *row, const struct phase *phase, size_t index);
void compared_row_drop_samples(struct compared_row *row); /* blocks and sum */
void compared_row_finish(struct compared_row *row);
/* Adds the facts of the machine, with the names and values that a JSON summary has. Returns 0 or -ENOMEM. */
int compared_phase_add_machine(struct compared_phase *compared, const struct machine *machine);
/* Copies both, cleaned for a terminal (text.h). Returns 0 or -ENOMEM. */
int compared_phase_add_fact(struct compared_phase *compared, const char *name, const char *value);
const char *compared_phase_fact(
	const struct compared_phase *compared, const char *name); /* "" if there is none */
void compared_phase_finish(struct compared_phase *compared);

int compared_row_add_member(struct compared_row *row, struct member_condition member); /* 0 or -ENOMEM */
