/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial.c - what a knob does. */
#include "src/model/trial.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/base/clock.h"
#include "src/base/sort.h"
#include "src/base/text.h"
#include "src/model/session_turns.h"

#define SECOND_NS UINT64_C(1000000000)
#define PHASE_NS_MIN (2 * SECOND_NS)
#define PILOT_NS_MIN (4 * SECOND_NS)
#define FOR_NS (120 * SECOND_NS)

enum {
	INTERVALS = 100, /* that a phase has at least, of the longest one */
	TICKS = 10,      /* that it has at least */
	PIECES = 8,      /* of the pilot, between which the spread is measured */
	RINGS = 32,      /* whose spread is measured */
	CAUSES = 2 * BLAMED_MAX,
	POINTS_MIN = 5, /* by which the share of a cause must move to be named */
	LEAST_PERCENT = 5,
	FOR_MINUTES_MAX = 60, /* that are named */
};

/* With ten pairs, whose mean difference is off by chance by up to 2.26 standard errors (Student's t, 9
 * degrees of freedom, 95 %): 0.05 / (2.26 * sqrt(2 / 10)). */
static const double spread_wanted = 0.049;

bool trial_is_b(unsigned phase)
{
	return (phase + 1) / 2 % 2 != 0;
}

/* --- how long --- */

uint64_t trial_phase_ns_min(const struct session *session, uint64_t tick_ns)
{
	uint64_t least_ns = larger_ns(larger_ns(PHASE_NS_MIN, session_round_ns(session)), TICKS * tick_ns);

	for (size_t i = 0; i < session->n_rings; i++)
		if (!session->rings[i].ended_ns)
			least_ns = larger_ns(least_ns, INTERVALS * session->rings[i].interval_ns);
	return least_ns;
}

uint64_t trial_for_ns(uint64_t least_ns)
{
	return larger_ns(FOR_NS, larger_ns(least_ns, PILOT_NS_MIN) + 2 * TRIAL_PAIRS_FEW * least_ns);
}

int trial_pace_init(struct trial_pace *pace, uint64_t least_ns, uint64_t for_ns, struct error_text *reason)
{
	uint64_t pilot_ns = larger_ns(least_ns, PILOT_NS_MIN);
	uint64_t shortest_ns = pilot_ns + 2 * TRIAL_PAIRS_MIN * least_ns;

	*pace = (struct trial_pace){pilot_ns, least_ns, TRIAL_PAIRS};
	if (for_ns < shortest_ns)
		return error_text_set(reason, -EINVAL,
			"--for %g: this takes %.0f s at least, for %g s before and %d phases of %g s",
			(double)for_ns / 1e9, ceil((double)shortest_ns / 1e9), (double)pilot_ns / 1e9,
			2 * TRIAL_PAIRS_MIN, (double)least_ns / 1e9);
	trial_pace_choose(pace, least_ns, for_ns, 0);
	return 0;
}

void trial_pace_choose(struct trial_pace *pace, uint64_t least_ns, uint64_t for_ns, double spread)
{
	double wanted_ns = 1e9 * (spread / spread_wanted) * (spread / spread_wanted);
	uint64_t room_ns = (for_ns - pace->pilot_ns) / 2;
	bool uses_all = for_ns > trial_for_ns(least_ns); /* more was asked for than what usually suffices */

	pace->n_pairs = room_ns / TRIAL_PAIRS < least_ns           ? TRIAL_PAIRS_FEW
			: uses_all || wanted_ns > (double)least_ns ? TRIAL_PAIRS_MAX
								   : TRIAL_PAIRS;
	while (pace->n_pairs > TRIAL_PAIRS_MIN && room_ns / pace->n_pairs < least_ns)
		pace->n_pairs--;
	uint64_t longest_ns = room_ns / pace->n_pairs;

	wanted_ns *= (double)TRIAL_PAIRS / pace->n_pairs;
	uses_all |= wanted_ns >= (double)longest_ns;
	pace->phase_ns = larger_ns(least_ns, uses_all ? longest_ns : (uint64_t)wanted_ns);
}

bool trial_was_stopped(const struct trial_pace *pace, uint64_t late_ns)
{
	return late_ns > pace->phase_ns / 2;
}

uint64_t trial_phase_ns(const struct trial_pace *pace, uint64_t begin_ns, uint64_t end_ns, bool was_stopped)
{
	uint64_t left_ns = end_ns > begin_ns ? end_ns - begin_ns : 0, least_ns = pace->phase_ns / 2;

	if (left_ns >= pace->phase_ns)
		return pace->phase_ns;
	return was_stopped && left_ns < least_ns ? 0 : larger_ns(left_ns, least_ns);
}

/* --- the spread --- */

/* Of the response, in a flood of the lap. Returns the standard deviation, in pieces of the phase. */
static double spread_of_pieces(const struct judged_block *blocks, size_t n_blocks)
{
	double sum = 0, squares = 0;
	size_t n = 0;

	for (size_t piece = 0; piece < PIECES; piece++) {
		struct hist hist = {0};
		int r = 0;

		for (size_t i = piece * n_blocks / PIECES; i < (piece + 1) * n_blocks / PIECES && r == 0; i++)
			r = hist_merge(&hist, &blocks[i].hists[JUDGED_RESPONSE]);
		uint64_t p99_ns = r == 0 && hist.n ? hist_percentile(&hist, 99) : 0;

		if (p99_ns) {
			sum += log((double)p99_ns);
			squares += log((double)p99_ns) * log((double)p99_ns);
			n++;
		}
		hist_finish(&hist);
	}
	double mean = n ? sum / (double)n : 0;

	return n > PIECES / 2 ? sqrt(fmax(0, squares / (double)n - mean * mean) * (double)n / (double)(n - 1))
			      : 0;
}

double trial_spread(const struct session *session)
{
	const struct phase *phase = phases_current(&session->phases);
	double spreads[RINGS];
	size_t n = 0;

	for (size_t i = 0; phase && phase->n_blocks >= PIECES && i < session->n_rings && n < RINGS; i++) {
		const struct session_ring *ring = &session->rings[i];
		struct judged_figures figures =
			judged_figures_of(FIGURE_RESPONSE, ring->interval_ns, ring->stamps);
		struct judged_block *blocks;
		size_t n_blocks;

		if (ring->ended_ns)
			continue;
		int r = compared_blocks_read(phase, ring->id, &figures, &blocks, &n_blocks);
		double spread = r == 0 ? spread_of_pieces(blocks, n_blocks) : 0;

		if (spread > 0)
			spreads[n++] = spread;
		compared_blocks_free(blocks, n_blocks);
	}
	if (!n)
		return 0;
	sort_doubles(spreads, n);
	return spreads[n / 2] * sqrt((double)(phase->end_ns - phase->start_ns) / 1e9 / PIECES);
}

/* --- the verdict --- */

/* A trial that is stopped ends in a phase that may be too short: then the one before it is compared. */
static const struct phase *last_named(const struct phases *phases, const char *name)
{
	const struct phase *last = NULL;

	for (size_t i = phases->n; i-- > 0;) {
		const struct phase *phase = &phases->list[i];

		if (phase->cause != PHASE_MARK || strcmp(phase->name, name) != 0)
			continue;
		if (last)
			return phase->end_ns - phase->start_ns > 2 * (last->end_ns - last->start_ns) ? phase
												     : last;
		last = phase;
	}
	return last;
}

const struct event *trial_last(const struct session *session, const struct phase **a, const struct phase **b)
{
	for (size_t i = session->n_events; i-- > 0;) {
		const struct event *event = &session->events[i];

		if (event->kind != EVENT_TRIAL || !event->was || !event->is)
			continue;
		*a = last_named(&session->phases, event->was);
		*b = last_named(&session->phases, event->is);
		if (*a && *b)
			return event;
	}
	return NULL;
}

/* The time that spikes of a cause took in phases of both values. */
struct blamed_sides {
	const char *text;
	double a, b;
};

static size_t add_blames(struct blamed_sides *causes, size_t n, const struct blame_sums *blames, bool is_b)
{
	for (size_t i = 0; i < blames->n; i++) {
		size_t at = 0;

		while (at < n && strcmp(causes[at].text, blames->list[i].text) != 0)
			at++;
		if (at == CAUSES)
			continue;
		if (at == n)
			causes[n++] = (struct blamed_sides){.text = blames->list[i].text};
		*(is_b ? &causes[at].b : &causes[at].a) += (double)blames->list[i].ns;
	}
	return n;
}

/* "; not woken 61 > 4 % of spikes": the cause whose share of the spikes' time moved most. */
static void append_blame(
	struct trial_result *result, const struct phases *phases, const char *name_a, const char *name_b)
{
	struct blamed_sides causes[CAUSES], *most = NULL;
	double all_a = 0, all_b = 0, moved = 0.01 * POINTS_MIN;
	size_t n = 0;
	char text[TRIAL_TEXT_SIZE];

	for (size_t i = 0; i < phases->n; i++) {
		const struct phase *phase = &phases->list[i];
		bool is_a = strcmp(phase->name, name_a) == 0, is_b = strcmp(phase->name, name_b) == 0;

		if (!is_a && !is_b)
			continue;
		n = add_blames(causes, n, &phase->blames, is_b);
		*(is_b ? &all_b : &all_a) += (double)phase->blames.ns;
	}
	for (size_t i = 0; i < n; i++) {
		double a = all_a > 0 ? causes[i].a / all_a : 0, b = all_b > 0 ? causes[i].b / all_b : 0;

		if (fabs(b - a) < moved)
			continue;
		moved = fabs(b - a);
		most = &causes[i];
	}
	if (!most)
		return;
	snprintf(text, sizeof(text), "%s %.0f > %.0f %% of the spikes' time", most->text,
		all_a > 0 ? 100 * most->a / all_a : 0, all_b > 0 ? 100 * most->b / all_b : 0);
	text_append(result->text, sizeof(result->text), "; ", text);
}

/* The mark that tells most, or the p99 of the response where none moved. */
static enum mark_id mark_of(const struct comparison_line *line)
{
	bool has_moved = line->verdict >= SHIFT_BETTER;

	return has_moved ? comparison_mark(line)
	       : line->figures[JUDGED_SHOWN] == line->figures[JUDGED_RESPONSE]
		       ? (enum mark_id)(MARK_SHOWN + SHIFT_P99)
		       : (enum mark_id)(MARK_RESPONSE + SHIFT_P99);
}

/* "; --for 5m would show a change of 5 %": the interval narrows with the root of the time. A larger change
 * that was seen takes less. */
static void append_need(struct trial_result *result, const struct comparison_lines *lines,
	const struct comparison_line *line, enum mark_id mark)
{
	const struct shift *shift = &line->shifts[mark / N_SHIFT_PERCENTILES][mark_percentile(mark)];
	double least = log1p(0.01 * LEAST_PERCENT), change = fmax(fabs(shift->estimate), least);
	double half = (shift->high - shift->low) / 2, ratio = half * half / (change * change);
	double minutes = fmax(ceil(ratio * (double)(lines->a.length_ns + lines->b.length_ns) / 60e9),
		FOR_NS / (60 * SECOND_NS) + 1); /* what usually suffices did not */
	char text[128], takes[32];

	if (minutes > FOR_MINUTES_MAX)
		snprintf(takes, sizeof(takes), "more than an hour");
	else
		snprintf(takes, sizeof(takes), "--for %.0fm", minutes);
	if (change > least)
		snprintf(text, sizeof(text), "%s would show such a change", takes);
	else
		snprintf(text, sizeof(text), "%s would show a change of %d %%", takes, LEAST_PERCENT);
	if (ratio > 1 && isfinite(ratio)) /* an open end says nothing of the time */
		text_append(result->text, sizeof(result->text), "; ", text);
}

/* Direction and figure; of a single ring with its interval. */
static void write_verdict(struct trial_result *result, const struct comparison_lines *lines)
{
	const struct comparison_line *line = comparison_only_line(lines);
	enum mark_id mark = line ? mark_of(line) : N_MARKS;
	char headline[COMPARISON_WORDS_SIZE], interval[COMPARISON_WORDS_SIZE];

	comparison_headline_in(&lines->summary, comparison_quoted_line(lines), lines->figure, 0, headline);
	snprintf(result->text, sizeof(result->text), "%s", headline);
	if (line && (result->verdict == SHIFT_UNDECIDED || result->verdict == SHIFT_SAME))
		snprintf(result->text, sizeof(result->text), "%s", shift_verdict_words[result->verdict].name);
	if (line && mark < MARK_MISSED)
		text_append(
			result->text, sizeof(result->text), ", ", comparison_interval(line, mark, interval));
	if (line && mark < MARK_MISSED && result->verdict == SHIFT_UNDECIDED)
		append_need(result, lines, line, mark);
}

int trial_judge(struct trial_result *result, const struct session *session, const char *name_a,
	const char *name_b, enum figure figure)
{
	const struct phases *phases = &session->phases;
	const struct phase *a = last_named(phases, name_a), *b = last_named(phases, name_b);
	struct comparison_lines lines = {0};

	*result =
		(struct trial_result){.verdict = SHIFT_TOO_FEW, .text = "too few: no phase with each value"};
	if (!a || !b)
		return 0;
	struct comparison_choice choice = {.a = a->number, .b = b->number, .figure = figure};
	int r = comparison_lines_make(&lines, session, &choice, NULL);

	if (r == 0 && *lines.refusal.text) {
		snprintf(result->text, sizeof(result->text), "undecided: %s", lines.refusal.text);
		result->verdict = SHIFT_UNDECIDED;
	} else if (r == 0) {
		result->verdict = lines.summary.verdict;
		write_verdict(result, &lines);
		append_blame(result, phases, name_a, name_b);
	}
	comparison_lines_finish(&lines);
	return r;
}
