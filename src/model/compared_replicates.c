/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compared_replicates.c - what the rows of a phase did in its replicates. */
#include "src/model/compared_replicates.h"

#include <errno.h>
#include <stdlib.h>

#include "src/model/row_pairs.h"

void compared_phase_add_replicate(
	struct compared_phase *compared, uint32_t number, uint64_t length_ns, const struct blame_sums *blames)
{
	compared->like_lengths_ns[compared->n_like] = length_ns;
	compared->like[compared->n_like++] = number;
	compared->like_ns += length_ns;
	blame_sums_merge(&compared->like_blames, blames);
}

int replicate_describe(struct compared_phase *replicate, const struct compared_phase *rows, uint64_t start_ns,
	uint64_t end_ns)
{
	*replicate = (struct compared_phase){.rows = calloc(rows->n_rows + 1, sizeof(*replicate->rows))};
	if (!replicate->rows)
		return -ENOMEM;
	for (; replicate->n_rows < rows->n_rows; replicate->n_rows++) {
		const struct compared_row *row = &rows->rows[replicate->n_rows];
		struct compared_row *copy = &replicate->rows[replicate->n_rows];

		*copy = (struct compared_row){.row = row->row,
			.mechanism = row->mechanism,
			.label = row->label,
			.cpus = row->cpus,
			.size_bytes = row->size_bytes,
			.added_ns = row->added_ns,
			.ended_ns = row->ended_ns,
			.figures = row->figures};
		compared_row_find_life(copy, start_ns, end_ns);
	}
	return 0;
}

void replicate_finish(struct compared_phase *replicate)
{
	free(replicate->rows);
	*replicate = (struct compared_phase){0};
}

int replicate_pair(
	const struct compared_phase *compared, const struct compared_phase *replicate, size_t *partners)
{
	enum row_kind *kinds = calloc(compared->n_rows + replicate->n_rows + 1, sizeof(*kinds));

	if (!kinds)
		return -ENOMEM;
	row_pairs_find(replicate, compared, kinds + compared->n_rows, kinds, partners);
	free(kinds);
	return 0;
}

int replicate_find_rows(const struct compared_phase *compared, const struct compared_phase *rows,
	uint64_t start_ns, uint64_t end_ns, const struct block *sum, size_t *numbers)
{
	struct compared_phase replicate;
	int r = replicate_describe(&replicate, rows, start_ns, end_ns);

	if (r == 0) {
		compared_phase_find_active(&replicate, sum);
		r = replicate_pair(compared, &replicate, numbers);
	}
	for (size_t i = 0; i < compared->n_rows && r == 0; i++)
		if (numbers[i] < replicate.n_rows)
			numbers[i] = replicate.rows[numbers[i]].row;
	replicate_finish(&replicate);
	return r;
}
