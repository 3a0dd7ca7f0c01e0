/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rates.h - what is counted in the blocks of two phases: missed slots, spikes, samples above a limit. Did
 * their rate change from A to B? Pure, and without random numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RATE_BLOCKS_MAX = 96, RATE_BLOCKS_MIN = 8 }; /* those of a phase, and its replicates as one each */

/* How many in each block, of how many: slots, samples, or a time. Blocks of 0 don't count. */
struct block_counts {
	size_t n_blocks;
	double n[RATE_BLOCKS_MAX], of[RATE_BLOCKS_MAX];
};

void block_counts_add(struct block_counts *counts, size_t block, double n, double of);
struct block_counts block_counts_sum(const struct block_counts *counts); /* returns one block */
double block_counts_rate(const struct block_counts *counts); /* of all blocks; 0: nothing was counted */

/* The ratio of the rates B / A, at 95 %. */
struct rate_shift {
	double low, high; /* 0, INFINITY: open; both where nothing was counted in either phase */
};

/* Both phases must have two blocks at least. Clopper and Pearson (1934), for as many as independent ones
 * carry the same information. */
struct rate_shift rate_interval(const struct block_counts *a, const struct block_counts *b);

/* The probability that only chance makes the rate of B so much higher, or so much lower, than that of A.
 * Two-sided, and larger by the factor that few blocks need, so 0.05 is the bound for a verdict. 1: there is
 * no evidence. */
struct rate_test {
	double higher, lower;
};

/* Tests spikes: by the interval alone. */
struct rate_test rate_test_counts(const struct block_counts *a, const struct block_counts *b);
/* Tests missed slots, which come in clusters: by the interval, or the ranks of the blocks' shares. Wilcoxon
 * (1945), exact with ties up to 32 blocks; neighbours that depend on each other are merged first. */
struct rate_test rate_test_shares(const struct block_counts *a, const struct block_counts *b);

/* Maxima of the blocks of a phase, ns, in the order of time. */
struct block_maxima {
	const uint64_t *ns;
	size_t n;
	uint64_t active_ns; /* of all blocks; blocks of another phase may be longer */
};

/* Is the maximum of the second phase higher than that of the first, by more than the lengths of the phases
 * explain? An exceedance test at 2.5 %: Rosenbaum (1954), for as many blocks as independent ones. */
bool max_is_higher(const struct block_maxima *before, const struct block_maxima *after);
