/* SPDX-License-Identifier: GPL-2.0-or-later */
/* usual.c - the usual times of rings that are alike. */
#include "ui/table/usual.h"

#include <math.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/model/comparison_lines.h"
#include "ui/table/view_state.h"

/* The median of a large class is that of some of its rings, so that a frame does not read all. */
enum { RINGS_MIN = 3, RINGS_READ = 16 };

static const double far = 2.0;

static bool are_alike(const struct session_ring *a, const struct session_ring *b)
{
	return a->locality == b->locality && a->n_members == b->n_members &&
	       a->interval_ns == b->interval_ns && strcmp(a->mechanism, b->mechanism) == 0;
}

/* The rings of the class that are read are evenly distributed. */
static void read_class(struct usual_class *class, const struct row *like)
{
	const struct session *session = like->session;
	double times[N_COLUMNS][RINGS_READ];
	size_t n_alike = 0, n[N_COLUMNS] = {0}, nth = 0;

	for (size_t i = 0; i < session->n_rings; i++)
		n_alike += are_alike(&session->rings[i], like->ring);
	for (size_t i = 0; i < session->n_rings; i++) {
		if (!are_alike(&session->rings[i], like->ring) ||
			nth++ % (1 + (n_alike - 1) / RINGS_READ) != 0)
			continue;
		struct row row = row_of(session, like->view, &(struct order_row){.index = i});

		for (size_t c = COLUMN_CUR + 1; c < N_COLUMNS; c++) {
			double ns = columns_table[c].time && like->view->columns.width[c]
					    ? columns_table[c].value(&columns_table[c], &row)
					    : NAN;

			if (!isnan(ns))
				times[c][n[c]++] = ns;
		}
	}
	for (size_t c = 0; c < N_COLUMNS; c++) {
		sort_doubles(times[c], n[c]);
		class->ns[c] = n[c] < RINGS_MIN ? 0.0 : times[c][n[c] / 2];
	}
}

static const struct usual_class *class_of(const struct row *row)
{
	const struct session *session = row->session;
	struct usual *usual = &row->view->usual;

	for (size_t i = 0; i < usual->n; i++)
		if (are_alike(&session->rings[usual->classes[i].ring], row->ring))
			return &usual->classes[i];
	usual->n -= usual->n == USUAL_CLASSES_MAX;
	struct usual_class *class = &usual->classes[usual->n++];

	class->ring = (size_t)(row->ring - session->rings);
	read_class(class, row);
	return class;
}

/* Returns the baseline's time of a column of the figure that is shown, or 0. */
static double baseline_ns(const struct row *row, size_t column)
{
	static const size_t columns[N_SHIFT_PERCENTILES] = {
		[SHIFT_P50] = COLUMN_P50, [SHIFT_P99] = COLUMN_P99, [SHIFT_P999] = COLUMN_P999};
	const struct comparison_line *line = compared_line(row->view, row_number(row));

	for (size_t p = 0; line && p < N_SHIFT_PERCENTILES; p++)
		if (column == columns[p])
			return (double)line->a.percentile_ns[JUDGED_SHOWN][p];
	return 0.0;
}

bool usual_is_exceeded(const struct row *row, size_t column)
{
	const struct column *of = &columns_table[column];

	if (!row->ring || row->hop || !of->time || column == COLUMN_CUR)
		return false;
	double of_class = class_of(row)->ns[column], before = baseline_ns(row, column);
	double ns = of->value(of, row);

	return (of_class > 0.0 && ns > far * of_class) || (before > 0.0 && ns > far * before);
}
