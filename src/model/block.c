/* SPDX-License-Identifier: GPL-2.0-or-later */
/* block.c - packed rows of all rings and groups, of one tick or of several in a row. */
#include "src/model/block.h"

#include <errno.h>
#include <stdlib.h>

int block_init(struct block *block, size_t rows_max, uint64_t start_ns, uint64_t end_ns)
{
	*block = (struct block){.n_ticks = 1, .start_ns = start_ns, .end_ns = end_ns};
	block->ends = calloc(rows_max, sizeof(*block->ends));
	return block->ends ? 0 : -ENOMEM;
}

int block_add_row(struct block *block, const struct row_sums *sums)
{
	packed_row_encode(&block->bytes, sums);
	block->ends[block->n_rows++] = (uint32_t)block->bytes.n;
	return block->bytes.failed ? -ENOMEM : 0;
}

void block_finish(struct block *block)
{
	free(block->ends);
	bytes_finish(&block->bytes);
	*block = (struct block){0};
}

size_t block_bytes(const struct block *block)
{
	return block->bytes.room + block->n_rows * sizeof(*block->ends);
}

int block_merge(struct block *sum, const struct block *first, const struct block *more, size_t n,
	struct row_sums *sums)
{
	size_t n_rows = more[0].n_rows;
	int r = block_init(
		sum, n_rows, first->n_ticks ? first->start_ns : more[0].start_ns, more[n - 1].end_ns);

	sum->n_ticks = first->n_ticks;
	for (size_t i = 0; i < n; i++)
		sum->n_ticks += more[i].n_ticks;
	for (size_t row = 0; row < n_rows && r == 0; row++) {
		row_sums_reset(sums);
		r = row_sums_add(sums, block_row(first, row));
		for (size_t i = 0; i < n && r == 0; i++)
			r = row_sums_add(sums, block_row(&more[i], row));
		if (r == 0)
			r = block_add_row(sum, sums);
	}
	bytes_fit(&sum->bytes);
	if (r < 0)
		block_finish(sum);
	return r;
}

void block_replace(struct block *block, struct block *by)
{
	block_finish(block);
	*block = *by;
	*by = (struct block){0};
}
