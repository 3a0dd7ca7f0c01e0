/* SPDX-License-Identifier: GPL-2.0-or-later */
/* table.h - the table of rings, and below it the totals of groups. Pure. */
#pragma once

#include "ui/table/view_state.h"

void table_draw(const struct scene *scene, struct area area);

/* Writes the groups of the totals: isolated and housekeeping CPUs, or all. Returns their number. */
enum { TOTALS_MAX = 2 };
size_t totals_of(const struct session *session, size_t groups[TOTALS_MAX]);
void totals_draw(const struct scene *scene, struct area area);
