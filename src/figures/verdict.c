/* SPDX-License-Identifier: GPL-2.0-or-later */
/* verdict.c - the verdict on a row. */
#include "src/figures/verdict.h"

#include <errno.h>
#include <math.h>

#include "src/figures/replicates.h"

/* A change of a limit for spikes that gets a verdict: its ratio and ns. */
static const double SPIKE_RATIO = 1.05, SPIKE_NS = 200;

/* How many of both phases' samples are spikes at least, and the largest share of the samples that they may
 * be. */
static const double spikes_wanted[SPIKE_LIMITS] = {10, 40, 160};
static const double SPIKES_SHARE_MAX = 0.01;

/* --- what is counted by block --- */

/* What is counted: the blocks of the phase itself, then each other replicate as one block. */
struct counted_blocks {
	const struct judged_block *list[RATE_BLOCKS_MAX];
	size_t n;
};

static struct counted_blocks counted_blocks(
	const struct judged_block *blocks, size_t n, const struct replicates *like)
{
	struct counted_blocks counted = {.n = 0};

	for (size_t i = 0; i < n; i++)
		counted.list[counted.n++] = &blocks[i];
	for (size_t i = 0; i < like->n; i++)
		if (i != like->own)
			counted.list[counted.n++] = &like->sums[i];
	return counted;
}

static void count_missed(struct block_counts *counts, const struct counted_blocks *blocks)
{
	for (size_t i = 0; i < blocks->n; i++)
		block_counts_add(counts, i, (double)blocks->list[i]->missed, (double)blocks->list[i]->slots);
}

static bool is_flood(const struct counted_blocks *blocks)
{
	uint64_t slots = 0;

	for (size_t i = 0; i < blocks->n; i++)
		slots += blocks->list[i]->slots;
	return slots == 0;
}

static void count_laps(struct block_counts *counts, const struct counted_blocks *blocks)
{
	for (size_t i = 0; i < blocks->n; i++)
		block_counts_add(counts, i, (double)hist_samples(&blocks->list[i]->hists[JUDGED_RESPONSE]),
			(double)blocks->list[i]->active_ns);
}

/* Counts the samples above a limit for each microsecond. */
static struct block_counts count_above(
	const struct shift_phase *phase, double limit, const struct counted_blocks *blocks)
{
	struct block_counts above = shift_phase_above(phase, limit), counts = {0};

	for (size_t i = 0; i < blocks->n; i++)
		block_counts_add(&counts, i, above.n[i], (double)blocks->list[i]->active_ns / 1e3);
	return counts;
}

static void add_counts(struct block_counts *counts, const struct block_counts *more)
{
	for (size_t i = 0; i < more->n_blocks; i++)
		block_counts_add(counts, i, more->n[i], more->of[i]);
}

void verdict_counts_add(struct verdict_counts *counts, const struct verdict_counts *more)
{
	add_counts(&counts->missed_a, &more->missed_a);
	add_counts(&counts->missed_b, &more->missed_b);
	add_counts(&counts->laps_a, &more->laps_a);
	add_counts(&counts->laps_b, &more->laps_b);
	for (size_t i = 0; i < SPIKE_LIMITS; i++) {
		add_counts(&counts->spikes_a[i], &more->spikes_a[i]);
		add_counts(&counts->spikes_b[i], &more->spikes_b[i]);
		add_counts(&counts->far_a[i], &more->far_a[i]);
		add_counts(&counts->far_b[i], &more->far_b[i]);
		counts->of_laps_b[i] += more->of_laps_b[i];
	}
	for (size_t mark = 0; mark < N_MARKS; mark++)
		replicate_values_add(&counts->replicates[mark], &more->replicates[mark]);
}

/* The blocks by which a row is counted in both phases. */
struct counted_row {
	struct counted_blocks a, b;
};

static void judge_laps(
	struct row_verdict *verdict, const struct counted_row *counted, struct verdict_counts *counts)
{
	struct block_counts a = {0}, b = {0};

	verdict->marks[MARK_LAPS] = (struct mark){SHIFT_TOO_FEW, 1};
	if (!is_flood(&counted->a) || !is_flood(&counted->b))
		return;
	count_laps(&a, &counted->a);
	count_laps(&b, &counted->b);
	verdict->marks[MARK_LAPS] = mark_laps(&a, &b);
	verdict->laps_a = 1e9 * block_counts_rate(&a);
	verdict->laps_b = 1e9 * block_counts_rate(&b);
	add_counts(&counts->laps_a, &a);
	add_counts(&counts->laps_b, &b);
}

static bool has_laps(const struct row_verdict *verdict)
{
	return verdict->laps_a > 0 && verdict->laps_b > 0;
}

static void note_spikes(
	struct spikes *spikes, double limit, const struct block_counts *a, const struct block_counts *b)
{
	struct block_counts in_a = block_counts_sum(a), in_b = block_counts_sum(b);

	*spikes = (struct spikes){
		(uint64_t)lround(exp(limit)), in_a.n[0], in_b.n[0], in_a.of[0] / 1e6, in_b.of[0] / 1e6};
}

static void judge_spikes(struct row_verdict *verdict, const struct counted_row *counted,
	const struct figure_shift *served, struct verdict_counts *all)
{
	struct mark *mark = &verdict->marks[MARK_SPIKES];

	*mark = (struct mark){SHIFT_TOO_FEW, 1};
	for (size_t i = 0; i < SPIKE_LIMITS && served->a.n_blocks && served->b.n_blocks; i++) {
		double n_above, limit = shift_joint_limit(&served->a, &served->b, spikes_wanted[i], &n_above);

		if (n_above < spikes_wanted[i] || n_above > SPIKES_SHARE_MAX * (served->a.n + served->b.n))
			break;
		/* A limit that is higher for one phase: less than that is no change. */
		double far = log(fmax(SPIKE_RATIO * exp(limit), exp(limit) + SPIKE_NS));
		struct block_counts a = count_above(&served->a, limit, &counted->a),
				    b = count_above(&served->b, limit, &counted->b);

		if (marks_lack_blocks(&a, &b))
			break;
		struct block_counts far_a = count_above(&served->a, far, &counted->a),
				    far_b = count_above(&served->b, far, &counted->b);
		struct mark found = mark_spikes(&a, &b, &far_a, &far_b);

		add_counts(&all->spikes_a[i], &a);
		add_counts(&all->spikes_b[i], &b);
		add_counts(&all->far_a[i], &far_a);
		add_counts(&all->far_b[i], &far_b);
		all->of_laps_b[i] += block_counts_sum(&b).n[0] *
				     (has_laps(verdict) ? verdict->laps_a / verdict->laps_b : 1);
		if (mark->verdict == SHIFT_TOO_FEW || found.probability < mark->probability) {
			*mark = found;
			note_spikes(&verdict->spikes, limit, &a, &b);
		}
	}
}

/* --- a row --- */

static void mark_percentiles(struct mark *marks, const struct figure_shift *figure)
{
	for (enum shift_percentile q = 0; q < N_SHIFT_PERCENTILES; q++) {
		const struct rate_test *test = &figure->evidence[q].test;

		marks[q] = (struct mark){figure->verdicts[q], fmin(test->higher, test->lower)};
	}
}

static bool is_same(const struct mark *percentiles)
{
	return percentiles[SHIFT_P50].verdict == SHIFT_SAME && percentiles[SHIFT_P99].verdict == SHIFT_SAME;
}

static enum shift_verdict verdict_of(const struct mark marks[N_MARKS], bool shows_response)
{
	bool is_all_same = is_same(&marks[MARK_SHOWN]) && (shows_response || is_same(&marks[MARK_RESPONSE]));
	bool are_few = marks[MARK_SHOWN + SHIFT_P50].verdict == SHIFT_TOO_FEW &&
		       marks[MARK_RESPONSE + SHIFT_P50].verdict == SHIFT_TOO_FEW;

	return marks_direction(marks_have(marks, SHIFT_WORSE), marks_have(marks, SHIFT_BETTER),
		is_all_same ? SHIFT_SAME
		: are_few   ? SHIFT_TOO_FEW
			    : SHIFT_UNDECIDED);
}

/* Copies the histograms, without their counts, to where the shift reads them. */
static void collect(
	const struct judged_block *blocks, size_t n, size_t figure, struct hist hists[SHIFT_BLOCKS_MAX])
{
	for (size_t i = 0; i < n; i++)
		hists[i] = blocks[i].hists[figure];
}

static int compare_figure(struct figure_shift *shift, const struct judged_row *row, size_t figure)
{
	struct hist a[SHIFT_BLOCKS_MAX], b[SHIFT_BLOCKS_MAX];

	collect(row->a, row->n_a, figure, a);
	collect(row->b, row->n_b, figure, b);
	return figure_shift_init(shift, a, row->n_a, b, row->n_b, row->clock_step_ns);
}

static void collect_served(const struct counted_blocks *blocks, struct hist hists[RATE_BLOCKS_MAX])
{
	for (size_t i = 0; i < blocks->n; i++)
		hists[i] = blocks->list[i]->hists[JUDGED_SERVED];
}

static int judge_served(
	struct row_verdict *verdict, const struct counted_row *counted, struct verdict_counts *counts)
{
	struct figure_shift served = {0};
	struct hist a[RATE_BLOCKS_MAX], b[RATE_BLOCKS_MAX];

	collect_served(&counted->a, a);
	collect_served(&counted->b, b);
	int r = shift_phase_init(&served.a, a, counted->a.n) < 0 ||
				shift_phase_init(&served.b, b, counted->b.n) < 0
			? -ENOMEM
			: 0;

	if (r == 0)
		judge_spikes(verdict, counted, &served, counts);
	figure_shift_finish(&served);
	return r;
}

static void judge_missed(
	struct row_verdict *verdict, const struct counted_row *counted, struct verdict_counts *counts)
{
	struct block_counts a = {0}, b = {0};

	count_missed(&a, &counted->a);
	count_missed(&b, &counted->b);
	verdict->marks[MARK_MISSED] = mark_missed(&a, &b);
	if (block_counts_sum(&a).of[0] > 0 &&
		block_counts_sum(&b).of[0] > 0) { /* what was not counted is no share of 0 */
		verdict->missed_a = block_counts_rate(&a);
		verdict->missed_b = block_counts_rate(&b);
	}
	add_counts(&counts->missed_a, &a);
	add_counts(&counts->missed_b, &b);
}

/* Without slots, samples and time the ring was not there. */
static size_t count_there(const struct replicates *like)
{
	size_t n = 0;

	for (size_t i = 0; i < like->n; i++)
		n += like->sums[i].active_ns || like->sums[i].slots || hist_samples(&like->sums[i].hists[0]);
	return n;
}

bool judged_row_has_replicates(const struct judged_row *row)
{
	return count_there(&row->like_a) >= 2 && count_there(&row->like_b) >= 2;
}

static int judge_figures(
	struct row_verdict *verdict, const struct judged_row *row, struct verdict_counts *counts)
{
	int r = compare_figure(&verdict->figures[JUDGED_SHOWN], row, JUDGED_SHOWN);

	if (r == 0 && !row->shows_response)
		r = compare_figure(&verdict->figures[JUDGED_RESPONSE], row, JUDGED_RESPONSE);
	for (size_t i = 0; i < N_JUDGED_FIGURES && r == 0; i++)
		r = replicates_judge_figure(verdict, row, i, counts);
	return r;
}

int row_verdict_init(struct row_verdict *verdict, const struct judged_row *row, struct verdict_counts *counts)
{
	struct judged_row judged = *row;

	if (!judged_row_has_replicates(row))
		judged.like_a = judged.like_b = (struct replicates){0};
	struct counted_row counted = {counted_blocks(row->a, row->n_a, &judged.like_a),
		counted_blocks(row->b, row->n_b, &judged.like_b)};

	*verdict = (struct row_verdict){.verdict = SHIFT_TOO_FEW};
	int r = judge_figures(verdict, &judged, counts);

	judge_laps(verdict, &counted, counts);
	if (r == 0)
		r = judge_served(verdict, &counted, counts);
	judge_missed(verdict, &counted, counts);
	replicates_judge_counts(verdict, &judged, counts);
	if (has_laps(verdict))
		verdict->marks[MARK_SPIKES] = mark_doubt_spikes_of_flood(verdict->marks[MARK_SPIKES],
			verdict->spikes.a, verdict->spikes.b, verdict->laps_a * verdict->spikes.seconds_a,
			verdict->laps_b * verdict->spikes.seconds_b);
	for (size_t i = 0; i < N_JUDGED_FIGURES; i++)
		mark_percentiles(&verdict->marks[i * N_SHIFT_PERCENTILES], &verdict->figures[i]);
	verdict->verdict = verdict_of(verdict->marks, row->shows_response);
	return r;
}

void row_verdict_drop_blocks(struct row_verdict *verdict)
{
	for (size_t i = 0; i < N_JUDGED_FIGURES; i++) {
		bool moved = false;

		for (enum shift_percentile q = 0; q < N_SHIFT_PERCENTILES; q++)
			moved |= mark_has_moved(verdict->figures[i].verdicts[q]);
		if (!moved)
			figure_shift_drop_blocks(&verdict->figures[i]);
	}
}

void row_verdict_finish(struct row_verdict *verdict)
{
	for (size_t i = 0; i < N_JUDGED_FIGURES; i++)
		figure_shift_finish(&verdict->figures[i]);
}
