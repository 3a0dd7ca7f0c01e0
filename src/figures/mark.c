/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mark.c - the marks of a row, or of all rows together, from what their blocks count. */
#include "src/figures/mark.h"

#include <math.h>

#include "src/figures/longrun.h"

/* A change that gets a verdict: of the share of missed slots, and of the laps a second. */
static const double MISSED_LEAST = 0.001, MISSED_RATIO = 0.05, LAPS_RATIO = 1.05;

/* None in n says at 95 % that the share is below this, divided by n: the rule of three. */
static const double NONE_BELOW = 3;

struct mark mark_of_test(struct rate_test test, bool may_be_higher, bool may_be_lower)
{
	if (may_be_higher && test.higher <= MARK_ALPHA)
		return (struct mark){SHIFT_WORSE, test.higher};
	if (may_be_lower && test.lower <= MARK_ALPHA)
		return (struct mark){SHIFT_BETTER, test.lower};
	return (struct mark){SHIFT_UNDECIDED, fmin(test.higher, test.lower)};
}

static size_t filled_blocks(const struct block_counts *counts)
{
	size_t n = 0;

	for (size_t i = 0; i < counts->n_blocks; i++)
		n += counts->of[i] > 0;
	return n;
}

bool marks_lack_blocks(const struct block_counts *a, const struct block_counts *b)
{
	return filled_blocks(a) < RATE_BLOCKS_MIN || filled_blocks(b) < RATE_BLOCKS_MIN;
}

/* No slot was missed: are they enough to say that no change is large enough for a verdict? */
static bool excludes_missed_change(const struct block_counts *a, const struct block_counts *b)
{
	return fmin(block_counts_sum(a).of[0], block_counts_sum(b).of[0]) * MISSED_LEAST >= NONE_BELOW;
}

bool mark_has_missed_change(double share_a, double share_b)
{
	return fabs(share_b - share_a) >= fmax(MISSED_LEAST, MISSED_RATIO * share_a);
}

struct mark mark_missed(const struct block_counts *a, const struct block_counts *b)
{
	double in_a = block_counts_rate(a), in_b = block_counts_rate(b);
	bool has_changed = mark_has_missed_change(in_a, in_b);

	if (marks_lack_blocks(a, b))
		return (struct mark){SHIFT_TOO_FEW, 1};
	if (in_a == 0 && in_b == 0)
		return (struct mark){excludes_missed_change(a, b) ? SHIFT_SAME : SHIFT_TOO_FEW, 1};
	return mark_of_test(rate_test_shares(a, b), has_changed && in_b > in_a, has_changed && in_a > in_b);
}

bool mark_has_laps_change(double laps_a, double laps_b)
{
	return fmax(laps_a, laps_b) >= LAPS_RATIO * fmin(laps_a, laps_b);
}

/* Leaves in @residuals how far each block is from the rate of all, as a rate in a block of usual size.
 * Returns how many blocks have a size. */
static size_t rate_residuals(const struct block_counts *counts, double residuals[RATE_BLOCKS_MAX])
{
	struct block_counts sum = block_counts_sum(counts);
	double rate = block_counts_rate(counts), usual = sum.of[0] / (double)filled_blocks(counts);
	size_t n = 0;

	for (size_t i = 0; i < counts->n_blocks; i++)
		if (counts->of[i] > 0)
			residuals[n++] = (counts->n[i] - rate * counts->of[i]) / usual;
	return n;
}

/* Fewer laps a second are worse. A flood makes so many laps that only the blocks count: their rates vary far
 * more than chance alone makes laps do, and neighbours depend on each other. */
struct mark mark_laps(const struct block_counts *a, const struct block_counts *b)
{
	double residuals_a[RATE_BLOCKS_MAX], residuals_b[RATE_BLOCKS_MAX];
	double in_a = block_counts_rate(a), in_b = block_counts_rate(b);
	bool has_changed = mark_has_laps_change(in_a, in_b);

	if (marks_lack_blocks(a, b) || (in_a == 0 && in_b == 0))
		return (struct mark){SHIFT_TOO_FEW, 1};
	size_t n_a = rate_residuals(a, residuals_a), n_b = rate_residuals(b, residuals_b);
	double chance = shift_means_test(residuals_a, n_a, residuals_b, n_b, in_b - in_a) * MARK_ALPHA /
			longrun_alpha(n_a < n_b ? n_a : n_b);

	chance = fmin(1, chance);
	return mark_of_test((struct rate_test){in_b < in_a ? chance : 1, in_b > in_a ? chance : 1},
		has_changed, has_changed);
}

/* A spike is one for each limit that it exceeds, so each has its part of the error probability. */
struct mark mark_spikes(const struct block_counts *a, const struct block_counts *b,
	const struct block_counts *far_a, const struct block_counts *far_b)
{
	struct rate_test higher = rate_test_counts(a, far_b), lower = rate_test_counts(far_a, b);

	return mark_of_test((struct rate_test){fmin(1, SPIKE_LIMITS * higher.higher),
				    fmin(1, SPIKE_LIMITS * lower.lower)},
		true, true);
}

struct mark mark_doubt_spikes_of_flood(
	struct mark mark, double spikes_a, double spikes_b, double laps_a, double laps_b)
{
	bool are_more = spikes_b * laps_a > spikes_a * laps_b; /* of the laps */

	if (mark.verdict == (are_more ? SHIFT_BETTER : SHIFT_WORSE))
		mark.verdict = SHIFT_UNDECIDED;
	return mark;
}

bool marks_have(const struct mark marks[N_MARKS], enum shift_verdict verdict)
{
	bool has = false;

	for (size_t i = 0; i < N_MARKS; i++)
		has |= marks[i].verdict == verdict;
	return has;
}

enum shift_verdict marks_direction(bool is_worse, bool is_better, enum shift_verdict otherwise)
{
	return is_worse && is_better ? SHIFT_MIXED
	       : is_worse            ? SHIFT_WORSE
	       : is_better           ? SHIFT_BETTER
				     : otherwise;
}

/* Missed slots say what the user feels; spikes and laps of a flood say nothing more than a percentile that
 * shows them, too. */
static unsigned weight_of(size_t mark)
{
	return mark == MARK_MISSED ? 0 : mark > MARK_MISSED ? 2 : 1;
}

static bool comes_before(const struct mark marks[N_MARKS], size_t mark, size_t other)
{
	if (weight_of(mark) != weight_of(other))
		return weight_of(mark) < weight_of(other);
	return marks[mark].probability < marks[other].probability;
}

size_t marks_sorted(
	const struct mark marks[N_MARKS], enum shift_verdict verdict, enum mark_id sorted[N_MARKS])
{
	size_t n = 0;

	for (size_t mark = 0; mark < N_MARKS; mark++) {
		if (marks[mark].verdict != verdict)
			continue;
		size_t at = n++;

		for (; at && comes_before(marks, mark, sorted[at - 1]); at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = (enum mark_id)mark;
	}
	return n;
}
