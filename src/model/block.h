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
/* Finishes @block and moves @by to its place. */
void block_replace(struct block *block, struct block *by);

/* Copies a block to an empty one. Returns 0, or -ENOMEM with @copy empty. */
int block_copy(struct block *copy, const struct block *block);

size_t block_bytes(const struct block *block); /* of memory */
/* Returns a packed row; an empty one if the block has no such row. */
static inline struct scan block_row(const struct block *block, size_t row)
{
	if (row >= block->n_rows || !block->bytes.n)
		return (struct scan){0};
	return (struct scan){.at = block->bytes.data + (row ? block->ends[row - 1] : 0),
		.end = block->bytes.data + block->ends[row]};
}

/* Blocks that follow one another. Others own their memory. */
struct block_list {
	struct block first; /* may be empty */
	const struct block *rest;
	size_t n_rest;
};

/* Add a row of all blocks. Return 0 or -ENOMEM. */
int block_list_add_figure(const struct block_list *list, size_t row, enum figure figure, struct hist *hist);
void block_list_add_counts(const struct block_list *list, size_t row, struct tick_counts *counts);
/* Replaces @sums by the sum of a row. Returns 0 or -ENOMEM. */
int block_list_sum_row(const struct block_list *list, size_t row, struct row_sums *sums);
/* Makes a block that is the sum of all blocks, of which @list has one besides the first. @sums is working
 * memory. Returns 0, or -ENOMEM with an empty @block. */
int block_list_sum(const struct block_list *list, struct block *block, struct row_sums *sums);
