/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rotation.h - how likely chance alone makes any of several values differ so much between replicates of A and
 * B. Pure.
 *
 * Values that move together are corrected for as few, which a bound for any values, as Holm's, can't do where
 * there are few replicates. If nothing changed, the direction from A to B is a random one among those of the
 * replicates: a value is wrong by chance as often as random directions are nearer to its own. All values are
 * compared with the same directions. The directions are fixed: the same values always give the same result.
 * Source: Langsrud, Rotation tests (2005), for normal values of one variance each, and any correlation;
 * Westfall and Young, Resampling-based multiple testing (1993), for the steps from the largest change down.
 */
#pragma once

#include <stddef.h>

enum { ROTATION_VALUES_MAX = 64, ROTATION_MARKS_MAX = 9 };

/* What is one value in each replicate: those of A, then those of B. */
struct rotation_mark {
	double values[ROTATION_VALUES_MAX];
	double chance; /* set; 1 where the values are all the same */
};

/* Sets for each mark the probability with which chance alone moves it, or any mark that moved less, so far:
 * at a bound of 5 % any of the marks is wrong in 5 %. @n_marks: ROTATION_MARKS_MAX at most; @n_a, @n_b: 1 at
 * least, and together 3 to ROTATION_VALUES_MAX. */
void rotation_test(struct rotation_mark *marks, size_t n_marks, size_t n_a, size_t n_b);
/* The same of pairs: each value is how far B is from the A beside it. Only the order of these differences
 * counts, see signed_rank.h, and random signs take the place of random directions. @n: SIGNED_RANK_PAIRS_MAX
 * at most. */
void rotation_test_pairs(struct rotation_mark *marks, size_t n_marks, size_t n);
