/* SPDX-License-Identifier: GPL-2.0-or-later */
/* picture.h - what a picture is. Each is a file here, and a name in ui/meson.build. Pure. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "ui/draw/palette.h"
#include "ui/draw/svg.h"
#include "ui/table/view_state.h"

struct baseline;
struct time_columns;

/* What pictures show: a session at its end, or now. */
struct picture_scene {
	const struct session *session;
	const struct view_state *view; /* settled; its figure and the scale of its colors */
	enum palette palette;
	size_t group;                       /* the number of the row of all rings, or of the isolated ones */
	const struct time_columns *columns; /* of the group's figures */
	/* Two phases beside each other: the last one is B. NULL: the whole session is one. */
	const struct hist *a, *b; /* of the figure, and of the group */
	const char *name_a, *name_b;
};

struct picture {
	double height; /* pixels; where @measure is set: 0 */
	/* Returns whether there is anything to show; NULL: always. */
	bool (*is_there)(const struct picture_scene *scene);
	/* Draws into the box, with a title in its first lines. */
	void (*draw)(const struct picture_scene *scene, FILE *out, struct svg_box box);
	/* Returns the height of a picture of this width; NULL: it does not follow what is shown. */
	double (*measure)(const struct picture_scene *scene, double width);
};

extern const struct picture *const pictures_table[]; /* ended by NULL */

/* Returns the height in pixels at this width, also where @measure is set. */
double picture_height(const struct picture *picture, const struct picture_scene *scene, double width);

/* Returns why there are no pictures, or NULL. */
const char *picture_lack(const struct picture_scene *scene);

/* Returns the samples of the figure and the group in the whole session. */
const struct hist *picture_samples(const struct picture_scene *scene);
/* Returns whether there are some, and seconds to show them in. */
bool picture_has_seconds(const struct picture_scene *scene);

/* "775 ms", "2.05 us": three digits. Returns @text. */
char *picture_time(char *text, size_t size, uint64_t ns);

/* The key of a gradient, on one line: each step with the times that it stands for. @edges: between steps.
 * @draw: a square with the look of a step. */
void picture_draw_key(const struct picture_scene *scene, FILE *out, double x, double y,
	const uint64_t edges[STYLE_STEPS - 1],
	void (*draw)(const struct picture_scene *scene, FILE *out, struct svg_box box, unsigned step));

enum { PICTURE_TITLE = 30 }; /* pixels of the title */

/* Draws the title, and returns the box below it within these margins. */
struct svg_box picture_frame(
	FILE *out, struct svg_box box, const char *title, double left, double right, double bottom);
