/* SPDX-License-Identifier: GPL-2.0-or-later */
/* detail.h - the view of the selected row alone: how it splits its part of the screen. Pure. */
#pragma once

#include "ui/draw/canvas.h"

enum detail_pane {
	DETAIL_PAIR, /* a title, and the reason where there is one */
	DETAIL_MEMBERS,
	DETAIL_HISTOGRAM,
	DETAIL_PERCENTILES,
	DETAIL_HEAT, /* its title included */
	DETAIL_STRIPS,
	N_DETAIL_PANES,
};

/* What gives way, by itself, where there is less room: strips, heat map, histogram, members; never
 * percentiles. */
struct detail_layout {
	struct area panes[N_DETAIL_PANES]; /* width and height 0 where it has no place */
};

unsigned detail_header_lines(unsigned lines);
/* Of a screen of so many; @reason_lines: how many the ring's reason takes, where it has one. */
struct detail_layout detail_layout(
	unsigned columns, unsigned lines, unsigned n_members, unsigned reason_lines);
