/* SPDX-License-Identifier: GPL-2.0-or-later */
/* histogram_bins.c - sums a histogram up in a few bins with round edges. */
#include "ui/draw/histogram_bins.h"

#include <string.h>

#include "src/figures/hist.h"

/* The round numbers of one decade, from the finest series to the coarsest; times 10^k ns, k >= 0. */
static const uint8_t series[][24] = {
	{10, 11, 12, 13, 14, 15, 16, 18, 20, 22, 24, 26, 28, 30, 33, 36, 40, 45, 50, 60, 70, 80, 90, 0},
	{10, 12, 14, 16, 18, 20, 25, 30, 35, 40, 50, 60, 70, 80, 90, 0},
	{10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 0},
	{10, 15, 20, 30, 50, 70, 0},
	{10, 20, 50, 0},
	{10, 30, 0},
	{10, 0},
};

enum { N_SERIES = sizeof(series) / sizeof(*series), COARSE = 4 };

/* The smallest round number above @ns; 10 ns at least, and at most one past 2^63. */
static uint64_t edge_above(unsigned s, uint64_t ns)
{
	for (uint64_t decade = 1;; decade *= 10) {
		for (size_t i = 0; series[s][i]; i++)
			if (series[s][i] * decade > ns)
				return series[s][i] * decade;
	}
}

/* The largest round number up to @ns, or 0 below 10 ns. */
static uint64_t edge_below(unsigned s, uint64_t ns)
{
	uint64_t edge = 0;

	for (uint64_t next = edge_above(s, 0); next <= ns; next = edge_above(s, next))
		edge = next;
	return edge;
}

/* Returns false if @rows bins do not reach @to. */
static bool make_edges(struct histogram_bins *bins, unsigned s, unsigned tail, uint64_t from, uint64_t bulk,
	uint64_t to, size_t rows)
{
	uint64_t edge = edge_below(s, from);

	bins->n = 0;
	bins->edge_ns[0] = edge;
	while (edge <= to && bins->n < rows) {
		edge = edge_above(edge <= bulk ? s : tail, edge);
		bins->edge_ns[++bins->n] = edge;
	}
	return edge > to;
}

/* Makes edges by the finest series with which @rows bins reach @to. Returns false if none does. */
static bool choose_edges(struct histogram_bins *bins, uint64_t from, uint64_t bulk, uint64_t to, size_t rows)
{
	for (unsigned s = 0; s < N_SERIES; s++)
		if (make_edges(bins, s, s > COARSE ? s : COARSE, from, bulk, to, rows))
			return true;
	return false;
}

static void count_octave(const struct histogram_bins *bins, const struct hist *hist, unsigned octave,
	size_t *bin, uint64_t *counts)
{
	for (unsigned b = octave * HIST_OCTAVE; b < (octave + 1) * HIST_OCTAVE; b++) {
		while (*bin + 1 < bins->n && hist_middle(b) >= bins->edge_ns[*bin + 1])
			++*bin;
		counts[*bin] += hist_count(hist, b);
	}
}

void histogram_bins_count(
	const struct histogram_bins *bins, const struct hist *hist, uint64_t counts[BINS_MAX])
{
	size_t bin = 0;

	memset(counts, 0, BINS_MAX * sizeof(*counts));
	for (unsigned octave = 0; octave < HIST_OCTAVES && bins->n; octave++)
		if (hist->octave_n[octave])
			count_octave(bins, hist, octave, &bin, counts);
}

static void count_all(struct histogram_bins *bins, const struct hist *hist)
{
	bins->most = 0;
	histogram_bins_count(bins, hist, bins->count);
	for (size_t i = 0; i < bins->n; i++)
		bins->most = bins->count[i] > bins->most ? bins->count[i] : bins->most;
}

void histogram_bins_make_fine(struct histogram_bins *bins, const struct hist *hist, size_t rows)
{
	struct histogram_bins fine = {0};

	histogram_bins_zoom(bins, hist, rows, 100.0);
	rows = rows < BINS_MAX ? rows : BINS_MAX;
	for (unsigned tail = 0; tail < COARSE && bins->n; tail++)
		if (make_edges(
			    &fine, 0, tail, hist->min_ns, hist_percentile(hist, 99.0), hist->max_ns, rows)) {
			count_all(&fine, hist);
			*bins = fine;
			return;
		}
}

void histogram_bins_zoom(struct histogram_bins *bins, const struct hist *hist, size_t rows, double percent)
{
	const uint64_t limit = UINT64_C(1000000000000000); /* far beyond the histogram's last bucket */

	*bins = (struct histogram_bins){0};
	if (!hist->n || !rows)
		return;
	rows = rows < BINS_MAX ? rows : BINS_MAX;
	uint64_t to = hist->max_ns < limit ? hist->max_ns : limit;
	uint64_t from = hist->min_ns < to ? hist->min_ns : to;

	uint64_t bulk = hist_percentile(hist, percent < 99.0 ? percent : 99.0);
	uint64_t fine = hist_percentile(hist, percent);

	/* The last line is for what is beyond. Too few lines show all. */
	if (percent < 100.0 && fine < to && choose_edges(bins, from, fine, fine, rows - 1) &&
		bins->edge_ns[bins->n] <= hist->max_ns) {
		bins->is_cut = true;
		bins->edge_ns[++bins->n] = edge_above(0, limit);
	} else {
		choose_edges(bins, from, bulk, to, rows);
	}
	count_all(bins, hist);
}
