/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison_lines.h - two phases of a session beside each other, as a screen shows them: plain data, with a
 * line for each row of the session. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/tally.h"
#include "src/model/comparison.h"
#include "src/model/comparison_words.h"
#include "src/model/phase_source.h"

struct session;

#define COMPARISON_FILE UINT32_MAX /* the number of the file's phase */

/* A phase of a file by each figure that can be shown, and the options of this run as facts, which it is
 * compared with. */
struct comparison_file {
	struct compared_phase phases[N_FIGURES_SHOWN]; /* owned */
	struct compared_phase own;                     /* owned */
};

/* The phase that others are compared with. Zeroed is none. */
struct baseline {
	struct comparison_file file; /* of --baseline */
	uint32_t number;             /* of the phase, COMPARISON_FILE, or 0: none */
};

enum { COMPARISON_FILTER_SIZE = 256 };

/* The input of a comparison; phases are named by their numbers. */
struct comparison_choice {
	uint32_t a, b;
	enum figure figure;
	uint64_t limit_ns;                   /* samples above it are counted; 0: none */
	const struct comparison_file *file;  /* NULL: none; A is of it if its number says so */
	char filter[COMPARISON_FILTER_SIZE]; /* of the rings, as typed */
};

bool comparison_choice_equal(const struct comparison_choice *x, const struct comparison_choice *y);

struct comparison_phase {
	uint32_t number, number_in_file; /* the second of COMPARISON_FILE alone */
	char name[PHASE_NAME_SIZE];      /* or the file's */
	uint64_t start_ns, length_ns;
	uint64_t active_ns, n; /* of its rings: the mean, and all samples */
	/* Of replicates, if there are several of each: length, time and samples are of them all. */
	uint32_t like[REPLICATES_MAX];
	size_t n_like;                  /* 0: it is compared alone */
	char policies[TALLY_TEXT_SIZE]; /* of the members: "32 FIFO:80, 4 OTHER"; "": not known */
};

/* Zeroed is empty. */
struct comparison_lines {
	struct comparison_choice choice;
	struct comparison_phase a, b;
	enum figure figure;        /* of all rows, or else the one of the choice */
	struct error_text refusal; /* why they can't be compared; "": they can */
	char *differences;         /* owned; see comparison_differences(); NULL: there is a refusal */
	char advice[COMPARISON_WORDS_SIZE], blame[COMPARISON_WORDS_SIZE];
	char alone[COMPARISON_WORDS_SIZE]; /* see comparison_alone() */
	struct comparison_line *lines;     /* owned; the session's rings, then its groups */
	size_t n_lines, n_rings;
	bool is_complete; /* all lines are ready, and there is a summary */
	/* Blocks with samples, of the ring that has the fewest and of the one that has the most. Rings
	 * without any are left out. */
	struct block_range {
		size_t least, most;
	} blocks_a, blocks_b;
	struct verdict_summary summary;
};

/* Returns the line of a row, or NULL. */
const struct comparison_line *comparison_lines_find(const struct comparison_lines *lines, size_t row);
/* Returns the line of the only ring that both phases have, or NULL. */
const struct comparison_line *comparison_only_line(const struct comparison_lines *lines);
/* Returns why a row has too few samples, and how much longer it takes; "": the headline says it, or no row
 * has too few. */
const char *comparison_few_text(const struct comparison_lines *lines);
/* Returns the line that the headline quotes: of the only ring, or if all have too few samples of one of them;
 * or NULL. */
const struct comparison_line *comparison_quoted_line(const struct comparison_lines *lines);
/* Copies, and uses the memory that @copy has. Returns 0 or -ENOMEM. */
int comparison_lines_copy(struct comparison_lines *copy, const struct comparison_lines *lines);
/* The same without the lines, and what is known when all of them are ready. */
int comparison_lines_copy_head(struct comparison_lines *copy, const struct comparison_lines *lines);
void comparison_file_finish(struct comparison_file *file);
void comparison_lines_finish(struct comparison_lines *lines);

/* A replicate of a phase of a session. */
struct replicate_sum {
	struct block sum; /* owned */
	uint64_t start_ns, end_ns;
	size_t *rows; /* owned; for each row of the phase its number in the replicate; SIZE_MAX: none */
};

/* Two phases of a session, copied, so that they can be compared without it. Zeroed is empty. */
struct comparison_snapshot {
	struct comparison_choice choice;
	struct phase a, b;                 /* owned */
	struct phase judging_a, judging_b; /* owned; the replicates that judge, if these are other phases */
	struct compared_phase described_a, described_b; /* owned */
	struct replicate_sum *like_a, *like_b;          /* owned; their replicates */
	uint32_t current;                               /* the number of the session's current phase */
	struct block *waiting; /* owned; ticks that the current phase has yet to add (phase.h) */
	size_t n_waiting;
	size_t *rows, n_rows; /* owned; the numbers of the session's rows */
	bool *is_in_group;    /* owned; of the first group each ring, then of the next */
	size_t *first;        /* owned; rows to be compared first */
	size_t n_first;
	bool *passes; /* owned; rings that are compared, by index; NULL: all */
};

/* Copies, without what takes long. Returns 0, -ENOENT if the session does not have both phases, or -ENOMEM;
 * comparison_snapshot_finish() accepts what is left. */
int comparison_snapshot_take(struct comparison_snapshot *snapshot, const struct session *session,
	const struct comparison_choice *choice);
/* Adds the ticks that waited, and what the phases were measured under, and reads the blocks that the session
 * does not have. @source and
 * its read may be NULL. Phases of which they are not kept stay without. Returns 0, -ENOMEM, or -ECANCELED
 * once @stop, which may be NULL, is true. */
int comparison_snapshot_read(
	struct comparison_snapshot *snapshot, const struct phase_source *source, const atomic_bool *stop);
void comparison_snapshot_finish(struct comparison_snapshot *snapshot);

/* The steps of a comparison. The first fills all but the lines; it returns 0 also for phases that can't be
 * compared, or -ENOMEM. The second does the line of one ring, in any order; the last one needs all of them,
 * does those of the groups, and returns -ECANCELED once @stop, which may be NULL, is true. */
int comparison_lines_begin(struct comparison_lines *lines, struct comparison *comparison,
	const struct comparison_snapshot *snapshot);
int comparison_lines_add(struct comparison_lines *lines, struct comparison *comparison,
	struct comparison_snapshot *snapshot, size_t row);
int comparison_lines_end(
	struct comparison_lines *lines, struct comparison *comparison, const atomic_bool *stop);

/* All steps. Returns 0, -ENOENT or -ENOMEM. @lines: empty. */
int comparison_lines_make(struct comparison_lines *lines, const struct session *session,
	const struct comparison_choice *choice, const struct phase_source *source);
