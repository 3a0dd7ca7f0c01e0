/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hop_codec.c - what a tick says of hops, as bytes: those of which there is nothing new are left out. */
#include "src/recording/hop_codec.h"

#include <errno.h>
#include <stdlib.h>

#include "src/recording/figure_codec.h"

enum hop_flag { HOP_NODE = 1, HOP_FIGURE = 2, HOP_EXTREMES = 4 };

int hop_codec_init(struct tick_codec *codec)
{
	codec->hops = calloc(codec->n_members + 1, sizeof(*codec->hops));
	codec->tick_hops = calloc(codec->n_members + 1, sizeof(*codec->tick_hops));
	if (!codec->hops || !codec->tick_hops)
		return -ENOMEM;
	hop_codec_forget(codec);
	return 0;
}

void hop_codec_forget(struct tick_codec *codec)
{
	for (size_t i = 0; i < codec->n_members; i++)
		codec->hops[i] = (struct codec_hop){.node = HOP_NODE_UNKNOWN};
}

static unsigned flags_of(const struct codec_hop *known, const struct tick_hop *hop)
{
	const struct tick_figure *figure = &hop->figure;
	unsigned flags = hop->node != known->node ? HOP_NODE : 0;

	if (figure_has_news(figure, known->last_ns))
		flags |= HOP_FIGURE;
	return flags | (figure->has_extremes ? HOP_EXTREMES : 0);
}

static void hop_encode(
	struct bytes *bytes, struct codec_hop *known, const struct tick_hop *hop, const struct tick *tick)
{
	const struct tick_figure *figure = &hop->figure;
	unsigned flags = flags_of(known, hop);

	bytes_uint(bytes, flags);
	if (flags & HOP_NODE)
		bytes_int(bytes, hop->node);
	*known = (struct codec_hop){.node = hop->node, .last_ns = figure->last_ns};
	if (!(flags & HOP_FIGURE))
		return;
	bytes_uint(bytes, figure->sum_ns);
	bytes_uint(bytes, figure->last_ns);
	if (flags & HOP_EXTREMES)
		extremes_encode(bytes, tick, figure);
	cells_encode(bytes, tick, figure);
}

/* How many there are, then each with its distance from the one before. */
static void ring_encode(
	struct tick_codec *codec, const struct tick_ring *ring, const struct tick *tick, struct bytes *bytes)
{
	struct codec_hop *known = codec->hops + codec->rings[ring->id].first_member;
	const struct tick_hop *hops = tick->hops + ring->first_hop;
	uint32_t n = 0, expected = 0;

	for (uint32_t h = 0; h < ring->n_hops; h++)
		n += flags_of(&known[h], &hops[h]) != 0;
	bytes_uint(bytes, n);
	for (uint32_t h = 0; h < ring->n_hops; h++) {
		if (!flags_of(&known[h], &hops[h]))
			continue;
		bytes_uint(bytes, h - expected);
		hop_encode(bytes, &known[h], &hops[h], tick);
		expected = h + 1;
	}
}

static bool has_news(const struct tick_codec *codec, const struct tick *tick)
{
	for (size_t i = 0; i < tick->n_rings; i++) {
		const struct tick_ring *ring = &tick->rings[i];
		const struct codec_hop *known = codec->hops + codec->rings[ring->id].first_member;

		for (uint32_t h = 0; h < ring->n_hops; h++)
			if (flags_of(&known[h], &tick->hops[ring->first_hop + h]))
				return true;
	}
	return false;
}

/* In a run of pairs there is nothing to be said, but that. */
void hops_encode(struct tick_codec *codec, const struct tick *tick, struct bytes *bytes)
{
	bool news = has_news(codec, tick);

	bytes_uint(bytes, news);
	for (size_t i = 0; news && i < tick->n_rings; i++)
		ring_encode(codec, &tick->rings[i], tick, bytes);
}

static int hop_decode(struct tick_codec *codec, struct scan *scan, const struct tick *tick,
	struct codec_hop *known, struct tick_hop *hop)
{
	struct tick_figure *figure = &hop->figure;
	uint64_t flags = scan_uint(scan);

	if (flags & HOP_NODE)
		hop->node = known->node = scan_int32(scan);
	if (!(flags & HOP_FIGURE))
		return 0;
	figure->sum_ns = scan_uint(scan);
	figure->last_ns = known->last_ns = scan_uint(scan);
	if (flags & HOP_EXTREMES)
		extremes_decode(scan, tick, figure);
	return cells_decode(codec, scan, figure);
}

static int ring_decode(struct tick_codec *codec, struct scan *scan, const struct tick *tick,
	struct tick_ring *ring, bool news)
{
	const struct codec_ring *of = &codec->rings[ring->id];
	struct codec_hop *known = codec->hops + of->first_member;
	uint64_t n = news ? scan_below(scan, (uint64_t)of->n_members + 1) : 0, at = 0;
	int r = 0;

	ring->first_hop = of->first_member;
	ring->n_hops = of->n_members;
	for (uint32_t h = 0; h < of->n_members; h++)
		codec->tick_hops[ring->first_hop + h] =
			(struct tick_hop){.node = known[h].node, .figure = {.last_ns = known[h].last_ns}};
	for (; n > 0 && r == 0; n--, at++) {
		at += scan_below(scan, of->n_members);
		if (scan->bad || at >= of->n_members)
			return -EINVAL;
		r = hop_decode(codec, scan, tick, &known[at], &codec->tick_hops[ring->first_hop + at]);
	}
	return r == 0 && scan->bad ? -EINVAL : r;
}

int hops_decode(struct tick_codec *codec, struct scan *scan, struct tick *tick)
{
	int r = 0;

	tick->hops = codec->tick_hops;
	tick->n_hops = codec->n_members;
	bool news = scan_below(scan, 2);

	for (size_t i = 0; i < tick->n_rings && r == 0; i++)
		r = ring_decode(codec, scan, tick, &codec->decoded[i], news);
	return r;
}
