/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.h - the table of rings, and below it the totals of groups. Pure. */
#pragma once

#include "ui/table/view_state.h"

void table_draw(const struct scene *scene, struct area area);

/* Draws the rows of the page, the mark of the selected one, and the number of those below. */
typedef void table_row_drawer(
	const struct scene *scene, struct area line, const struct order_row *row, const void *data);
void table_draw_rows(const struct scene *scene, struct area rows, table_row_drawer *draw, const void *data);
/* Four columns wide, the last of them blank. */
const char *table_fold_sign(const struct scene *scene, bool folded);

/* Writes the groups of the totals: isolated and housekeeping CPUs, or all. Returns their number. */
enum { TOTALS_MAX = 2 };
size_t totals_of(const struct session *session, size_t groups[TOTALS_MAX]);
void totals_draw(const struct scene *scene, struct area area);
