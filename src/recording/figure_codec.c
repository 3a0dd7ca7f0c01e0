/* SPDX-License-Identifier: GPL-2.0-or-later */
/* figure_codec.c - the figures of a tick as bytes: those of rings whole, and of what hops share with them the
 * parts. */
#include "src/recording/figure_codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum figure_flag { FIGURE_EXTREMES = 1, FIGURE_CELLS = 2, FIGURE_CELLS_OF_RESPONSE = 4 };

bool figure_has_news(const struct tick_figure *figure, uint64_t last_ns)
{
	return figure->n_cells || figure->sum_ns || figure->has_extremes || figure->last_ns != last_ns;
}

void extremes_encode(struct bytes *bytes, const struct tick *tick, const struct tick_figure *figure)
{
	bytes_uint(bytes, figure->min_ns);
	bytes_uint(bytes, figure->max_ns - figure->min_ns);
	bytes_int(bytes, (int64_t)(figure->max_at_ns - tick->start_ns));
}

void extremes_decode(struct scan *scan, const struct tick *tick, struct tick_figure *figure)
{
	figure->has_extremes = true;
	figure->min_ns = scan_uint(scan);
	figure->max_ns = figure->min_ns + scan_uint(scan);
	figure->max_at_ns = tick->start_ns + (uint64_t)scan_int(scan);
}

void cells_encode(struct bytes *bytes, const struct tick *tick, const struct tick_figure *figure)
{
	uint32_t before = 0;

	bytes_uint(bytes, figure->n_cells);
	for (size_t i = figure->first_cell; i < figure->first_cell + figure->n_cells; i++) {
		bytes_int(bytes, (int64_t)tick->cells[i].bucket - before);
		bytes_uint(bytes, tick->cells[i].count);
		before = tick->cells[i].bucket;
	}
}

int cells_decode(struct tick_codec *codec, struct scan *scan, struct tick_figure *figure)
{
	/* Each takes two bytes at least: what is claimed can't be more than is there. */
	size_t n = scan_below(scan, (size_t)(scan->end - scan->at) / 2 + 1);
	int64_t bucket = 0;

	if (n > codec->cells_room - codec->n_cells) {
		size_t room = 2 * (codec->n_cells + n);
		struct hist_cell *cells = realloc(codec->cells, room * sizeof(*cells));

		if (!cells)
			return -ENOMEM;
		codec->cells = cells;
		codec->cells_room = room;
	}
	figure->first_cell = codec->n_cells;
	figure->n_cells = n;
	for (size_t i = 0; i < n; i++) {
		int64_t step = scan_int(scan);

		scan->bad |= step < -HIST_BUCKETS || step > HIST_BUCKETS;
		bucket += scan->bad ? 0 : step;
		scan->bad |= bucket < 0 || bucket >= HIST_BUCKETS;
		codec->cells[codec->n_cells++] = (struct hist_cell){
			.bucket = (uint32_t)bucket, .count = (uint32_t)scan_below(scan, UINT64_C(1) << 32)};
		if (scan->bad)
			return -EINVAL;
	}
	return 0;
}

static bool same_cells(const struct tick *tick, const struct tick_figure *a, const struct tick_figure *b)
{
	return a->n_cells == b->n_cells && memcmp(tick->cells + a->first_cell, tick->cells + b->first_cell,
						   a->n_cells * sizeof(*tick->cells)) == 0;
}

static void figure_encode(
	struct bytes *bytes, const struct tick *tick, const struct tick_ring *ring, int which)
{
	const struct tick_figure *figure = &ring->figures[which], *response = &ring->figures[FIGURE_RESPONSE];
	unsigned flags = figure->has_extremes ? FIGURE_EXTREMES : 0;

	if (figure->n_cells)
		flags |= which == FIGURE_SERVED && same_cells(tick, figure, response)
				 ? FIGURE_CELLS_OF_RESPONSE
				 : FIGURE_CELLS;
	bytes_uint(bytes, flags);
	bytes_uint(bytes, figure->sum_ns);
	bytes_uint(bytes, figure->last_ns);
	if (flags & FIGURE_EXTREMES)
		extremes_encode(bytes, tick, figure);
	if (flags & FIGURE_CELLS)
		cells_encode(bytes, tick, figure);
}

unsigned figures_with_news(const struct codec_ring *known, const struct tick_ring *ring)
{
	unsigned mask = 0;

	for (int i = 0; i < N_FIGURES; i++)
		if (figure_has_news(&ring->figures[i], known->last_ns[i]))
			mask |= 1u << i;
	return mask;
}

void figures_encode(
	struct bytes *bytes, struct codec_ring *known, const struct tick_ring *ring, const struct tick *tick)
{
	unsigned mask = figures_with_news(known, ring);

	bytes_uint(bytes, mask);
	for (int i = 0; i < N_FIGURES; i++)
		if (mask & 1u << i) {
			figure_encode(bytes, tick, ring, i);
			known->last_ns[i] = ring->figures[i].last_ns;
		}
}

static int figure_decode(struct tick_codec *codec, struct scan *scan, const struct tick *tick,
	struct tick_ring *ring, int which)
{
	struct tick_figure *figure = &ring->figures[which];
	uint64_t flags = scan_uint(scan);

	figure->sum_ns = scan_uint(scan);
	figure->last_ns = scan_uint(scan);
	if (flags & FIGURE_EXTREMES)
		extremes_decode(scan, tick, figure);
	if (flags & FIGURE_CELLS_OF_RESPONSE) {
		figure->first_cell = ring->figures[FIGURE_RESPONSE].first_cell;
		figure->n_cells = ring->figures[FIGURE_RESPONSE].n_cells;
	}
	return flags & FIGURE_CELLS ? cells_decode(codec, scan, figure) : 0;
}

int figures_decode(struct tick_codec *codec, struct scan *scan, const struct tick *tick,
	struct codec_ring *known, struct tick_ring *ring, bool follow)
{
	uint64_t mask = follow ? scan_below(scan, 1u << N_FIGURES) : 0;

	for (int i = 0; i < N_FIGURES; i++) {
		ring->figures[i] = (struct tick_figure){.last_ns = known->last_ns[i]};
		int r = mask & 1u << i ? figure_decode(codec, scan, tick, ring, i) : 0;

		if (r < 0)
			return r;
		known->last_ns[i] = ring->figures[i].last_ns;
	}
	return 0;
}
