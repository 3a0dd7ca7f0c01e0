/* SPDX-License-Identifier: GPL-2.0-or-later */
/* members.h - a ring's members, a line each, with the commands that change their scheduling. Pure. */
#pragma once

#include "ui/table/view_state.h"

/* As many as fit; nothing before they are known. */
void members_draw(const struct scene *scene, struct area area, const struct session_ring *ring);
