/* SPDX-License-Identifier: GPL-2.0-or-later */
/* block.h - packed rows of all rings and groups, of one tick or of several in a row. Pure.
 */
#pragma once

#include "src/model/packed_row.h"

/* Zeroed is empty, and of no tick. */
struct block {
	uint32_t n_ticks;
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	size_t n_rows;
	uint32_t *ends;     /* owned; where each row ends in the bytes */
	struct bytes bytes; /* owned */
};

/* Begins a block of one tick and no rows. Returns 0 or -ENOMEM; block_finish() accepts what is left. */
int block_init(struct block *block, size_t rows_max, uint64_t start_ns, uint64_t end_ns);
int block_add_row(struct block *block, const struct row_sums *sums); /* 0 or -ENOMEM */
void block_finish(struct block *block);

/* Empty, too, for a row that the block has not. */
static inline struct scan block_row(const struct block *block, size_t row)
{
	if (row >= block->n_rows || !block->bytes.n)
		return (struct scan){0};
	return (struct scan){.at = block->bytes.data + (row ? block->ends[row - 1] : 0),
		.end = block->bytes.data + block->ends[row]};
}
size_t block_bytes(const struct block *block); /* that it takes */

/* Makes the sum of @first, which may be of no tick, and of @n blocks that follow it. Working memory is @sums.
 * Returns 0, or -ENOMEM with an empty @sum. */
int block_merge(struct block *sum, const struct block *first, const struct block *more, size_t n,
	struct row_sums *sums);
/* Takes @by in place of what @block was. */
void block_replace(struct block *block, struct block *by);
