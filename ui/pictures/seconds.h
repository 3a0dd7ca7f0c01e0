/* SPDX-License-Identifier: GPL-2.0-or-later */
/* seconds.h - the axis of the last seconds, which heat map and strips share. Pure. */
#pragma once

#include "ui/panes/heat.h"
#include "ui/pictures/picture.h"

/* Returns the seconds that have a column: the last four minutes, or all of a shorter session. */
struct heat_seconds seconds_shown(const struct session *session);
/* Returns the box of the column of a second, which is so many before the newest one. */
struct svg_box seconds_column(const struct heat_seconds *seconds, unsigned i, struct svg_box box);
/* The time of day below the box, and lines where phases begin. */
void seconds_draw_axis(
	const struct session *session, const struct heat_seconds *seconds, FILE *out, struct svg_box box);
