/* SPDX-License-Identifier: GPL-2.0-or-later */
/* detail.h - the layout of the view of the selected row. Pure. */
#pragma once

#include "ui/draw/canvas.h"

enum detail_pane {
	DETAIL_PAIR, /* a title, the ring's reason, and its last spike */
	DETAIL_MEMBERS,
	DETAIL_HISTOGRAM,
	DETAIL_PERCENTILES,
	DETAIL_HEAT, /* its title included */
	DETAIL_STRIPS,
	N_DETAIL_PANES,
};

/* A small screen lacks strips, heat map, histogram or members, never the percentiles. */
struct detail_layout {
	struct area panes[N_DETAIL_PANES]; /* zeroed if omitted */
};

unsigned detail_header_lines(unsigned lines);
/* Lays out a screen of @columns x @lines. @reason_lines: of the ring's reason, 0 without one. */
struct detail_layout detail_layout(
	unsigned columns, unsigned lines, unsigned n_members, unsigned reason_lines, bool has_spike);
