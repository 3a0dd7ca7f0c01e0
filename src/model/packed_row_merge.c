/* SPDX-License-Identifier: GPL-2.0-or-later */
/* packed_row_merge.c - the sum of some packs, figure by figure in a flat array, which the processor keeps
 * near. */
#include <errno.h>
#include <stdlib.h>

#include "src/model/packed_row_bytes.h"

static void add_head(struct head *sum, const struct head *head)
{
	bool first = !sum->has_extremes;

	sum->sum_ns += head->sum_ns;
	if (!head->has_extremes)
		return;
	if (first || head->min_ns < sum->min_ns)
		sum->min_ns = head->min_ns;
	if (first || head->max_ns > sum->max_ns ||
		(head->max_ns == sum->max_ns && head->max_at_ns < sum->max_at_ns)) {
		sum->max_ns = head->max_ns;
		sum->max_at_ns = head->max_at_ns;
	}
	sum->has_extremes = true;
}

/* Adds a figure's buckets to @flat, of which up to @most are in use. Returns up to which it is now. */
static unsigned take_flat(const uint8_t *at, const uint8_t *end, uint64_t *flat, unsigned most)
{
	uint64_t count, gap;
	unsigned bucket = 0;

	while (at < end) {
		if (*at && *at < 128) { /* most are that small */
			flat[bucket++] += *at++;
			continue;
		}
		at = take(at, &count);
		if (count) {
			flat[bucket++] += count;
		} else {
			at = take(at, &gap);
			bucket += (unsigned)gap;
		}
	}
	return bucket > most ? bucket : most;
}

/* Empties it, too: few of its buckets are in use. */
static uint8_t *put_flat(uint8_t *at, uint64_t *flat, unsigned n)
{
	unsigned next = 0;

	for (unsigned bucket = 0; bucket < n; bucket++)
		if (flat[bucket]) {
			at = put_bucket(at, &next, bucket, flat[bucket]);
			flat[bucket] = 0;
		}
	return at;
}

/* Where a pack's figures lie. */
struct figures {
	const uint8_t *at[N_FIGURES], *end[N_FIGURES];
};

static void find_figures(const struct pack *pack, struct pack_counts *counts, struct figures *figures)
{
	struct pack_counts more;
	const uint8_t *at = take_counts(pack->bytes, &more);

	pack_counts_add(counts, &more);
	for (int i = 0; i < N_FIGURES; i++) {
		size_t length = at[0] | (size_t)at[1] << 8;

		figures->at[i] = at + 2;
		figures->end[i] = at = at + 2 + length;
	}
}

static bool is_reference(const struct figures *figures, int figure)
{
	return figures->at[figure] < figures->end[figure] && *figures->at[figure] & SAME_AS_RESPONSE;
}

static uint8_t *merge_figure(
	uint8_t *out, const struct figures *figures, size_t n, int figure, struct pack_sums *sums)
{
	struct head sum = {0}, head;
	unsigned most = 0;
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		int from = is_reference(&figures[i], figure) ? FIGURE_RESPONSE : figure;
		const uint8_t *at = figures[i].at[from], *end = figures[i].end[from];

		if (at == end)
			continue;
		any = true;
		at = take_head(at, &head);
		add_head(&sum, &head);
		most = take_flat(at, end, sums->flat, most);
	}
	if (!any)
		return out;
	out = put_head(out, sum.sum_ns, sum.has_extremes, sum.min_ns, sum.max_ns, sum.max_at_ns);
	return put_flat(out, sums->flat, most);
}

/* All served laps' figures that are the same as the responses' make a sum that is, too. */
static bool are_references(const struct figures *figures, size_t n)
{
	bool any = false;

	for (size_t i = 0; i < n; i++) {
		bool empty = figures[i].at[FIGURE_RESPONSE] == figures[i].end[FIGURE_RESPONSE];

		if (!is_reference(&figures[i], FIGURE_SERVED) && !empty)
			return false;
		any |= !empty;
	}
	return any;
}

int pack_merge(struct pack **pack, const struct pack *const *packs, size_t n, struct pack_sums *sums)
{
	struct figures figures[PACK_MERGE_MAX];
	struct pack_counts counts = {0};
	size_t n_figures = 0;
	uint8_t *at;

	for (size_t i = 0; i < n; i++)
		if (packs[i])
			find_figures(packs[i], &counts, &figures[n_figures++]);
	*pack = NULL;
	if (!n_figures)
		return 0;
	if (!sums->flat)
		sums->flat = calloc(HIST_BUCKETS, sizeof(*sums->flat));
	if (!sums->flat || pack_provide_buffer(sums) < 0)
		return -ENOMEM;
	at = put_counts(sums->buffer, &counts);
	for (int i = 0; i < N_FIGURES; i++) {
		uint8_t *figure = at + 2;

		if (i == FIGURE_SERVED && are_references(figures, n_figures))
			at = put_length(at, put(figure, SAME_AS_RESPONSE));
		else
			at = put_length(at, merge_figure(figure, figures, n_figures, i, sums));
	}
	return pack_copy_buffer(pack, sums, at);
}
