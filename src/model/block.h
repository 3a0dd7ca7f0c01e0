/* SPDX-License-Identifier: GPL-2.0-or-later */
/* block.h - packed rows of rings and groups, of one tick or of several in a row. Pure.
 *
 * The number of a ring's row is the ring's id, that of a group's GROUP_ROW and more: so no row gets another
 * number when rings come and go. A block has the rows of the rings that there were in its ticks. */
#pragma once

#include <stdatomic.h>

#include "src/model/packed_row.h"

#define GROUP_ROW ((size_t)1 << 31)

/* Each row of a block. */
struct block_ends {
	atomic_uint n_owners; /* of it and of the bytes: blocks, which may be in several threads */
	struct block_end {
		uint32_t row; /* its number: the rings' ascending, then the groups' */
		uint32_t end; /* where it ends in the bytes */
	} at[];
};

/* Zeroed is empty, and of no tick. Blocks may share their rows, which don't change once all are added. */
struct block {
	uint32_t n_ticks;
	uint64_t start_ns, end_ns; /* CLOCK_MONOTONIC */
	size_t n_rows;
	struct block_ends *ends; /* owned, as the bytes */
	struct bytes bytes;
};

/* Begins a block of one tick and no rows. Returns 0 or -ENOMEM; block_finish() accepts what is left. */
int block_init(struct block *block, size_t rows_max, uint64_t start_ns, uint64_t end_ns);
int block_add_row(struct block *block, size_t row, const struct row_sums *sums); /* 0 or -ENOMEM */
/* Makes @with, a block with the rows of @block and one more. Returns 0, or -ENOMEM with an empty @with. */
int block_with_row(struct block *with, const struct block *block, size_t row, const struct row_sums *sums);
void block_finish(struct block *block);
/* Finishes @block and moves @by to its place. */
void block_replace(struct block *block, struct block *by);

struct block block_share(const struct block *block); /* returns a block with the same rows */

size_t block_bytes(const struct block *block); /* of memory */
/* Returns the index of a row among those of the block; n_rows: it has none. Rings that are there from the
 * start are at their ids. */
size_t block_search(const struct block *block, size_t row);
static inline size_t block_find(const struct block *block, size_t row)
{
	bool is_there = row < block->n_rows && block->ends->at[row].row == row;

	return is_there ? row : block_search(block, row);
}

/* Returns a packed row; an empty one if the block has no such row. */
static inline struct scan block_row(const struct block *block, size_t row)
{
	size_t i = block->bytes.n ? block_find(block, row) : block->n_rows;

	if (i >= block->n_rows)
		return (struct scan){0};
	return (struct scan){.at = block->bytes.data + (i ? block->ends->at[i - 1].end : 0),
		.end = block->bytes.data + block->ends->at[i].end};
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
/* The same of one figure, of the response with its served samples: the block has neither counts nor other
 * figures. */
int block_list_sum_figure(
	const struct block_list *list, enum figure figure, struct block *block, struct row_sums *sums);
