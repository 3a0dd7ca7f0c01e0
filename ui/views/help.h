/* SPDX-License-Identifier: GPL-2.0-or-later */
/* help.h - the help over the body: the list of all keys, and the glossary. Pure. */
#pragma once

#include "ui/table/view_state.h"

/* Returns the largest number of lines by which the page can be scrolled. */
size_t help_last(enum help_page page, struct area area);
void help_draw(const struct scene *scene, struct area area);
