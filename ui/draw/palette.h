/* SPDX-License-Identifier: GPL-2.0-or-later */
/* palette.h - the look of each style, by palette and by the colors that the terminal has. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "ui/draw/style.h"

enum palette { PALETTE_DEFAULT, PALETTE_COLOUR_BLIND, PALETTE_MONO, N_PALETTES };

enum depth { DEPTH_NONE, DEPTH_8, DEPTH_16, DEPTH_256, DEPTH_TRUE };

enum {
	LOOK_BOLD = 1 << 0,
	LOOK_DIM = 1 << 1,
	LOOK_UNDERLINE = 1 << 2,
	LOOK_REVERSE = 1 << 3,
};

/* Colors are indices of the terminal's palette, or with DEPTH_TRUE 0xRRGGBB; -1: the terminal's own. */
struct look {
	int32_t foreground, background;
	unsigned attributes; /* LOOK_... */
};

/* How many colors a terminal is sent: as many as it has, or fewer. */
enum colors { COLORS_AUTO, COLORS_TRUE, COLORS_256, COLORS_16, COLORS_NONE, N_COLORS };

struct look palette_look(enum palette palette, enum depth depth, enum style style);

/* Returns the step of a latency in heat maps, trends and strips, 1 to STYLE_STEPS. The first one ends before
 * @calm_ns, the second one before its double, and so on. */
unsigned palette_step(uint64_t ns, uint64_t calm_ns);

/* The name of palette @i, for --palette; NULL past the last one. */
const char *palette_name(unsigned i);

/* The name of enum colors @i, for --colors; NULL past the last one. */
const char *palette_colors_name(unsigned i);
/* Returns the depth to draw with. @usual: of COLORS_AUTO; @most: that the terminal has. */
enum depth palette_choose_depth(enum colors colors, enum depth usual, enum depth most);

/* @colors: of the terminal's description; @has_rgb: the description takes true color. @colorterm: the
 * environment's COLORTERM, or NULL; a terminal of fewer than 256 colors does not become one of true color. */
enum depth palette_depth(int colors, bool has_rgb, const char *colorterm);

/* Returns 0xRRGGBB of a color from 16 to 255: a cube of 6x6x6, and 24 greys. */
int32_t palette_rgb(int color);
