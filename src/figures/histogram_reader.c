/* SPDX-License-Identifier: GPL-2.0-or-later */
/* histogram_reader.c - reads the samples of a live histogram since the last read. */
#include "src/figures/histogram_reader.h"

#include <errno.h>
#include <stdlib.h>

#define LOAD(word) atomic_load_explicit(&(word), memory_order_relaxed)

int cells_reserve(struct cells *cells, size_t n)
{
	size_t capacity = 2 * (cells->n + n);

	if (cells->capacity - cells->n >= n)
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

int histogram_reader_update(
	struct histogram_reader *reader, const struct hist_live *live, struct cells *cells)
{
	struct tick_figure *change = &reader->change;

	*change = (struct tick_figure){.first_cell = cells->n};
	if (cells_reserve(cells, HIST_CELLS_MAX) < 0)
		return -ENOMEM;
	for (unsigned o = 0; o < HIST_OCTAVES; o++) {
		/* Acquire: pairs with the release store in hist.c; buckets are at least as new. */
		uint32_t octave = atomic_load_explicit(&live->octave[o], memory_order_acquire);
		int r = octave == reader->octave[o] ? 0 : update_octave(reader, live, o, cells);

		if (r < 0)
			return r;
		reader->octave[o] = octave;
	}
	/* Acquire: pairs with the release store in hist_record_untimed(); the sum is at least as new. */
	uint32_t untimed = atomic_load_explicit(&live->untimed, memory_order_acquire);

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
