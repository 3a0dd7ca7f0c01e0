/* SPDX-License-Identifier: GPL-2.0-or-later */
/* header.h - the lines above a view: the figure, the machine, the run and the phase. Pure. */
#pragma once

#include "ui/views/view.h"

/* Fills all lines of the area, at least one. */
void header_draw(const struct scene *scene, struct area area);
