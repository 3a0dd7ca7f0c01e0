/* SPDX-License-Identifier: GPL-2.0-or-later */
/* canvas_svg.h - a canvas as a picture. Pure. */
#pragma once

#include "ui/draw/canvas.h"
#include "ui/draw/palette.h"

/* Writes it as SVG, with the looks of the palette in true color, each cell at its position whatever the font.
 * Returns 0 or a negative errno. */
int canvas_print_svg(const struct canvas *canvas, enum palette palette, FILE *out);
