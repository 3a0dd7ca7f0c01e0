/* SPDX-License-Identifier: GPL-2.0-or-later */
/* overview.h - the layout of the view of all rings. Pure. */
#pragma once

#include "ui/table/view_state.h"

enum overview_pane {
	PANE_TABLE,
	PANE_TOTALS,
	PANE_HEAT,
	PANE_HISTOGRAM, /* beside the heat map */
	PANE_EVENTS,
	N_PANES,
};

struct overview_layout {
	struct area panes[N_PANES]; /* zeroed if omitted */
};

unsigned overview_header_lines(unsigned lines);

/* What the panes have to show. */
struct overview_needs {
	size_t n_rows;        /* of the table, without its head */
	size_t n_totals;      /* below it */
	unsigned event_lines; /* of the newest events, without their title */
};

/* Returns what a screen of @columns needs. The view state has its order. */
struct overview_needs overview_needs(
	const struct session *session, const struct view_state *view, unsigned columns);

/* Lays out a screen of @columns x @lines. */
struct overview_layout overview_layout(unsigned columns, unsigned lines, const struct overview_needs *needs);

extern void (*const overview_panes[N_PANES])(const struct scene *scene, struct area area);
