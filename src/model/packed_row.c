/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packed_row.c - the sums of a row in one tick or in several, as bytes. */
#include "src/model/packed_row.h"

#include <errno.h>
#include <string.h>

static uint8_t *put_buckets(uint8_t *at, const struct hist *hist)
{
	unsigned next = 0;

	for (unsigned octave = 0; octave < HIST_OCTAVES; octave++)
		for (unsigned i = 0; hist->octave_n[octave] && i < HIST_OCTAVE; i++) {
			unsigned bucket = octave * HIST_OCTAVE + i;

			if (!hist->octave[octave][i])
				continue;
			if (bucket > next)
				at = bytes_put_uint(bytes_put_uint(at, 0), bucket - next);
			at = bytes_put_uint(at, hist->octave[octave][i]);
			next = bucket + 1;
		}
	if (hist->n_untimed) {
		at = bytes_put_uint(bytes_put_uint(at, 0), HIST_UNTIMED - next);
		at = bytes_put_uint(at, hist->n_untimed);
	}
	return at;
}

void packed_figure_encode(struct bytes *bytes, const struct hist *hist)
{
	size_t begun = bytes_begin(bytes);
	/* The head and the end have up to 6 numbers, and a bucket a count after a gap of at most 3 bytes. */
	uint8_t *at = bytes_room(bytes, 6 * UINT_BYTES_MAX + HIST_CELLS_MAX * (UINT_BYTES_MAX + 3));

	if (at && !hist_is_empty(hist)) {
		at = bytes_put_uint(at, hist->sum_ns);
		at = bytes_put_uint(at, hist->last_ns);
		at = bytes_put_uint(at, hist->max_at_ns);
		if (hist->max_at_ns) {
			at = bytes_put_uint(at, hist->min_ns);
			at = bytes_put_uint(at, hist->max_ns - hist->min_ns);
		}
		at = put_buckets(at, hist);
		if (hist->max_at_ns && hist->min_is_wait)
			at = bytes_put_uint(bytes_put_uint(at, 0), 0);
		bytes->n = (size_t)(at - bytes->data);
	}
	bytes_end(bytes, begun);
}

/* The destination of decoded buckets: cells, or a histogram. */
struct sink {
	struct hist_cell *cells;
	size_t n_cells;
	struct hist *hist;
};

static inline __attribute__((always_inline)) int add_bucket(
	struct sink *sink, bool is_hist, unsigned bucket, uint64_t count)
{
	if (!is_hist) {
		sink->cells[sink->n_cells++] = (struct hist_cell){.bucket = bucket, .count = count};
		return 0;
	}
	uint64_t *counts = hist_counts(sink->hist, bucket / HIST_OCTAVE);

	if (!counts)
		return -ENOMEM;
	counts[bucket % HIST_OCTAVE] += count;
	hist_counted(sink->hist, bucket / HIST_OCTAVE, count);
	return 0;
}

static void add_untimed(struct sink *sink, bool is_hist, uint64_t count)
{
	if (is_hist)
		sink->hist->n_untimed += count;
	else
		sink->cells[sink->n_cells++] = (struct hist_cell){.bucket = HIST_UNTIMED, .count = count};
}

static inline __attribute__((always_inline)) int decode_buckets(
	struct scan scan, struct sink *sink, bool is_hist)
{
	uint64_t bucket = 0;
	int r = 0;

	while (scan.at < scan.end && r == 0) {
		/* Nearly all counts, and gaps before them, have one byte. Which of both comes can't be
		 * predicted, so no branch depends on it. */
		if (scan.end - scan.at > 2 && bucket < HIST_BUCKETS - 0x80) {
			unsigned is_gap = !scan.at[0], gap = scan.at[1] & -is_gap;
			unsigned few = scan.at[2 * is_gap];

			if (few - 1 < 0x7f && gap < 0x80) {
				bucket += gap;
				r = add_bucket(sink, is_hist, (unsigned)bucket++, few);
				scan.at += 2 * is_gap + 1;
				continue;
			}
		}
		uint64_t count = scan_uint(&scan);

		if (count == 0) {
			uint64_t gap = scan_uint(&scan);

			bucket += gap < HIST_CELLS_MAX ? gap : HIST_CELLS_MAX;
		} else if (bucket < HIST_BUCKETS) {
			r = add_bucket(sink, is_hist, (unsigned)bucket++, count);
		} else if (bucket++ == HIST_UNTIMED) {
			add_untimed(sink, is_hist, count);
		} else {
			r = -EINVAL;
		}
	}
	return scan.bad ? -EINVAL : r;
}

/* Reads the fields before the buckets; @part then holds the buckets. Returns 1, 0 if the figure is empty, or
 * -EINVAL. */
static inline int decode_head(struct scan *scan, struct scan *part, struct tick_figure *figure)
{
	*part = scan_part(scan);
	*figure = (struct tick_figure){0};
	if (part->at == part->end)
		return scan->bad ? -EINVAL : 0;
	figure->sum_ns = scan_uint(part);
	figure->last_ns = scan_uint(part);
	figure->max_at_ns = scan_uint(part);
	figure->has_extremes = figure->max_at_ns;
	if (figure->has_extremes) {
		figure->min_ns = scan_uint(part);
		figure->max_ns = figure->min_ns + scan_uint(part);
		/* All that ends with a bucket ends with a count above 0. */
		figure->min_is_wait = part->at < part->end && part->end[-1] == 0;
	}
	return part->bad ? -EINVAL : 1;
}

int packed_figure_decode(struct scan *scan, struct tick_figure *figure, struct hist_cell *cells)
{
	struct sink sink = {.cells = cells};
	struct scan part;
	int r = decode_head(scan, &part, figure);

	if (r > 0)
		r = decode_buckets(part, &sink, false);
	figure->n_cells = r == 0 ? sink.n_cells : 0;
	return r;
}

/* The Min of a response is that of the samples that were served, which older recordings have, too. Without
 * these it is that of the waits of missed slots, until there is another. */
static void choose_min(struct tick_figure *response, const struct tick_figure *served)
{
	response->min_is_wait = !served->has_extremes;
	if (served->has_extremes && served->min_ns <= response->max_ns)
		response->min_ns = served->min_ns;
}

/* @served: of the row whose response is added; NULL: it is another figure. */
static int add_figure(struct scan *scan, const struct tick_figure *served, struct hist *hist)
{
	struct sink sink = {.hist = hist};
	struct tick_figure figure;
	struct scan part;
	int r = decode_head(scan, &part, &figure);

	if (r <= 0)
		return r;
	if (served)
		choose_min(&figure, served);
	tick_figure_add(&figure, NULL, hist); /* all but the buckets */
	return decode_buckets(part, &sink, true);
}

int packed_figure_add(struct scan *scan, struct hist *hist)
{
	return add_figure(scan, NULL, hist);
}

/* @row: read up to the @figure. */
static int add_figure_of_row(struct scan *row, enum figure figure, struct hist *hist)
{
	struct scan ahead = *row, buckets;
	struct tick_figure served;

	if (figure != FIGURE_RESPONSE)
		return add_figure(row, NULL, hist);
	for (int part = FIGURE_RESPONSE; part < FIGURE_SERVED; part++)
		scan_part(&ahead);
	decode_head(&ahead, &buckets, &served); /* older recordings have none */
	return add_figure(row, &served, hist);
}

static bool is_empty(const struct row_sums *sums)
{
	static const struct tick_counts none;
	bool any = memcmp(&sums->counts, &none, sizeof(none)) != 0;

	for (int f = 0; f < N_FIGURES; f++)
		any |= !hist_is_empty(&sums->hists[f]);
	return !any;
}

void packed_row_encode(struct bytes *bytes, const struct row_sums *sums)
{
	if (is_empty(sums))
		return;
	fields_encode(bytes, FIELDS(tick_count_fields), &sums->counts);
	for (int f = 0; f < N_FIGURES; f++)
		packed_figure_encode(bytes, &sums->hists[f]);
}

void packed_row_add_counts(struct scan row, struct tick_counts *counts)
{
	struct tick_counts more;

	if (row.at == row.end)
		return;
	fields_decode(&row, FIELDS(tick_count_fields), &more);
	tick_counts_add(counts, &more);
}

int packed_row_add_figure(struct scan row, enum figure figure, struct hist *hist)
{
	if (row.at == row.end)
		return 0;
	for (int part = 0; part <= (int)figure; part++) /* the counts, and the figures before it */
		scan_part(&row);
	return add_figure_of_row(&row, figure, hist);
}

int row_sums_add_tick(struct row_sums *sums, const struct tick_ring *ring, const struct hist_cell *cells)
{
	for (int f = 0; f < N_FIGURES; f++) {
		struct tick_figure figure = ring->figures[f];
		struct hist *hist = &sums->hists[f];
		uint64_t last_ns = hist->last_ns;

		if (f == FIGURE_RESPONSE)
			choose_min(&figure, &ring->figures[FIGURE_SERVED]);
		if (tick_figure_add(&figure, cells, hist) < 0)
			return -ENOMEM;
		if (!figure.n_cells || last_ns > hist->last_ns)
			hist->last_ns = last_ns;
	}
	tick_counts_add(&sums->counts, &ring->counts);
	return 0;
}

int row_sums_add(struct row_sums *sums, struct scan row)
{
	int r = 0;

	if (row.at == row.end)
		return 0;
	packed_row_add_counts(row, &sums->counts);
	scan_part(&row);
	for (int f = 0; f < N_FIGURES && row.at < row.end && r == 0; f++)
		r = add_figure_of_row(&row, (enum figure)f, &sums->hists[f]);
	return r == 0 && row.bad ? -EINVAL : r;
}

void row_sums_reset(struct row_sums *sums)
{
	sums->counts = (struct tick_counts){0};
	for (int f = 0; f < N_FIGURES; f++)
		hist_reset(&sums->hists[f]);
}

void row_sums_finish(struct row_sums *sums)
{
	for (int f = 0; f < N_FIGURES; f++)
		hist_finish(&sums->hists[f]);
	*sums = (struct row_sums){0};
}
