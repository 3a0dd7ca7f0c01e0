/* SPDX-License-Identifier: GPL-2.0-or-later */
/* figure_codec.h - the figures of a tick as bytes. Known by tick_codec.c and hop_codec.c alone. Pure. */
#pragma once

#include "src/recording/tick_codec.h"

/* Has it samples, or another last one than is known? */
bool figure_has_news(const struct tick_figure *figure, uint64_t last_ns);

/* Of a figure that has them, and after decoding does. */
void extremes_encode(struct bytes *bytes, const struct tick *tick, const struct tick_figure *figure);
void extremes_decode(struct scan *scan, const struct tick *tick, struct tick_figure *figure);

/* Decoded into the codec's cells. Returns 0, -ENOMEM or -EINVAL, as below. */
void cells_encode(struct bytes *bytes, const struct tick *tick, const struct tick_figure *figure);
int cells_decode(struct tick_codec *codec, struct scan *scan, struct tick_figure *figure);

/* The figures of a ring that have news, a bit each; and those as bytes. */
unsigned figures_with_news(const struct codec_ring *known, const struct tick_ring *ring);
void figures_encode(
	struct bytes *bytes, struct codec_ring *known, const struct tick_ring *ring, const struct tick *tick);
/* @follow: they do; else none has news. */
int figures_decode(struct tick_codec *codec, struct scan *scan, const struct tick *tick,
	struct codec_ring *known, struct tick_ring *ring, bool follow);
