/* SPDX-License-Identifier: GPL-2.0-or-later */
/* blame.h - the causes of spikes, by the time that they took. Pure. */
#pragma once

#include "src/model/spikes.h"
#include "ui/table/view_state.h"

struct blame_shown {
	struct blame_sums sums; /* by CPU, "CPU 3: " and its largest cause are one */
	bool by_cpu;
	char of[64]; /* "phase 2", "the last 10s" */
};

/* Returns whether the filter of the table shows a ring's spikes. */
bool blame_passes(const struct view_state *view, const struct session *session, uint32_t ring);
/* Returns when a window of seconds, or the current phase, began, from which on spikes are in it; 0 for all of
 * the run. */
uint64_t blame_window_start(enum window window, const struct session *session);
/* Sums the spikes of the window and of the rings that the filter shows. Where the session has no such sum,
 * only kept spikes are summed. */
void blame_make(struct blame_shown *blame, const struct view_state *view, const struct session *session);
/* Sums kept spikes by CPU: each with the time that went by there. */
void blame_make_by_cpu(
	struct blame_shown *blame, const struct view_state *view, const struct session *session);

enum { BLAME_HEAD_LINES = 2 };

/* Returns how many lines the reason takes why there are no causes, at most; 0: there are some. */
unsigned blame_lack_lines(const struct session *session, const struct blame_shown *blame, unsigned width);
/* Draws as many as fit in a line: "stress-ng-cpu (FF90) 61 %, irq nvme0q5 12 %, unexplained 3 %". The reason
 * why there are none may take all lines. */
void blame_draw_brief(const struct scene *scene, struct area area, const struct blame_shown *blame);
/* Draws a table with a title and a head. */
void blame_draw_table(const struct scene *scene, struct area area, const struct blame_shown *blame);
