/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window_sums.c - the figures of the window that is shown. */
#include "ui/table/window_sums.h"

#include <errno.h>
#include <stdlib.h>

/* Each sum with the update that it was made in. */
struct windowed_row {
	struct hist hists[N_FIGURES];
	uint64_t updates[N_FIGURES];
};

void windowed_finish(struct windowed *windowed)
{
	for (size_t i = 0; i < windowed->n_rows; i++)
		for (int f = 0; f < N_FIGURES; f++)
			hist_finish(&windowed->rows[i].hists[f]);
	free(windowed->rows);
	*windowed = (struct windowed){0};
}

int windowed_update(struct windowed *windowed, const struct session *session, enum window window)
{
	size_t n_rows = session_rows(session);

	window = session_window(session, window);
	if (window == WINDOW_ALL || windowed->n_rows != n_rows)
		windowed_finish(windowed);
	windowed->session = session;
	windowed->window = window;
	if (window == WINDOW_ALL)
		return 0;
	if (!windowed->rows)
		windowed->rows = calloc(n_rows, sizeof(*windowed->rows));
	if (!windowed->rows)
		return -ENOMEM;
	windowed->n_rows = n_rows;
	windowed->blocks = session_blocks(session, window);
	windowed->update++;
	return 0;
}

const struct hist *windowed_hist(struct windowed *windowed, size_t row, enum figure figure)
{
	if (!windowed->rows)
		return &session_row_figure(windowed->session, row, figure)->hist;
	struct hist *hist = &windowed->rows[row].hists[figure];
	uint64_t *update = &windowed->rows[row].updates[figure];

	if (*update != windowed->update) {
		hist_reset(hist);
		/* Without memory some samples are missing on the screen, until the next update. */
		blocks_add_figure(&windowed->blocks, row, figure, hist);
		*update = windowed->update;
	}
	return hist;
}

struct tick_counts windowed_counts(struct windowed *windowed, size_t row)
{
	struct tick_counts counts = {0};

	if (windowed->rows)
		blocks_add_counts(&windowed->blocks, row, &counts);
	else
		session_add_counts(windowed->session, row, WINDOW_ALL, &counts);
	return counts;
}
