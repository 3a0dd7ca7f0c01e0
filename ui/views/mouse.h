/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mouse.h - the effects of the mouse: the wheel scrolls, a click selects, sorts, or is a key. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct view_state;

/* Returns the code of the key if this is a click on the key bar, or on a line of the setup, which it marks;
 * else @code. Arguments as below. */
uint32_t mouse_key(struct view_state *view, uint32_t code, unsigned x, unsigned y);

/* @code: see key_code.h; @x and @y: a cell of the last frame. Returns false for codes that are not the
 * mouse's, true if the view state may have changed. */
bool mouse_obey(struct view_state *view, uint32_t code, unsigned x, unsigned y);
