/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window_sums.h - the figures of a window, summed from its ticks when they are read. Pure. */
#pragma once

#include "src/model/session.h"

struct window_sums_row;

/* Zeroed shows all. */
struct window_sums {
	const struct session *session;
	enum window window;           /* WINDOW_ALL also for one that shows the same */
	uint64_t update;              /* counts updates: sums of older ones are stale */
	struct window_sums_row *rows; /* owned; NULL while all is shown */
	size_t n_rows;
};

/* Before anything is read, and each time that the session was fed: 0 or -ENOMEM. */
int window_sums_update(struct window_sums *sums, const struct session *session, enum window window);
void window_sums_finish(struct window_sums *sums);

/* Of a ring or a group; good until the next update. */
const struct hist *window_sums_hist(struct window_sums *sums, size_t row, enum figure figure);
struct tick_counts window_sums_counts(struct window_sums *sums, size_t row);
