/* SPDX-License-Identifier: GPL-2.0-or-later */
/* second_stats.c - coarse figures of each second of the last four minutes. */
#include "src/model/second_stats.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { HALF_OCTAVE = HIST_OCTAVE / 2, FIRST_BUCKET = 2 * HIST_OCTAVE };

static const uint64_t second_ns = 1000000000;

/* Second i is at i modulo SECONDS_KEPT. Only the newest can still grow, so it alone needs exact counts. */
struct figure_seconds {
	uint64_t second; /* the newest that was fed */
	uint32_t heat[SECOND_BANDS];
	struct second seconds[SECONDS_KEPT];
};

int second_stats_init(struct second_stats *stats, size_t n_rows)
{
	*stats = (struct second_stats){.n_rows = n_rows};
	stats->figures = calloc(n_rows ? n_rows : 1, N_SECOND_FIGURES * sizeof(*stats->figures));
	return stats->figures ? 0 : -ENOMEM;
}

void second_stats_finish(struct second_stats *stats)
{
	for (size_t i = 0; stats->figures && i < stats->n_rows * N_SECOND_FIGURES; i++)
		free(stats->figures[i]);
	free(stats->figures);
	*stats = (struct second_stats){0};
}

/* @last becomes the newest; what lay in between has had no tick yet. */
static void cover(struct second_stats *stats, uint64_t first, uint64_t last, uint64_t length_ns)
{
	uint64_t n = last - stats->second;

	for (uint64_t i = 0; i < n && i < SECONDS_KEPT; i++)
		stats->covered_ns[(last - i) % SECONDS_KEPT] = 0;
	stats->first = first;
	stats->second = last;
	for (uint64_t s = first; s <= last; s++)
		stats->covered_ns[s % SECONDS_KEPT] += length_ns / (last - first + 1);
}

/* A long tick's first second is the one whose start lies nearest to its own: so ticks in a row leave none
 * out. Time that goes backwards, as it may in a recording, stays where it was. */
void second_stats_tick(struct second_stats *stats, uint64_t start_ns, uint64_t end_ns)
{
	uint64_t first, last;

	if (!stats->start_ns)
		stats->start_ns = start_ns;
	start_ns = start_ns > stats->start_ns ? start_ns - stats->start_ns : 0;
	end_ns = end_ns > stats->start_ns ? end_ns - stats->start_ns : 0;
	last = end_ns ? (end_ns - 1) / second_ns : 0;
	first = end_ns > start_ns + second_ns ? (start_ns + second_ns / 2) / second_ns : last;
	last = last > stats->second ? last : stats->second;
	if (last >= SECONDS_KEPT && first < last - SECONDS_KEPT + 1)
		first = last - SECONDS_KEPT + 1;
	first = first < stats->second ? stats->second : first < last ? first : last;
	cover(stats, first, last, end_ns > start_ns ? end_ns - start_ns : 0);
}

/* Half an octave is a row. */
static unsigned row_of(unsigned bucket)
{
	unsigned row = bucket < FIRST_BUCKET ? 0 : 1 + (bucket - FIRST_BUCKET) / HALF_OCTAVE;

	return row < SECOND_BANDS ? row : SECOND_BANDS - 1;
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

static void set_heat(struct second *second, unsigned row, uint32_t count)
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
static struct second *open_second(struct figure_seconds *seconds, uint64_t number)
{
	if (number != seconds->second) {
		uint64_t n = number - seconds->second;

		for (uint64_t i = 0; i < n && i < SECONDS_KEPT; i++)
			seconds->seconds[(number - i) % SECONDS_KEPT] = (struct second){0};
		memset(seconds->heat, 0, sizeof(seconds->heat));
		seconds->second = number;
	}
	return &seconds->seconds[number % SECONDS_KEPT];
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
	struct figure_seconds *seconds, struct second *second, const struct part *part, unsigned first)
{
	const uint64_t *counts = part->hist->octave[first / HIST_OCTAVE] + first % HIST_OCTAVE;
	unsigned row = row_of(first);
	uint64_t count = 0;

	for (unsigned i = 0; i < HALF_OCTAVE; i++)
		count += counts[i];
	if (!count)
		return;
	seconds->heat[row] = add(seconds->heat[row], share_of(part, count));
	set_heat(second, row, seconds->heat[row]);
}

static void feed_second(struct figure_seconds *seconds, struct second *second, const struct part *part)
{
	for (unsigned bucket = 0; bucket < HIST_BUCKETS; bucket += HALF_OCTAVE)
		if (part->hist->octave_n[bucket / HIST_OCTAVE])
			feed_heat(seconds, second, part, bucket);
	second->n = add(second->n, share_of(part, part->hist->n));
	second->max = part->max > second->max ? part->max : second->max;
	second->p99 = part->p99 > second->p99 ? part->p99 : second->p99;
}

static struct figure_seconds *provide(struct second_stats *stats, size_t row, enum figure figure)
{
	struct figure_seconds **seconds = &stats->figures[row * N_SECOND_FIGURES + (size_t)figure];

	if (!*seconds && (*seconds = calloc(1, sizeof(**seconds))))
		(*seconds)->second = stats->first;
	return *seconds;
}

int second_stats_feed(struct second_stats *stats, size_t row, enum figure figure, const struct hist *hist)
{
	struct part part = {.hist = hist, .share = stats->second - stats->first + 1};
	struct figure_seconds *seconds;

	if (figure >= (enum figure)N_SECOND_FIGURES || (!hist->n && !hist->max_at_ns))
		return 0;
	seconds = provide(stats, row, figure);
	if (!seconds)
		return -ENOMEM;
	if (hist->n)
		part.p99 = (uint16_t)(p99_of(hist) + 1);
	if (hist->max_at_ns)
		part.max = (uint16_t)(hist_bucket(hist->max_ns) + 1);
	for (uint64_t s = stats->first; s <= stats->second; s++)
		feed_second(seconds, open_second(seconds, s), &part);
	return 0;
}

uint64_t second_stats_lower_ns(unsigned row)
{
	return row ? hist_lower(FIRST_BUCKET + (row - 1) * HALF_OCTAVE) : 0;
}

unsigned second_stats_heat(const struct second *second, unsigned row)
{
	return second->heat[row / 2] >> row % 2 * 4 & 15u;
}

const struct second *second_stats_at(
	const struct second_stats *stats, size_t row, enum figure figure, unsigned back)
{
	uint64_t number = stats->second - back;
	const struct figure_seconds *seconds;

	if (row >= stats->n_rows || figure >= (enum figure)N_SECOND_FIGURES || back >= SECONDS_KEPT ||
		back > stats->second)
		return NULL;
	seconds = stats->figures[row * N_SECOND_FIGURES + (size_t)figure];
	return seconds && number <= seconds->second && seconds->second - number < SECONDS_KEPT
		       ? &seconds->seconds[number % SECONDS_KEPT]
		       : NULL;
}

uint64_t second_stats_start_ns(const struct second_stats *stats, unsigned back)
{
	return back > stats->second ? stats->start_ns : stats->start_ns + (stats->second - back) * second_ns;
}

uint64_t second_stats_covered_ns(const struct second_stats *stats, unsigned back)
{
	return back < SECONDS_KEPT && back <= stats->second
		       ? stats->covered_ns[(stats->second - back) % SECONDS_KEPT]
		       : 0;
}

double second_stats_rate(const struct second_stats *stats, size_t row, enum figure figure, unsigned back)
{
	const struct second *second = second_stats_at(stats, row, figure, back);
	uint64_t covered_ns = second_stats_covered_ns(stats, back);

	return second && covered_ns ? (double)second->n * 1e9 / (double)covered_ns : 0.0;
}
