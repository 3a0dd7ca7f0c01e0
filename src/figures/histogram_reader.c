/* SPDX-License-Identifier: GPL-2.0-or-later */
/* histogram_reader.c - reads the samples of a live histogram since the last read. */
#include "src/figures/histogram_reader.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOAD(word) atomic_load_explicit(&(word), memory_order_relaxed)
#define WRAP (UINT64_C(1) << 32) /* what the count of a bucket lacks once it has wrapped */

int cells_reserve(struct cells *cells)
{
	size_t capacity = 2 * (cells->n + HIST_CELLS_MAX);

	if (cells->capacity - cells->n >= HIST_CELLS_MAX)
		return 0;
	struct hist_cell *grown = realloc(cells->cells, capacity * sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	cells->cells = grown;
	cells->capacity = capacity;
	return 0;
}

/* There is room for the cells. */
static int update_octave(
	struct histogram_reader *reader, const struct hist_live *live, unsigned octave, struct cells *cells)
{
	uint32_t *known = reader->bucket[octave];

	if (!known)
		known = reader->bucket[octave] = calloc(HIST_OCTAVE, sizeof(*known));
	if (!known)
		return -ENOMEM;
	for (unsigned i = 0; i < HIST_OCTAVE; i++) {
		unsigned bucket = octave * HIST_OCTAVE + i;
		uint32_t now = LOAD(live->bucket[bucket]);

		if (now != known[i])
			cells->cells[cells->n++] = (struct hist_cell){bucket, now - known[i]};
		known[i] = now;
	}
	return 0;
}

/* Acquire: pairs with the release stores in hist.c; a new word comes with the epoch's 0, and a maximum
 * with its time. */
static struct histogram_extremes read_extremes(const struct hist_extremes *extremes)
{
	struct histogram_extremes now;

	now.epoch = atomic_load_explicit(&extremes->epoch, memory_order_acquire);
	now.min_ns = atomic_load_explicit(&extremes->min_ns, memory_order_acquire);
	now.max_ns = atomic_load_explicit(&extremes->max_ns, memory_order_acquire);
	now.max_at_ns = atomic_load_explicit(&extremes->max_at_ns, memory_order_acquire);
	return now;
}

/* A writer that was delayed after reading its epoch writes late into its extremes: so both are read each
 * time, and a change in either belongs to this update. */
static void update_extremes(struct histogram_reader *reader, const struct hist_live *live)
{
	for (unsigned i = 0; i < 2; i++) {
		const struct hist_extremes *extremes = &live->extremes[i];
		struct histogram_extremes now = read_extremes(extremes);
		struct histogram_extremes *known = &reader->extremes[i];

		/* What is being written is read next time. */
		if (!now.epoch || now.epoch != LOAD(extremes->epoch) ||
			(now.epoch == known->epoch && now.max_ns == known->max_ns &&
				now.min_ns == known->min_ns))
			continue;
		*known = now;
		tick_figure_extend(&reader->change, now.min_ns, now.max_ns, now.max_at_ns);
	}
}

/* There is room for the cell, and cells are in the order of their buckets. */
static void add_to_cell(struct cells *cells, size_t first, struct hist_cell cell)
{
	size_t i = first;

	while (i < cells->n && cells->cells[i].bucket < cell.bucket)
		i++;
	if (i < cells->n && cells->cells[i].bucket == cell.bucket) {
		cells->cells[i].count += cell.count;
		return;
	}
	memmove(&cells->cells[i + 1], &cells->cells[i], (cells->n++ - i) * sizeof(cell));
	cells->cells[i] = cell;
}

static unsigned find_fullest(const struct cells *cells, size_t first)
{
	size_t fullest = first;

	for (size_t i = first; i < cells->n; i++)
		if (cells->cells[i].count > cells->cells[fullest].count)
			fullest = i;
	return cells->cells[fullest].bucket;
}

/* Returns how many of the samples that the writer had counted the cells so far lack. */
static uint64_t count_lacking(const struct histogram_reader *reader, uint64_t counted)
{
	return counted > reader->n ? counted - reader->n : 0;
}

/* Counts of buckets lack 2^32 samples for each time that one of them has wrapped since the last read. Which
 * ones did is not known: most likely the one that had the most samples before. */
static void add_wrapped(struct histogram_reader *reader, uint64_t counted, struct cells *cells)
{
	size_t first = reader->change.first_cell;
	bool is_first = !reader->n;

	for (size_t i = first; i < cells->n; i++)
		reader->n += cells->cells[i].count;
	/* Rounded, as the buckets may be a little older, or newer. */
	uint64_t n = (count_lacking(reader, counted) + WRAP / 2) / WRAP * WRAP;

	if (cells->n > first && (!n || is_first))
		reader->fullest = find_fullest(cells, first);
	if (!n)
		return;
	add_to_cell(cells, first, (struct hist_cell){reader->fullest, n});
	reader->n += n;
}

int histogram_reader_update(
	struct histogram_reader *reader, const struct hist_live *live, struct cells *cells)
{
	struct tick_figure *change = &reader->change;

	*change = (struct tick_figure){.first_cell = cells->n};
	if (cells_reserve(cells) < 0)
		return -ENOMEM;
	/* Before all buckets, however long this thread is stopped between them: they may then have more.
	 * Relaxed: some of these samples may be in no bucket yet. */
	uint64_t counted = LOAD(live->n);
	bool may_have_wrapped = count_lacking(reader, counted) >= WRAP / 2;

	for (unsigned o = 0; o < HIST_OCTAVES; o++) {
		/* Acquire: pairs with the release store in hist.c; buckets are at least as new. */
		uint32_t octave = atomic_load_explicit(&live->octave[o], memory_order_acquire);
		bool is_same = octave == reader->octave[o] && !may_have_wrapped;
		int r = is_same ? 0 : update_octave(reader, live, o, cells);

		if (r < 0)
			return r;
		reader->octave[o] = octave;
	}
	add_wrapped(reader, counted, cells);
	/* Acquire: pairs with the release store in hist_record_untimed(); the sum is at least as new. */
	uint64_t untimed = atomic_load_explicit(&live->untimed, memory_order_acquire);

	if (untimed != reader->untimed)
		cells->cells[cells->n++] = (struct hist_cell){HIST_UNTIMED, untimed - reader->untimed};
	reader->untimed = untimed;
	change->n_cells = cells->n - change->first_cell;
	update_extremes(reader, live);
	uint64_t sum_ns = LOAD(live->sum_ns);

	change->sum_ns = sum_ns - reader->sum_ns;
	change->last_ns = LOAD(live->last_ns);
	reader->sum_ns = sum_ns;
	return 0;
}

void histogram_reader_finish(struct histogram_reader *reader)
{
	for (unsigned o = 0; o < HIST_OCTAVES; o++)
		free(reader->bucket[o]);
	*reader = (struct histogram_reader){0};
}
