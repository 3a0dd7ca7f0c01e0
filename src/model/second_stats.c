/* SPDX-License-Identifier: GPL-2.0-or-later */
/* second_stats.c - each second of the last minutes, coarsely. */
#include "src/model/second_stats.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { HALF_OCTAVE = HIST_OCTAVE / 2, FIRST_BUCKET = 2 * HIST_OCTAVE };

static const uint64_t second_ns = 1000000000;

/* The seconds lie at their number modulo TRAIL_SECONDS; only the newest can still grow, and has its exact
 * counts. */
struct trail {
	uint64_t second; /* the newest that was fed */
	uint32_t heat[TRAIL_ROWS];
	struct trail_second seconds[TRAIL_SECONDS];
};

int trails_init(struct trails *trails, size_t n_rows)
{
	*trails = (struct trails){.n_rows = n_rows};
	trails->trails = calloc(n_rows ? n_rows : 1, N_TRAIL_FIGURES * sizeof(*trails->trails));
	return trails->trails ? 0 : -ENOMEM;
}

void trails_finish(struct trails *trails)
{
	for (size_t i = 0; trails->trails && i < trails->n_rows * N_TRAIL_FIGURES; i++)
		free(trails->trails[i]);
	free(trails->trails);
	*trails = (struct trails){0};
}

/* @last becomes the newest; what lay in between has had no tick yet. */
static void cover(struct trails *trails, uint64_t first, uint64_t last, uint64_t length_ns)
{
	uint64_t n = last - trails->second;

	for (uint64_t i = 0; i < n && i < TRAIL_SECONDS; i++)
		trails->covered_ns[(last - i) % TRAIL_SECONDS] = 0;
	trails->first = first;
	trails->second = last;
	for (uint64_t s = first; s <= last; s++)
		trails->covered_ns[s % TRAIL_SECONDS] += length_ns / (last - first + 1);
}

/* A long tick's first second is the one whose start lies nearest to its own: so ticks in a row leave none
 * out. Time that goes backwards, as it may in a recording, stays where it was. */
void trails_tick(struct trails *trails, uint64_t start_ns, uint64_t end_ns)
{
	uint64_t first, last;

	if (!trails->start_ns)
		trails->start_ns = start_ns;
	start_ns = start_ns > trails->start_ns ? start_ns - trails->start_ns : 0;
	end_ns = end_ns > trails->start_ns ? end_ns - trails->start_ns : 0;
	last = end_ns ? (end_ns - 1) / second_ns : 0;
	first = end_ns > start_ns + second_ns ? (start_ns + second_ns / 2) / second_ns : last;
	last = last > trails->second ? last : trails->second;
	if (last >= TRAIL_SECONDS && first < last - TRAIL_SECONDS + 1)
		first = last - TRAIL_SECONDS + 1;
	first = first < trails->second ? trails->second : first < last ? first : last;
	cover(trails, first, last, end_ns > start_ns ? end_ns - start_ns : 0);
}

/* Half an octave is a row. */
static unsigned row_of(unsigned bucket)
{
	unsigned row = bucket < FIRST_BUCKET ? 0 : 1 + (bucket - FIRST_BUCKET) / HALF_OCTAVE;

	return row < TRAIL_ROWS ? row : TRAIL_ROWS - 1;
}

static unsigned heat_of(uint32_t count)
{
	static const uint32_t least[] = {
		1, 3, 8, 22, 62, 173, 482, 1350, 3779, 10579, 29620, 82936, 232219, 650212, 1820592};
	unsigned heat = 0;

	while (heat < sizeof(least) / sizeof(*least) && count >= least[heat])
		heat++;
	return heat;
}

static void set_heat(struct trail_second *second, unsigned row, uint32_t count)
{
	unsigned shift = row % 2 * 4;
	uint8_t *pair = &second->heat[row / 2];

	*pair = (uint8_t)((*pair & (0xf0u >> shift)) | heat_of(count) << shift);
}

static uint32_t add(uint32_t a, uint64_t b)
{
	return b > UINT32_MAX - a ? UINT32_MAX : a + (uint32_t)b;
}

/* The bucket above which a hundredth of the samples lies, or fewer. */
static unsigned p99_of(const struct hist *hist)
{
	uint64_t above = 0;
	unsigned bucket = HIST_BUCKETS;

	while (bucket > 0 && above <= hist->n / 100) {
		bool is_empty = !hist->octave_n[(bucket - 1) / HIST_OCTAVE];

		bucket -= is_empty ? HIST_OCTAVE : 1;
		above += is_empty ? 0 : hist->octave[bucket / HIST_OCTAVE][bucket % HIST_OCTAVE];
	}
	return bucket;
}

/* Makes @number the second that grows; what lay in between is empty. */
static struct trail_second *open_second(struct trail *trail, uint64_t number)
{
	if (number != trail->second) {
		uint64_t n = number - trail->second;

		for (uint64_t i = 0; i < n && i < TRAIL_SECONDS; i++)
			trail->seconds[(number - i) % TRAIL_SECONDS] = (struct trail_second){0};
		memset(trail->heat, 0, sizeof(trail->heat));
		trail->second = number;
	}
	return &trail->seconds[number % TRAIL_SECONDS];
}

/* What a tick has for each of the seconds that it covers. */
struct part {
	const struct hist *hist;
	uint64_t share;
	uint16_t max, p99;
};

/* A part of a sample is a sample: what was seen stays to be seen. */
static uint64_t share_of(const struct part *part, uint64_t count)
{
	return part->share > 1 ? (count + part->share - 1) / part->share : count;
}

static void feed_heat(
	struct trail *trail, struct trail_second *second, const struct part *part, unsigned first)
{
	const uint64_t *counts = part->hist->octave[first / HIST_OCTAVE] + first % HIST_OCTAVE;
	unsigned row = row_of(first);
	uint64_t count = 0;

	for (unsigned i = 0; i < HALF_OCTAVE; i++)
		count += counts[i];
	if (!count)
		return;
	trail->heat[row] = add(trail->heat[row], share_of(part, count));
	set_heat(second, row, trail->heat[row]);
}

static void feed_second(struct trail *trail, struct trail_second *second, const struct part *part)
{
	for (unsigned bucket = 0; bucket < HIST_BUCKETS; bucket += HALF_OCTAVE)
		if (part->hist->octave_n[bucket / HIST_OCTAVE])
			feed_heat(trail, second, part, bucket);
	second->n = add(second->n, share_of(part, part->hist->n));
	second->max = part->max > second->max ? part->max : second->max;
	second->p99 = part->p99 > second->p99 ? part->p99 : second->p99;
}

static struct trail *provide(struct trails *trails, size_t row, enum figure figure)
{
	struct trail **trail = &trails->trails[row * N_TRAIL_FIGURES + (size_t)figure];

	if (!*trail && (*trail = calloc(1, sizeof(**trail))))
		(*trail)->second = trails->first;
	return *trail;
}

int trails_feed(struct trails *trails, size_t row, enum figure figure, const struct hist *hist)
{
	struct part part = {.hist = hist, .share = trails->second - trails->first + 1};
	struct trail *trail;

	if (figure >= (enum figure)N_TRAIL_FIGURES || (!hist->n && !hist->max_at_ns))
		return 0;
	trail = provide(trails, row, figure);
	if (!trail)
		return -ENOMEM;
	if (hist->n)
		part.p99 = (uint16_t)(p99_of(hist) + 1);
	if (hist->max_at_ns)
		part.max = (uint16_t)(hist_bucket(hist->max_ns) + 1);
	for (uint64_t s = trails->first; s <= trails->second; s++)
		feed_second(trail, open_second(trail, s), &part);
	return 0;
}

uint64_t trail_lower_ns(unsigned row)
{
	return row ? hist_lower(FIRST_BUCKET + (row - 1) * HALF_OCTAVE) : 0;
}

unsigned trail_heat(const struct trail_second *second, unsigned row)
{
	return second->heat[row / 2] >> row % 2 * 4 & 15u;
}

const struct trail_second *trails_second(
	const struct trails *trails, size_t row, enum figure figure, unsigned back)
{
	uint64_t number = trails->second - back;
	const struct trail *trail;

	if (row >= trails->n_rows || figure >= (enum figure)N_TRAIL_FIGURES || back >= TRAIL_SECONDS ||
		back > trails->second)
		return NULL;
	trail = trails->trails[row * N_TRAIL_FIGURES + (size_t)figure];
	return trail && number <= trail->second && trail->second - number < TRAIL_SECONDS
		       ? &trail->seconds[number % TRAIL_SECONDS]
		       : NULL;
}

uint64_t trails_start_ns(const struct trails *trails, unsigned back)
{
	return back > trails->second ? trails->start_ns
				     : trails->start_ns + (trails->second - back) * second_ns;
}

uint64_t trails_covered_ns(const struct trails *trails, unsigned back)
{
	return back < TRAIL_SECONDS && back <= trails->second
		       ? trails->covered_ns[(trails->second - back) % TRAIL_SECONDS]
		       : 0;
}

double trails_rate(const struct trails *trails, size_t row, enum figure figure, unsigned back)
{
	const struct trail_second *second = trails_second(trails, row, figure, back);
	uint64_t covered_ns = trails_covered_ns(trails, back);

	return second && covered_ns ? (double)second->n * 1e9 / (double)covered_ns : 0.0;
}
