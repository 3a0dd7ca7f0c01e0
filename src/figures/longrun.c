/* SPDX-License-Identifier: GPL-2.0-or-later */
/* longrun.c - the variance of dependent blocks. */
#include "src/figures/longrun.h"

#include <math.h>

#include "src/figures/distributions.h"

enum { BLOCKS_MIN = 6, BLOCKS_MANY = 32, BLOCKS_SOME = 16 };

double longrun_alpha(size_t n_blocks)
{
	return n_blocks >= BLOCKS_MANY ? 0.05 : n_blocks >= BLOCKS_SOME ? 0.02 : 0.01;
}

static double sum_of_squares(const double *residuals, size_t n)
{
	double squares = 0;

	for (size_t i = 0; i < n; i++)
		squares += residuals[i] * residuals[i];
	return squares;
}

double longrun_correlation(const double *residuals, size_t n_blocks)
{
	double products = 0, squares = sum_of_squares(residuals, n_blocks);

	for (size_t i = 0; i + 1 < n_blocks; i++)
		products += residuals[i] * residuals[i + 1];
	double rho = squares > 0 ? products / squares : 0;

	rho += (1 + 3 * fmax(rho, 0)) / (double)n_blocks;
	return fmin(fmax(rho, 0), 0.95);
}

/* Each two neighbours become their sum; an odd last one stays. Returns how many there are then. */
static size_t halve(double *residuals, size_t n)
{
	for (size_t i = 0; i < n; i += 2)
		residuals[i / 2] = residuals[i] + (i + 1 < n ? residuals[i + 1] : 0);
	return (n + 1) / 2;
}

struct longrun longrun_variance(double *residuals, size_t n_blocks, double n)
{
	struct longrun worst = {0};
	double worst_bound = -1;

	for (size_t m = n_blocks;; m = halve(residuals, m)) {
		double rho = longrun_correlation(residuals, m);
		double factor = (1 + rho) / (1 - rho);
		struct longrun found = {
			sum_of_squares(residuals, m) / n * (double)m / (double)(m - 1) * factor,
			(double)m / factor};
		double t = student_quantile(0.05, fmax(found.blocks - 1, 2));

		if (found.variance * t * t > worst_bound) {
			worst = found;
			worst_bound = found.variance * t * t;
		}
		if (m < 2 * BLOCKS_MIN)
			return worst;
	}
}
