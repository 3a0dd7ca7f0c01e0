/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike_limit.c - from which length on a ring's samples are spikes. */
#include "src/figures/spike_limit.h"

static const uint64_t least_ns = 20000, second_ns = 1000000000;
enum { TIMES_USUAL = 3, PER_SECOND = 20 };

static uint64_t count_samples(const struct hist_cell *cells, size_t n_cells)
{
	uint64_t n = 0;

	for (size_t i = 0; i < n_cells; i++)
		n += cells[i].bucket < HIST_UNTIMED ? cells[i].count : 0;
	return n;
}

/* Returns the lower edge of the bucket that the @rank-th of the longest samples is in: at least so many reach
 * it, so equal stalls do not hide each other. 0: there are not so many. */
static uint64_t longest_at(const struct hist_cell *cells, size_t n_cells, uint64_t rank)
{
	for (size_t i = n_cells; i-- > 0;) {
		if (cells[i].bucket >= HIST_UNTIMED)
			continue;
		if (cells[i].count >= rank)
			return hist_lower(cells[i].bucket);
		rank -= cells[i].count;
	}
	return 0;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

uint64_t spike_limit(struct spike_usual *usual, const struct hist_cell *cells, size_t n_cells,
	uint64_t length_ns, uint64_t before_ns)
{
	uint64_t n = count_samples(cells, n_cells), most_ns = usual->median_ns + usual->median_ns / 4;
	uint64_t allowed = PER_SECOND * length_ns / second_ns;

	if (!n)
		return before_ns;
	uint64_t median_ns = longest_at(cells, n_cells, n - n / 2);

	usual->median_ns = usual->median_ns && median_ns > most_ns ? most_ns : median_ns;
	return larger(
		larger(least_ns, TIMES_USUAL * usual->median_ns), longest_at(cells, n_cells, allowed + 1));
}
