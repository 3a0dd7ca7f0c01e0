/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compared_replicates.h - the replicates of a phase that is compared: what its rows did in them, also where a
 * ring was opened anew in between, and so has another number. Pure. */
#pragma once

#include "src/model/compared_phase.h"

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
