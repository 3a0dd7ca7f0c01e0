/* SPDX-License-Identifier: GPL-2.0-or-later */
/* views.h - the table of views and dialogs, which ui/meson.build makes. */
#pragma once

#include "ui/views/view.h"

extern const struct view_kind *const views_table[]; /* the overview first, and dialogs after the views */
extern const unsigned views_n, views_n_dialogs;

/* The name of view number @i; NULL past the last one. */
const char *views_name(unsigned i);
