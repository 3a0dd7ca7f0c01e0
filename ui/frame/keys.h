/* SPDX-License-Identifier: GPL-2.0-or-later */
/* keys.h - all keys, the one place that finds the key of a code, and the key bar: the last line of the
 * screen, which names the keys and can be clicked. Pure. */
#pragma once

#include "ui/views/view.h"

/* Makes the frame's list of all keys: those of its views and dialogs, and those that all views have. Returns
 * 0 or -ENOMEM. */
int keys_collect(struct frame *frame);
/* Returns whether the view on the screen, or the dialog over it, knows the key. */
bool keys_known(const struct frame *frame, const struct key *key);
/* Returns whether the key bar has the key. That of a dialog has only the dialog's own keys. */
bool keys_in_bar(const struct frame *frame, const struct key *key);
/* Returns whether letters are text. On a screen too small for the dialog they are keys. */
bool keys_are_text(const struct frame *frame);

struct effect keys_press(struct frame *frame, uint32_t code);

void keys_draw_bar(const struct scene *scene, struct area area);
/* Returns the code of the key whose name or label is at this cell of the last frame, or KEY_CODE_NONE. */
uint32_t keys_bar_code(const struct frame *frame, unsigned x, unsigned y);
