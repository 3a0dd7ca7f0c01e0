/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hist.h - log-linear histograms of times: exact below 128 ns, then 64 buckets an octave.
 *
 * The scheme is HdrHistogram's (Gil Tene), with fixed sub-buckets. A bucket is read at its middle, so a
 * value is off by at most 1/128 (0.8 %); extremes and sums are exact. The last bucket has all times from
 * 67.6 s on: percentiles and deviation spread them evenly up to the maximum.
 *
 * Samples of a batch are untimed: only their number and the sum of their times are known, so the mean.
 *
 * Three forms: one member writes a `hist_live` while others read it; `hist_cell`s are the samples between two
 * reads; a `hist` is the reader's sum of cells. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

enum {
	HIST_OCTAVE = 64,  /* buckets an octave */
	HIST_OCTAVES = 31, /* 0..63 ns, then 64 ns to 2^36 ns, which is 68.7 s */
	HIST_BUCKETS = HIST_OCTAVES * HIST_OCTAVE,
	HIST_UNTIMED = HIST_BUCKETS, /* in cells, the bucket of samples whose own times are not known */
	HIST_CELLS_MAX = HIST_BUCKETS + 1,
};

/* The bucket of a time; times from 2^36 ns on share the last one. */
static inline unsigned hist_bucket(uint64_t ns)
{
	if (ns < HIST_OCTAVE)
		return (unsigned)ns;
	if (ns >> 36)
		return HIST_BUCKETS - 1;
	unsigned shift = 63u - 6u - (unsigned)__builtin_clzll(ns);

	return (shift << 6) + (unsigned)(ns >> shift);
}

uint64_t hist_lower(unsigned bucket);  /* the smallest time in it, ns */
uint64_t hist_middle(unsigned bucket); /* the time that it is read as, ns */
uint64_t hist_width(unsigned bucket);  /* ns */

struct hist_extremes {
	_Atomic uint32_t epoch; /* of the arena, when these were started */
	_Atomic uint64_t min_ns, max_ns;
	_Atomic uint64_t max_at_ns; /* CLOCK_MONOTONIC */
};

/* One writer. Counts only grow; a reader takes differences. Those of 32 bits may wrap: at 5 million samples a
 * second, that of one bucket does so in a quarter of an hour, if its reader is stopped for that long. Then @n
 * says how many samples they lack.
 * @octave sums the buckets of one octave, so that a reader skips octaves that have not changed. */
struct hist_live {
	_Alignas(64) struct hist_extremes
		extremes[2]; /* of the current epoch and the one before: one cache line */
	_Alignas(64) _Atomic uint64_t sum_ns;
	_Atomic uint64_t last_ns;
	_Atomic uint64_t n; /* samples in buckets */
	_Atomic uint32_t octave[HIST_OCTAVES];
	_Atomic uint64_t untimed; /* samples in the sum that are in no bucket */
	_Alignas(64) _Atomic uint32_t bucket[HIST_BUCKETS];
};

/* Counts one sample. @epoch: of the arena; @at_ns: the end of the sample. */
void hist_record(struct hist_live *hist, uint32_t epoch, uint64_t ns, uint64_t at_ns);

/* Counts @count untimed samples, @sum_ns together. */
void hist_record_untimed(struct hist_live *hist, uint32_t count, uint64_t sum_ns);

/* Counts @count samples: from, from - step, ... (all >= 0; @step > 0). Its time is bounded by the number of
 * buckets: a long stall misses millions of slots. */
void hist_record_series(struct hist_live *hist, uint32_t epoch, uint64_t from_ns, uint64_t step_ns,
	uint64_t count, uint64_t at_ns);

/* A sum from here on is not known, so neither is the mean: the waits of a stop of 23 minutes
 * add up to it if its missed slots are 100 us apart. */
#define HIST_SUM_UNKNOWN_NS (UINT64_C(1) << 63)

/* Returns the sum of two sums. It is not known if one of them is not. */
static inline uint64_t hist_add_sums(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > UINT64_MAX - b_ns ? UINT64_MAX : a_ns + b_ns;
}

struct hist_cell {
	uint32_t bucket;
	uint64_t count;
};

/* The reader's sum. Empty octaves take no memory. Zeroed is empty. */
struct hist {
	uint64_t n, sum_ns;      /* n: of timed samples */
	uint64_t n_untimed;      /* further samples of the sum */
	uint64_t last_ns;        /* the latest sample; 0: unknown */
	uint64_t min_ns, max_ns; /* meaningless while n is 0 */
	uint64_t max_at_ns;      /* CLOCK_MONOTONIC; 0: no extremes yet */
	bool min_is_wait;        /* see hist_extend_by_waits() */
	uint64_t octave_n[HIST_OCTAVES];
	uint64_t *octave[HIST_OCTAVES]; /* owned; HIST_OCTAVE counts each, or NULL */
};

/* A sample that its writer is just counting is in the sum and the extremes first, and in a bucket of the next
 * tick. */
static inline bool hist_is_empty(const struct hist *hist)
{
	return !hist->n && !hist->sum_ns && !hist->max_at_ns;
}

/* Returns the number of samples, timed or not. */
static inline uint64_t hist_samples(const struct hist *hist)
{
	return hist->n + hist->n_untimed;
}

/* Returns false also where the sum is too large to be known. */
static inline bool hist_has_mean(const struct hist *hist)
{
	return hist_samples(hist) && hist->sum_ns < HIST_SUM_UNKNOWN_NS;
}

/* Adds counts; sum, last sample and extremes are left to the caller. Returns 0, or -ENOMEM with nothing
 * added. */
int hist_add_cells(struct hist *hist, const struct hist_cell *cells, size_t n_cells);
/* Adds all that @from has. Its last sample becomes the last. Returns 0, or -ENOMEM with a part added. */
int hist_merge(struct hist *hist, const struct hist *from);

/* For callers that add counts themselves: hist_counts() returns the HIST_OCTAVE counts of an octave, or NULL
 * without memory, and hist_counted() takes the sum of what was added to them. Inline, because each cell of a
 * tick needs them. */
static inline uint64_t *hist_counts(struct hist *hist, unsigned octave)
{
	if (!hist->octave[octave])
		hist->octave[octave] = calloc(HIST_OCTAVE, sizeof(*hist->octave[octave]));
	return hist->octave[octave];
}
static inline void hist_counted(struct hist *hist, unsigned octave, uint64_t count)
{
	hist->octave_n[octave] += count;
	hist->n += count;
}

/* Extends the extremes; @max_at_ns > 0. Of equal maxima the earliest one stays, in any order of calls. */
void hist_extend(struct hist *hist, uint64_t min_ns, uint64_t max_ns, uint64_t max_at_ns);
/* The same by waits of missed slots alone. One may be shorter than any sample that was served, so their
 * minimum gives way to any other, in any order of calls. */
void hist_extend_by_waits(struct hist *hist, uint64_t min_ns, uint64_t max_ns, uint64_t max_at_ns);
uint64_t hist_count(const struct hist *hist, unsigned bucket);
void hist_reset(struct hist *hist); /* empties it, but keeps its memory */
void hist_finish(struct hist *hist);

double hist_mean(const struct hist *hist); /* ns, exact; 0 without samples, meaningless if it is not known */
/* In ns, of the timed samples, from bucket middles, and those of the last bucket evenly spread; 0 if one has
 * no time of its own, or there is no mean. */
double hist_stddev(const struct hist *hist);

/* Returns @ns, the middle of a bucket, within the exact extremes. */
uint64_t hist_clamped(const struct hist *hist, uint64_t ns);
/* The nearest-rank percentile (rank ceil(p/100 * n)), 0 < @p <= 100, in ns, clamped to the exact
 * extremes; 0 without timed samples. */
uint64_t hist_percentile(const struct hist *hist, double p);
/* Returns how many of @n samples are beyond the percentile's rank. With fewer than HIST_BEYOND_TRUSTED the
 * percentile is not to be trusted. */
enum { HIST_BEYOND_TRUSTED = 10 };
uint64_t hist_beyond(uint64_t n, double p);
/* Returns the samples above @ns. The bucket of @ns counts as above if its middle is. */
uint64_t hist_above(const struct hist *hist, uint64_t ns);
