/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export_hgrm.c - HdrHistogram's percentile distribution, as its outputPercentileDistribution() prints it. */
#include <math.h>

#include "src/model/session.h"
#include "src/model/session_rows.h"
#include "src/report/export.h"

enum { LEVELS_PER_HALF = 5 }; /* of the distance to 100 % */

static double microseconds(double ns)
{
	return ns / 1000;
}

/* The next level: steps become smaller as the distance to 100 % halves. */
static double next_level(double level)
{
	double halvings = floor(log2(100 / (100 - level))) + 1;

	return level + 100 / (LEVELS_PER_HALF * exp2(halvings));
}

/* In us; of the last bucket the exact maximum, because plotters read it there. */
static double value_of(const struct hist *hist, unsigned bucket, bool is_last)
{
	return microseconds((double)(is_last ? hist->max_ns : hist_clamped(hist, hist_middle(bucket))));
}

/* A level is printed with the first bucket that reaches it, and the last bucket once. */
static void print_levels(FILE *out, const struct hist *hist)
{
	uint64_t seen = 0;
	double level = 0;

	for (unsigned bucket = 0; bucket < HIST_BUCKETS; bucket++) {
		uint64_t count = hist_count(hist, bucket);

		seen += count;
		while (count && level <= 100 * (double)seen / (double)hist->n) {
			fprintf(out, "%12.3f %.12f %10llu %14.2f\n", value_of(hist, bucket, seen == hist->n),
				level / 100, (unsigned long long)seen, 100 / (100 - level));
			level = next_level(level);
			if (seen == hist->n)
				break;
		}
	}
	if (hist->n)
		fprintf(out, "%12.3f %.12f %10llu\n", microseconds((double)hist->max_ns), 1.0,
			(unsigned long long)hist->n);
}

static void print_title(FILE *out, const struct export_view *view, enum figure figure)
{
	const struct session *session = view->session;
	char name[SESSION_NAME_SIZE];

	if (view->row < session->n_rings)
		fprintf(out, "#[ipctop: %s of %s, us]\n", figure_title(figure),
			session_ring_name(&session->rings[view->row], name));
	else
		fprintf(out, "#[ipctop: %s of %zu ring%s, us]\n", figure_title(figure), session->n_rings,
			session->n_rings == 1 ? "" : "s");
}

static int print_all(FILE *out, const struct export_view *view)
{
	const struct session *session = view->session;
	size_t ring = view->row < session->n_rings ? view->row : 0; /* all have the same figures */
	enum figure figure =
		session->n_rings ? session_figure_of(&session->rings[ring], view->figure) : view->figure;
	size_t row = session_nth_row(session, view->row);
	const struct hist *hist = &session_row_figures(session, row)[figure].hist;

	print_title(out, view, figure);
	fprintf(out, "%12s %14s %10s %14s\n\n", "Value", "Percentile", "TotalCount", "1/(1-Percentile)");
	print_levels(out, hist);
	if (hist_samples(hist) && !hist_has_mean(hist))
		fprintf(out, "#[Mean    = %12s, StdDeviation   = %12s]\n", "-", "-");
	else
		fprintf(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", microseconds(hist_mean(hist)),
			microseconds(hist_stddev(hist)));
	fprintf(out, "#[Max     = %12.3f, Total count    = %12llu]\n",
		microseconds(hist->n ? (double)hist->max_ns : 0), (unsigned long long)hist->n);
	fprintf(out, "#[Buckets = %12d, SubBuckets     = %12d]\n", HIST_OCTAVES, HIST_OCTAVE);
	return 0;
}

const struct export_format export_hgrm = {"hgrm", .one_row = true, .print = print_all};
