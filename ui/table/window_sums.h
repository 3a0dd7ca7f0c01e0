/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window_sums.h - the figures of the window that is shown, summed up once for each tick, where they are
 * looked at: a row that was looked at the time before has but the difference added. Pure.
 *
 * It keeps the spans that the sums are of until the next update, whatever becomes of the session. Their
 * references are counted as the session's are: by whoever holds the session's lock. */
#pragma once

#include "src/model/session.h"

struct windowed_row;

/* Zeroed shows all. */
struct windowed {
	const struct session *session;
	enum window window;        /* WINDOW_ALL also for what shows the same */
	uint64_t turn;             /* counts changes of what is shown: sums of older ones are stale */
	struct span_list spans;    /* that are shown */
	struct span_list came;     /* of these, those that were not in the turn before, */
	struct span_list left;     /* and what was */
	struct windowed_row *rows; /* owned; NULL while all is shown */
	size_t n_rows;
};

/* Before anything is read: 0 or -ENOMEM. */
int windowed_update(struct windowed *windowed, const struct session *session, enum window window);
void windowed_finish(struct windowed *windowed);

/* Of a ring or a group; good until the next update. */
const struct hist *windowed_hist(struct windowed *windowed, size_t row, enum figure figure);
struct pack_counts windowed_counts(struct windowed *windowed, size_t row);
