/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setup.h - the setup screen: which columns are shown, and settings that the configuration file can keep.
 * Pure.
 *
 * A change takes effect at once. SCREEN_SAVE writes all of them into the file. */
#pragma once

#include "src/base/error_text.h"
#include "src/base/setting.h"
#include "ui/views/view.h"

enum { SETTINGS_MAX = 16 };

/* Settings that have a key of their own, too. */
enum { SETUP_UNIT = 1, SETUP_WINDOW = 3, SETUP_FIGURE = 4 };
void setup_next(struct frame *frame, long setting);      /* goes to its next value */
void setup_step_refresh(struct frame *frame, long step); /* to the next one (1), or the one before (-1) */

/* Returns the number of settings. */
size_t setup_settings(const struct frame *frame, struct setting settings[SETTINGS_MAX]);
/* From now on the setup counts the changes that the file lacks. */
void setup_note_kept(struct frame *frame);

/* Writes the settings, and sets the sentence to what it did, or why not. Returns 0 or a negative errno. */
typedef int setup_writer(
	void *data, const struct setting *settings, size_t n_settings, struct error_text *sentence);
int setup_save(struct frame *frame, setup_writer *write, void *data);
