/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike_axis.h - a spike on an axis of time: what ran meanwhile on each CPU. Pure. */
#pragma once

#include "src/model/spikes.h"
#include "ui/table/view_state.h"

/* Returns the letter of a cause: 'A' took the most time; '?' is not explained. */
char spike_axis_letter(const struct explanation *explanation, const struct cause *cause);

/* Returns the lines of the axis: marks, a bar for each of its CPUs, the scale; at most @most (4 or more). */
unsigned spike_axis_lines(const struct explanation *explanation, unsigned most);
void spike_axis_draw(const struct scene *scene, struct area area, const struct kept_spike *kept);
