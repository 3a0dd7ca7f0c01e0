/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mouse.h - the effects of the mouse: the wheel scrolls, a click selects, sorts, or is a key. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct view_state;

/* @code as in keys.h; @x and @y are cells of the frame that was drawn last. Returns whether it was one of the
 * mouse's; the view has changed then. */
bool mouse_obey(struct view_state *view, uint32_t code, unsigned x, unsigned y);
