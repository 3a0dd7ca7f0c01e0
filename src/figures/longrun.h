/* SPDX-License-Identifier: GPL-2.0-or-later */
/* longrun.h - how much blocks of a phase vary, where neighbours depend on each other. Pure. */
#pragma once

#include <stddef.h>

/* The variance of the sum of @residuals for each of @n items, and how many independent blocks they are worth:
 * the worst of several sizes of blocks, Fishman and Yarberry (1997). @n_blocks: 2 at least; @residuals are
 * overwritten. */
struct longrun {
	double variance, blocks;
};
struct longrun longrun_variance(double *residuals, size_t n_blocks, double n);

/* The correlation of neighbours, with Kendall's correction (1954), from 0 to 0.95. @n_blocks: 1 at least. */
double longrun_correlation(const double *residuals, size_t n_blocks);

/* The error probability at which phases of so many blocks are compared, for one of 5 %: correlation can't be
 * measured in few blocks. */
double longrun_alpha(size_t n_blocks);
