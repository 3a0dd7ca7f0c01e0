/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fact_files.h - the files of a fact that can be written: their values, and those that they take. */
#pragma once

#include "src/base/error_text.h"
#include "src/machine/cpus.h"
#include "src/machine/machine.h"

/* Writes the values that a fact's file takes, with blanks between them: "always madvise never"; "" where they
 * are too many, or not known. */
enum { FACT_CHOICES_SIZE = 512 };
void fact_choices(const struct machine_fact *fact, char words[FACT_CHOICES_SIZE]);

/* Lists them. @numbers: of rows, those that are meant, such as CPUs or interrupts; NULL: all. @members: the
 * tids of a fact that each member has. Files that can't be read are left out where the fact has several. A
 * file that several CPUs share is listed once, by the path behind its links. Returns 0, or a negative errno
 * with a sentence: there is none, or no right to read it. The caller frees the list by setting_files_free().
 */
int fact_files_list(struct setting_file **files, size_t *n, const struct machine_fact *fact,
	const struct cpus *numbers, const unsigned *members, size_t n_members, struct error_text *reason);
