/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frame.h - one frame: the session as a view shows it, on a canvas of the screen's size. */
#pragma once

#include <stdbool.h>

#include "ui/draw/canvas.h"
#include "ui/table/view.h"

/* Does the locale lack UTF-8? */
bool compose_ascii(void);

/* Pure. Returns 0, or -ENOMEM with no frame drawn. */
int compose(const struct session *session, struct view *view, struct canvas *canvas, unsigned columns,
	unsigned lines);
