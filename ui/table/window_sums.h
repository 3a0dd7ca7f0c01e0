/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window_sums.h - the figures of the window that is shown, summed where they are looked at. Pure. */
#pragma once

#include "src/model/session.h"

struct windowed_row;

/* Zeroed shows all. */
struct windowed {
	const struct session *session;
	enum window window;        /* WINDOW_ALL also for what shows the same */
	struct blocks blocks;      /* that are shown; the session's */
	uint64_t update;           /* counts updates: sums of older ones are stale */
	struct windowed_row *rows; /* owned; NULL while all is shown */
	size_t n_rows;
};

/* Before anything is read, and each time that the session was fed: 0 or -ENOMEM. */
int windowed_update(struct windowed *windowed, const struct session *session, enum window window);
void windowed_finish(struct windowed *windowed);

/* Of a ring or a group; good until the next update. */
const struct hist *windowed_hist(struct windowed *windowed, size_t row, enum figure figure);
struct tick_counts windowed_counts(struct windowed *windowed, size_t row);
