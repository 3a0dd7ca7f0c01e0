/* SPDX-License-Identifier: GPL-2.0-or-later */
/* members.h - a ring's members, a line each, with the commands that change their scheduling. Pure. */
#pragma once

#include "ui/table/view_state.h"

/* Draws the members; if not all fit, the last line has the number of the others. Those that are not alive
 * have no commands: their ids may be those of other tasks by now. */
void members_draw(
	const struct scene *scene, struct area area, const struct session_ring *ring, bool are_alive);
