/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hist_live.c - counts a sample: the hot path's part of the statistics.
 *
 * Each counter has one writer, which loads and stores it without a locked instruction. Nearly all stores are
 * relaxed, because no word depends on another. */
#include "src/figures/hist.h"

#include <stdbool.h>

#define LOAD(word) atomic_load_explicit(&(word), memory_order_relaxed)
#define STORE(word, value) atomic_store_explicit(&(word), (value), memory_order_relaxed)
#define PUBLISH(word, value) atomic_store_explicit(&(word), (value), memory_order_release)

/* A reader that sees an octave's sum grow sees the bucket's growth too, now or at its next read. */
static inline void count(struct hist_live *hist, unsigned bucket, uint32_t samples)
{
	STORE(hist->bucket[bucket], LOAD(hist->bucket[bucket]) + samples);
	/* Release: pairs with the acquire load in seen_update(). */
	PUBLISH(hist->octave[bucket / HIST_OCTAVE], LOAD(hist->octave[bucket / HIST_OCTAVE]) + samples);
}

/* The time of the maximum goes first: a reader that takes the new maximum finds its time. */
static inline void extend(struct hist_live *hist, uint32_t epoch, uint64_t low, uint64_t high, uint64_t at_ns)
{
	struct hist_extremes *slot = &hist->extremes[epoch & 1];

	if (__builtin_expect(LOAD(slot->epoch) != epoch, false)) {
		/* 0 while it changes. Release: a reader in histogram_reader.c that got one of the new words
		 * sees the 0.
		 */
		STORE(slot->epoch, 0);
		PUBLISH(slot->min_ns, low);
		PUBLISH(slot->max_at_ns, at_ns);
		PUBLISH(slot->max_ns, high);
		PUBLISH(slot->epoch, epoch);
		return;
	}
	if (low < LOAD(slot->min_ns))
		STORE(slot->min_ns, low);
	if (high > LOAD(slot->max_ns)) {
		STORE(slot->max_at_ns, at_ns);
		PUBLISH(slot->max_ns, high);
	}
}

void hist_record(struct hist_live *hist, uint32_t epoch, uint64_t ns, uint64_t at_ns)
{
	STORE(hist->sum_ns, LOAD(hist->sum_ns) + ns);
	STORE(hist->last_ns, ns);
	extend(hist, epoch, ns, ns, at_ns);
	count(hist, hist_bucket(ns), 1);
}

void hist_record_series(struct hist_live *hist, uint32_t epoch, uint64_t from_ns, uint64_t step_ns,
	uint64_t samples, uint64_t at_ns)
{
	if (!samples)
		return;
	uint64_t last = from_ns - step_ns * (samples - 1);

	STORE(hist->sum_ns, LOAD(hist->sum_ns) + samples * from_ns - step_ns * (samples * (samples - 1) / 2));
	STORE(hist->last_ns, last);
	extend(hist, epoch, last, from_ns, at_ns);
	while (samples) {
		unsigned bucket = hist_bucket(from_ns);
		/* How many steps down stay within the bucket. */
		uint64_t here = (from_ns - hist_lower(bucket)) / step_ns + 1;

		if (here > samples)
			here = samples;
		count(hist, bucket, (uint32_t)here);
		from_ns -= step_ns * here; /* wraps after the last one, where it is not used */
		samples -= here;
	}
}
