/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compared_phase.h - a phase as comparison.h needs it: what all rings did in blocks of ticks, and what they
 * were measured under. Pure. */
#pragma once

#include "src/figures/tick.h"
#include "src/figures/verdict.h"
#include "src/model/phase.h"
#include "src/model/session_ring.h"

struct matrix;
struct session;

/* A phase of a file, which is read once for each of the figures. */
struct phase_in_file {
	const char *path;
	const char *wanted;         /* its number or name; NULL: the last one */
	const enum figure *figures; /* whose blocks are read; N_FIGURES: of the one that the file shows */
	size_t n_figures;
};

/* An option or a fact of the machine, by its name in the JSON summary. */
struct compared_fact {
	char *name, *value; /* owned */
};

/* What a ring has in place of the figures that are judged. */
struct judged_figures {
	enum figure at[N_JUDGED_BLOCK_FIGURES];
	bool has_slots; /* a flood has none */
};

/* @shown: of the whole phase. */
struct judged_figures judged_figures_of(enum figure shown, uint64_t interval_ns, enum stamps stamps);

/* Reads a row's blocks. @blocks: the caller frees them, whatever is returned. Returns 0 or -ENOMEM. */
int compared_blocks_read(const struct phase *phase, size_t row, const struct judged_figures *figures,
	struct judged_block **blocks, size_t *n_blocks);
void compared_blocks_free(struct judged_block *blocks, size_t n_blocks);

/* Zeroed is empty. */
struct judged_blocks {
	struct judged_block *list; /* owned */
	size_t n;
	bool shares; /* the histograms of response and served are those of another row */
};

/* What a row did in a whole phase. */
struct row_totals {
	struct judged_block sum;     /* without served responses */
	struct hist late, like_late; /* of the lateness, in the phase and in all replicates */
};

struct compared_row {
	size_t row;                       /* of a session: its number */
	char *mechanism, *label;          /* owned */
	char suffix[SESSION_SUFFIX_SIZE]; /* of a session's ring: see session_ring_suffix() */
	char *cpus;                       /* owned; the planned ones: "0 8" */
	uint64_t size_bytes;              /* of its token; 0: it carries none */
	uint64_t interval_ns;             /* 0: a flood */
	uint64_t active_ns;               /* in the phase */
	uint64_t added_ns, ended_ns;      /* the ring; 0: when the run began; not yet */
	bool was_added, has_ended;        /* in the phase, as far as was known when it ended */
	bool is_absent;     /* the ring had no slot in the phase, and was not there when it ended */
	unsigned turn;      /* the ring's, from 0 on */
	bool has_failed;    /* the ring, by now */
	unsigned n_planned; /* of a session: its members */
	struct member_condition *members; /* owned; as they were when the phase ended; NULL: not known */
	size_t n_members;
	struct judged_figures figures;
	struct judged_blocks blocks; /* none where the phase kept none */
	/* Of the replicate that judges them all (compared_phase_judging()), if that is another phase and has
	 * the ring. */
	struct judged_blocks judging;
	struct judged_block
		*like; /* owned; of the phase's replicates, with its own; empty: it is not in it */
	size_t n_like;
	struct row_totals *totals; /* owned; NULL: they are empty, as of a row that is not read */
};

/* Zeroed is empty. */
struct compared_phase {
	char *source; /* owned; the file's name, or "" */
	uint32_t number;
	char name[PHASE_NAME_SIZE];
	bool is_last_of_several; /* of a file's phases, none of which was named */
	uint64_t length_ns;
	uint64_t turn_ns;              /* of each turn */
	uint64_t round_ns;             /* of the turns of its rings; 0: all run at once */
	double load;                   /* of a minute, its mean; NAN: not known */
	struct blame_sums blames;      /* of its spikes */
	double interrupts;             /* of all CPUs, in a second; NAN: not known */
	uint64_t n_late;               /* ticks in which ipctop itself was late; UINT64_MAX: not known */
	uint32_t like[REPLICATES_MAX]; /* numbers of its replicates, and its own, in the order of time */
	size_t n_like;
	uint64_t like_ns; /* the length of them all */
	uint64_t like_lengths_ns[REPLICATES_MAX];
	struct blame_sums like_blames; /* of them all */
	enum figure figure;
	struct compared_fact *facts; /* owned */
	size_t n_facts;
	struct compared_row *rows; /* owned */
	size_t n_rows;
	/* Owned; of a sweep, with this phase's repeats as its current ones. NULL: no sweep. */
	struct matrix *matrix;
};

/* Takes a phase that the session still has, without blocks and sums, members and facts, which are the
 * caller's to add. Returns 0 or -ENOMEM; compared_phase_finish() accepts what is left. */
int compared_phase_describe(struct compared_phase *compared, const struct session *session,
	const struct phase *phase, enum figure figure, const char *source);
/* Adds the members of all rows. Returns 0 or -ENOMEM. */
int compared_phase_add_members(struct compared_phase *compared, const struct phase_conditions *conditions);
/* Returns whether the ring had no slot in the phase, and was not there when it ended. */
bool compared_phase_lacks(const struct phase *phase, const struct session_ring *ring);
/* Finds for how long each ring was active in a phase, from its sum, which were not in it, and the round. */
void compared_phase_find_active(struct compared_phase *compared, const struct block *sum);
/* Finds the round of a phase whose rows have all else. */
void compared_phase_find_round(struct compared_phase *compared);
/* Finds by the times of the ring whether it was added or ended in a phase, and whether it is absent unless it
 * had slots. */
void compared_row_find_life(struct compared_row *row, uint64_t start_ns, uint64_t end_ns);
/* Adds blocks and sums, from the phase or a copy of it, whose ticks do not wait (session_phases_settle()).
 * @index: the number of the session's row; a group is a row without mechanism and members. Returns 0 or
 * -ENOMEM. */
int compared_row_read(struct compared_row *row, const struct phase *phase, size_t index);
const struct row_totals *compared_row_totals(const struct compared_row *row); /* empty ones without any */
static inline const struct judged_block *compared_row_sum(const struct compared_row *row)
{
	return &compared_row_totals(row)->sum;
}
/* Returns the row's totals, which the caller adds to, or NULL without memory. */
struct row_totals *compared_row_add_totals(struct compared_row *row);
/* Returns the empty sum of another replicate, which the caller fills, or NULL without memory. */
struct judged_block *compared_row_new_like(struct compared_row *row);
/* Adds the sum of a replicate, in which the row has this number; SIZE_MAX: it is not in it. Returns 0 or
 * -ENOMEM. */
int compared_row_add_like(struct compared_row *row, const struct block *sum, size_t index);
/* Returns the blocks by which the row is judged: alone, or with its replicates. */
const struct judged_blocks *compared_row_blocks(const struct compared_row *row, bool of_replicates);
/* Returns of which replicate these blocks are. */
size_t compared_row_own(const struct compared_row *row, const struct compared_phase *compared);
void compared_row_drop_samples(struct compared_row *row); /* blocks and sums */
/* Adds a row of the same phase to the sum of several: counts, the judged figures, the lateness, of blocks the
 * active time and the largest sample, and the replicates. Returns 0 or -ENOMEM; compared_row_finish() accepts
 * what is left.
 */
int compared_row_add(struct compared_row *sum, const struct compared_row *row);
void compared_row_finish(struct compared_row *row);
/* Adds the facts of the machine, with the names and values that a JSON summary has. Returns 0 or -ENOMEM. */
int compared_phase_add_machine(struct compared_phase *compared, const struct machine *machine);
/* Copies both, cleaned for a terminal (text.h). Returns 0 or -ENOMEM. */
int compared_phase_add_fact(struct compared_phase *compared, const char *name, const char *value);
/* Makes a phase that was read once for each of several figures use the blocks of response and served of the
 * first one, which must outlive it. */
void compared_phase_share(struct compared_phase *compared, const struct compared_phase *first);
/* Returns which of its replicates has the blocks that judge them all, whichever was named: the newest one
 * that is at least half, and at most twice, as long as most of them. */
size_t compared_phase_judging(const struct compared_phase *compared);
const char *compared_phase_fact(
	const struct compared_phase *compared, const char *name); /* "" if there is none */
void compared_phase_finish(struct compared_phase *compared);

int compared_row_add_member(struct compared_row *row, struct member_condition member); /* 0 or -ENOMEM */

/* --- replicates: what the rows did in them, also where a ring was opened anew in between, and so has another
 * number --- */

/* Adds a replicate, in the order of time. The phase itself is one of them. The caller adds what the rows did
 * in it. */
void compared_phase_add_replicate(struct compared_phase *compared, uint32_t number, uint64_t length_ns,
	const struct blame_sums *blames);

/* Describes rows as they were in a replicate, which are not owned: the names are those of @rows, which must
 * outlive it. Their active times are the caller's to set, and that those with slots are not absent. Returns 0
 * or -ENOMEM; replicate_finish() accepts what is left. */
int replicate_describe(struct compared_phase *replicate, const struct compared_phase *rows, uint64_t start_ns,
	uint64_t end_ns);
/* Sets for each row of @compared the index of its row in the replicate, or SIZE_MAX. Returns 0 or -ENOMEM. */
int replicate_pair(
	const struct compared_phase *compared, const struct compared_phase *replicate, size_t *partners);
void replicate_finish(struct compared_phase *replicate);

/* The same of a phase of a session. @rows: describes all rings. Sets for each row of @compared the number of
 * its row in the replicate, or SIZE_MAX. Returns 0 or -ENOMEM. */
int replicate_find_rows(const struct compared_phase *compared, const struct compared_phase *rows,
	uint64_t start_ns, uint64_t end_ns, const struct block *sum, size_t *numbers);
