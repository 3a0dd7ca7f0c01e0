/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_panel.h - the pane beside or below the cells of a matrix: its classes with their outliers, or how
 * they changed, and the last events where there is room for them. Pure. */
#pragma once

#include "src/model/matrix_change.h"
#include "ui/draw/units.h"
#include "ui/table/view_state.h"

struct matrix_summary;

enum {
	MATRIX_PANEL_WIDTH = 50, /* columns that the classes need */
	MATRIX_TITLE_FRAME = 5, /* columns of a title round its words, and a comma before the last of these */
	MATRIX_PANEL_TEXT_SIZE = 200,
	MATRIX_PANEL_TIME_SIZE = 16,
};

struct matrix_panel {
	const struct scene *scene;
	const struct matrix *matrix;
	struct area area; /* height 0: nothing is drawn */
	enum matrix_figure figure;
	enum unit unit;                     /* of all times */
	const struct matrix_change *change; /* for matrix_panel_draw_changes() */
};

void matrix_panel_draw(const struct matrix_panel *panel, const struct matrix_summary *summary);
void matrix_panel_draw_changes(const struct matrix_panel *panel);

/* Writes a time in 4 digits; "-" if it is below 0. Returns @text. */
char *matrix_panel_time(char text[MATRIX_PANEL_TIME_SIZE], float ns, enum unit unit);
/* Writes "1000 > 1500, +50 % [+45, +55]". */
void matrix_panel_change(
	char text[MATRIX_PANEL_TEXT_SIZE], const struct matrix_cell_change *cell, enum unit unit);
