/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick_codec.c - a tick as bytes. */
#include "src/recording/tick_codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sorted.h"
#include "src/model/session.h"

/* Makes room for one ring more. */
static int reserve(struct tick_codec *codec, size_t n_rings, size_t n_members)
{
	struct codec_ring *known = realloc(codec->known, (n_rings + 1) * sizeof(*known));

	codec->known = known ? known : codec->known;
	struct tick_ring *rings = realloc(codec->rings, (n_rings + 1) * sizeof(*rings));

	codec->rings = rings ? rings : codec->rings;
	struct tick_member *members = realloc(codec->members, (n_members + 1) * sizeof(*members));

	codec->members = members ? members : codec->members;
	struct tick_hop *hops = realloc(codec->hops, (n_members + 1) * sizeof(*hops));

	codec->hops = hops ? hops : codec->hops;
	return known && rings && members && hops ? 0 : -ENOMEM;
}

static void append_ring(struct tick_codec *codec, uint32_t id, uint32_t n_members)
{
	size_t first = codec->n_members;

	memset(&codec->members[first], 0, n_members * sizeof(*codec->members));
	memset(&codec->hops[first], 0, n_members * sizeof(*codec->hops));
	codec->known[codec->n_rings++] = (struct codec_ring){
		.ring = {.id = id, .first_member = first, .first_hop = first}, .members_max = n_members};
	codec->n_members += n_members;
}

int tick_codec_init(struct tick_codec *codec, const struct session *session)
{
	size_t n_members = 0;

	*codec = (struct tick_codec){0};
	for (size_t i = 0; i < session->n_rings; i++)
		n_members += session->rings[i].n_members;
	/* The cells are never NULL, not even for ticks without any. */
	if (reserve(codec, session->n_rings, n_members) < 0 || cells_reserve(&codec->cells) < 0)
		return -ENOMEM;
	for (size_t i = 0; i < session->n_rings; i++)
		if (!session->rings[i].ended_ns)
			append_ring(codec, session->rings[i].id, session->rings[i].n_members);
	return 0;
}

int tick_codec_add(struct tick_codec *codec, uint32_t id, uint32_t n_members)
{
	size_t n = codec->n_rings;

	if (n && codec->known[n - 1].ring.id >= id)
		return -EINVAL;
	if (reserve(codec, n + 1, codec->n_members + n_members) < 0)
		return -ENOMEM;
	append_ring(codec, id, n_members);
	return 0;
}

/* Returns the index of a ring, or n_rings. */
static size_t find_index(const struct tick_codec *codec, uint64_t id)
{
	size_t at = SORTED_INDEX(codec->known, codec->n_rings, struct codec_ring, ring.id, id);

	return at < codec->n_rings && codec->known[at].ring.id == id ? at : codec->n_rings;
}

int tick_codec_remove(struct tick_codec *codec, uint32_t id)
{
	size_t at = find_index(codec, id);

	if (at == codec->n_rings)
		return -EINVAL;
	uint32_t n = codec->known[at].members_max;
	size_t first = codec->known[at].ring.first_member, after = codec->n_members - first - n;

	free((char *)codec->known[at].ring.reason);
	memmove(&codec->members[first], &codec->members[first + n], after * sizeof(*codec->members));
	memmove(&codec->hops[first], &codec->hops[first + n], after * sizeof(*codec->hops));
	memmove(&codec->known[at], &codec->known[at + 1], (--codec->n_rings - at) * sizeof(*codec->known));
	codec->n_members -= n;
	for (size_t i = at; i < codec->n_rings; i++)
		codec->known[i].ring.first_hop = codec->known[i].ring.first_member -= n;
	return 0;
}

void tick_codec_restart(struct tick_codec *codec)
{
	for (size_t i = 0; i < codec->n_rings; i++) {
		struct codec_ring *known = &codec->known[i];
		const struct tick_ring ring = known->ring;

		free((char *)ring.reason);
		known->ring = (struct tick_ring){
			.id = ring.id, .first_member = ring.first_member, .first_hop = ring.first_hop};
		known->check = 0;
	}
}

void tick_codec_finish(struct tick_codec *codec)
{
	tick_codec_restart(codec);
	free(codec->known);
	free(codec->rings);
	free(codec->members);
	free(codec->hops);
	free(codec->cells.cells);
	bytes_finish(&codec->state);
	hist_finish(&codec->hop);
	*codec = (struct tick_codec){0};
}

static void state_encode(struct bytes *bytes, const struct tick_ring *ring, const struct tick *tick)
{
	fields_encode(bytes, FIELDS(tick_ring_fields), ring);
	bytes_uint(bytes, ring->n_members);
	for (uint32_t m = 0; m < ring->n_members; m++)
		fields_encode(bytes, FIELDS(tick_member_fields), &tick->members[ring->first_member + m]);
	bytes_uint(bytes, ring->n_hops);
	for (uint32_t h = 0; h < ring->n_hops; h++)
		fields_encode(bytes, FIELDS(tick_hop_fields), &tick->hops[ring->first_hop + h]);
}

/* Writes an empty part if no hop has samples, as in pairs. */
static void hops_encode(
	struct tick_codec *codec, struct bytes *bytes, const struct tick_ring *ring, const struct tick *tick)
{
	const struct tick_hop *hops = ring->n_hops ? tick->hops + ring->first_hop : NULL;
	size_t begun = bytes_begin(bytes);
	bool any = false;

	for (uint32_t h = 0; h < ring->n_hops; h++)
		any |= hops[h].figure.n_cells || hops[h].figure.has_extremes || hops[h].figure.sum_ns;
	for (uint32_t h = 0; h < ring->n_hops && any; h++) {
		hist_reset(&codec->hop);
		bytes->failed |= tick_figure_add(&hops[h].figure, tick->cells, &codec->hop) < 0;
		packed_figure_encode(bytes, &codec->hop);
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

	fields_encode(bytes, FIELDS(tick_fields), tick);
	bytes_uint(bytes, tick->n_rings);
	for (size_t i = 0; i < tick->n_rings; i++) {
		const struct tick_ring *ring = &tick->rings[i];
		struct scan row = block_row(rows, ring->id);

		codec->state.n = 0;
		state_encode(&codec->state, ring, tick);
		uint64_t check = bytes_check(codec->state.data, codec->state.n);
		size_t at = find_index(codec, ring->id);
		bool is_new = at == codec->n_rings || check != codec->known[at].check;

		if (at < codec->n_rings)
			codec->known[at].check = check;
		bytes_uint(bytes, ring->id - expected);
		part_encode(bytes, codec->state.data, is_new ? codec->state.n : 0);
		part_encode(bytes, row.at, (size_t)(row.end - row.at));
		hops_encode(codec, bytes, ring, tick);
		expected = ring->id + 1;
	}
	bytes->failed |= codec->state.failed;
}

/* --- decoding --- */

static int state_decode(struct tick_codec *codec, struct codec_ring *known, struct scan *scan)
{
	struct tick_ring *ring = &known->ring;

	free((char *)ring->reason);
	fields_decode(scan, FIELDS(tick_ring_fields), ring);
	ring->n_members = (uint32_t)scan_below(scan, (uint64_t)known->members_max + 1);
	for (uint32_t m = 0; m < ring->n_members; m++)
		fields_decode(scan, FIELDS(tick_member_fields), &codec->members[ring->first_member + m]);
	ring->n_hops = (uint32_t)scan_below(scan, (uint64_t)known->members_max + 1);
	for (uint32_t h = 0; h < ring->n_hops; h++)
		fields_decode(scan, FIELDS(tick_hop_fields), &codec->hops[ring->first_hop + h]);
	return scan->bad ? -EINVAL : 0;
}

static int figure_decode(struct tick_codec *codec, struct scan *scan, struct tick_figure *figure)
{
	struct cells *cells = &codec->cells;

	if (cells_reserve(cells) < 0)
		return -ENOMEM;
	int r = packed_figure_decode(scan, figure, cells->cells + cells->n);

	figure->first_cell = cells->n;
	cells->n += figure->n_cells;
	return r;
}

static int row_decode(struct tick_codec *codec, struct scan *row, struct tick_ring *ring)
{
	int r = 0;

	if (row->at < row->end)
		fields_decode(row, FIELDS(tick_count_fields), &ring->counts);
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
	struct codec_ring *known = &codec->known[find_index(codec, id)];
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
	fields_decode(scan, FIELDS(tick_fields), tick);
	tick->n_rings = scan_below(scan, codec->n_rings + 1);
	for (size_t i = 0; i < tick->n_rings && r == 0; i++, id++) {
		id += scan_below(scan, UINT32_MAX);
		r = scan->bad || find_index(codec, id) == codec->n_rings
			    ? -EINVAL
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
