/* SPDX-License-Identifier: GPL-2.0-or-later */
/* block.c - packed rows of all rings and groups, of one tick or of several in a row. */
#include "src/model/block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* What an allocation takes beside its bytes: its header, and the rest of its last 16 bytes. */
enum { ALLOCATION_BYTES = 24 };

int block_init(struct block *block, size_t rows_max, uint64_t start_ns, uint64_t end_ns)
{
	*block = (struct block){.n_ticks = 1, .start_ns = start_ns, .end_ns = end_ns};
	block->ends = malloc(sizeof(*block->ends) + rows_max * sizeof(*block->ends->at));
	if (!block->ends)
		return -ENOMEM;
	atomic_init(&block->ends->n_owners, 1);
	return 0;
}

int block_add_row(struct block *block, const struct row_sums *sums)
{
	packed_row_encode(&block->bytes, sums);
	block->ends->at[block->n_rows++] = (uint32_t)block->bytes.n;
	return block->bytes.failed ? -ENOMEM : 0;
}

void block_finish(struct block *block)
{
	/* Acquire and release: all owners have read the rows before the last one frees them. */
	if (block->ends && atomic_fetch_sub_explicit(&block->ends->n_owners, 1, memory_order_acq_rel) == 1) {
		free(block->ends);
		bytes_finish(&block->bytes);
	}
	*block = (struct block){0};
}

void block_replace(struct block *block, struct block *by)
{
	block_finish(block);
	*block = *by;
	*by = (struct block){0};
}

struct block block_share(const struct block *block)
{
	if (block->ends)
		atomic_fetch_add_explicit(&block->ends->n_owners, 1, memory_order_relaxed);
	return *block;
}

size_t block_bytes(const struct block *block)
{
	return block->bytes.room + sizeof(*block->ends) + block->n_rows * sizeof(*block->ends->at) +
	       2 * ALLOCATION_BYTES;
}

/* Most readers read row after row, each from all blocks. So the next row is prefetched. */
static struct scan row_and_next(const struct block *block, size_t row)
{
	struct scan found = block_row(block, row);

	for (int line = 0; line < 4 && found.at; line++)
		__builtin_prefetch(found.end + 64 * line);
	return found;
}

static const struct block *nth_block(const struct block_list *list, size_t i)
{
	return i == 0 ? &list->first : &list->rest[i - 1];
}

int block_list_add_figure(const struct block_list *list, size_t row, enum figure figure, struct hist *hist)
{
	int r = 0;

	for (size_t i = 0; i <= list->n_rest && r == 0; i++)
		r = packed_row_add_figure(row_and_next(nth_block(list, i), row), figure, hist);
	return r;
}

void block_list_add_counts(const struct block_list *list, size_t row, struct tick_counts *counts)
{
	for (size_t i = 0; i <= list->n_rest; i++)
		packed_row_add_counts(block_row(nth_block(list, i), row), counts);
}

int block_list_sum_row(const struct block_list *list, size_t row, struct row_sums *sums)
{
	int r = 0;

	row_sums_reset(sums);
	for (size_t i = 0; i <= list->n_rest && r == 0; i++)
		r = row_sums_add(sums, block_row(nth_block(list, i), row));
	return r;
}

int block_list_sum(const struct block_list *list, struct block *block, struct row_sums *sums)
{
	const struct block *oldest = list->first.n_ticks ? &list->first : &list->rest[0];
	const struct block *newest = &list->rest[list->n_rest - 1];
	int r = block_init(block, newest->n_rows, oldest->start_ns, newest->end_ns);

	block->n_ticks = 0;
	for (size_t i = 0; i <= list->n_rest; i++)
		block->n_ticks += nth_block(list, i)->n_ticks;
	for (size_t row = 0; row < newest->n_rows && r == 0; row++) {
		r = block_list_sum_row(list, row, sums);
		if (r == 0)
			r = block_add_row(block, sums);
	}
	bytes_fit(&block->bytes);
	if (r < 0)
		block_finish(block);
	return r;
}
