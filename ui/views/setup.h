/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setup.h - the setup screen: which columns are shown, and settings that the configuration file can keep.
 * Pure.
 *
 * A change takes effect at once. SCREEN_SAVE writes all of them into the file. */
#pragma once

#include "ui/table/view_state.h"

void setup_open(struct view_state *view);
void setup_go_to_other_list(struct view_state *view);
/* Turns the marked column on or off, or goes to the next value of the marked setting, with @step -1 to the
 * one before; with 0 it asks for the value if any is allowed. */
void setup_change(struct view_state *view, int step);
/* Moves the marked column to the left (@by -1) or right (1): up or down in the list. */
void setup_move_column(struct view_state *view, int by);
/* A click: marks the line at the cell. Returns the code of the key that changes or writes it, or @code. */
uint32_t setup_click(struct view_state *view, uint32_t code, unsigned x, unsigned y);
/* Returns whether the line "Write the file" is marked. */
bool setup_is_at_write(const struct view_state *view);
/* Returns the number of settings. */
size_t setup_settings(const struct view_state *view, struct setting settings[SETTINGS_MAX]);
/* From now on the setup counts the changes that the file lacks. */
void setup_note_kept(struct view_state *view);
void setup_draw(const struct scene *scene, struct area area);
