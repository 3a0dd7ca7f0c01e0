/* SPDX-License-Identifier: GPL-2.0-or-later */
/* overview.h - splits a screen among the panes. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "ui/draw/canvas.h"

enum pane {
	PANE_HEADER,
	PANE_TABLE,
	PANE_TOTALS,
	PANE_HEAT,
	PANE_HISTOGRAM, /* beside the heat map */
	PANE_EVENTS,
	PANE_FOOTER,
	N_PANES,
};

enum { LAYOUT_COLUMNS_MIN = 40, LAYOUT_LINES_MIN = 10 };

struct layout {
	bool too_small;             /* no pane has a place */
	struct area panes[N_PANES]; /* width and height 0 where it has none */
	struct area body;           /* all between header and footer: for overlays */
};

/* @n_rows: the table's, without its head; @n_totals: those below it. */
struct layout layout_make(unsigned columns, unsigned lines, size_t n_rows, size_t n_totals);
