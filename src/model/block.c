/* SPDX-License-Identifier: GPL-2.0-or-later */
/* block.c - packed rows of rings and groups, of one tick or of several in a row. */
#include "src/model/block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/base/sorted.h"

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

int block_add_row(struct block *block, size_t row, const struct row_sums *sums)
{
	packed_row_encode(&block->bytes, sums);
	block->ends->at[block->n_rows++] =
		(struct block_end){.row = (uint32_t)row, .end = (uint32_t)block->bytes.n};
	return block->bytes.failed ? -ENOMEM : 0;
}

int block_with_row(struct block *with, const struct block *block, size_t row, const struct row_sums *sums)
{
	int r = block_init(with, block->n_rows + 1, block->start_ns, block->end_ns);

	if (r < 0)
		return r;
	with->n_ticks = block->n_ticks;
	with->n_rows = block->n_rows;
	if (block->n_rows)
		memcpy(with->ends->at, block->ends->at, block->n_rows * sizeof(*block->ends->at));
	bytes_add(&with->bytes, block->bytes.data, block->bytes.n);
	r = block_add_row(with, row, sums);
	bytes_fit(&with->bytes);
	if (r < 0)
		block_finish(with);
	return r;
}

size_t block_search(const struct block *block, size_t row)
{
	const struct block_end *at = block->n_rows ? block->ends->at : NULL;
	size_t high = block->n_rows;

	/* The groups, of which there are few. */
	while (high > 0 && at[high - 1].row >= GROUP_ROW)
		if (at[--high].row == row)
			return high;
	size_t found = SORTED_INDEX(at, high, struct block_end, row, row);

	return found < block->n_rows && at[found].row == row ? found : block->n_rows;
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

/* The blocks are in no cache: first where the row is, in all of them at once, then the row. */
static void prefetch_row(const struct block_list *list, size_t row)
{
	for (size_t i = 0; i <= list->n_rest; i++)
		if (row < nth_block(list, i)->n_rows)
			__builtin_prefetch(&nth_block(list, i)->ends->at[row]);
	for (size_t i = 0; i <= list->n_rest; i++)
		__builtin_prefetch(block_row(nth_block(list, i), row).at);
}

int block_list_add_figure(const struct block_list *list, size_t row, enum figure figure, struct hist *hist)
{
	int r = 0;

	prefetch_row(list, row);
	for (size_t i = 0; i <= list->n_rest && r == 0; i++)
		r = packed_row_add_figure(row_and_next(nth_block(list, i), row), figure, hist);
	return r;
}

void block_list_add_counts(const struct block_list *list, size_t row, struct tick_counts *counts)
{
	prefetch_row(list, row);
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

static bool has_rows_of(const struct block *block, const struct block *other)
{
	for (size_t i = 0; block->n_rows == other->n_rows && i < block->n_rows; i++)
		if (block->ends->at[i].row != other->ends->at[i].row)
			return false;
	return block->n_rows == other->n_rows;
}

/* The numbers of all rows that any of the blocks has. The caller frees them. */
static int find_rows(const struct block_list *list, uint32_t **rows, size_t *n_rows)
{
	const struct block *newest = &list->rest[list->n_rest - 1];
	size_t n = 0, room = 1;

	for (size_t i = 0; i <= list->n_rest; i++)
		room += nth_block(list, i)->n_rows;
	*rows = malloc(room * sizeof(**rows));
	if (!*rows)
		return -ENOMEM;
	for (size_t i = 0; i <= list->n_rest; i++) {
		const struct block *block = nth_block(list, i);

		for (size_t k = 0; (block == newest || !has_rows_of(block, newest)) && k < block->n_rows; k++)
			(*rows)[n++] = block->ends->at[k].row;
	}
	if (n > newest->n_rows)
		sort_uints(*rows, n);
	*n_rows = 0;
	for (size_t i = 0; i < n; i++)
		if (!*n_rows || (*rows)[*n_rows - 1] != (*rows)[i])
			(*rows)[(*n_rows)++] = (*rows)[i];
	return 0;
}

/* Makes a block of what @sum_row sums of each row. */
static int sum_rows(const struct block_list *list, struct block *block, struct row_sums *sums,
	int (*sum_row)(const struct block_list *list, size_t row, enum figure figure, struct row_sums *sums),
	enum figure figure)
{
	const struct block *oldest = list->first.n_ticks ? &list->first : &list->rest[0];
	const struct block *newest = &list->rest[list->n_rest - 1];
	uint32_t *rows;
	size_t n_rows;
	int r = find_rows(list, &rows, &n_rows);

	*block = (struct block){0};
	if (r < 0)
		return r;
	r = block_init(block, n_rows, oldest->start_ns, newest->end_ns);
	block->n_ticks = 0;
	for (size_t i = 0; i <= list->n_rest; i++)
		block->n_ticks += nth_block(list, i)->n_ticks;
	for (size_t i = 0; i < n_rows && r == 0; i++) {
		r = sum_row(list, rows[i], figure, sums);
		if (r == 0)
			r = block_add_row(block, rows[i], sums);
	}
	free(rows);
	bytes_fit(&block->bytes);
	if (r < 0)
		block_finish(block);
	return r;
}

static int sum_all_figures(
	const struct block_list *list, size_t row, enum figure figure, struct row_sums *sums)
{
	return block_list_sum_row(list, row, sums);
}

static int sum_one_figure(
	const struct block_list *list, size_t row, enum figure figure, struct row_sums *sums)
{
	row_sums_reset(sums);
	int r = block_list_add_figure(list, row, figure, &sums->hists[figure]);

	if (r == 0 && figure == FIGURE_RESPONSE) /* whose Min is that of the samples that were served */
		r = block_list_add_figure(list, row, FIGURE_SERVED, &sums->hists[FIGURE_SERVED]);
	return r;
}

int block_list_sum(const struct block_list *list, struct block *block, struct row_sums *sums)
{
	return sum_rows(list, block, sums, sum_all_figures, FIGURE_FIRST);
}

int block_list_sum_figure(
	const struct block_list *list, enum figure figure, struct block *block, struct row_sums *sums)
{
	return sum_rows(list, block, sums, sum_one_figure, figure);
}
