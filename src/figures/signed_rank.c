/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signed_rank.c - did B become higher or lower than A, by the differences of pairs? */
#include "src/figures/signed_rank.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"

enum {
	SUMS = SIGNED_RANK_PAIRS_MAX * (SIGNED_RANK_PAIRS_MAX + 1) + 1, /* of twice the ranks */
	MEANS = SIGNED_RANK_PAIRS_MAX * (SIGNED_RANK_PAIRS_MAX + 1) / 2,
};

/* Twice the rank is a whole number also where differences have one size. */
static unsigned double_rank(const double *differences, size_t n, size_t i)
{
	unsigned smaller = 0, alike = 0;

	for (size_t j = 0; j < n; j++) {
		smaller += differences[j] != 0 && fabs(differences[j]) < fabs(differences[i]);
		alike += fabs(differences[j]) == fabs(differences[i]);
	}
	return differences[i] != 0 ? 2 * smaller + alike + 1 : 0;
}

void signed_ranks(double *differences, size_t n)
{
	double ranks[SIGNED_RANK_PAIRS_MAX];

	for (size_t i = 0; i < n; i++)
		ranks[i] = copysign(double_rank(differences, n, i) / 2., differences[i]);
	memcpy(differences, ranks, n * sizeof(*ranks));
}

/* How likely each sum of positive ranks is, if each sign is random. Returns the largest sum. */
static unsigned distribute_sums(const unsigned *ranks, size_t n, double chances[SUMS])
{
	unsigned most = 0;

	memset(chances, 0, SUMS * sizeof(*chances));
	chances[0] = 1;
	for (size_t i = 0; i < n; i++) {
		most += ranks[i];
		for (unsigned sum = most + 1; sum-- > 0;)
			chances[sum] = (chances[sum] + (sum >= ranks[i] ? chances[sum - ranks[i]] : 0)) / 2;
	}
	return most;
}

struct rate_test signed_rank_test(const double *differences, size_t n)
{
	unsigned ranks[SIGNED_RANK_PAIRS_MAX], positive = 0;
	double chances[SUMS], above = 0, below = 0;

	for (size_t i = 0; i < n; i++) {
		ranks[i] = double_rank(differences, n, i);
		positive += differences[i] > 0 ? ranks[i] : 0;
	}
	unsigned most = distribute_sums(ranks, n, chances);

	for (unsigned sum = 0; sum <= most; sum++) {
		above += sum >= positive ? chances[sum] : 0;
		below += sum <= positive ? chances[sum] : 0;
	}
	return (struct rate_test){fmin(1, 2 * above), fmin(1, 2 * below)};
}

struct shift signed_rank_interval(const double *differences, size_t n, double alpha)
{
	double means[MEANS], chances[SUMS], below = 0;
	unsigned ranks[SIGNED_RANK_PAIRS_MAX];
	size_t n_means = 0, n_out = 0;

	for (size_t i = 0; i < n; i++) {
		ranks[i] = (unsigned)i + 1;
		for (size_t j = i; j < n; j++)
			means[n_means++] = (differences[i] + differences[j]) / 2;
	}
	sort_doubles(means, n_means);
	distribute_sums(ranks, n, chances);
	while (below + chances[n_out] <= alpha / 2)
		below += chances[n_out++];
	n_out -= n_out > 0;
	return (struct shift){(means[(n_means - 1) / 2] + means[n_means / 2]) / 2, means[n_out],
		means[n_means - 1 - n_out]};
}
