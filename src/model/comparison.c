/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison.c - compares two phases row by row, and lists what differs between them. */
#include "src/model/comparison.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/clock.h"
#include "src/base/tally.h"
#include "src/base/text.h"
#include "src/model/fact_words.h"
#include "src/model/row_pairs.h"

/* Facts with which no figure of one phase means the same in the other. */
static const struct condition {
	const char *name, *title;
	const char *absent; /* what it means that a phase does not have it */
} conditions[] = {
	{"options.stamps", "stamps", "all"},
	{"options.batch_laps", "batch", "none"},
	{"options.breaktrace_ns", "-b", "none"},
};

/* Facts that change no figure: how long the run was, and what was shown of it. Policies are compared member
 * by member; loads and the dma latency as those that the machine had in the phase. */
static const char *const ignored[] = {"options.max_duration_ns", "options.loops", "options.refresh_ns",
	"options.auto_phase", "options.fail_above_ns", "options.strict", "options.show", "options.max_pairs",
	"options.policy", "options.priority", "options.loads", "options.dma_latency_us",
	"host.dma_latency.held_us"};

const char *shift_percentile_name(enum shift_percentile percentile)
{
	static const char *const names[] = {"p50", "p99", "p99.9"};

	return names[percentile];
}

static bool is_ignored(const char *name)
{
	for (size_t i = 0; i < sizeof(ignored) / sizeof(*ignored); i++)
		if (strcmp(ignored[i], name) == 0)
			return true;
	return false;
}

/* "20 us", "none". */
static const char *condition_word(
	const struct condition *condition, const struct compared_phase *phase, char text[FACT_WORDS_SIZE])
{
	const char *value = compared_phase_fact(phase, condition->name);

	return *value ? fact_value(condition->name, value, text) : condition->absent;
}

static bool prevents(
	const struct condition *condition, const struct compared_phase *a, const struct compared_phase *b)
{
	return strcmp(compared_phase_fact(a, condition->name), compared_phase_fact(b, condition->name)) != 0;
}

/* Returns 0, or -EINVAL if a condition keeps the phases from being compared: "batch: 64 laps in A, none in B;
 * ...". */
static int refuse(const struct compared_phase *a, const struct compared_phase *b, struct error_text *reason)
{
	char text[sizeof(reason->text) - 40] = "", in_a[FACT_WORDS_SIZE], in_b[FACT_WORDS_SIZE];

	for (size_t i = 0; i < sizeof(conditions) / sizeof(*conditions); i++) {
		const struct condition *condition = &conditions[i];

		if (prevents(condition, a, b))
			text_print(text, sizeof(text), "%s%s: %s in A, %s in B", *text ? "; " : "",
				condition->title, condition_word(condition, a, in_a),
				condition_word(condition, b, in_b));
	}
	return *text ? error_text_set(reason, -EINVAL, "these phases can't be compared: %s", text) : 0;
}

/* Returns NULL if there is no memory. */
static struct difference *add_difference(
	struct comparison *comparison, const char *name, const char *a, const char *b)
{
	struct difference *differences =
		realloc(comparison->differences, (comparison->n_differences + 1) * sizeof(*differences));

	if (!differences)
		return NULL;
	comparison->differences = differences;
	struct difference *added = &differences[comparison->n_differences++];

	*added = (struct difference){.name = strdup(name), .a = strdup(a), .b = strdup(b)};
	return added->name && added->a && added->b ? added : NULL;
}

static int add_change(struct comparison *comparison, const char *name, const char *counted,
	const struct tally_change *change)
{
	char a[TALLY_TEXT_SIZE], b[TALLY_TEXT_SIZE];

	if (!change->n)
		return 0;
	struct difference *added =
		add_difference(comparison, name, tally_value(&change->was, a), tally_value(&change->is, b));

	if (!added)
		return -ENOMEM;
	added->counted = counted;
	added->n = change->n;
	added->of = change->of;
	return 0;
}

static bool has_fact(const struct compared_phase *phase, const char *name)
{
	for (size_t i = 0; i < phase->n_facts; i++)
		if (strcmp(phase->facts[i].name, name) == 0)
			return true;
	return false;
}

/* Returns -EINVAL if the fact has no rows. */
static int compare_rows(struct comparison *comparison, const char *name, const char *a, const char *b)
{
	const struct machine_fact *fact =
		strncmp(name, "host.", 5) == 0 ? machine_fact_reported(name + 5) : NULL;
	struct fact_rows_change change = {0};
	int r = -EINVAL;

	if (fact && fact->rows) {
		struct fact_rows *in_a = fact_rows_parse(a), *in_b = fact_rows_parse(b);

		r = fact_rows_compare(fact->rows, in_a, in_b, &change);
		fact_rows_release(in_a);
		fact_rows_release(in_b);
	}
	if (r == 0)
		r = add_change(comparison, name, fact->counted, &change.counts);
	tally_change_finish(&change.counts);
	return r;
}

/* Whether ipctop has mounted tracefs, or may read it, makes no difference. */
static bool is_untraced(const char *tracing)
{
	return !*tracing || strcmp(tracing, "off") == 0 || strcmp(tracing, "absent") == 0 ||
	       strcmp(tracing, "not mounted") == 0 || strcmp(tracing, "not readable") == 0;
}

/* Without tracefs it is not known which tracers the kernel has. */
static bool lacks_tracefs(const char *name, const char *in_a, const char *in_b)
{
	return strcmp(name, "host.kernel_slow_tracers") == 0 &&
	       (strcmp(in_a, "absent") == 0 || strcmp(in_b, "absent") == 0);
}

/* An older ipctop did not read this setting of the kernel. */
static bool is_unread(const char *name, const char *value)
{
	return !*value && (strncmp(name, "host.kernel_", 12) == 0 || strncmp(name, "host.sched_", 11) == 0 ||
				  strncmp(name, "host.vm_", 8) == 0);
}

static int compare_fact(struct comparison *comparison, const char *name)
{
	const char *in_a = compared_phase_fact(comparison->a, name),
		   *in_b = compared_phase_fact(comparison->b, name);

	if (is_ignored(name) || strcmp(in_a, in_b) == 0)
		return 0;
	if (strcmp(name, "options.interval_ns") == 0 && !comparison->matrix) /* each ring has its own */
		return 0;
	if (strcmp(name, "host.tracing") == 0 && is_untraced(in_a) && is_untraced(in_b))
		return 0;
	if (is_unread(name, in_a) || is_unread(name, in_b) || lacks_tracefs(name, in_a, in_b))
		return 0;
	int r = compare_rows(comparison, name, in_a, in_b);

	if (r != -EINVAL)
		return r;
	return add_difference(comparison, name, in_a, in_b) ? 0 : -ENOMEM;
}

static int compare_facts(struct comparison *comparison)
{
	const struct compared_phase *a = comparison->a, *b = comparison->b;
	int r = 0;

	for (size_t i = 0; i < a->n_facts && r == 0; i++)
		r = compare_fact(comparison, a->facts[i].name);
	for (size_t i = 0; i < b->n_facts && r == 0; i++)
		if (!has_fact(a, b->facts[i].name))
			r = compare_fact(comparison, b->facts[i].name);
	return r;
}

/* Counts of shorter phases are too small to compare. */
static const uint64_t COUNTING_NS = 5000000000;

/* Members have interrupts of their own, which a hog, or another policy, makes fewer: only much more tells. */
static bool has_more_interrupts(double a, double b)
{
	return fabs(a - b) > 1000 && fmax(a, b) > 2 * fmin(a, b);
}

/* Returns the late ticks in a second, or NAN. */
static double late_rate(const struct compared_phase *phase)
{
	return phase->n_late == UINT64_MAX ? NAN : (double)phase->n_late * 1e9 / (double)phase->length_ns;
}

/* With the higher rate, the other phase would have had at least three late ticks, and three times as many as
 * it had. */
static bool is_late_more_often(const struct compared_phase *a, const struct compared_phase *b)
{
	const struct compared_phase *other = late_rate(a) > late_rate(b) ? b : a;
	double expected = fmax(late_rate(a), late_rate(b)) * (double)other->length_ns / 1e9;

	return !isnan(late_rate(a)) && !isnan(late_rate(b)) && expected >= 3 &&
	       expected >= 3 * (double)other->n_late;
}

/* Did the machine do something else besides: its load, by more than one and by half; its interrupts; or was
 * ipctop itself late more often? */
static int compare_load(struct comparison *comparison)
{
	const struct compared_phase *a = comparison->a, *b = comparison->b;
	char in_a[32], in_b[32];
	bool are_long = a->length_ns >= COUNTING_NS && b->length_ns >= COUNTING_NS;
	int r = 0;

	if (fabs(a->load - b->load) > 1 && fmax(a->load, b->load) > 1.5 * fmin(a->load, b->load)) {
		snprintf(in_a, sizeof(in_a), "%.1f", a->load);
		snprintf(in_b, sizeof(in_b), "%.1f", b->load);
		r = add_difference(comparison, "load", in_a, in_b) ? 0 : -ENOMEM;
	}
	if (r == 0 && are_long && has_more_interrupts(a->interrupts, b->interrupts)) {
		snprintf(in_a, sizeof(in_a), "%.0f", a->interrupts);
		snprintf(in_b, sizeof(in_b), "%.0f", b->interrupts);
		r = add_difference(comparison, "interrupts a second", in_a, in_b) ? 0 : -ENOMEM;
	}
	if (r == 0 && are_long && is_late_more_often(a, b)) {
		snprintf(in_a, sizeof(in_a), "%.2g", late_rate(a));
		snprintf(in_b, sizeof(in_b), "%.2g", late_rate(b));
		r = add_difference(comparison, "late ticks of ipctop a second", in_a, in_b) ? 0 : -ENOMEM;
	}
	return r;
}

/* --- members --- */

typedef char *member_text(const struct member_condition *member, char text[TASK_POLICY_SIZE]);

static char *policy_text(const struct member_condition *member, char text[TASK_POLICY_SIZE])
{
	return task_policy_describe(member->policy, text);
}

static char *place_text(const struct member_condition *member, char text[TASK_POLICY_SIZE])
{
	if (member->place < 0)
		return strcpy(text, "several CPUs");
	snprintf(text, TASK_POLICY_SIZE, "CPU %lld", (long long)member->place);
	return text;
}

/* Members of rows that both phases have. */
static int compare_members(struct comparison *comparison, const char *name, member_text *text)
{
	struct tally_change change = {0};
	char in_a[TASK_POLICY_SIZE], in_b[TASK_POLICY_SIZE];
	int r = 0;

	for (size_t i = 0; i < comparison->n_rows; i++) {
		const struct compared_row *a = comparison->rows[i].a, *b = comparison->rows[i].b;

		for (size_t m = 0; m < a->n_members && m < b->n_members && r == 0; m++)
			r = tally_change_add(
				&change, text(&a->members[m], in_a), text(&b->members[m], in_b), 1);
	}
	if (r == 0)
		r = add_change(comparison, name, "members", &change);
	tally_change_finish(&change);
	return r;
}

static int compare_policies_of_sweeps(struct comparison *comparison)
{
	struct task_policy a = comparison->a->matrix->policy, b = comparison->b->matrix->policy;
	char in_a[TASK_POLICY_SIZE], in_b[TASK_POLICY_SIZE];

	if (a.policy < 0 || b.policy < 0 || task_policy_equal(a, b))
		return 0;
	return add_difference(
		       comparison, "policy", task_policy_describe(a, in_a), task_policy_describe(b, in_b))
		       ? 0
		       : -ENOMEM;
}

/* What the members did run under, which says more than the options that asked for it. */
static int compare_scheduling(struct comparison *comparison)
{
	int r = compare_members(comparison, "policy", policy_text);

	if (r == 0 && comparison->matrix)
		r = compare_policies_of_sweeps(comparison);
	return r == 0 ? compare_members(comparison, "place", place_text) : r;
}

/* --- rings --- */

/* "1 ms", "flood". */
static const char *interval_text(uint64_t ns, char text[FACT_WORDS_SIZE])
{
	char number[32];

	snprintf(number, sizeof(number), "%llu", (unsigned long long)ns);
	return ns ? fact_value("options.interval_ns", number, text) : "flood";
}

/* Compares the intervals of rows that both phases have. */
static int compare_intervals(struct comparison *comparison)
{
	struct tally_change change = {0};
	char in_a[FACT_WORDS_SIZE], in_b[FACT_WORDS_SIZE];
	int r = 0;

	for (size_t i = 0; i < comparison->n_rows && r == 0; i++)
		r = tally_change_add(&change, interval_text(comparison->rows[i].a->interval_ns, in_a),
			interval_text(comparison->rows[i].b->interval_ns, in_b), 1);
	if (r == 0)
		r = add_change(comparison, "interval", "rings' intervals", &change);
	tally_change_finish(&change);
	return r;
}

/* Rings that only one of the phases has, such as those of another size, are beside the others. */
static int compare_rings(struct comparison *comparison)
{
	char in_a[32], in_b[32];
	int r = compare_intervals(comparison);

	if (r < 0 || comparison->matrix || (!comparison->n_only_a && !comparison->n_only_b))
		return r;
	snprintf(in_a, sizeof(in_a), "%zu", comparison->n_only_a);
	snprintf(in_b, sizeof(in_b), "%zu", comparison->n_only_b);
	return add_difference(comparison, "rings that the other phase lacks", in_a, in_b) ? 0 : -ENOMEM;
}

/* --- rows --- */

/* The largest sample of the last blocks that were active for @over_ns. Without blocks of the figure it is
 * that of their @sum. */
static uint64_t last_max_ns(
	const struct judged_blocks *blocks, const struct judged_block *sum, uint64_t over_ns)
{
	uint64_t active_ns = 0, max_ns = 0;
	bool has_blocks = false;

	for (size_t i = blocks->n; i-- > 0;) {
		const struct hist *shown = &blocks->list[i].hists[JUDGED_SHOWN];

		if (active_ns < over_ns && shown->max_ns > max_ns)
			max_ns = shown->max_ns;
		active_ns += blocks->list[i].active_ns;
		has_blocks |= shown->max_ns > 0;
	}
	return has_blocks ? max_ns : sum->hists[JUDGED_SHOWN].max_ns;
}

static struct block_maxima block_maxima(
	const struct compared_row *row, bool of_replicates, uint64_t ns[SHIFT_BLOCKS_MAX])
{
	struct block_maxima maxima = {.ns = ns};

	for (size_t i = 0; i < row->n_like && of_replicates; i++) {
		if (!row->like[i].hists[JUDGED_SHOWN].max_ns)
			continue;
		ns[maxima.n++] = row->like[i].hists[JUDGED_SHOWN].max_ns;
		maxima.active_ns += row->like[i].active_ns;
	}
	if (of_replicates)
		return maxima;

	for (size_t i = 0; i < row->blocks.n && maxima.n < SHIFT_BLOCKS_MAX; i++) {
		const struct judged_block *block = &row->blocks.list[i];

		if (!block->hists[JUDGED_SHOWN].max_ns)
			continue;
		ns[maxima.n++] = block->hists[JUDGED_SHOWN].max_ns;
		maxima.active_ns += block->active_ns;
	}
	return maxima;
}

struct comparison_side comparison_side_of(const struct compared_row *row, uint64_t max_ns, uint64_t limit_ns)
{
	const struct row_totals *totals = compared_row_totals(row);
	const struct hist *shown = &totals->sum.hists[JUDGED_SHOWN];
	struct comparison_side side = {.n = hist_samples(shown),
		.n_timed = shown->n,
		.n_least = shown->n,
		.active_ns = totals->sum.active_ns,
		.max_ns = max_ns,
		.late99_ns = hist_percentile(&totals->late, 99),
		.slots = totals->sum.slots,
		.missed = totals->sum.missed,
		.above = limit_ns ? hist_above(shown, limit_ns) : 0};

	for (size_t i = 0; i < N_JUDGED_FIGURES; i++)
		for (enum shift_percentile q = 0; q < N_SHIFT_PERCENTILES; q++)
			side.percentile_ns[i][q] =
				hist_percentile(&totals->sum.hists[i], 100 * (1 - shift_tail(q)));
	return side;
}

static uint64_t like_active_ns(const struct compared_row *row)
{
	uint64_t active_ns = 0;

	for (size_t i = 0; i < row->n_like; i++)
		active_ns += row->like[i].active_ns;
	return active_ns;
}

/* The same of replicates, the last ones first. Of the @own one the blocks are there. */
static uint64_t last_max_of_replicates(const struct compared_row *row, size_t own, uint64_t over_ns)
{
	static const struct judged_blocks none;
	uint64_t active_ns = 0, max_ns = 0;

	for (size_t i = row->n_like; i-- > 0 && active_ns < over_ns;) {
		const struct judged_blocks *blocks = i == own ? compared_row_blocks(row, true) : &none;

		max_ns = larger_ns(max_ns, last_max_ns(blocks, &row->like[i], over_ns - active_ns));
		active_ns += row->like[i].active_ns;
	}
	return max_ns;
}

/* The geometric mean of those that have samples. */
static uint64_t mean_percentile_ns(const struct compared_row *row, size_t figure, enum shift_percentile q)
{
	double sum = 0;
	size_t n = 0;

	for (size_t i = 0; i < row->n_like; i++) {
		const struct hist *hist = &row->like[i].hists[figure];

		if (!hist->n)
			continue;
		sum += log(fmax((double)hist_percentile(hist, 100 * (1 - shift_tail(q))), 0.5));
		n++;
	}
	return n ? (uint64_t)fmin(exp(sum / (double)n) + 0.5, 1e19) : 0;
}

static struct comparison_side side_of_replicates(
	const struct compared_row *row, uint64_t max_ns, uint64_t limit_ns)
{
	struct comparison_side side = {.active_ns = like_active_ns(row),
		.max_ns = max_ns,
		.late99_ns = hist_percentile(&compared_row_totals(row)->like_late, 99)};

	for (size_t i = 0; i < row->n_like; i++) {
		const struct hist *shown = &row->like[i].hists[JUDGED_SHOWN];

		side.n += hist_samples(shown);
		if (shown->n && (!side.n_timed || shown->n < side.n_least))
			side.n_least = shown->n;
		side.n_timed += shown->n;
		side.slots += row->like[i].slots;
		side.missed += row->like[i].missed;
		side.above += limit_ns ? hist_above(shown, limit_ns) : 0;
	}
	for (size_t i = 0; i < N_JUDGED_FIGURES; i++)
		for (enum shift_percentile q = 0; q < N_SHIFT_PERCENTILES; q++)
			side.percentile_ns[i][q] = mean_percentile_ns(row, i, q);
	return side;
}

bool comparison_is_doubtful(const struct comparison_side *side, enum shift_percentile percentile)
{
	return hist_beyond(side->n_least, 100 * (1 - shift_tail(percentile))) < HIST_BEYOND_TRUSTED;
}

/* Fills the row's line but for the verdicts. */
static void describe_row(const struct comparison *comparison, struct comparison_row *row, bool of_replicates)
{
	uint64_t a_ns[SHIFT_BLOCKS_MAX], b_ns[SHIFT_BLOCKS_MAX], limit_ns = comparison->limit_ns;
	struct block_maxima a = block_maxima(row->a, of_replicates, a_ns),
			    b = block_maxima(row->b, of_replicates, b_ns);
	struct comparison_line *line = &row->line;
	uint64_t active_a = of_replicates ? like_active_ns(row->a) : compared_row_sum(row->a)->active_ns,
		 active_b = of_replicates ? like_active_ns(row->b) : compared_row_sum(row->b)->active_ns;

	line->is_of_replicates = of_replicates;
	line->over_ns = active_a < active_b ? active_a : active_b;
	if (of_replicates) {
		line->a = side_of_replicates(row->a,
			last_max_of_replicates(
				row->a, compared_row_own(row->a, comparison->a), line->over_ns),
			limit_ns);
		line->b = side_of_replicates(row->b,
			last_max_of_replicates(
				row->b, compared_row_own(row->b, comparison->b), line->over_ns),
			limit_ns);
	} else {
		line->a = comparison_side_of(row->a,
			last_max_ns(&row->a->blocks, compared_row_sum(row->a), line->over_ns), limit_ns);
		line->b = comparison_side_of(row->b,
			last_max_ns(&row->b->blocks, compared_row_sum(row->b), line->over_ns), limit_ns);
	}
	line->max_is_higher = max_is_higher(&a, &b);
	line->max_is_lower = max_is_higher(&b, &a);
}

/* The limit of B, or else of A; 0: neither had one. */
static uint64_t find_limit(const struct compared_phase *a, const struct compared_phase *b)
{
	uint64_t limit_ns = strtoull(compared_phase_fact(b, "options.fail_above_ns"), NULL, 10);

	return limit_ns ? limit_ns : strtoull(compared_phase_fact(a, "options.fail_above_ns"), NULL, 10);
}

static double clock_step_ns(const struct compared_phase *phase)
{
	return strtod(compared_phase_fact(phase, "host.clock_step_ns"), NULL);
}

/* Returns the length of the phase whose blocks judge the row. */
static double judged_seconds(const struct comparison_row *row, const struct compared_row *compared,
	const struct compared_phase *phase)
{
	bool is_other = compared_row_blocks(compared, row->line.is_of_replicates) == &compared->judging;

	return (double)(is_other ? phase->like_lengths_ns[compared_phase_judging(phase)] : phase->length_ns) /
	       1e9;
}

/* The same in whole rounds, as the ring may have had its turn of the last one: so what a phase still needs
 * does not become more while it goes on. */
static double whole_rounds(double seconds, const struct compared_phase *phase)
{
	double round_s = (double)phase->round_ns / 1e9;

	return round_s > 0 ? ceil(seconds / round_s) * round_s : seconds;
}

/* Appends ", 3 s more" if B alone has too little, or else how long A, or both, should be: what is counted
 * grows with the time. @part: of what is needed, in each phase; of nothing the time is not known. A ring that
 * was removed counts no more. */
static void append_time(const struct comparison *comparison, const struct comparison_row *row, double part_a,
	double part_b, char *text)
{
	double length_s = judged_seconds(row, row->b, comparison->b),
	       a_s = whole_rounds(judged_seconds(row, row->a, comparison->a), comparison->a),
	       b_s = whole_rounds(length_s, comparison->b);

	if (part_b < 1 && row->b->has_ended) {
		text_print(text, COMPARISON_FEW_SIZE, ", then B's ring was removed");
		return;
	}
	if (part_a <= 0 || part_b <= 0)
		text_print(text, COMPARISON_FEW_SIZE, ", how long is not known");
	else if (part_a >= 1)
		text_print(text, COMPARISON_FEW_SIZE, ", %.0f s more", ceil(b_s / part_b - length_s));
	else if (part_b >= 1)
		text_print(text, COMPARISON_FEW_SIZE, ", A needs %.0f s", ceil(a_s / part_a));
	else
		text_print(text, COMPARISON_FEW_SIZE, ", A needs %.0f s, B %.0f s", ceil(a_s / part_a),
			ceil(b_s / part_b));
	if (part_a > 0 && part_b > 0 && (comparison->a->round_ns || comparison->b->round_ns))
		text_print(text, COMPARISON_FEW_SIZE, "; fewer rings need less");
}

/* Returns what the row did in the phase whose blocks judge it. */
static const struct judged_block *judged_sum(const struct comparison_row *row,
	const struct compared_row *compared, const struct compared_phase *phase)
{
	size_t own = compared_row_own(compared, phase);

	return row->line.is_of_replicates && own < compared->n_like ? &compared->like[own]
								    : compared_row_sum(compared);
}

/* In a phase that is shorter than a round, the ring's turn may not have come. Each round makes a block. */
static void write_no_samples(
	const struct comparison *comparison, const struct comparison_row *row, char letter, char *text)
{
	const struct compared_phase *phase = letter == 'A' ? comparison->a : comparison->b;
	const struct compared_row *compared = letter == 'A' ? row->a : row->b;
	const struct judged_block *sum = judged_sum(row, compared, phase);
	double round_s = (double)phase->round_ns / 1e9;

	if (sum->slots > 0 && sum->missed == sum->slots)
		snprintf(text, COMPARISON_FEW_SIZE, "no lap served in %c", letter);
	else if (sum->slots > 0 || sum->active_ns > 0)
		snprintf(text, COMPARISON_FEW_SIZE, "%c has no samples", letter);
	else if (judged_seconds(row, compared, phase) < round_s)
		snprintf(text, COMPARISON_FEW_SIZE,
			"no turn in %c: %d rounds take %.0f s; fewer rings need less", letter,
			SHIFT_BLOCKS_MIN, ceil(SHIFT_BLOCKS_MIN * round_s));
	else
		snprintf(text, COMPARISON_FEW_SIZE, "did not run in %c", letter);
}

static void write_few(
	const struct comparison *comparison, const struct comparison_row *row, enum mark_id mark, char *text)
{
	size_t figure = mark / N_SHIFT_PERCENTILES;
	const struct shift_phase *a = &row->verdict.figures[figure].a, *b = &row->verdict.figures[figure].b;
	const struct hist *sum_a = &compared_row_sum(row->a)->hists[figure],
			  *sum_b = &compared_row_sum(row->b)->hists[figure];
	size_t n_blocks = a->n_blocks < b->n_blocks ? a->n_blocks : b->n_blocks;
	double tail = shift_tail(mark_percentile(mark)), beyond = tail * fmin(a->n, b->n);

	if (sum_a->n_untimed || sum_b->n_untimed) {
		snprintf(text, COMPARISON_FEW_SIZE, "batches have only the mean of their laps");
	} else if ((!a->n_blocks && sum_a->n) || (!b->n_blocks && sum_b->n)) {
		snprintf(text, COMPARISON_FEW_SIZE, "%s has no blocks", a->n_blocks ? "B" : "A");
	} else if (!n_blocks) {
		write_no_samples(comparison, row, a->n_blocks ? 'B' : 'A', text);
	} else if (n_blocks < SHIFT_BLOCKS_MIN) {
		snprintf(text, COMPARISON_FEW_SIZE, "%zu of %d blocks", n_blocks, SHIFT_BLOCKS_MIN);
		append_time(comparison, row, (double)a->n_blocks / SHIFT_BLOCKS_MIN,
			(double)b->n_blocks / SHIFT_BLOCKS_MIN, text);
	} else if (beyond < SHIFT_BEYOND_MIN) {
		snprintf(text, COMPARISON_FEW_SIZE, "%d of %d samples beyond %s", (int)beyond,
			SHIFT_BEYOND_MIN, shift_percentile_name(mark_percentile(mark)));
		append_time(comparison, row, tail * a->n / SHIFT_BEYOND_MIN, tail * b->n / SHIFT_BEYOND_MIN,
			text);
	}
}

/* Between replicates nothing was changed, so nothing became better or worse. */
static void say_moved(
	const struct comparison *comparison, struct mark marks[N_MARKS], enum shift_verdict *verdict)
{
	for (size_t mark = 0; mark < N_MARKS && comparison->are_replicates; mark++)
		if (marks[mark].verdict >= SHIFT_BETTER)
			marks[mark].verdict = SHIFT_MOVED;
	if (comparison->are_replicates && *verdict >= SHIFT_BETTER)
		*verdict = SHIFT_MOVED;
}

static void say_rows_moved(const struct comparison *comparison, struct verdict_summary *summary)
{
	say_moved(comparison, summary->marks, &summary->verdict);
	if (!comparison->are_replicates)
		return;
	for (enum shift_verdict verdict = SHIFT_BETTER; verdict < SHIFT_MOVED; verdict++) {
		summary->verdicts[SHIFT_MOVED] += summary->verdicts[verdict];
		summary->verdicts[verdict] = 0;
	}
	summary->worse = summary->better = 0;
}

/* Takes the verdict into the row's line. */
static void describe_verdict(const struct comparison *comparison, struct comparison_row *row)
{
	const struct row_verdict *verdict = &row->verdict;
	struct comparison_line *line = &row->line;

	line->verdict = verdict->verdict;
	line->spikes = verdict->spikes;
	line->laps_a = verdict->laps_a;
	line->laps_b = verdict->laps_b;
	memcpy(line->marks, verdict->marks, sizeof(line->marks));
	say_moved(comparison, line->marks, &line->verdict);
	for (size_t i = 0; i < N_JUDGED_FIGURES; i++) {
		line->figures[i] = row->b->figures.at[i];
		memcpy(line->shifts[i], verdict->figures[i].shifts, sizeof(line->shifts[i]));
	}
	line->blocks_a = verdict->figures[JUDGED_SHOWN].a.n_blocks;
	line->blocks_b = verdict->figures[JUDGED_SHOWN].b.n_blocks;
	for (size_t mark = 0; mark < MARK_MISSED; mark++)
		write_few(comparison, row, (enum mark_id)mark, line->few[mark]);
}

/* Adds one block for each other replicate. */
static void add_above(struct block_counts *counts, const struct replicates *like, uint64_t limit_ns)
{
	for (size_t i = 0; i < like->n; i++) {
		const struct hist *shown = &like->sums[i].hists[JUDGED_SHOWN];

		if (i != like->own)
			block_counts_add(counts, counts->n_blocks, (double)hist_above(shown, limit_ns),
				(double)shown->n);
	}
}

static struct rate_shift rate_above(
	const struct row_verdict *verdict, const struct judged_row *judged, uint64_t limit_ns)
{
	const struct figure_shift *shown = &verdict->figures[JUDGED_SHOWN];

	if (!limit_ns || shown->a.n_blocks < 2 || shown->b.n_blocks < 2)
		return (struct rate_shift){0, INFINITY};
	struct block_counts a = shift_phase_above(&shown->a, log((double)limit_ns)),
			    b = shift_phase_above(&shown->b, log((double)limit_ns));

	add_above(&a, &judged->like_a, limit_ns);
	add_above(&b, &judged->like_b, limit_ns);
	return rate_interval(&a, &b);
}

static bool is_in_group(const struct comparison *comparison, const struct comparison_row *row, size_t group)
{
	return comparison
		->is_in_group[group * comparison->b->n_rows + (size_t)(row->b - comparison->b->rows)];
}

static int add_to_groups(
	struct comparison *comparison, const struct comparison_row *row, const struct verdict_counts *counts)
{
	int r = 0;

	for (size_t i = 0; i < comparison->n_groups && r == 0; i++) {
		struct comparison_group *group = &comparison->groups[i];

		if (!is_in_group(comparison, row, i))
			continue;
		verdict_counts_add(&group->counts, counts);
		r = compared_row_add(&group->a, row->a);
		if (r == 0)
			r = compared_row_add(&group->b, row->b);
	}
	return r;
}

int comparison_add_groups(struct comparison *comparison, const bool *is_in_group, size_t n)
{
	comparison->groups = calloc(n + 1, sizeof(*comparison->groups));
	if (!comparison->groups)
		return -ENOMEM;
	comparison->is_in_group = is_in_group;
	comparison->n_groups = n;
	return 0;
}

/* One that was paused, or not there, has neither. A stall of the whole phase leaves slots. */
static bool has_run(const struct compared_row *row)
{
	const struct hist *shown = &compared_row_sum(row)->hists[JUDGED_SHOWN];

	return compared_row_sum(row)->slots > 0 || shown->n > 0 || shown->n_untimed > 0;
}

int comparison_judge_row(struct comparison *comparison, struct comparison_row *row)
{
	const enum figure *figures = row->b->figures.at;
	struct judged_row judged = {.shows_response = figures[JUDGED_SHOWN] == figures[JUDGED_RESPONSE],
		.clock_step_ns = comparison->clock_step_ns};

	bool are_of_one_run = strcmp(comparison->a->source, comparison->b->source) == 0;

	if (comparison->has_replicates) {
		judged.like_a = (struct replicates){row->a->like, row->a->n_like,
			compared_row_own(row->a, comparison->a), are_of_one_run ? comparison->a->like : NULL};
		judged.like_b = (struct replicates){row->b->like, row->b->n_like,
			compared_row_own(row->b, comparison->b), are_of_one_run ? comparison->b->like : NULL};
	}
	if (!judged_row_has_replicates(&judged))
		judged.like_a = judged.like_b = (struct replicates){0};
	const struct judged_blocks *a = compared_row_blocks(row->a, judged.like_a.n > 0),
				   *b = compared_row_blocks(row->b, judged.like_b.n > 0);

	judged.a = a->list;
	judged.b = b->list;
	judged.n_a = a->n;
	judged.n_b = b->n;
	describe_row(comparison, row, judged.like_a.n > 0);
	struct verdict_counts counts = {0};
	int r = row_verdict_init(&row->verdict, &judged, &counts);

	/* Without blocks the shift may be large, but nothing says how certain it is. */
	if ((!judged.n_a || !judged.n_b) && compared_row_sum(row->a)->hists[JUDGED_SHOWN].n &&
		compared_row_sum(row->b)->hists[JUDGED_SHOWN].n)
		row->verdict.verdict = SHIFT_UNDECIDED;
	describe_verdict(comparison, row);
	if (r == 0 && has_run(row->a) && has_run(row->b)) {
		verdict_counts_add(&comparison->counts, &counts);
		r = add_to_groups(comparison, row, &counts);
	}
	row->line.rate = r == 0 ? rate_above(&row->verdict, &judged, comparison->limit_ns)
				: (struct rate_shift){0, INFINITY};
	row_verdict_drop_blocks(&row->verdict);
	row->line.is_compared = true;
	row->line.is_ready = r == 0;
	return r;
}

/* Returns how many of a phase's rows have no partner, and notes which. */
static size_t note_alone(const enum row_kind *kinds, size_t n, bool *is_alone)
{
	size_t n_alone = 0;

	for (size_t i = 0; i < n; i++)
		n_alone += is_alone[i] = kinds[i] == ROW_WHOLE;
	return n_alone;
}

static int match_rows(struct comparison *comparison)
{
	const struct compared_phase *a = comparison->a, *b = comparison->b;
	enum row_kind *kinds_a = calloc(a->n_rows + 1, sizeof(*kinds_a)),
		      *kinds_b = calloc(b->n_rows + 1, sizeof(*kinds_b));
	size_t *partners = calloc(b->n_rows + 1, sizeof(*partners));

	comparison->rows = calloc(b->n_rows + 1, sizeof(*comparison->rows));
	comparison->only_a = calloc(a->n_rows + 1, sizeof(*comparison->only_a));
	comparison->only_b = calloc(b->n_rows + 1, sizeof(*comparison->only_b));
	bool has_memory = kinds_a && kinds_b && partners && comparison->rows && comparison->only_a &&
			  comparison->only_b;

	if (has_memory) {
		row_pairs_find(a, b, kinds_a, kinds_b, partners);
		comparison->n_only_a = note_alone(kinds_a, a->n_rows, comparison->only_a);
		comparison->n_only_b = note_alone(kinds_b, b->n_rows, comparison->only_b);
	}
	for (size_t i = 0; i < b->n_rows && has_memory; i++)
		if (partners[i] < a->n_rows)
			comparison->rows[comparison->n_rows++] =
				(struct comparison_row){.a = &a->rows[partners[i]], .b = &b->rows[i]};
	free(kinds_a);
	free(kinds_b);
	free(partners);
	return has_memory ? 0 : -ENOMEM;
}

static bool are_identical(const struct comparison *comparison)
{
	bool are = true;

	for (size_t i = 0; i < comparison->n_rows && are; i++) {
		const struct comparison_line *line = &comparison->rows[i].line;

		are = !line->is_ready || memcmp(&line->a, &line->b, sizeof(line->a)) == 0;
	}
	return are;
}

int comparison_summarize(struct comparison *comparison, const atomic_bool *stop)
{
	struct row_verdict **rows = malloc((comparison->n_rows + 1) * sizeof(*rows));
	size_t n = 0;

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < comparison->n_rows; i++)
		if (comparison->rows[i].line.is_ready)
			rows[n++] = &comparison->rows[i].verdict;
	int r = verdicts_summarize(
		rows, n, &comparison->counts, comparison->clock_step_ns, stop, &comparison->summary);

	say_rows_moved(comparison, &comparison->summary);
	comparison->summary.are_identical = are_identical(comparison);
	comparison->summary.has_replicates = comparison->has_replicates;
	for (size_t i = 0; i < comparison->n_rows; i++) {
		struct comparison_line *line = &comparison->rows[i].line;

		memcpy(line->marks, comparison->rows[i].verdict.marks, sizeof(line->marks));
		say_moved(comparison, line->marks, &line->verdict);
	}
	free(rows);
	return r;
}

static size_t least_blocks(const struct comparison_line *line)
{
	return line->blocks_a < line->blocks_b ? line->blocks_a : line->blocks_b;
}

const struct comparison_line *comparison_line_to_quote(
	const struct comparison_line *before, const struct comparison_line *line)
{
	if (!line->is_compared || line->verdict != SHIFT_TOO_FEW)
		return before;
	bool has_both = line->a.n && line->b.n, had_both = before && before->a.n && before->b.n;

	if (!before || has_both != had_both)
		return !before || has_both ? line : before;
	return least_blocks(line) < least_blocks(before) ? line : before;
}

const struct comparison_line *comparison_quoted_row(const struct comparison *comparison)
{
	const struct comparison_line *line = comparison->n_rows == 1 ? &comparison->rows[0].line : NULL;
	bool are_few = comparison->summary.verdict == SHIFT_TOO_FEW;

	for (size_t i = 0; comparison->n_rows > 1 && are_few && i < comparison->n_rows; i++)
		line = comparison_line_to_quote(line, &comparison->rows[i].line);
	return line;
}

/* Rows of several figures have the title of the shown one. */
static void describe_group_verdict(const struct comparison *comparison, const struct verdict_summary *summary,
	struct comparison_line *line)
{
	line->verdict = summary->verdict;
	line->n_worse = summary->worse;
	line->n_better = summary->better;
	line->spikes = (struct spikes){.a = summary->spikes_a, summary->spikes_b, 1, 1};
	line->laps_a = summary->laps_a;
	line->laps_b = summary->laps_b;
	memcpy(line->marks, summary->marks, sizeof(line->marks));
	line->figures[JUDGED_SHOWN] = comparison->figure;
	line->figures[JUDGED_RESPONSE] = comparison->rows[0].b->figures.at[JUDGED_RESPONSE];
	for (size_t mark = 0; mark < MARK_MISSED; mark++) {
		const struct shift_overall *overall = &summary->overall[mark];

		line->shifts[mark / N_SHIFT_PERCENTILES][mark_percentile((enum mark_id)mark)] =
			(struct shift){overall->median, overall->lower_quartile, overall->upper_quartile};
	}
}

int comparison_judge_group(struct comparison *comparison, size_t index, struct comparison_line *line)
{
	struct comparison_group *group = &comparison->groups[index];
	struct comparison_row sums = {.a = &group->a, .b = &group->b};
	struct row_verdict **rows = malloc((comparison->n_rows + 1) * sizeof(*rows));
	struct verdict_summary summary;
	size_t n = 0;

	if (!rows)
		return -ENOMEM;
	for (size_t i = 0; i < comparison->n_rows; i++)
		if (comparison->rows[i].line.is_ready && is_in_group(comparison, &comparison->rows[i], index))
			rows[n++] = &comparison->rows[i].verdict;
	int r = verdicts_summarize_group(rows, n, &group->counts, &summary);

	free(rows);
	say_rows_moved(comparison, &summary);
	describe_row(comparison, &sums, comparison->has_replicates);
	*line = sums.line;
	if (r == 0)
		describe_group_verdict(comparison, &summary, line);
	line->is_ready = r == 0;
	return r;
}

/* Returns the figure of all rows, such as the lap of floods, or else the one that is shown. */
static enum figure common_figure(const struct comparison *comparison)
{
	enum figure figure =
		comparison->n_rows ? comparison->rows[0].b->figures.at[JUDGED_SHOWN] : comparison->b->figure;

	for (size_t i = 0; i < comparison->n_rows; i++)
		if (comparison->rows[i].b->figures.at[JUDGED_SHOWN] != figure)
			return comparison->b->figure;
	return figure;
}

/* Is B among the replicates of A? They are of one run, or of one recording. */
static bool are_alike(const struct compared_phase *a, const struct compared_phase *b)
{
	bool are = false;

	for (size_t i = 0; i < a->n_like && strcmp(a->source, b->source) == 0; i++)
		are |= a->like[i] == b->number;
	return are;
}

/* Is there a difference that somebody made: one of a ring, of a member, or of a fact that does not drift? */
static bool was_changed(const struct comparison *comparison)
{
	for (size_t i = 0; i < comparison->n_differences; i++) {
		const char *name = comparison->differences[i].name;
		const struct machine_fact *fact =
			strncmp(name, "host.", 5) == 0 ? machine_fact_reported(name + 5) : NULL;

		if (!fact || !fact->drifts)
			return true;
	}
	return false;
}

/* Both must have pairs of CPUs in common, by the same mechanism. */
static int match_matrices(struct comparison *comparison, struct error_text *reason)
{
	const struct matrix *a = comparison->a->matrix, *b = comparison->b->matrix;

	if (a->batches != b->batches && strcmp(a->mechanism, b->mechanism) == 0)
		return error_text_set(reason, -EINVAL,
			"these phases can't be compared: laps are means of batches in one of them");
	if (strcmp(a->mechanism, b->mechanism) != 0)
		return error_text_set(reason, -EINVAL,
			"these phases can't be compared: A is a sweep of %s, and B of %s", a->mechanism,
			b->mechanism);
	size_t n = 0;
	int r = matrix_copy_phase(&comparison->matrix, b, b->now.number);

	if (r == 0)
		r = matrix_put_before(comparison->matrix, a, &n);
	if (r < 0)
		return r;
	comparison->matrix->has_first &= a->has_first;
	if (!n)
		return error_text_set(
			reason, -EINVAL, "these phases can't be compared: no two CPUs have repeats in both");
	return 0;
}

/* Returns 0 or -ENOMEM. */
static int judge_matrix(struct comparison *comparison)
{
	int r = matrix_changes_make(&comparison->changes, comparison->matrix);

	if (r < 0)
		return r;
	struct matrix_verdict all = matrix_changes_verdict(&comparison->changes);

	comparison->summary.verdict = all.verdict;
	comparison->summary.n_tests = all.n_tests;
	comparison->summary.worse = all.n_worse;
	comparison->summary.better = all.n_better;
	return 0;
}

int comparison_begin(struct comparison *comparison, const struct compared_phase *a,
	const struct compared_phase *b, struct error_text *reason)
{
	*comparison = (struct comparison){.a = a, .b = b};
	int r = refuse(a, b, reason);

	if (r < 0)
		return r;
	r = match_rows(comparison);
	if (r == 0 && a->matrix && b->matrix)
		r = match_matrices(comparison, reason);
	else if (r == 0 && (!a->n_rows || !b->n_rows))
		return error_text_set(reason, -EINVAL, "these phases can't be compared: %s",
			a->matrix                  ? "A is of a sweep, and B is not"
			: b->matrix                ? "B is of a sweep, and A is not"
			: !a->n_rows && !b->n_rows ? "both have no rings"
			: a->n_rows                ? "B has no rings"
						   : "A has no rings");
	if (r == -EINVAL)
		return r;
	if (r == 0 && !comparison->matrix && !comparison->n_rows)
		return error_text_set(reason, -EINVAL,
			"these phases can't be compared: no ring has the same mechanism, CPUs, size and figure in both");
	comparison->figure = common_figure(comparison);
	comparison->limit_ns = find_limit(a, b);
	comparison->clock_step_ns = fmax(clock_step_ns(a), clock_step_ns(b));
	if (r == 0)
		r = compare_facts(comparison);
	if (r == 0)
		r = compare_rings(comparison);
	if (r == 0)
		r = compare_scheduling(comparison);
	/* A mark may give both the same name, whatever was changed between them. */
	comparison->are_replicates = are_alike(a, b) && !was_changed(comparison);
	comparison->has_replicates = !are_alike(a, b) && a->n_like > 1 && b->n_like > 1;
	if (r == 0)
		r = compare_load(comparison);
	return r == 0 ? 0 : error_text_set(reason, r, "no memory for the comparison");
}

int comparison_init(struct comparison *comparison, const struct compared_phase *a,
	const struct compared_phase *b, struct error_text *reason)
{
	int r = comparison_begin(comparison, a, b, reason);

	if (r < 0)
		return r;
	for (size_t i = 0; i < comparison->n_rows && r == 0; i++)
		r = comparison_judge_row(comparison, &comparison->rows[i]);
	if (r == 0)
		r = comparison_summarize(comparison, NULL);
	if (r == 0 && comparison->matrix)
		r = judge_matrix(comparison);
	return r == 0 ? 0 : error_text_set(reason, r, "no memory for the comparison");
}

void comparison_finish(struct comparison *comparison)
{
	matrix_changes_finish(&comparison->changes);
	matrix_destroy(comparison->matrix);
	for (size_t i = 0; i < comparison->n_rows; i++)
		row_verdict_finish(&comparison->rows[i].verdict);
	for (size_t i = 0; i < comparison->n_differences; i++) {
		free(comparison->differences[i].name);
		free(comparison->differences[i].a);
		free(comparison->differences[i].b);
	}
	for (size_t i = 0; i < comparison->n_groups; i++) {
		compared_row_finish(&comparison->groups[i].a);
		compared_row_finish(&comparison->groups[i].b);
	}
	free(comparison->groups);
	free(comparison->rows);
	free(comparison->only_a);
	free(comparison->only_b);
	free(comparison->differences);
	*comparison = (struct comparison){0};
}

void comparison_between(const struct comparison *comparison, unsigned *first, unsigned *last)
{
	const struct compared_phase *a = comparison->a, *b = comparison->b;
	bool is_known = comparison->n_differences > 1 && strcmp(a->source, b->source) == 0;

	*first = is_known ? 1 + (a->number < b->number ? a->number : b->number) : 1;
	*last = is_known ? (a->number < b->number ? b->number : a->number) - 1 : 0;
}
