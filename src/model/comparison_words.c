/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison_words.c - the columns and the sentences of a comparison. */
#include "src/model/comparison_words.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/base/text.h"
#include "src/model/fact_words.h"

const char comparison_may_be_chance[] = ", may be chance";
const char comparison_bounds[] = "least change 5 % and 0.2 us; 95 % intervals";

enum { PHASES_NAMED = 3, PHASES_LISTED = 4, CAUSES_NAMED = 3, ROWS_NAMED = 4 };

/* The least change that gets a verdict; of spikes the least that is worth naming without one. */
static const double LEAST_NS = 200, LEAST_RATIO = 0.05, SPIKES_RATIO = 1.5;

#define TIME(member) COMPARISON_TIME, offsetof(struct comparison_side, member)

const struct comparison_column comparison_columns[N_COMPARISON_COLUMNS] = {
	[COMPARISON_MISSED] = {"missed%", COMPARISON_SHARE, 0, N_SHIFT_PERCENTILES, 0},
	[COMPARISON_P50] = {"p50", TIME(percentile_ns[JUDGED_SHOWN][SHIFT_P50]), SHIFT_P50, 1},
	[COMPARISON_P99] = {"p99", TIME(percentile_ns[JUDGED_SHOWN][SHIFT_P99]), SHIFT_P99, 0},
	[COMPARISON_P999] = {"p99.9", TIME(percentile_ns[JUDGED_SHOWN][SHIFT_P999]), SHIFT_P999, 7},
	[COMPARISON_MAX] = {"Max", TIME(max_ns), N_SHIFT_PERCENTILES, 5},
	[COMPARISON_RESPONSE] = {"Resp99", TIME(percentile_ns[JUDGED_RESPONSE][SHIFT_P99]),
		N_SHIFT_PERCENTILES, 4, 100},
	[COMPARISON_LATE] = {"Late99", TIME(late99_ns), N_SHIFT_PERCENTILES, 3, 100},
	[COMPARISON_ABOVE] = {">limit/s", COMPARISON_RATE, 0, N_SHIFT_PERCENTILES, 8},
	[COMPARISON_N] = {"n", COMPARISON_COUNT, 0, N_SHIFT_PERCENTILES, 9},
};

uint64_t comparison_ns(const struct comparison_column *column, const struct comparison_side *side)
{
	return *(const uint64_t *)((const char *)side + column->ns);
}

double comparison_rate(const struct comparison_side *side)
{
	return side->active_ns ? (double)side->above * 1e9 / (double)side->active_ns : 0;
}

#define append(text, ...) text_print(text, COMPARISON_WORDS_SIZE, __VA_ARGS__)

/* "0.85", "9.1", "160". */
static void append_number(char text[COMPARISON_WORDS_SIZE], double number)
{
	append(text, number < 9.95 ? "%.2g" : "%.0f", number);
}

/* "+3.2 %" as "+3.2", "+79", "?" for an open end, or one that is as good as open. Returns @text. */
enum { SHIFT_PERCENT_SIZE = 16, PERCENT_MOST = 1000000 };
static char *format_percent(double shift, char text[SHIFT_PERCENT_SIZE])
{
	double percent = 100 * expm1(shift);

	if (isinf(shift) || percent > PERCENT_MOST)
		snprintf(text, SHIFT_PERCENT_SIZE, "?");
	else
		snprintf(text, SHIFT_PERCENT_SIZE,
			fabs(percent) < 0.05   ? "0.0"
			: fabs(percent) < 9.95 ? "%+.1f"
					       : "%+.0f",
			percent);
	return text;
}

static void print_difference(FILE *out, const struct difference *difference)
{
	char title[FACT_WORDS_SIZE], a[FACT_WORDS_SIZE], b[FACT_WORDS_SIZE];

	if (difference->counted)
		fprintf(out, "%zu of %zu %s", difference->n, difference->of, difference->counted);
	else
		fputs(fact_title(difference->name, title), out);
	fprintf(out, " %s > %s", fact_value(difference->name, difference->a, a),
		fact_value(difference->name, difference->b, b));
}

char *comparison_phases(const uint32_t *numbers, size_t n, char text[COMPARISON_PHASES_SIZE])
{
	*text = '\0';
	for (size_t i = 0; i < n; i++) {
		if (n > PHASES_LISTED && i == 2)
			i = n - 1;
		text_print(text, COMPARISON_PHASES_SIZE, "%s%u",
			i == 0                            ? n > 1 ? "phases " : "phase "
			: n > PHASES_LISTED && i == n - 1 ? ", ... "
							  : ", ",
			(unsigned)numbers[i]);
	}
	return text;
}

char *comparison_differences(const struct comparison *comparison)
{
	size_t n = comparison->n_differences, size;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (comparison->has_replicates)
		fprintf(out, "%zu x A, %zu x B; ", comparison->a->n_like, comparison->b->n_like);
	if (comparison->are_replicates && comparison->a->number != comparison->b->number)
		fputs(n ? "replicates; " : "replicates: nothing was changed", out);
	else if (n < 2)
		fputs(n ? "only this changed" : "nothing recorded differs", out);
	if (n > 1 || (n && comparison->are_replicates))
		fprintf(out, "differs in %zu", n);
	for (size_t i = 0; i < n; i++) {
		fputc('\n', out);
		print_difference(out, &comparison->differences[i]);
	}
	fclose(out);
	return text;
}

size_t comparison_differences_count(const char *differences)
{
	size_t n = 0;

	while ((differences = strchr(differences, '\n')))
		differences++, n++;
	return n;
}

char *comparison_differences_line(const char *differences, size_t n_shown)
{
	size_t n = comparison_differences_count(differences), size;
	char *line = NULL;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		return NULL;
	for (size_t i = 0; i <= n && i <= n_shown; i++) {
		size_t length = strcspn(differences, "\n");

		fprintf(out, "%s%.*s", i > 1 ? "; " : i ? ": " : "", (int)length, differences);
		differences += length + 1;
	}
	if (n_shown < n)
		fprintf(out, "%s%zu more", n_shown ? "; and " : ": ", n - n_shown);
	fclose(out);
	return line;
}

/* Two neighbours have no phase between them. */
static void append_between(char text[COMPARISON_WORDS_SIZE], const struct comparison *comparison)
{
	unsigned first, last;

	comparison_between(comparison, &first, &last);
	for (unsigned number = first; number <= last && number < first + PHASES_NAMED; number++)
		append(text, "%s %u with %u", number == first ? " Compare" : ",", number - 1, number);
	if (first <= last && last - first >= PHASES_NAMED)
		append(text, ", and so on to %u with %u.", last, last + 1);
	else if (first <= last)
		append(text, ", %u with %u.", last, last + 1);
}

char *comparison_advice(const struct comparison *comparison, char text[COMPARISON_WORDS_SIZE])
{
	text[0] = '\0';
	if (comparison->n_differences < 2)
		return text;
	append(text, "%zu things %s: any may be the cause.", comparison->n_differences,
		comparison->are_replicates ? "differ" : "changed");
	append_between(text, comparison);
	return text;
}

/* The blames of a phase, or of all its replicates, and how long they are. */
struct blamed_phase {
	const struct blame_sums *sums;
	double seconds;
};

static double blamed_in_ms(const struct blamed_phase *phase, const char *cause)
{
	for (size_t i = 0; i < phase->sums->n && phase->seconds > 0; i++)
		if (strcmp(phase->sums->list[i].text, cause) == 0)
			return (double)phase->sums->list[i].ns / 1e6 / phase->seconds;
	return 0;
}

/* Adds the causes of a phase that matter most to the first @n of @causes, each once. Returns their number. */
static size_t add_causes(const char **causes, size_t n, const struct blame_sums *sums)
{
	for (size_t i = 0; i < sums->n && i < CAUSES_NAMED; i++) {
		size_t at = 0;

		while (at < n && strcmp(causes[at], sums->list[i].text) != 0)
			at++;
		if (at == n)
			causes[n++] = sums->list[i].text;
	}
	return n;
}

static struct blamed_phase blamed_phase(
	const struct comparison *comparison, const struct compared_phase *phase)
{
	if (comparison->has_replicates)
		return (struct blamed_phase){&phase->like_blames, (double)phase->like_ns / 1e9};
	return (struct blamed_phase){&phase->blames, (double)phase->length_ns / 1e9};
}

/* Without a recorder the time of all spikes is not recorded, which is no cause. */
static bool has_cause(const struct blame_sums *sums)
{
	size_t i = 0;

	while (i < sums->n && sums->list[i].kind == CAUSE_UNSEEN)
		i++;
	return i < sums->n;
}

char *comparison_blame(const struct comparison *comparison, char text[COMPARISON_WORDS_SIZE])
{
	struct blamed_phase a = blamed_phase(comparison, comparison->a),
			    b = blamed_phase(comparison, comparison->b);
	const char *causes[2 * CAUSES_NAMED];
	size_t n = add_causes(causes, 0, a.sums);

	text[0] = '\0';
	if (!has_cause(a.sums) && !has_cause(b.sums))
		return text;
	n = add_causes(causes, n, b.sums);
	for (size_t i = 0; i < n; i++) {
		append(text, "%s%s ", i ? ", " : "blame in ms/s: ", causes[i]);
		append_number(text, blamed_in_ms(&a, causes[i]));
		append(text, " > ");
		append_number(text, blamed_in_ms(&b, causes[i]));
	}
	return text;
}

/* The first row of the same mechanism and CPUs; NULL: there is none. */
static const struct compared_row *find_namesake(
	const struct compared_phase *phase, const struct compared_row *row)
{
	for (size_t i = 0; i < phase->n_rows; i++)
		if (strcmp(phase->rows[i].label, row->label) == 0 &&
			strcmp(phase->rows[i].mechanism, row->mechanism) == 0)
			return &phase->rows[i];
	return NULL;
}

/* "pipe 0>0", or where the other phase has that, too, what keeps them apart: "pipe 0>0 of 64 bytes". */
static void append_row(
	char text[COMPARISON_WORDS_SIZE], const struct compared_row *row, const struct compared_phase *other)
{
	const struct compared_row *namesake = find_namesake(other, row);
	char size[FACT_WORDS_SIZE], bytes[32];

	append(text, "%s %s%s", row->mechanism, row->label, row->suffix);
	if (!namesake)
		return;
	snprintf(bytes, sizeof(bytes), "%llu", (unsigned long long)row->size_bytes);
	if (namesake->size_bytes != row->size_bytes)
		append(text, " of %s", fact_value("options.size_bytes", bytes, size));
	else if (namesake->figures.at[JUDGED_SHOWN] != row->figures.at[JUDGED_SHOWN])
		append(text, " by its %s", figure_name(row->figures.at[JUDGED_SHOWN]));
}

/* "; A alone has mq 0>0, pipe 1>1 and 3 more". */
static void append_alone(char text[COMPARISON_WORDS_SIZE], const struct compared_phase *phase,
	const struct compared_phase *other, const bool *is_alone, const char *title)
{
	size_t n = 0;

	for (size_t i = 0; i < phase->n_rows; i++) {
		if (!is_alone[i] || n++ >= ROWS_NAMED)
			continue;
		if (n == 1)
			append(text, "%s%s alone has ", *text ? "; " : "not compared: ", title);
		append(text, "%s", n == 1 ? "" : ", ");
		append_row(text, &phase->rows[i], other);
	}
	if (n > ROWS_NAMED)
		append(text, " and %zu more", n - ROWS_NAMED);
}

char *comparison_alone(const struct comparison *comparison, char text[COMPARISON_WORDS_SIZE])
{
	const struct compared_phase *a = comparison->a, *b = comparison->b;

	text[0] = '\0';
	if (comparison->n_only_a)
		append_alone(text, a, b, comparison->only_a, "A");
	if (comparison->n_only_b)
		append_alone(text, b, a, comparison->only_b, "B");
	return text;
}

/* In which they are counted. */
static const enum shift_verdict counted[N_SHIFT_VERDICTS] = {
	SHIFT_BETTER, SHIFT_WORSE, SHIFT_MIXED, SHIFT_MOVED, SHIFT_SAME, SHIFT_UNDECIDED, SHIFT_TOO_FEW};

char *comparison_counts(const size_t n[N_SHIFT_VERDICTS], char text[COMPARISON_WORDS_SIZE])
{
	text[0] = '\0';
	for (size_t i = 0; i < N_SHIFT_VERDICTS; i++)
		if (n[counted[i]])
			append(text, "%s%zu%s", *text ? " " : "", n[counted[i]],
				shift_verdict_words[counted[i]].sign);
	return text;
}

static const char *headline_word(enum shift_verdict verdict)
{
	return verdict == SHIFT_BETTER  ? "BETTER"
	       : verdict == SHIFT_WORSE ? "WORSE"
	       : verdict == SHIFT_MIXED ? "MIXED"
					: shift_verdict_words[verdict].name;
}

/* ": hop p50 14 worse of 56 cells; hop p99 ..." of the tables in which some are worse or better. */
static void append_tables(char text[COMPARISON_WORDS_SIZE], const struct matrix_changes *changes)
{
	const char *between = ": ";

	for (int figure = 0; figure < N_MATRIX_FIGURES; figure++)
		for (int value = 0; value < N_COMPARED_VALUES; value++) {
			const struct matrix_change *change = &changes->of[figure][value];

			if (!change->n_worse && !change->n_better)
				continue;
			append(text, "%s%s %s ", between, matrix_figure_title((enum matrix_figure)figure),
				matrix_value_name((enum matrix_value)value));
			if (change->n_worse)
				append(text, "%zu worse", change->n_worse);
			append(text, change->n_worse && change->n_better ? ", " : "");
			if (change->n_better)
				append(text, "%zu better", change->n_better);
			append(text, " of %zu cells", change->n_cells);
			between = "; ";
		}
}

char *comparison_matrix_headline(const struct comparison *comparison, char text[COMPARISON_WORDS_SIZE])
{
	const struct matrix_change *hops = &comparison->changes.of[MATRIX_HOP][MATRIX_P50];
	enum shift_verdict verdict = comparison->summary.verdict;
	char need[MATRIX_NEED_SIZE];

	text[0] = '\0';
	append(text, "%s", headline_word(verdict));
	append_tables(text, &comparison->changes);
	if ((verdict == SHIFT_TOO_FEW || verdict == SHIFT_UNDECIDED) && *matrix_change_need(need, hops))
		append(text, ": %s", need);
	return text;
}

/* Do all marks in a direction survive the correction? */
static bool are_all_kept(const struct verdict_summary *summary)
{
	const size_t *n = summary->verdicts;

	return n[SHIFT_WORSE] + n[SHIFT_MIXED] == summary->worse &&
	       n[SHIFT_BETTER] + n[SHIFT_MIXED] == summary->better;
}

static void append_rows(char text[COMPARISON_WORDS_SIZE], const struct verdict_summary *summary)
{
	for (size_t i = 0, n_kinds = 0; i < N_SHIFT_VERDICTS; i++) {
		size_t n = summary->verdicts[counted[i]];

		if (n)
			append(text, "%s%zu %s", n_kinds++ ? ", " : " ", n,
				shift_verdict_words[counted[i]].name);
	}
}

char *comparison_rows(const struct verdict_summary *summary, size_t width, char text[COMPARISON_WORDS_SIZE])
{
	bool all_kept = are_all_kept(summary), none_kept = !summary->better && !summary->worse;
	char counts[COMPARISON_WORDS_SIZE];

	for (unsigned brevity = 0; brevity < 3 && (!brevity || strlen(text) > width); brevity++) {
		text[0] = '\0';
		append(text, summary->n_rows == 1 ? "of %zu row" : "of %zu rows", summary->n_rows);
		if (brevity < 2)
			append_rows(text, summary);
		else
			append(text, " %s", comparison_counts(summary->verdicts, counts));
		if (!all_kept && none_kept && brevity == 0)
			append(text, "; none by itself after the correction for %zu tests", summary->n_tests);
		else if (!all_kept && none_kept && brevity == 1)
			append(text, "; corrected none");
		else if (!all_kept && brevity == 0)
			append(text, "; %zu better, %zu worse after the correction for %zu tests",
				summary->better, summary->worse, summary->n_tests);
		else if (!all_kept)
			append(text,
				brevity == 1 ? "; corrected %zu better, %zu worse" : "; corrected %zub %zuw",
				summary->better, summary->worse);
	}
	return text;
}

char *comparison_share(double missed, double slots, char text[COMPARISON_SHARE_SIZE])
{
	double percent = slots > 0 ? 100 * missed / slots : 0;

	if (slots <= 0)
		snprintf(text, COMPARISON_SHARE_SIZE, "-");
	else if (percent > 0 && percent < 0.05)
		snprintf(text, COMPARISON_SHARE_SIZE, "<.1");
	else
		snprintf(text, COMPARISON_SHARE_SIZE, percent < 99.95 ? "%.1f" : "%.0f", percent);
	return text;
}

/* "71 us", "2.6 ms". */
static void append_ns(char text[COMPARISON_WORDS_SIZE], double ns)
{
	const char *unit = ns < 999.5e3 ? "us" : ns < 999.5e6 ? "ms" : "s";
	double value = ns < 999.5e3 ? ns / 1e3 : ns < 999.5e6 ? ns / 1e6 : ns / 1e9;

	append(text, value < 9.95 ? "%.1f %s" : "%.0f %s", value, unit);
}

/* Spikes a second. */
static void append_rates(char text[COMPARISON_WORDS_SIZE], double a, double b)
{
	append_number(text, a);
	append(text, " > ");
	append_number(text, b);
	append(text, " /s");
}

static void append_shares(char text[COMPARISON_WORDS_SIZE], double a, double b)
{
	char in_a[COMPARISON_SHARE_SIZE], in_b[COMPARISON_SHARE_SIZE];

	append(text, "missed %s > %s %%", comparison_share(a, 1, in_a), comparison_share(b, 1, in_b));
}

/* "laps 28k > 11k /s" */
static void append_laps(char text[COMPARISON_WORDS_SIZE], double a, double b)
{
	const double of[] = {a, b};

	append(text, "laps");
	for (size_t i = 0; i < 2; i++)
		append(text, of[i] < 9999.5 ? "%s%.0f" : "%s%.0fk", i ? " > " : " ",
			of[i] < 9999.5 ? of[i] : of[i] / 1000);
	append(text, " /s");
}

static void append_title(char text[COMPARISON_WORDS_SIZE], enum figure figure, enum mark_id mark)
{
	append(text, "%s %s", figure_title(figure), shift_percentile_name(mark_percentile(mark)));
}

static double share_of(const struct comparison_side *side)
{
	return side->slots ? (double)side->missed / (double)side->slots : 0;
}

static double a_second(double n, double seconds)
{
	return seconds > 0 ? n / seconds : 0;
}

/* "missed 0.0 > 4.6 %", "response p99 71 us > 2.6 ms", "spikes above 1.2 ms 0.1 > 4.3 /s". */
static void append_mark(
	char text[COMPARISON_WORDS_SIZE], const struct comparison_line *line, enum mark_id mark)
{
	const struct spikes *spikes = &line->spikes;
	size_t figure = mark / N_SHIFT_PERCENTILES;
	enum shift_percentile q = mark_percentile(mark);

	if (mark == MARK_MISSED) {
		append_shares(text, share_of(&line->a), share_of(&line->b));
	} else if (mark == MARK_SPIKES) {
		append(text, spikes->limit_ns ? "spikes above " : "spikes of a row ");
		if (spikes->limit_ns)
			append_ns(text, (double)spikes->limit_ns);
		append(text, spikes->limit_ns ? " " : "");
		append_rates(
			text, a_second(spikes->a, spikes->seconds_a), a_second(spikes->b, spikes->seconds_b));
	} else if (mark == MARK_LAPS) {
		append_laps(text, line->laps_a, line->laps_b);
	} else {
		append_title(text, line->figures[figure], mark);
		append(text, " ");
		append_ns(text, (double)line->a.percentile_ns[figure][q]);
		append(text, " > ");
		append_ns(text, (double)line->b.percentile_ns[figure][q]);
	}
}

/* The same of several rows. */
static void append_overall(char text[COMPARISON_WORDS_SIZE], const struct verdict_summary *summary,
	enum figure figure, enum mark_id mark, bool with_quartiles)
{
	char change[SHIFT_PERCENT_SIZE], low[SHIFT_PERCENT_SIZE], high[SHIFT_PERCENT_SIZE];

	if (mark == MARK_MISSED) {
		append_shares(text, summary->missed_a, summary->missed_b);
	} else if (mark == MARK_SPIKES) {
		append(text, "spikes of a row ");
		append_rates(text, summary->spikes_a, summary->spikes_b);
	} else if (mark == MARK_LAPS) {
		append_laps(text, summary->laps_a, summary->laps_b);
	} else {
		const struct shift_overall *overall = &summary->overall[mark];

		append_title(text, mark < MARK_RESPONSE ? figure : FIGURE_RESPONSE, mark);
		append(text, " %s %%", format_percent(overall->median, change));
		format_percent(overall->lower_quartile, low);
		format_percent(overall->upper_quartile, high);
		if (with_quartiles && strcmp(low, high) != 0)
			append(text, " (half of the rows %s to %s)", low, high);
	}
}

/* @line: NULL: of all rows. @n_marks: as many at most; 0: one, in short. Returns how many there are. */
static size_t append_marks(char text[COMPARISON_WORDS_SIZE], const struct mark marks[N_MARKS],
	enum shift_verdict verdict, const struct comparison_line *line, const struct verdict_summary *summary,
	enum figure figure, size_t n_marks)
{
	enum mark_id sorted[N_MARKS];
	size_t n = marks_sorted(marks, verdict, sorted);

	for (size_t i = 0; i < n && (!i || i < n_marks); i++) {
		append(text, "%s", i ? ", " : "");
		if (line)
			append_mark(text, line, sorted[i]);
		else
			append_overall(text, summary, figure, sorted[i], n_marks);
	}
	return n;
}

/* Phases between which nothing was changed: "the machine itself moved by +8.1 %: first hop p50". */
static void append_itself(char text[COMPARISON_WORDS_SIZE], const struct verdict_summary *summary,
	const struct comparison_line *line, enum figure figure)
{
	enum mark_id sorted[N_MARKS];
	size_t n = marks_sorted(summary->marks, SHIFT_MOVED, sorted);
	char change[SHIFT_PERCENT_SIZE];

	append(text, "the machine itself moved");
	if (n && sorted[0] < MARK_MISSED) {
		enum mark_id mark = sorted[0];
		double shift = line ? line->shifts[mark / N_SHIFT_PERCENTILES][mark_percentile(mark)].estimate
				    : summary->overall[mark].median;

		append(text, " by %s %%: ", format_percent(shift, change));
		append_title(text, mark < MARK_RESPONSE ? figure : FIGURE_RESPONSE, mark);
	} else if (n) {
		append(text, ": ");
		if (line)
			append_mark(text, line, sorted[0]);
		else
			append_overall(text, summary, figure, sorted[0], true);
	} else if (summary->verdicts[SHIFT_MOVED]) {
		append(text, ": %zu of %zu rows", summary->verdicts[SHIFT_MOVED], summary->n_rows);
	}
}

/* The marks in one direction, or else how many rows moved so. */
static void append_direction(char text[COMPARISON_WORDS_SIZE], const struct verdict_summary *summary,
	enum shift_verdict verdict, const struct comparison_line *line, enum figure figure, size_t n_marks)
{
	if (!append_marks(text, summary->marks, verdict, line, summary, figure, n_marks))
		append(text, "%zu of %zu rows", verdict == SHIFT_WORSE ? summary->worse : summary->better,
			summary->n_rows);
}

/* Is the change of all rows at a mark one that would get a verdict if it were proved? */
static bool is_large(
	const struct verdict_summary *summary, const struct comparison_line *line, enum mark_id mark)
{
	if (mark == MARK_MISSED)
		return mark_has_missed_change(summary->missed_a, summary->missed_b);
	if (mark == MARK_SPIKES)
		return fmax(summary->spikes_a, summary->spikes_b) >
		       SPIKES_RATIO * fmin(summary->spikes_a, summary->spikes_b);
	if (mark == MARK_LAPS)
		return mark_has_laps_change(summary->laps_a, summary->laps_b);
	if (!line)
		return true; /* others have no mark */
	double a = (double)line->a.percentile_ns[mark / N_SHIFT_PERCENTILES][mark_percentile(mark)],
	       b = (double)line->b.percentile_ns[mark / N_SHIFT_PERCENTILES][mark_percentile(mark)];

	return fabs(b - a) > fmax(LEAST_NS, LEAST_RATIO * a);
}

/* The first of the marks of a single row that is proved but for the correction. Returns @n if there is none.
 */
static size_t first_uncorrected(const struct comparison_line *line, const enum mark_id *sorted, size_t n)
{
	for (size_t i = 0; line && i < n; i++)
		if (line->marks[sorted[i]].verdict >= SHIFT_BETTER)
			return i;
	return n;
}

/* The first of the marks whose change is large. Returns @n if there is none. */
static size_t first_large(const struct verdict_summary *summary, const struct comparison_line *line,
	const enum mark_id *sorted, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (is_large(summary, line, sorted[i]))
			return i;
	return n;
}

/* The unproved change that matters most: "missed 0.0 > 14.0 % in too few blocks to tell", "response p99 +12 %
 * may be chance". Returns whether there is one. */
static bool append_unproved(char text[COMPARISON_WORDS_SIZE], const struct verdict_summary *summary,
	const struct comparison_line *line, enum figure figure)
{
	enum mark_id sorted[N_MARKS];
	size_t n = marks_sorted(summary->marks, SHIFT_UNDECIDED, sorted),
	       i = first_uncorrected(line, sorted, n);
	const char *too_few =
		summary->has_replicates ? " in too few phases to tell" : " in too few blocks to tell";

	if (i == n && mark_has_missed_change(summary->row_missed_a, summary->row_missed_b)) {
		append(text, summary->n_rows > 1 ? ": a row " : ": ");
		append_shares(text, summary->row_missed_a, summary->row_missed_b);
		append(text, "%s%s", summary->n_rows > 1 ? "," : "", too_few);
		return true;
	}
	i = i == n ? first_large(summary, line, sorted, n) : i;
	if (i == n)
		return false;
	append(text, ": ");
	if (line)
		append_mark(text, line, sorted[i]);
	else
		append_overall(text, summary, figure, sorted[i], false);
	append(text, "%s", sorted[i] < MARK_MISSED || sorted[i] == MARK_LAPS ? " may be chance" : too_few);
	return true;
}

/* With what it takes to decide, if @has_room. */
static void append_undecided(char text[COMPARISON_WORDS_SIZE], const struct verdict_summary *summary,
	const struct comparison_line *line, enum figure figure, bool has_room)
{
	if (summary->are_identical) {
		append(text, ": nothing moved, A and B have the same samples");
		return;
	}
	if (!summary->n_tests) {
		append(text, ": without blocks nothing is judged");
		return;
	}
	bool has_change = append_unproved(text, summary, line, figure);

	if (!has_change || has_room)
		append(text, "%s %s not known", has_change ? ";" : ":",
			summary->has_replicates ? "more phases of each may tell; how many is"
						: "longer phases may tell; how long is");
}

/* @n_marks: so many in each direction at most; 0: one, in short. */
static void write_headline(char text[COMPARISON_WORDS_SIZE], const struct verdict_summary *summary,
	const struct comparison_line *line, enum figure figure, size_t n_marks)
{
	enum shift_verdict verdict = summary->verdict;
	bool is_mixed = verdict == SHIFT_MIXED;

	text[0] = '\0';
	if (verdict == SHIFT_MOVED) {
		append_itself(text, summary, line, figure);
		return;
	}
	append(text, "%s%s", headline_word(verdict),
		is_mixed                  ? ": worse "
		: verdict >= SHIFT_BETTER ? ": "
					  : "");
	if (verdict == SHIFT_WORSE || is_mixed)
		append_direction(text, summary, SHIFT_WORSE, line, figure, n_marks);
	if (is_mixed)
		append(text, "; better ");
	if (verdict == SHIFT_BETTER || is_mixed)
		append_direction(text, summary, SHIFT_BETTER, line, figure, n_marks);
	else if (verdict == SHIFT_UNDECIDED)
		append_undecided(text, summary, line, figure, n_marks > 1);
	else if (verdict == SHIFT_TOO_FEW && line && *line->few[MARK_SHOWN + SHIFT_P50])
		append(text, ": %s", line->few[MARK_SHOWN + SHIFT_P50]);
	else if (!summary->n_rows)
		append(text, ": no row is compared");
}

char *comparison_headline(const struct verdict_summary *summary, const struct comparison_line *line,
	enum figure figure, char text[COMPARISON_WORDS_SIZE])
{
	write_headline(text, summary, line, figure, N_MARKS);
	return text;
}

char *comparison_headline_in(const struct verdict_summary *summary, const struct comparison_line *line,
	enum figure figure, size_t width, char text[COMPARISON_WORDS_SIZE])
{
	size_t n = N_MARKS;

	do
		write_headline(text, summary, line, figure, n);
	while (strlen(text) > width && n-- > 0);
	return text;
}

/* --- a row --- */

/* Appends the percentiles up to p99 with a verdict: "; same p50, response p50". Returns how many. */
static size_t append_percentiles(
	char text[COMPARISON_WORDS_SIZE], const struct comparison_line *line, enum shift_verdict verdict)
{
	bool shows_response = line->figures[JUDGED_SHOWN] == line->figures[JUDGED_RESPONSE];
	size_t n = 0;

	for (size_t mark = 0; mark < (shows_response ? MARK_RESPONSE : MARK_MISSED); mark++) {
		enum shift_percentile q = mark_percentile((enum mark_id)mark);

		if (q > SHIFT_P99 || line->marks[mark].verdict != verdict)
			continue;
		if (n++)
			append(text, ", ");
		else
			append(text, "; %s ", shift_verdict_words[verdict].name);
		append(text, "%s%s", mark < MARK_RESPONSE ? "" : "response ", shift_percentile_name(q));
	}
	return n;
}

/* "undecided", "undecided: same p50; undecided p99; too few response p99", or why nothing can be decided. */
static void append_undecided_row(char text[COMPARISON_WORDS_SIZE], const struct comparison_line *line)
{
	char same[COMPARISON_WORDS_SIZE] = "", undecided[COMPARISON_WORDS_SIZE] = "",
	     few[COMPARISON_WORDS_SIZE] = "";
	size_t n_same = append_percentiles(same, line, SHIFT_SAME),
	       n_undecided = append_percentiles(undecided, line, SHIFT_UNDECIDED),
	       n_few = append_percentiles(few, line, SHIFT_TOO_FEW);

	append(text, "%s", shift_verdict_words[SHIFT_UNDECIDED].name);
	if (n_same)
		append(text, ":%s%s%s", same + 1, undecided, few);
	else if (n_few && n_undecided)
		append(text, ":%s", few + 1);
	else if (n_few && *line->few[MARK_SHOWN + SHIFT_P50])
		append(text, ": %s", line->few[MARK_SHOWN + SHIFT_P50]);
}

const char *comparison_mark_name(enum mark_id mark)
{
	return mark == MARK_MISSED     ? "missed"
	       : mark == MARK_SPIKES   ? "spikes"
	       : mark == MARK_LAPS     ? "laps"
	       : mark >= MARK_RESPONSE ? "resp"
				       : shift_percentile_name(mark_percentile(mark));
}

enum mark_id comparison_mark(const struct comparison_line *line)
{
	enum shift_verdict verdict = line->verdict == SHIFT_MIXED ? SHIFT_WORSE : line->verdict;
	enum mark_id sorted[N_MARKS];

	return verdict >= SHIFT_BETTER && marks_sorted(line->marks, verdict, sorted) ? sorted[0]
										     : MARK_SHOWN + SHIFT_P50;
}

char *comparison_verdict(const struct comparison_line *line, char text[COMPARISON_WORDS_SIZE])
{
	enum shift_verdict p999 = line->marks[MARK_SHOWN + SHIFT_P999].verdict;
	enum mark_id mark = comparison_mark(line);

	text[0] = '\0';
	append(text, "%s", shift_verdict_words[line->verdict].name);
	if (line->verdict >= SHIFT_BETTER && line->marks[mark].verdict == line->verdict)
		append(text, " %s", comparison_mark_name(mark));
	else if (line->verdict == SHIFT_SAME && p999 != SHIFT_SAME)
		append(text, " to p99");
	return text;
}

/* The marks in one direction; of a group without any, how many rows moved so. */
static void append_reason(char text[COMPARISON_WORDS_SIZE], const struct comparison_line *line,
	enum shift_verdict verdict, size_t n_marks)
{
	if (append_marks(text, line->marks, verdict, line, NULL, 0, n_marks))
		return;
	if (verdict == SHIFT_MOVED)
		append(text, "some of its rows");
	else
		append(text, "%zu of its rows", verdict == SHIFT_WORSE ? line->n_worse : line->n_better);
}

char *comparison_reasons(const struct comparison_line *line, size_t n_marks, char text[COMPARISON_WORDS_SIZE])
{
	bool is_mixed = line->verdict == SHIFT_MIXED;

	text[0] = '\0';
	if (line->verdict == SHIFT_UNDECIDED) {
		append_undecided_row(text, line);
		return text;
	}
	if (line->verdict < SHIFT_BETTER)
		return comparison_verdict(line, text);
	append(text, "%s%s: %s", shift_verdict_words[line->verdict].name,
		comparison_stands(line) ? "" : comparison_may_be_chance, is_mixed ? "worse " : "");
	append_reason(text, line, is_mixed ? SHIFT_WORSE : line->verdict, n_marks);
	if (is_mixed) {
		append(text, "; better ");
		append_reason(text, line, SHIFT_BETTER, n_marks);
	}
	return text;
}

bool comparison_stands(const struct comparison_line *line)
{
	bool stands = line->verdict < SHIFT_BETTER || line->verdict == SHIFT_MOVED || line->n_worse ||
		      line->n_better;

	for (size_t mark = 0; mark < N_MARKS; mark++)
		stands |= line->marks[mark].survives;
	return stands;
}

char *comparison_interval(
	const struct comparison_line *line, enum mark_id mark, char text[COMPARISON_WORDS_SIZE])
{
	enum shift_percentile q = mark_percentile(mark);
	const struct shift *shift = &line->shifts[mark / N_SHIFT_PERCENTILES][q];
	char middle[SHIFT_PERCENT_SIZE], low[SHIFT_PERCENT_SIZE], high[SHIFT_PERCENT_SIZE];

	text[0] = '\0';
	append(text, "%s", mark < MARK_RESPONSE ? "" : "response ");
	if (line->marks[mark].verdict == SHIFT_TOO_FEW)
		append(text, "%s too few", shift_percentile_name(q));
	else
		append(text, "%s %s %% [%s, %s]", shift_percentile_name(q),
			format_percent(shift->estimate, middle), format_percent(shift->low, low),
			format_percent(shift->high, high));
	return text;
}
