/* SPDX-License-Identifier: GPL-2.0-or-later */
/* detail.h - the view of the selected pair alone. Pure. */
#pragma once

#include "ui/draw/canvas.h"

struct frame;
struct session;
struct session_ring;
struct view;

enum detail_pane {
	DETAIL_HEADER,
	DETAIL_PAIR, /* a title, and the reason where there is one */
	DETAIL_MEMBERS,
	DETAIL_HISTOGRAM,
	DETAIL_PERCENTILES,
	DETAIL_HEAT, /* its title included */
	DETAIL_STRIPS,
	DETAIL_FOOTER,
	N_DETAIL_PANES,
};

/* What gives way, by itself, where there is less room: strips, heat map, histogram, members; never
 * percentiles. */
struct detail_layout {
	struct area panes[N_DETAIL_PANES]; /* width and height 0 where it has no place */
	struct area body;                  /* all between header and footer */
};

/* Of a screen of the least size at least; see layout_make(). @reason_lines: what the ring's
 * reason takes, where it has one. */
struct detail_layout detail_layout_make(
	unsigned columns, unsigned lines, unsigned n_members, unsigned reason_lines);

void detail_update(struct view *view, const struct session *session, unsigned columns, unsigned lines);
void detail_draw(const struct frame *frame);

/* The members, a line each, with the commands that change their scheduling; as many as fit. */
void members_draw(const struct frame *frame, struct area area, const struct session_ring *ring);
