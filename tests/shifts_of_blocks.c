/* SPDX-License-Identifier: GPL-2.0-or-later */
/* shifts_of_blocks.c - prints the shifts between phases that it reads: check_shift.py feeds it.
 *
 * Input: for each phase the number of blocks, then for each block the number of cells, and of each cell its
 * bucket and its count. Output: for each two phases a line for each percentile: estimate, low and high end.
 *
 * With the argument "rates", input: for each phase the number of blocks, then what each counts, and of how
 * many. Output: for each two phases the probabilities of the two tests of rates, each higher and lower. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/figures/shift.h"

static unsigned long next_number(void)
{
	unsigned long number;

	if (scanf("%lu", &number) != 1) {
		fprintf(stderr, "a number is missing\n");
		exit(1);
	}
	return number;
}

static void read_phase(struct shift_phase *phase, unsigned long n_blocks)
{
	struct hist blocks[SHIFT_BLOCKS_MAX] = {0};

	if (n_blocks > SHIFT_BLOCKS_MAX)
		exit(1);
	for (unsigned long i = 0; i < n_blocks; i++) {
		for (unsigned long n = next_number(); n; n--) {
			unsigned bucket = (unsigned)next_number();

			if (hist_add_cells(&blocks[i], &(struct hist_cell){bucket, next_number()}, 1) < 0)
				exit(1);
		}
	}
	if (shift_phase_init(phase, blocks, n_blocks) < 0)
		exit(1);
	for (unsigned long i = 0; i < n_blocks; i++)
		hist_finish(&blocks[i]);
}

static struct block_counts read_counts(unsigned long n_blocks)
{
	struct block_counts counts = {0};

	if (n_blocks > RATE_BLOCKS_MAX)
		exit(1);
	for (unsigned long i = 0; i < n_blocks; i++) {
		double n = (double)next_number();

		block_counts_add(&counts, i, n, (double)next_number());
	}
	return counts;
}

static void print_rates(void)
{
	unsigned long n_blocks;

	while (scanf("%lu", &n_blocks) == 1) {
		struct block_counts a = read_counts(n_blocks), b = read_counts(next_number());
		struct rate_test shares = rate_test_shares(&a, &b), counts = rate_test_counts(&a, &b);

		printf("%.12g %.12g %.12g %.12g\n", shares.higher, shares.lower, counts.higher, counts.lower);
	}
}

int main(int argc, char **argv)
{
	unsigned long n_blocks;

	if (argc > 1 && strcmp(argv[1], "rates") == 0) {
		print_rates();
		return 0;
	}

	while (scanf("%lu", &n_blocks) == 1) {
		struct shift_phase a, b;
		struct shift shifts[N_SHIFT_PERCENTILES];

		read_phase(&a, n_blocks);
		read_phase(&b, next_number());
		shift_intervals(&a, &b, 0, shifts);
		for (size_t i = 0; i < N_SHIFT_PERCENTILES; i++)
			printf("%.12g %.12g %.12g\n", shifts[i].estimate, shifts[i].low, shifts[i].high);
		shift_phase_finish(&a);
		shift_phase_finish(&b);
	}
	return 0;
}
