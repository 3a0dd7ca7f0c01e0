/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compared_table.h - the pane with a row of each ring in two phases beside each other. Pure. */
#pragma once

#include "ui/table/view_state.h"

enum { COMPARED_HEAD_LINES = 2, COMPARED_BARS_MIN = 60 };

/* The rows of the view state, below two lines of titles. */
void compared_table_draw(const struct scene *scene, struct area area);
/* The groups' lines, as totals_of() gives them. */
void compared_totals_draw(const struct scene *scene, struct area area);
/* "mq 0>8: p50 -42 % [-43, -41]  p99 ..." of the selected row. */
void compared_intervals_draw(const struct scene *scene, struct area area);
/* Two histograms of the selected row with common bins, A to the left and B to the right. At least
 * COMPARED_BARS_MIN columns wide. */
void compared_histograms_draw(const struct scene *scene, struct area area);
