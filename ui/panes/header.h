/* SPDX-License-Identifier: GPL-2.0-or-later */
/* header.h - the lines above a view: what is measured, where, and whether it can be trusted. Pure. */
#pragma once

#include "ui/table/view.h"

/* In as many lines as the area has, at least one. */
void header_draw(const struct frame *frame, struct area area);
