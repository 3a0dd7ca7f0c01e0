/* SPDX-License-Identifier: GPL-2.0-or-later */
/* histogram_bins.h - sums a histogram up in a few bins with round edges. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hist;

enum { BINS_MAX = 64 };

struct histogram_bins {
	size_t n;
	uint64_t edge_ns[BINS_MAX + 1]; /* bin i: [edge i, edge i + 1); the last one has no upper edge */
	uint64_t count[BINS_MAX];
	uint64_t most; /* the largest count */
	bool is_cut;   /* the last bin has all samples above its lower edge */
};

/* Makes at most @rows bins (>= 1), fine up to a percentile: of samples beyond it, only the last bin has all,
 * whose lower edge is above it. 100: fine up to p99, and coarse beyond. None if the histogram is empty. */
void histogram_bins_zoom(struct histogram_bins *bins, const struct hist *hist, size_t rows, double percent);
/* The same as for 100, with bins as fine beyond p99 as @rows allow, once those up to p99 are as fine as they
 * can be. */
void histogram_bins_make_fine(struct histogram_bins *bins, const struct hist *hist, size_t rows);
/* Counts the samples of a histogram in the bins of another one. */
void histogram_bins_count(
	const struct histogram_bins *bins, const struct hist *hist, uint64_t counts[BINS_MAX]);
