/* SPDX-License-Identifier: GPL-2.0-or-later */
/* window_sums.c - the figures of a window, summed from its ticks when they are read. */
#include "ui/table/window_sums.h"

#include <errno.h>
#include <stdlib.h>

#include "src/model/session_phases.h"
#include "src/model/session_rows.h"

/* Each sum with the update that it was made in. */
struct window_sums_row {
	struct hist hists[N_FIGURES];
	uint64_t updates[N_FIGURES];
};

void window_sums_finish(struct window_sums *sums)
{
	for (size_t i = 0; i < sums->n_rows; i++)
		for (int f = 0; f < N_FIGURES; f++)
			hist_finish(&sums->rows[i].hists[f]);
	free(sums->rows);
	*sums = (struct window_sums){0};
}

int window_sums_update(struct window_sums *sums, const struct session *session, enum window window)
{
	size_t n_rows = session_rows(session);

	window = session_window(session, window);
	if (window == WINDOW_ALL || sums->n_rows != n_rows)
		window_sums_finish(sums);
	sums->session = session;
	sums->window = window;
	if (window == WINDOW_ALL)
		return 0;
	if (!sums->rows)
		sums->rows = calloc(n_rows, sizeof(*sums->rows));
	if (!sums->rows)
		return -ENOMEM;
	sums->n_rows = n_rows;
	sums->update++;
	return 0;
}

const struct hist *window_sums_hist(struct window_sums *sums, size_t row, enum figure figure)
{
	if (!sums->rows)
		return &session_row_figures(sums->session, row)[figure].hist;
	struct hist *hist = &sums->rows[row].hists[figure];
	uint64_t *update = &sums->rows[row].updates[figure];

	if (*update != sums->update) {
		hist_reset(hist);
		/* Without memory some samples are missing on the screen, until the next update. */
		session_add_figure(sums->session, row, sums->window, figure, hist);
		*update = sums->update;
	}
	return hist;
}

struct tick_counts window_sums_counts(struct window_sums *sums, size_t row)
{
	struct tick_counts counts = {0};

	session_add_counts(sums->session, row, sums->window, &counts);
	return counts;
}
