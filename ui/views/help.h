/* SPDX-License-Identifier: GPL-2.0-or-later */
/* help.h - the list of all keys, over the body. Pure. */
#pragma once

#include "ui/table/view_state.h"

/* The first line that is shown when the last one is. */
size_t help_last(struct area area);
void help_draw(const struct scene *scene, struct area area);
