/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison_words.c - the sentences about a comparison. */
#include "src/model/comparison_words.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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

const char *comparison_fact_title(const char *name)
{
	const char *dot = strchr(name, '.');

	return dot ? dot + 1 : name;
}

char *comparison_differences(const struct comparison *comparison, char text[COMPARISON_WORDS_SIZE])
{
	size_t n = comparison->n_differences;

	text[0] = '\0';
	if (!n)
		append(text, "nothing recorded differs");
	else if (n == 1)
		append(text, "only this changed");
	else
		append(text, "differs in %zu", n);
	for (size_t i = 0; i < n; i++) {
		const struct difference *difference = &comparison->differences[i];

		append(text, "%s %s %s > %s", i ? ";" : ":", comparison_fact_title(difference->name),
			*difference->a ? difference->a : "none", *difference->b ? difference->b : "none");
	}
	return text;
}

char *comparison_advice(const struct comparison *comparison, char text[COMPARISON_WORDS_SIZE])
{
	unsigned a = comparison->a->number, b = comparison->b->number;

	text[0] = '\0';
	if (comparison->n_differences < 2)
		return text;
	append(text, "%zu things changed: this cannot tell which made it.", comparison->n_differences);
	if (!*comparison->a->source && a + 2 == b)
		append(text, " Compare %u with %u, %u with %u.", a, a + 1, a + 1, b);
	else if (!*comparison->a->source && a + 2 < b)
		append(text, " Compare %u with %u, %u with %u, and so on.", a, a + 1, a + 1, a + 2);
	return text;
}

char *comparison_headline(
	const struct shift_summary *summary, size_t n_rows, char text[COMPARISON_WORDS_SIZE])
{
	static const struct {
		enum shift_verdict verdict;
		const char *word;
	} words[] = {{SHIFT_WORSE, "WORSE"}, {SHIFT_BETTER, "BETTER"}, {SHIFT_SAME, "same"},
		{SHIFT_UNDECIDED, "undecided"}, {SHIFT_TOO_FEW, "too few"}};
	bool any = false;

	text[0] = '\0';
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		size_t n = summary->verdicts[words[i].verdict];

		if (n)
			append(text, "%s%s %zu", any ? ", " : "", words[i].word, n);
		if (n && !any)
			append(text, " of %zu", n_rows);
		any |= n > 0;
	}
	if (summary->verdicts[SHIFT_WORSE] != summary->worse ||
		summary->verdicts[SHIFT_BETTER] != summary->better)
		append(text, "; %zu worse, %zu better after the correction for %zu tests", summary->worse,
			summary->better, summary->n_tests);
	return text;
}

char *comparison_verdict(
	enum shift_verdict verdict, enum shift_percentile worst, char text[COMPARISON_WORDS_SIZE])
{
	text[0] = '\0';
	append(text, "%s", shift_verdict_name(verdict));
	if (verdict == SHIFT_WORSE || verdict == SHIFT_BETTER)
		append(text, " %s", shift_percentile_name(worst));
	return text;
}

char *comparison_interval(enum shift_percentile percentile, enum shift_verdict verdict,
	const struct shift *shift, char text[COMPARISON_WORDS_SIZE])
{
	char middle[SHIFT_PERCENT_SIZE], low[SHIFT_PERCENT_SIZE], high[SHIFT_PERCENT_SIZE];

	text[0] = '\0';
	if (verdict == SHIFT_TOO_FEW)
		append(text, "%s too few", shift_percentile_name(percentile));
	else
		append(text, "%s %s %% [%s, %s]", shift_percentile_name(percentile),
			comparison_percent(shift->estimate, middle), comparison_percent(shift->low, low),
			comparison_percent(shift->high, high));
	return text;
}
