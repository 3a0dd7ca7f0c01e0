/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hist.c - histograms: counting a sample, sums of cells, and their percentiles.
 *
 * A live histogram has one writer and no locked instruction: the same member loads and stores each counter.
 * Nearly all stores are relaxed, because no word depends on another. */
#include "src/figures/hist.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define LOAD(word) atomic_load_explicit(&(word), memory_order_relaxed)
#define STORE(word, value) atomic_store_explicit(&(word), (value), memory_order_relaxed)
#define PUBLISH(word, value) atomic_store_explicit(&(word), (value), memory_order_release)

uint64_t hist_lower(unsigned bucket)
{
	if (bucket < 2 * HIST_OCTAVE)
		return bucket;
	unsigned shift = bucket / HIST_OCTAVE - 1;

	return (uint64_t)(bucket % HIST_OCTAVE + HIST_OCTAVE) << shift;
}

uint64_t hist_width(unsigned bucket)
{
	return bucket < 2 * HIST_OCTAVE ? 1 : (uint64_t)1 << (bucket / HIST_OCTAVE - 1);
}

uint64_t hist_middle(unsigned bucket)
{
	return hist_lower(bucket) + hist_width(bucket) / 2;
}

/* A reader that sees an octave's sum grow sees the bucket's growth too, now or at its next read. */
static inline void count_samples(struct hist_live *hist, unsigned bucket, uint64_t samples)
{
	STORE(hist->n, LOAD(hist->n) + samples);
	STORE(hist->bucket[bucket], LOAD(hist->bucket[bucket]) + (uint32_t)samples);
	/* Release: pairs with the acquire load in histogram_reader_update(). */
	PUBLISH(hist->octave[bucket / HIST_OCTAVE],
		LOAD(hist->octave[bucket / HIST_OCTAVE]) + (uint32_t)samples);
}

/* The time of the maximum goes first: a reader that takes the new maximum finds its time. */
static inline void extend_extremes(
	struct hist_live *hist, uint32_t epoch, uint64_t low, uint64_t high, uint64_t at_ns)
{
	struct hist_extremes *extremes = &hist->extremes[epoch & 1];

	if (__builtin_expect(LOAD(extremes->epoch) != epoch, false)) {
		/* 0 while it changes. Release: a reader in histogram_reader.c that reads a new word also
		 * reads the 0. */
		STORE(extremes->epoch, 0);
		PUBLISH(extremes->min_ns, low);
		PUBLISH(extremes->max_at_ns, at_ns);
		PUBLISH(extremes->max_ns, high);
		PUBLISH(extremes->epoch, epoch);
		return;
	}
	if (low < LOAD(extremes->min_ns))
		STORE(extremes->min_ns, low);
	if (high > LOAD(extremes->max_ns)) {
		STORE(extremes->max_at_ns, at_ns);
		PUBLISH(extremes->max_ns, high);
	}
}

void hist_record(struct hist_live *hist, uint32_t epoch, uint64_t ns, uint64_t at_ns)
{
	STORE(hist->sum_ns, LOAD(hist->sum_ns) + ns);
	STORE(hist->last_ns, ns);
	extend_extremes(hist, epoch, ns, ns, at_ns);
	count_samples(hist, hist_bucket(ns), 1);
}

void hist_record_untimed(struct hist_live *hist, uint32_t samples, uint64_t sum_ns)
{
	STORE(hist->sum_ns, LOAD(hist->sum_ns) + sum_ns);
	/* Release: pairs with the acquire load in histogram_reader_update(). */
	PUBLISH(hist->untimed, LOAD(hist->untimed) + samples);
}

/* A larger sum would wrap between two reads. */
static uint64_t sum_of_series(uint64_t first_ns, uint64_t last_ns, uint64_t samples)
{
	double sum_ns = ((double)first_ns + (double)last_ns) / 2 * (double)samples;
	uint64_t ends_ns = first_ns + last_ns; /* of an even number of samples, or even itself */

	if (sum_ns >= (double)HIST_SUM_UNKNOWN_NS)
		return HIST_SUM_UNKNOWN_NS;
	return samples % 2 ? ends_ns / 2 * samples : samples / 2 * ends_ns;
}

void hist_record_series(struct hist_live *hist, uint32_t epoch, uint64_t from_ns, uint64_t step_ns,
	uint64_t samples, uint64_t at_ns)
{
	if (!samples)
		return;
	uint64_t last = from_ns - step_ns * (samples - 1);

	STORE(hist->sum_ns, LOAD(hist->sum_ns) + sum_of_series(from_ns, last, samples));
	STORE(hist->last_ns, last);
	extend_extremes(hist, epoch, last, from_ns, at_ns);
	while (samples) {
		unsigned bucket = hist_bucket(from_ns);
		/* How many steps down stay within the bucket. */
		uint64_t here = (from_ns - hist_lower(bucket)) / step_ns + 1;

		if (here > samples)
			here = samples;
		count_samples(hist, bucket, here);
		from_ns -= step_ns * here; /* wraps after the last one, where it is not used */
		samples -= here;
	}
}

/* Cells of one octave mostly follow one another. With a thousand rings the counts are in no cache, so all of
 * them are prefetched first. */
int hist_add_cells(struct hist *hist, const struct hist_cell *cells, size_t n_cells)
{
	for (size_t i = 0; i < n_cells; i++) {
		if (cells[i].bucket == HIST_UNTIMED)
			continue;
		const uint64_t *counts = hist_counts(hist, cells[i].bucket / HIST_OCTAVE);

		if (!counts)
			return -ENOMEM;
		__builtin_prefetch(&counts[cells[i].bucket % HIST_OCTAVE], 1);
	}
	for (size_t i = 0; i < n_cells;) {
		unsigned octave = cells[i].bucket / HIST_OCTAVE;

		if (cells[i].bucket == HIST_UNTIMED) {
			hist->n_untimed += cells[i++].count;
			continue;
		}
		uint64_t *counts = hist->octave[octave], sum = 0;

		for (; i < n_cells && cells[i].bucket / HIST_OCTAVE == octave; i++) {
			counts[cells[i].bucket % HIST_OCTAVE] += cells[i].count;
			sum += cells[i].count;
		}
		hist_counted(hist, octave, sum);
	}
	return 0;
}

static void extend(struct hist *hist, uint64_t min_ns, bool min_is_wait, uint64_t max_ns, uint64_t max_at_ns)
{
	bool first = !hist->max_at_ns;
	bool is_less = min_is_wait == hist->min_is_wait ? min_ns < hist->min_ns : hist->min_is_wait;

	if (first || is_less) {
		hist->min_ns = min_ns;
		hist->min_is_wait = min_is_wait;
	}
	if (first || max_ns > hist->max_ns || (max_ns == hist->max_ns && max_at_ns < hist->max_at_ns)) {
		hist->max_ns = max_ns;
		hist->max_at_ns = max_at_ns;
	}
}

void hist_extend(struct hist *hist, uint64_t min_ns, uint64_t max_ns, uint64_t max_at_ns)
{
	extend(hist, min_ns, false, max_ns, max_at_ns);
}

void hist_extend_by_waits(struct hist *hist, uint64_t min_ns, uint64_t max_ns, uint64_t max_at_ns)
{
	extend(hist, min_ns, true, max_ns, max_at_ns);
}

int hist_merge(struct hist *hist, const struct hist *from)
{
	for (unsigned o = 0; o < HIST_OCTAVES && from->n; o++) {
		if (!from->octave_n[o])
			continue;
		uint64_t *restrict counts = hist_counts(hist, o);
		const uint64_t *restrict more = from->octave[o];

		if (!counts)
			return -ENOMEM;
		for (unsigned i = 0; i < HIST_OCTAVE; i++)
			counts[i] += more[i];
		hist_counted(hist, o, from->octave_n[o]);
	}
	hist->n_untimed += from->n_untimed;
	hist->sum_ns = hist_add_sums(hist->sum_ns, from->sum_ns);
	if (from->last_ns)
		hist->last_ns = from->last_ns;
	if (from->max_at_ns)
		extend(hist, from->min_ns, from->min_is_wait, from->max_ns, from->max_at_ns);
	return 0;
}

uint64_t hist_count(const struct hist *hist, unsigned bucket)
{
	const uint64_t *octave = hist->octave[bucket / HIST_OCTAVE];

	return octave ? octave[bucket % HIST_OCTAVE] : 0;
}

void hist_reset(struct hist *hist)
{
	for (unsigned o = 0; o < HIST_OCTAVES && hist->n; o++) {
		if (!hist->octave_n[o])
			continue;
		memset(hist->octave[o], 0, HIST_OCTAVE * sizeof(*hist->octave[o]));
		hist->n -= hist->octave_n[o];
		hist->octave_n[o] = 0;
	}
	hist->n = hist->n_untimed = hist->sum_ns = hist->last_ns = 0;
	hist->min_ns = hist->max_ns = hist->max_at_ns = 0;
	hist->min_is_wait = false;
}

void hist_finish(struct hist *hist)
{
	for (unsigned o = 0; o < HIST_OCTAVES; o++)
		free(hist->octave[o]);
	*hist = (struct hist){0};
}

double hist_mean(const struct hist *hist)
{
	uint64_t n = hist_samples(hist);

	return n ? (double)hist->sum_ns / (double)n : 0.0;
}

/* The last bucket has no end. A stall that reaches into it has missed slots whose waits are evenly spread. */
static uint64_t last_lower(const struct hist *hist)
{
	uint64_t start = hist_lower(HIST_BUCKETS - 1);

	return hist->min_ns > start ? hist->min_ns : start;
}

/* Returns the sum of the squares by which the samples of the last bucket are off the mean. */
static double last_squares(const struct hist *hist, double mean)
{
	double n = (double)hist_count(hist, HIST_BUCKETS - 1);
	double lower = (double)last_lower(hist), width = fmax((double)hist->max_ns - lower, 0);
	double off = lower + width / 2 - mean;

	return n * (off * off + width * width / 12);
}

double hist_stddev(const struct hist *hist)
{
	double mean = hist_mean(hist), squares = last_squares(hist, mean);

	if (hist->n < 2 || hist->n_untimed || !hist_has_mean(hist))
		return 0.0;
	for (unsigned o = 0; o < HIST_OCTAVES; o++)
		for (unsigned i = 0; hist->octave_n[o] && i < HIST_OCTAVE; i++) {
			if (o * HIST_OCTAVE + i == HIST_BUCKETS - 1)
				break;
			double off = (double)hist_middle(o * HIST_OCTAVE + i) - mean;

			squares += (double)hist->octave[o][i] * off * off;
		}
	return sqrt(squares / (double)hist->n);
}

/* Returns the 1-based rank of the percentile among n samples. */
static uint64_t rank_of(uint64_t n, double p)
{
	/* The nearest double below p/100*n must not lift the rank: 99.9 % of 1000 is rank 999. */
	double exact = p / 100.0 * (double)n;
	uint64_t rank = (uint64_t)ceil(exact - exact * 1e-12);

	return rank < 1 ? 1 : rank > n ? n : rank;
}

uint64_t hist_clamped(const struct hist *hist, uint64_t ns)
{
	if (!hist->max_at_ns)
		return ns;
	return ns < hist->min_ns ? hist->min_ns : ns > hist->max_ns ? hist->max_ns : ns;
}

static uint64_t percentile_in_last(const struct hist *hist, uint64_t rank)
{
	uint64_t n = hist_count(hist, HIST_BUCKETS - 1), lower = last_lower(hist);
	double width = (double)(hist->max_ns - lower);
	double above = width * (1.0 - (double)(hist->n - rank) / (double)n);

	return above < width ? lower + (uint64_t)above : hist->max_ns;
}

uint64_t hist_percentile(const struct hist *hist, double p)
{
	if (!hist->n)
		return 0;
	uint64_t rank = rank_of(hist->n, p), seen = 0;

	if (rank == hist->n && hist->max_at_ns)
		return hist->max_ns;
	if (hist->max_at_ns && hist_bucket(hist->max_ns) == HIST_BUCKETS - 1 &&
		hist->n - rank < hist_count(hist, HIST_BUCKETS - 1))
		return percentile_in_last(hist, rank);
	for (unsigned o = 0; o < HIST_OCTAVES; o++) {
		if (seen + hist->octave_n[o] < rank) {
			seen += hist->octave_n[o];
			continue;
		}
		for (unsigned i = 0; i < HIST_OCTAVE; i++) {
			seen += hist->octave[o][i];
			if (seen >= rank)
				return hist_clamped(hist, hist_middle(o * HIST_OCTAVE + i));
		}
	}
	return hist->max_ns;
}

uint64_t hist_beyond(uint64_t n, double p)
{
	return n ? n - rank_of(n, p) : 0;
}

uint64_t hist_above(const struct hist *hist, uint64_t ns)
{
	unsigned o = HIST_OCTAVES;
	uint64_t above = 0;

	while (o > 0 && hist_middle((o - 1) * HIST_OCTAVE) > ns)
		above += hist->octave_n[--o];
	if (o == 0 || !hist->octave_n[--o])
		return above;
	for (unsigned i = HIST_OCTAVE; i-- > 0 && hist_middle(o * HIST_OCTAVE + i) > ns;)
		above += hist->octave[o][i];
	return above;
}
