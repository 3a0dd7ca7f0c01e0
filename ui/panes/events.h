/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events.h - the pane with the last events, and the longest spikes of ten seconds before the newest one, by
 * time. Pure. */
#pragma once

#include "ui/table/view_state.h"

/* Returns how many lines the newest events and spikes fill in a pane of this width, its title not included: 0
 * to @most.
 */
unsigned events_lines(const struct session *session, unsigned width, unsigned most);
void events_draw(const struct scene *scene, struct area area);
