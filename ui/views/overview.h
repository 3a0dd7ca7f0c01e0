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
/* Of a screen of so many; @n_rows: the table's, without its head; @n_totals: those below it. */
struct overview_layout overview_layout(unsigned columns, unsigned lines, size_t n_rows, size_t n_totals);

extern void (*const overview_panes[N_PANES])(const struct scene *scene, struct area area);
