/* SPDX-License-Identifier: GPL-2.0-or-later */
/* histogram.h - the distribution of the selected row. Pure. */
#pragma once

#include "ui/table/view_state.h"

/* With a title, and the main percentiles beside or below the bars. */
void histogram_draw(const struct scene *scene, struct area area);
/* The bars alone, a line each. */
void histogram_bars(struct canvas *canvas, struct area area, const struct hist *hist, enum unit unit);
