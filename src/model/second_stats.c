/* SPDX-License-Identifier: GPL-2.0-or-later */
/* second_stats.c - coarse figures of each second of the last four minutes. */
#include "src/model/second_stats.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sorted.h"

enum { HALF_OCTAVE = HIST_OCTAVE / 2, FIRST_BUCKET = 2 * HIST_OCTAVE };

static const uint64_t second_ns = 1000000000;

/* Second i is at i modulo SECONDS_KEPT. Only the newest can still grow, so it alone needs exact counts. */
struct figure_seconds {
	uint64_t newest;
	uint32_t counts[SECOND_BANDS];
	struct second seconds[SECONDS_KEPT];
};

static void free_row(struct row_seconds *row)
{
	for (int f = 0; f < N_SECOND_FIGURES; f++)
		free(row->figures[f]);
}

void second_stats_finish(struct second_stats *stats)
{
	for (size_t i = 0; i < stats->n_rows; i++)
		free_row(&stats->rows[i]);
	free(stats->rows);
	*stats = (struct second_stats){0};
}

/* Returns the index of a row, or where it would be inserted. */
static size_t index_of(const struct second_stats *stats, size_t row)
{
	return SORTED_INDEX(stats->rows, stats->n_rows, struct row_seconds, row, row);
}

static struct row_seconds *find_row(const struct second_stats *stats, size_t row)
{
	size_t at = index_of(stats, row);

	return at < stats->n_rows && stats->rows[at].row == row ? &stats->rows[at] : NULL;
}

/* Returns the row, which is made if it is not there; NULL without memory. */
static struct row_seconds *make_row(struct second_stats *stats, size_t row)
{
	struct row_seconds *found = find_row(stats, row);

	if (found)
		return found;
	if (stats->n_rows == stats->room) {
		size_t room = stats->room ? 2 * stats->room : 16;
		struct row_seconds *rows = realloc(stats->rows, room * sizeof(*rows));

		if (!rows)
			return NULL;
		stats->rows = rows;
		stats->room = room;
	}
	found = &stats->rows[index_of(stats, row)];
	memmove(found + 1, found, (size_t)(stats->rows + stats->n_rows - found) * sizeof(*found));
	stats->n_rows++;
	*found = (struct row_seconds){.row = (uint32_t)row};
	return found;
}

int second_stats_begin(struct second_stats *stats, size_t row, uint64_t since_ns)
{
	if (find_row(stats, row))
		return 0;
	struct row_seconds *begun = make_row(stats, row);

	if (!begun)
		return -ENOMEM;
	begun->since_ns = since_ns;
	return 0;
}

void second_stats_remove(struct second_stats *stats, size_t row)
{
	struct row_seconds *found = find_row(stats, row);

	if (!found)
		return;
	free_row(found);
	memmove(found, found + 1, (size_t)(stats->rows + --stats->n_rows - found) * sizeof(*found));
}

/* A long tick's first second is the one whose start is nearest to its own, so that ticks in a row leave none
 * out. Where a recording's time goes backwards, the newest second stays the newest. */
void second_stats_tick(struct second_stats *stats, uint64_t start_ns, uint64_t end_ns, bool is_late)
{
	if (!stats->start_ns)
		stats->start_ns = start_ns;
	start_ns = start_ns > stats->start_ns ? start_ns - stats->start_ns : 0;
	end_ns = end_ns > stats->start_ns ? end_ns - stats->start_ns : 0;
	uint64_t length_ns = end_ns > start_ns ? end_ns - start_ns : 0;
	uint64_t before = stats->second, last = end_ns ? (end_ns - 1) / second_ns : 0;

	last = last > before ? last : before;
	uint64_t first = length_ns > second_ns && !is_late ? (start_ns + second_ns / 2) / second_ns : last;
	uint64_t least = last - before < SECONDS_KEPT ? before : last - SECONDS_KEPT + 1;

	first = first < least ? least : first < last ? first : last;
	for (uint64_t s = last; s > before && last - s < SECONDS_KEPT; s--)
		stats->covered_ns[s % SECONDS_KEPT] = stats->gaps[s % SECONDS_KEPT] = 0;
	for (uint64_t s = least; s < last && is_late; s++)
		stats->gaps[s % SECONDS_KEPT] = !stats->covered_ns[s % SECONDS_KEPT];
	for (uint64_t s = first; s <= last; s++)
		stats->covered_ns[s % SECONDS_KEPT] += length_ns / (last - first + 1);
	stats->first = first;
	stats->second = last;
}

static unsigned band_of(unsigned bucket)
{
	unsigned band = bucket < FIRST_BUCKET ? 0 : 1 + (bucket - FIRST_BUCKET) / HALF_OCTAVE;

	return band < SECOND_BANDS ? band : SECOND_BANDS - 1;
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

static uint32_t saturated_sum(uint32_t count, uint64_t more)
{
	return more > UINT32_MAX - count ? UINT32_MAX : count + (uint32_t)more;
}

/* Makes @number the newest second; those between it and the newest so far are empty. */
static struct second *open_second(struct figure_seconds *figure, uint64_t number)
{
	if (number != figure->newest) {
		for (uint64_t s = number; s > figure->newest && number - s < SECONDS_KEPT; s--)
			figure->seconds[s % SECONDS_KEPT] = (struct second){0};
		memset(figure->counts, 0, sizeof(figure->counts));
		figure->newest = number;
	}
	return &figure->seconds[number % SECONDS_KEPT];
}

static void band_feed(struct figure_seconds *figure, struct second *second, unsigned band, uint64_t count)
{
	unsigned shift = band % 2 * 4;
	uint8_t *pair = &second->heat[band / 2];

	figure->counts[band] = saturated_sum(figure->counts[band], count);
	*pair = (uint8_t)((*pair & (0xf0u >> shift)) | heat_of(figure->counts[band]) << shift);
}

/* Each of @n_seconds gets an equal share of the samples, rounded up, so that no sample disappears. */
static void samples_feed(
	struct figure_seconds *figure, struct second *second, const struct hist *hist, uint64_t n_seconds)
{
	for (unsigned bucket = 0; bucket < HIST_BUCKETS; bucket += HALF_OCTAVE) {
		const uint64_t *counts = hist->octave[bucket / HIST_OCTAVE];
		uint64_t count = 0;

		if (!hist->octave_n[bucket / HIST_OCTAVE])
			continue;
		for (unsigned i = 0; i < HALF_OCTAVE; i++)
			count += counts[bucket % HIST_OCTAVE + i];
		if (count)
			band_feed(figure, second, band_of(bucket), (count + n_seconds - 1) / n_seconds);
	}
	second->n = saturated_sum(second->n, (hist_samples(hist) + n_seconds - 1) / n_seconds);
}

int second_stats_feed(struct second_stats *stats, size_t row, enum figure figure, const struct hist *hist)
{
	if (figure >= (enum figure)N_SECOND_FIGURES || (!hist_samples(hist) && !hist->max_at_ns))
		return 0;
	struct row_seconds *of = make_row(stats, row);
	struct figure_seconds **seconds = of ? &of->figures[figure] : NULL;
	unsigned max = hist->max_at_ns ? hist_bucket(hist->max_ns) + 1 : 0;
	unsigned p99 = hist->n ? hist_bucket(hist_percentile(hist, 99)) + 1 : 0;

	if (!seconds)
		return -ENOMEM;
	if (!*seconds) {
		*seconds = calloc(1, sizeof(**seconds));
		if (!*seconds)
			return -ENOMEM;
		(*seconds)->newest = stats->first;
	}
	for (uint64_t s = stats->first; s <= stats->second; s++) {
		struct second *second = open_second(*seconds, s);

		samples_feed(*seconds, second, hist, stats->second - stats->first + 1);
		second->max = max > second->max ? (uint16_t)max : second->max;
		second->p99 = p99 > second->p99 ? (uint16_t)p99 : second->p99;
	}
	return 0;
}

static void set_mark(struct row_seconds *row, uint64_t second, bool is_set)
{
	uint64_t at = second % SECONDS_KEPT;
	uint32_t bit = UINT32_C(1) << at % 32;

	row->marks[at / 32] = is_set ? row->marks[at / 32] | bit : row->marks[at / 32] & ~bit;
}

int second_stats_mark(struct second_stats *stats, size_t row, uint64_t at_ns)
{
	if (!stats->start_ns)
		return 0;
	struct row_seconds *of = make_row(stats, row);
	uint64_t second = at_ns > stats->start_ns ? (at_ns - stats->start_ns) / second_ns : 0;

	if (!of)
		return -ENOMEM;
	for (uint64_t s = second; s > of->newest_mark && second - s < SECONDS_KEPT; s--)
		set_mark(of, s, false);
	of->newest_mark = second > of->newest_mark ? second : of->newest_mark;
	if (of->newest_mark - second < SECONDS_KEPT)
		set_mark(of, second, true);
	return 0;
}

static bool is_marked(const struct row_seconds *of, uint64_t second)
{
	return second <= of->newest_mark && of->newest_mark - second < SECONDS_KEPT &&
	       of->marks[second % SECONDS_KEPT / 32] >> second % SECONDS_KEPT % 32 & 1;
}

/* Most rows have no mark, or none of late: seconds after their newest one are skipped. */
void second_stats_note_marks(const struct second_stats *stats, size_t row, bool seconds[SECONDS_KEPT])
{
	const struct row_seconds *of = find_row(stats, row);
	uint64_t newest = stats->second, back = of && newest > of->newest_mark ? newest - of->newest_mark : 0;

	for (; of && back < SECONDS_KEPT && back <= newest; back++)
		seconds[back] |= is_marked(of, newest - back);
}

/* The heat of a sum of seconds is that of the hottest: their counts are not known any more. */
static void add_second(struct second *sum, const struct second *more)
{
	sum->max = more->max > sum->max ? more->max : sum->max;
	sum->p99 = more->p99 > sum->p99 ? more->p99 : sum->p99;
	sum->n = saturated_sum(sum->n, more->n);
	for (unsigned i = 0; i < sizeof(sum->heat); i++) {
		uint8_t a = sum->heat[i], b = more->heat[i];
		uint8_t high = (a & 0xf0u) > (b & 0xf0u) ? a & 0xf0u : b & 0xf0u;

		sum->heat[i] = high | ((a & 0xfu) > (b & 0xfu) ? a & 0xfu : b & 0xfu);
	}
}

static int add_seconds(
	struct second_stats *stats, struct figure_seconds **sum, size_t row, enum figure figure)
{
	for (unsigned back = SECONDS_KEPT; back-- > 0;) {
		const struct second *second = second_stats_at(stats, row, figure, back);

		if (!second || (!second->n && !second->max))
			continue;
		if (!*sum) {
			*sum = calloc(1, sizeof(**sum));
			if (!*sum)
				return -ENOMEM;
			(*sum)->newest = stats->second;
		}
		add_second(&(*sum)->seconds[(stats->second - back) % SECONDS_KEPT], second);
	}
	return 0;
}

/* Returns since when the first of the rows has been there; 0: from the start. */
static uint64_t first_since(const struct second_stats *stats, const size_t *rows, size_t n_rows)
{
	uint64_t first_ns = n_rows ? UINT64_MAX : 0;

	for (size_t i = 0; i < n_rows; i++) {
		const struct row_seconds *of = find_row(stats, rows[i]);
		uint64_t since_ns = of ? of->since_ns : 0;

		first_ns = since_ns < first_ns ? since_ns : first_ns;
	}
	return first_ns;
}

int second_stats_add(struct second_stats *stats, size_t row, const size_t *rows, size_t n_rows)
{
	if (find_row(stats, row))
		return 0;
	uint64_t since_ns = first_since(stats, rows, n_rows);
	struct row_seconds *sum = make_row(stats, row);
	int r = sum ? 0 : -ENOMEM;

	if (sum)
		sum->since_ns = since_ns;
	for (size_t i = 0; i < n_rows; i++)
		for (int f = 0; f < N_SECOND_FIGURES && r == 0; f++)
			r = add_seconds(stats, &sum->figures[f], rows[i], (enum figure)f);
	return r;
}

uint64_t second_stats_lower_ns(unsigned band)
{
	return band ? hist_lower(FIRST_BUCKET + (band - 1) * HALF_OCTAVE) : 0;
}

unsigned second_stats_heat(const struct second *second, unsigned band)
{
	return second->heat[band / 2] >> band % 2 * 4 & 15u;
}

const struct second *second_stats_at(
	const struct second_stats *stats, size_t row, enum figure figure, unsigned back)
{
	uint64_t number = stats->second - back;
	const struct row_seconds *of = find_row(stats, row);

	if (!of || figure >= (enum figure)N_SECOND_FIGURES || back >= SECONDS_KEPT || back > stats->second)
		return NULL;
	const struct figure_seconds *seconds = of->figures[figure];

	return seconds && number <= seconds->newest && seconds->newest - number < SECONDS_KEPT
		       ? &seconds->seconds[number % SECONDS_KEPT]
		       : NULL;
}

uint64_t second_stats_start_ns(const struct second_stats *stats, unsigned back)
{
	return back > stats->second ? stats->start_ns : stats->start_ns + (stats->second - back) * second_ns;
}

uint64_t second_stats_back(const struct second_stats *stats, uint64_t at_ns)
{
	uint64_t newest_ns = second_stats_start_ns(stats, 0);

	return at_ns >= newest_ns ? 0 : (newest_ns - at_ns + 999999999) / 1000000000;
}

uint64_t second_stats_covered_ns(const struct second_stats *stats, unsigned back)
{
	return back < SECONDS_KEPT && back <= stats->second
		       ? stats->covered_ns[(stats->second - back) % SECONDS_KEPT]
		       : 0;
}

bool second_stats_is_gap(const struct second_stats *stats, size_t row, unsigned back)
{
	if (back >= SECONDS_KEPT || back > stats->second ||
		!stats->gaps[(stats->second - back) % SECONDS_KEPT])
		return false;
	const struct row_seconds *of = find_row(stats, row);

	return !of || second_stats_start_ns(stats, back) + second_ns > of->since_ns;
}

double second_stats_rate(const struct second_stats *stats, size_t row, enum figure figure, unsigned back)
{
	const struct second *second = second_stats_at(stats, row, figure, back);
	uint64_t covered_ns = second_stats_covered_ns(stats, back);

	return second && covered_ns ? (double)second->n * 1e9 / (double)covered_ns : 0.0;
}
