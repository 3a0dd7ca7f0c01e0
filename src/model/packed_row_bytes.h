/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packed_row_bytes.h - how packs are written and read: for the files that make them.
 *
 * The counts first; then, for each figure, its length in two bytes, and where that is not 0 its flags, sum,
 * extremes and buckets. Numbers have 7 bits a byte, the lowest first. Buckets are the counts of neighbours in
 * a row, and 0 with the width of each gap. */
#pragma once

#include <stdbool.h>

#include "src/model/packed_row.h"

enum {
	HAS_EXTREMES = 1,
	SAME_AS_RESPONSE = 2, /* the served laps', while none was missed */
	NUMBER_MAX = 10,      /* bytes of one number */
	FIGURE_MAX = HIST_BUCKETS * (NUMBER_MAX + 3) + 5 * NUMBER_MAX,
	PACK_MAX = 6 * NUMBER_MAX + N_FIGURES * (FIGURE_MAX + 2),
};

_Static_assert(FIGURE_MAX < 65536, "a figure's length has two bytes");
_Static_assert((int)FIGURE_RESPONSE < (int)FIGURE_SERVED, "what is referred to comes first");

static inline uint8_t *put(uint8_t *at, uint64_t number)
{
	for (; number >= 128; number >>= 7)
		*at++ = (uint8_t)(number | 128);
	*at++ = (uint8_t)number;
	return at;
}

static inline const uint8_t *take(const uint8_t *at, uint64_t *number)
{
	unsigned shift = 7;

	*number = *at & 127u;
	for (; *at++ & 128u; shift += 7)
		*number |= (uint64_t)(*at & 127u) << shift;
	return at;
}

/* @next: the bucket after the one before. */
static inline uint8_t *put_bucket(uint8_t *at, unsigned *next, unsigned bucket, uint64_t count)
{
	if (bucket > *next)
		at = put(put(at, 0), bucket - *next);
	*next = bucket + 1;
	return put(at, count);
}

static inline const uint8_t *take_counts(const uint8_t *at, struct pack_counts *counts)
{
	at = take(take(at, &counts->active_ns), &counts->laps);
	at = take(take(at, &counts->warmup_laps), &counts->missed);
	return take(take(at, &counts->rested), &counts->away);
}

static inline uint8_t *put_counts(uint8_t *at, const struct pack_counts *counts)
{
	at = put(put(at, counts->active_ns), counts->laps);
	at = put(put(at, counts->warmup_laps), counts->missed);
	return put(put(at, counts->rested), counts->away);
}

/* Before a figure that was put from at + 2 to @end. */
static inline uint8_t *put_length(uint8_t *at, uint8_t *end)
{
	size_t length = (size_t)(end - at) - 2;

	at[0] = (uint8_t)length;
	at[1] = (uint8_t)(length >> 8);
	return end;
}

/* What stands before a figure's buckets. */
struct head {
	uint64_t sum_ns, min_ns, max_ns, max_at_ns;
	bool has_extremes;
};

static inline const uint8_t *take_head(const uint8_t *at, struct head *head)
{
	uint64_t flags, range_ns;

	at = take(take(at, &flags), &head->sum_ns);
	head->has_extremes = flags & HAS_EXTREMES;
	if (head->has_extremes) {
		at = take(take(take(at, &head->min_ns), &range_ns), &head->max_at_ns);
		head->max_ns = head->min_ns + range_ns;
	}
	return at;
}

static inline uint8_t *put_head(
	uint8_t *at, uint64_t sum_ns, bool has_extremes, uint64_t min_ns, uint64_t max_ns, uint64_t max_at_ns)
{
	at = put(put(at, has_extremes ? HAS_EXTREMES : 0), sum_ns);
	return has_extremes ? put(put(put(at, min_ns), max_ns - min_ns), max_at_ns) : at;
}

/* Room for the largest pack, in the working memory. Returns 0 or -ENOMEM. */
int pack_provide_buffer(struct pack_sums *sums);
/* What stands there, up to @end, as a pack of the caller's. Returns 0 or -ENOMEM. */
int pack_copy_buffer(struct pack **pack, const struct pack_sums *sums, const uint8_t *end);
