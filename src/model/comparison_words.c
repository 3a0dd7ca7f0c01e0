/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison_words.c - the columns and the sentences of a comparison. */
#include "src/model/comparison_words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "src/machine/machine.h"

const char comparison_bounds[] = "threshold 5 %, 0.2 us; intervals 95 %";

enum { PHASES_NAMED = 3 };

#define TIME(member) COMPARISON_TIME, offsetof(struct comparison_side, member)

const struct comparison_column comparison_columns[N_COMPARISON_COLUMNS] = {
	[COMPARISON_P50] = {"p50", TIME(percentile_ns[SHIFT_P50]), SHIFT_P50, 3},
	[COMPARISON_P99] = {"p99", TIME(percentile_ns[SHIFT_P99]), SHIFT_P99, 0},
	[COMPARISON_P999] = {"p99.9", TIME(percentile_ns[SHIFT_P999]), SHIFT_P999, 6},
	[COMPARISON_MAX] = {"Max", TIME(max_ns), N_SHIFT_PERCENTILES, 4},
	[COMPARISON_LATE] = {"Late99", TIME(late99_ns), N_SHIFT_PERCENTILES, 7},
	[COMPARISON_ABOVE] = {">limit/s", COMPARISON_RATE, 0, N_SHIFT_PERCENTILES, 8},
	[COMPARISON_N] = {"n", COMPARISON_COUNT, 0, N_SHIFT_PERCENTILES, 5},
};

uint64_t comparison_ns(const struct comparison_column *column, const struct comparison_side *side)
{
	return *(const uint64_t *)((const char *)side + column->ns);
}

double comparison_rate(const struct comparison_side *side)
{
	return side->active_ns ? (double)side->above * 1e9 / (double)side->active_ns : 0;
}

/* Appends to a text as far as it has room. */
__attribute__((format(printf, 2, 3))) static void append(
	char text[COMPARISON_WORDS_SIZE], const char *format, ...)
{
	size_t at = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + at, COMPARISON_WORDS_SIZE - at, format, arguments);
	va_end(arguments);
}

char *comparison_percent(double shift, char text[SHIFT_PERCENT_SIZE])
{
	double percent = 100 * expm1(shift);

	if (isinf(shift))
		snprintf(text, SHIFT_PERCENT_SIZE, "?");
	else
		snprintf(text, SHIFT_PERCENT_SIZE, fabs(percent) < 9.95 ? "%+.1f" : "%+.0f", percent);
	return text;
}

/* "isolated CPUs" for "host.isolated", "work_bytes" for "options.work_bytes". */
static const char *fact_title(const char *name)
{
	const char *dot = strchr(name, '.');

	const struct machine_fact *fact =
		strncmp(name, "host.", 5) == 0 ? machine_fact_reported(name + 5) : NULL;

	if (fact && fact->title)
		return fact->title;
	return dot ? dot + 1 : name;
}

static const char *value_word(const char *value)
{
	return !*value                       ? "none"
	       : strcmp(value, "true") == 0  ? "on"
	       : strcmp(value, "false") == 0 ? "off"
					     : value;
}

static void print_difference(FILE *out, const struct difference *difference)
{
	if (difference->counted)
		fprintf(out, "%zu of %zu %s", difference->n, difference->of, difference->counted);
	else
		fputs(fact_title(difference->name), out);
	fprintf(out, " %s > %s", value_word(difference->a), value_word(difference->b));
}

char *comparison_differences(const struct comparison *comparison)
{
	size_t n = comparison->n_differences, size;
	char *text = NULL;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (n > 1)
		fprintf(out, "differs in %zu", n);
	else
		fputs(n ? "only this changed" : "nothing recorded differs", out);
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
	append(text, "%zu things changed: this cannot tell which.", comparison->n_differences);
	append_between(text, comparison);
	return text;
}

/* In which they are counted. */
static const enum shift_verdict counted[N_SHIFT_VERDICTS] = {
	SHIFT_BETTER, SHIFT_WORSE, SHIFT_SAME, SHIFT_UNDECIDED, SHIFT_TOO_FEW};

static const char *loud_name(enum shift_verdict verdict)
{
	return verdict == SHIFT_BETTER  ? "BETTER"
	       : verdict == SHIFT_WORSE ? "WORSE"
					: shift_verdict_words[verdict].name;
}

char *comparison_counts(const size_t n[N_SHIFT_VERDICTS], char text[COMPARISON_WORDS_SIZE])
{
	text[0] = '\0';
	for (size_t i = 0; i < N_SHIFT_VERDICTS; i++)
		if (n[counted[i]])
			append(text, "%s%zu%s", *text ? " " : "", n[counted[i]],
				shift_verdict_words[counted[i]].sign);
	return text;
}

char *comparison_headline(
	const struct shift_summary *summary, size_t n_rows, char text[COMPARISON_WORDS_SIZE])
{
	text[0] = '\0';
	for (size_t i = 0; i < N_SHIFT_VERDICTS; i++) {
		size_t n = summary->verdicts[counted[i]];
		bool any = *text;

		if (n)
			append(text, "%s%s %zu", any ? ", " : "", loud_name(counted[i]), n);
		if (n && !any)
			append(text, " of %zu", n_rows);
	}
	if (summary->verdicts[SHIFT_WORSE] != summary->worse ||
		summary->verdicts[SHIFT_BETTER] != summary->better)
		append(text, "; %zu worse, %zu better after the correction for %zu tests", summary->worse,
			summary->better, summary->n_tests);
	return text;
}

char *comparison_overall(const struct shift_summary *summary, size_t n_rows, enum shift_percentile percentile,
	char text[COMPARISON_WORDS_SIZE])
{
	const struct shift_overall *overall = &summary->overall[percentile];
	char low[SHIFT_PERCENT_SIZE], middle[SHIFT_PERCENT_SIZE], high[SHIFT_PERCENT_SIZE];

	text[0] = '\0';
	if (n_rows > 1 && overall->has_shifted)
		append(text, "all together %s %s %%, half of the rows %s to %s",
			shift_percentile_name(percentile), comparison_percent(overall->median, middle),
			comparison_percent(overall->lower_quartile, low),
			comparison_percent(overall->upper_quartile, high));
	return text;
}

/* "40 s", "2 min", "3 h": one digit, rounded up. */
static void append_time(char text[COMPARISON_WORDS_SIZE], double seconds)
{
	double value = seconds <= 90 ? seconds : seconds <= 90 * 60 ? seconds / 60 : seconds / 3600;
	double digit = pow(10, floor(log10(fmax(value, 1))));

	append(text, "%.0f %s", ceil(value / digit) * digit,
		seconds <= 90        ? "s"
		: seconds <= 90 * 60 ? "min"
				     : "h");
}

char *comparison_longer(const struct shift_summary *summary, uint64_t length_a_ns, uint64_t length_b_ns,
	char text[COMPARISON_WORDS_SIZE])
{
	size_t n = summary->verdicts[SHIFT_UNDECIDED] + summary->verdicts[SHIFT_TOO_FEW];
	/* Two phases of this length tell as much as these two. */
	double both_ns =
		length_a_ns && length_b_ns ? 2 / (1 / (double)length_a_ns + 1 / (double)length_b_ns) : 0;
	double seconds = summary->longer * both_ns / 1e9;

	text[0] = '\0';
	if (!n || !both_ns || seconds > 24 * 3600)
		return text;
	append(text, n == 1 ? "%zu row needs longer phases: about " : "%zu rows need longer phases: about ",
		n);
	append_time(text, seconds);
	append(text, "%s", n == 1 ? "" : " for half of them");
	return text;
}

char *comparison_verdict(
	enum shift_verdict verdict, enum shift_percentile decisive, char text[COMPARISON_WORDS_SIZE])
{
	text[0] = '\0';
	append(text, "%s", shift_verdict_words[verdict].name);
	if (verdict == SHIFT_WORSE || verdict == SHIFT_BETTER)
		append(text, " %s", shift_percentile_name(decisive));
	return text;
}

char *comparison_interval(const struct comparison_line *line, enum shift_percentile percentile,
	char text[COMPARISON_WORDS_SIZE])
{
	const struct shift *shift = &line->shifts[percentile];
	char middle[SHIFT_PERCENT_SIZE], low[SHIFT_PERCENT_SIZE], high[SHIFT_PERCENT_SIZE];

	text[0] = '\0';
	if (line->verdicts[percentile] == SHIFT_TOO_FEW)
		append(text, "%s too few", shift_percentile_name(percentile));
	else
		append(text, "%s %s %% [%s, %s]", shift_percentile_name(percentile),
			comparison_percent(shift->estimate, middle), comparison_percent(shift->low, low),
			comparison_percent(shift->high, high));
	return text;
}
