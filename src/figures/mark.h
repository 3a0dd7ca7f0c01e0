/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mark.h - one thing that may have become worse or better from phase A to phase B: a percentile, the share of
 * missed slots, the rate of spikes, or in a flood the laps a second. A mark is of a row, or of all rows.
 * Pure. */
#pragma once

#include "src/figures/shift.h"

/* N_SHIFT_PERCENTILES marks for each judged figure come first. */
enum mark_id {
	MARK_SHOWN,
	MARK_RESPONSE = MARK_SHOWN + N_SHIFT_PERCENTILES,
	MARK_MISSED = MARK_RESPONSE + N_SHIFT_PERCENTILES,
	MARK_SPIKES,
	MARK_LAPS, /* a second, of a flood: a quota leaves its percentiles as they are */
	N_MARKS,
};

static inline enum shift_percentile mark_percentile(enum mark_id mark)
{
	return (enum shift_percentile)(mark % N_SHIFT_PERCENTILES);
}

struct mark {
	enum shift_verdict verdict; /* too few: it was not tested */
	double probability;         /* of the change, if it were by chance */
	bool survives;              /* the correction for all marks of all rows */
};

/* The error probability of a mark. */
#define MARK_ALPHA 0.05

enum { SPIKE_LIMITS = 3 }; /* above which spikes are counted */

static inline bool mark_has_moved(enum shift_verdict verdict)
{
	return verdict == SHIFT_WORSE || verdict == SHIFT_BETTER;
}

/* Makes the mark of a test, of which higher is worse. @may_be_higher, @may_be_lower: the change is large
 * enough for such a verdict. */
struct mark mark_of_test(struct rate_test test, bool may_be_higher, bool may_be_lower);

/* Are there too few blocks in which anything was counted? */
bool marks_lack_blocks(const struct block_counts *a, const struct block_counts *b);
struct mark mark_missed(const struct block_counts *a, const struct block_counts *b);
struct mark mark_laps(const struct block_counts *a, const struct block_counts *b);
/* Of spikes above a limit. @far_a, @far_b: those above a limit that is higher by as much as a change must be.
 * marks_lack_blocks() must be false. */
struct mark mark_spikes(const struct block_counts *a, const struct block_counts *b,
	const struct block_counts *far_a, const struct block_counts *far_b);
/* A flood that makes fewer laps also has fewer spikes a second: a change counts if they are fewer of the
 * laps, too. Spikes and laps are of the same time. Of several rows, @spikes_b are what floods would have had
 * with A's laps, and in place of laps are the times. */
struct mark mark_doubt_spikes_of_flood(
	struct mark mark, double spikes_a, double spikes_b, double laps_a, double laps_b);

/* Is the change of a share of missed slots, or of the laps a second, large enough for a verdict? */
bool mark_has_missed_change(double share_a, double share_b);
bool mark_has_laps_change(double laps_a, double laps_b);

bool marks_have(const struct mark marks[N_MARKS], enum shift_verdict verdict);
/* Returns worse, better, mixed, or @otherwise. */
enum shift_verdict marks_direction(bool is_worse, bool is_better, enum shift_verdict otherwise);
/* Leaves the marks with this verdict, those that tell most first: the missed slots, then the percentiles that
 * chance makes least likely, then the spikes. Returns how many. */
size_t marks_sorted(
	const struct mark marks[N_MARKS], enum shift_verdict verdict, enum mark_id sorted[N_MARKS]);
