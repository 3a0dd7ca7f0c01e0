/* SPDX-License-Identifier: GPL-2.0-or-later */
/* footer.h - the key bar: the last line of the screen, which names the keys and can be clicked. Pure. */
#pragma once

#include "ui/views/view.h"

void footer_draw(const struct scene *scene, struct area area);
/* Returns the code of the key whose name or label is at this cell of the last frame, or KEY_CODE_NONE. */
uint32_t footer_code_at(const struct frame *frame, unsigned x, unsigned y);
