/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fact_rows.h - a fact that each CPU, or each interrupt, has for itself: "0-3:powersave 4:performance". */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "src/base/tally.h"
#include "src/machine/cpus.h"

/* The things that have one row each: CPUs or interrupts. */
struct fact_rows_kind {
	const char *folder, *prefix; /* each has a folder in it, named @prefix and its number */
	const char *one, *several;   /* "CPU", "CPUs" */
	const char *absent;          /* the text if there are none; NULL: none is as good as unknown */
	bool may_vanish;             /* one that is missing has lost its value; else it is not compared */
	bool has_cpu_lists;          /* values are lists of CPUs, and shown with that word */
	bool is_given;               /* the reader is given their numbers; having none is no value */
	bool is_brief;               /* shown without numbers if all have one value */
};

extern const struct fact_rows_kind fact_rows_of_cpus, fact_rows_of_irqs, fact_rows_of_fair_servers,
	fact_rows_of_members;

/* Is never changed once it has been read, so that phases and sessions share it. */
struct fact_rows {
	atomic_uint n_users;
	struct fact_row {
		unsigned first, last;
		char *value; /* owned; without blanks */
	} * rows;            /* owned; ascending */
	size_t n;            /* 0: the text is a word, such as "not readable" */
	bool is_cut;         /* an older ipctop did not write all of them */
	char *text;          /* owned; all rows */
};

/* Reads rows from a text, which need not come from ipctop: any other text is kept, without rows. Returns NULL
 * for "", and without memory. */
struct fact_rows *fact_rows_parse(const char *text);
/* Shares rows, which may be NULL. Each user calls fact_rows_release(). */
struct fact_rows *fact_rows_share(struct fact_rows *rows);
void fact_rows_release(struct fact_rows *rows);

/* Returns the text to be shown and reported, "" for NULL: "powersave" if all CPUs have it. */
const char *fact_rows_text(const struct fact_rows_kind *kind, const struct fact_rows *rows);
/* Returns the value that all have, "mixed", or "" for NULL. */
const char *fact_rows_summary(const struct fact_rows *rows);

struct fact_rows_change {
	struct tally_change counts; /* owned */
	char numbers[64];           /* of those that changed: "2-5,8"; "" if it would be too long */
	size_t numbers_length;
	struct cpus cpus; /* that lists of CPUs gained or lost */
};

/* Compares each CPU, or interrupt. Returns 0, -EINVAL if one of both has no rows, or -ENOMEM. The caller
 * calls tally_change_finish(). */
int fact_rows_compare(const struct fact_rows_kind *kind, const struct fact_rows *was,
	const struct fact_rows *is, struct fact_rows_change *change);

/* Reads a value from the folder of a CPU or an interrupt. Returns its length, or a negative errno. */
typedef ssize_t fact_row_reader(const char *folder, char *value, size_t size);

/* Reads rows over several calls, because each has files of its own. Zeroed is at the start. */
struct fact_reader {
	unsigned *numbers; /* owned */
	size_t n, next;
	struct fact_rows *rows; /* owned; so far */
	bool is_denied;
	const struct cpus *without; /* numbers that are not read; NULL: none */
	const unsigned *given;      /* ascending; if the kind wants them */
	size_t n_given;
};

/* Reads at most @n_max rows from @folder: the first line of @file in each, or what @read returns unless it is
 * NULL. When all rows are read, replaces *@rows, and the next call begins anew. */
void fact_reader_read(struct fact_reader *reader, const struct fact_rows_kind *kind, const char *folder,
	const char *file, fact_row_reader *read, size_t n_max, struct fact_rows **rows);
void fact_reader_finish(struct fact_reader *reader);
