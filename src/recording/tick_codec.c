/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick_codec.c - a tick as bytes. */
#include "src/recording/tick_codec.h"

#include <errno.h>
#include <stdlib.h>

#include "src/figures/tick_fields.h"
#include "src/model/session.h"

int tick_codec_init(struct tick_codec *codec, const struct session *session)
{
	size_t n = session->n_rings;

	*codec = (struct tick_codec){.whole = true};
	for (size_t i = 0; i < n; i++)
		codec->n_members += session->rings[i].n_members;
	codec->checks = calloc(n + 1, sizeof(*codec->checks));
	codec->known = calloc(n + 1, sizeof(*codec->known));
	codec->rings = calloc(n + 1, sizeof(*codec->rings));
	codec->members = calloc(codec->n_members + 1, sizeof(*codec->members));
	codec->hops = calloc(codec->n_members + 1, sizeof(*codec->hops));
	/* Never none: a tick without cells points to where they would be. */
	codec->cells.cells = calloc(HIST_BUCKETS, sizeof(*codec->cells.cells));
	if (!codec->checks || !codec->known || !codec->rings || !codec->members || !codec->hops ||
		!codec->cells.cells)
		return -ENOMEM;
	codec->cells.capacity = HIST_BUCKETS;
	codec->n_rings = n;
	for (size_t i = 0, first = 0; i < n; first += session->rings[i++].n_members)
		codec->known[i] = (struct codec_ring){
			.ring = {.id = (uint32_t)i, .first_member = first, .first_hop = first},
			.members_max = session->rings[i].n_members};
	return 0;
}

void tick_codec_finish(struct tick_codec *codec)
{
	for (size_t i = 0; i < codec->n_rings; i++)
		free((char *)codec->known[i].ring.reason);
	free(codec->checks);
	free(codec->known);
	free(codec->rings);
	free(codec->members);
	free(codec->hops);
	free(codec->cells.cells);
	bytes_finish(&codec->state);
	hist_finish(&codec->hop);
	*codec = (struct tick_codec){0};
}

void tick_codec_restart(struct tick_codec *codec)
{
	codec->whole = true;
}

uint64_t tick_peek_end(struct scan scan)
{
	scan_uint(&scan); /* the length of its fields */
	scan_int(&scan);  /* when it began */
	return (uint64_t)scan_int(&scan);
}

static void state_encode(struct bytes *bytes, const struct tick_ring *ring, const struct tick *tick)
{
	fields_encode(bytes, tick_ring_fields, N_TICK_RING_FIELDS, ring);
	bytes_uint(bytes, ring->n_members);
	for (uint32_t m = 0; m < ring->n_members; m++)
		fields_encode(bytes, tick_member_fields, N_TICK_MEMBER_FIELDS,
			&tick->members[ring->first_member + m]);
	bytes_uint(bytes, ring->n_hops);
	for (uint32_t h = 0; h < ring->n_hops; h++)
		fields_encode(bytes, tick_hop_fields, N_TICK_HOP_FIELDS, &tick->hops[ring->first_hop + h]);
}

/* Nothing where all hops have none, as in pairs. */
static void hops_encode(
	struct tick_codec *codec, struct bytes *bytes, const struct tick_ring *ring, const struct tick *tick)
{
	const struct tick_hop *hops = ring->n_hops ? tick->hops + ring->first_hop : NULL;
	size_t begun = bytes_begin(bytes);
	bool any = false;

	for (uint32_t h = 0; h < ring->n_hops; h++)
		any |= hops[h].figure.n_cells || hops[h].figure.has_extremes;
	for (uint32_t h = 0; h < ring->n_hops && any; h++) {
		hist_reset(&codec->hop);
		bytes->failed |= tick_figure_add(&hops[h].figure, tick->cells, &codec->hop) < 0;
		packed_figure_encode(bytes, &codec->hop, hops[h].figure.last_ns);
	}
	bytes_end(bytes, begun);
}

static void part_encode(struct bytes *bytes, const void *data, size_t n)
{
	bytes_uint(bytes, n);
	bytes_add(bytes, data, n);
}

void tick_encode(
	struct tick_codec *codec, const struct tick *tick, const struct block *rows, struct bytes *bytes)
{
	uint32_t expected = 0;

	fields_encode(bytes, tick_fields, N_TICK_FIELDS, tick);
	bytes_uint(bytes, tick->n_rings);
	for (size_t i = 0; i < tick->n_rings; i++) {
		const struct tick_ring *ring = &tick->rings[i];
		struct scan row = block_row(rows, ring->id);

		codec->state.n = 0;
		state_encode(&codec->state, ring, tick);
		uint64_t check = bytes_check(codec->state.data, codec->state.n);
		bool is_new = codec->whole || check != codec->checks[ring->id];

		codec->checks[ring->id] = check;
		bytes_uint(bytes, ring->id - expected);
		part_encode(bytes, codec->state.data, is_new ? codec->state.n : 0);
		part_encode(bytes, row.at, (size_t)(row.end - row.at));
		hops_encode(codec, bytes, ring, tick);
		expected = ring->id + 1;
	}
	bytes->failed |= codec->state.failed;
	codec->whole = false;
}

/* --- decoding --- */

static int state_decode(struct tick_codec *codec, struct codec_ring *known, struct scan *scan)
{
	struct tick_ring *ring = &known->ring;

	free((char *)ring->reason);
	fields_decode(scan, tick_ring_fields, N_TICK_RING_FIELDS, ring);
	ring->n_members = (uint32_t)scan_below(scan, (uint64_t)known->members_max + 1);
	for (uint32_t m = 0; m < ring->n_members; m++)
		fields_decode(scan, tick_member_fields, N_TICK_MEMBER_FIELDS,
			&codec->members[ring->first_member + m]);
	ring->n_hops = (uint32_t)scan_below(scan, (uint64_t)known->members_max + 1);
	for (uint32_t h = 0; h < ring->n_hops; h++)
		fields_decode(scan, tick_hop_fields, N_TICK_HOP_FIELDS, &codec->hops[ring->first_hop + h]);
	return scan->bad ? -EINVAL : 0;
}

static int figure_decode(struct tick_codec *codec, struct scan *scan, struct tick_figure *figure)
{
	struct cells *cells = &codec->cells;

	if (cells->capacity - cells->n < HIST_BUCKETS) {
		size_t capacity = 2 * (cells->n + HIST_BUCKETS);
		struct hist_cell *grown = realloc(cells->cells, capacity * sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		cells->cells = grown;
		cells->capacity = capacity;
	}
	int r = packed_figure_decode(scan, figure, cells->cells + cells->n);

	figure->first_cell = cells->n;
	cells->n += figure->n_cells;
	return r;
}

static int row_decode(struct tick_codec *codec, struct scan *row, struct tick_ring *ring)
{
	int r = 0;

	if (row->at < row->end)
		fields_decode(row, tick_count_fields, N_TICK_COUNTS, &ring->counts);
	for (int f = 0; f < N_FIGURES && row->at < row->end && r == 0; f++)
		r = figure_decode(codec, row, &ring->figures[f]);
	return r == 0 && row->bad ? -EINVAL : r;
}

static int hops_decode(struct tick_codec *codec, struct scan *scan, const struct tick_ring *ring)
{
	int r = 0;

	for (uint32_t h = 0; h < ring->n_hops && r == 0; h++) {
		struct tick_hop *hop = &codec->hops[ring->first_hop + h];

		hop->figure = (struct tick_figure){0};
		if (scan->at < scan->end)
			r = figure_decode(codec, scan, &hop->figure);
	}
	return r;
}

static int ring_decode(struct tick_codec *codec, struct scan *scan, uint64_t id, struct tick_ring *ring)
{
	struct codec_ring *known = &codec->known[id];
	struct scan state = scan_part(scan), row = scan_part(scan), hops = scan_part(scan);
	int r = state.at < state.end ? state_decode(codec, known, &state) : 0;

	*ring = known->ring;
	if (r == 0)
		r = row_decode(codec, &row, ring);
	return r == 0 ? hops_decode(codec, &hops, ring) : r;
}

int tick_decode(struct tick_codec *codec, struct scan *scan, struct tick *tick)
{
	uint64_t id = 0;
	int r = 0;

	*tick = (struct tick){0};
	codec->cells.n = 0;
	fields_decode(scan, tick_fields, N_TICK_FIELDS, tick);
	tick->n_rings = scan_below(scan, codec->n_rings + 1);
	for (size_t i = 0; i < tick->n_rings && r == 0; i++, id++) {
		id += scan_below(scan, codec->n_rings);
		r = scan->bad || id >= codec->n_rings ? -EINVAL
						      : ring_decode(codec, scan, id, &codec->rings[i]);
	}
	tick->rings = codec->rings;
	tick->members = codec->members;
	tick->n_members = codec->n_members;
	tick->hops = codec->hops;
	tick->n_hops = codec->n_members;
	tick->cells = codec->cells.cells;
	tick->n_cells = codec->cells.n;
	return r == 0 && scan->bad ? -EINVAL : r;
}
