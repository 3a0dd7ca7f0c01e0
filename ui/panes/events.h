/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events.h - the pane with the last events, the newest first. Pure. */
#pragma once

#include "ui/table/view_state.h"

void events_draw(const struct scene *scene, struct area area);
