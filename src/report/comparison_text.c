/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison_text.c - prints what was compared, what differs, a table of the rows, and the intervals. */
#include "src/report/comparison_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/comparison_lines.h"
#include "src/model/session.h"
#include "src/report/report_text.h"

enum { CELL = REPORT_CELL_SIZE, NAME_WIDTH = 14 };

static void print_phase(FILE *out, char letter, const struct compared_phase *phase)
{
	uint64_t n = 0;

	for (size_t i = 0; i < phase->n_rows; i++)
		n += hist_samples(&phase->rows[i].sum);
	fprintf(out, "%c  %s%sphase %u", letter, phase->source, *phase->source ? ", " : "",
		(unsigned)phase->number);
	if (*phase->name)
		fprintf(out, " '%s'", phase->name);
	fprintf(out, ", %.1f s, %llu samples\n", (double)phase->length_ns / 1e9, (unsigned long long)n);
}

static void print_wrapped(FILE *out, const char *text)
{
	if (*text)
		report_wrap(out, 0, 4, text);
}

static void print_all_differences(FILE *out, const char *differences)
{
	char *line = differences ? comparison_differences_line(differences, SIZE_MAX) : NULL;

	print_wrapped(out, line ? line : "no memory for what differs");
	free(line);
}

static void print_differences(FILE *out, const struct comparison *comparison)
{
	char *differences = comparison_differences(comparison), advice[COMPARISON_WORDS_SIZE];

	print_all_differences(out, differences);
	print_wrapped(out, comparison_advice(comparison, advice));
	if (comparison->n_only_a || comparison->n_only_b)
		fprintf(out, "not compared: rows of A alone %zu, of B alone %zu\n", comparison->n_only_a,
			comparison->n_only_b);
	free(differences);
}

static void print_summary(FILE *out, const struct shift_summary *summary, size_t n_rows, uint64_t length_a_ns,
	uint64_t length_b_ns)
{
	char text[COMPARISON_WORDS_SIZE];

	print_wrapped(out, comparison_headline(summary, n_rows, text));
	print_wrapped(out, comparison_longer(summary, length_a_ns, length_b_ns, text));
	for (enum shift_percentile q = 0; q < N_SHIFT_PERCENTILES; q++)
		print_wrapped(out, comparison_overall(summary, n_rows, q, text));
}

/* Mechanism and label; a name that is wider than its column has a line of its own. */
static void print_name(FILE *out, const struct compared_row *row)
{
	size_t length = strlen(row->mechanism) + 1 + strlen(row->label);

	fprintf(out, "%s %s", row->mechanism, row->label);
	if (length > NAME_WIDTH)
		fprintf(out, "\n%*s", NAME_WIDTH, "");
	else
		fprintf(out, "%*s", (int)(NAME_WIDTH - length), "");
}

/* In the order of the table. */
static const struct comparison_column *const columns[] = {&comparison_columns[COMPARISON_P50],
	&comparison_columns[COMPARISON_P99], &comparison_columns[COMPARISON_MAX]};

enum { N_PRINTED = sizeof(columns) / sizeof(*columns) };

static bool has_change(const struct comparison_column *column)
{
	return column->percentile < N_SHIFT_PERCENTILES;
}

static void print_row(FILE *out, const struct comparison_row *row)
{
	const struct comparison_line *line = &row->line;
	char verdict[COMPARISON_WORDS_SIZE], a[CELL], b[CELL], change[CELL];

	print_name(out, row->b);
	for (size_t i = 0; i < N_PRINTED; i++) {
		enum shift_percentile q = columns[i]->percentile;
		uint64_t a_ns = comparison_ns(columns[i], &line->a),
			 b_ns = comparison_ns(columns[i], &line->b);
		bool has_a = has_change(columns[i]) ? line->a.n_timed : line->over_ns;
		bool has_b = has_change(columns[i]) ? line->b.n_timed : line->over_ns;

		fprintf(out, " %6s %6s", has_a ? report_us(a, "", a_ns) : "-",
			has_b ? report_us(b, "", b_ns) : "-");
		if (has_change(columns[i]))
			fprintf(out, " %5s",
				line->verdicts[q] == SHIFT_TOO_FEW
					? "-"
					: comparison_percent(line->shifts[q].estimate, change));
	}
	fprintf(out, " %s\n", comparison_verdict(line->verdict, line->decisive, verdict));
}

static void print_table(FILE *out, const struct comparison *comparison)
{
	fprintf(out, "\n%s [us]; change in %%; Max over the same active time\n%-14s",
		figure_title(comparison->b->figure), "");
	for (size_t i = 0; i < N_PRINTED; i++)
		fprintf(out, has_change(columns[i]) ? " %-20s" : " %s\n", columns[i]->title);
	fprintf(out, "%-14s", "ring");
	for (size_t i = 0; i < N_PRINTED; i++)
		fprintf(out, " %6s %6s%s", "A", "B", has_change(columns[i]) ? "   chg" : "");
	fprintf(out, " verdict\n");
	for (size_t i = 0; i < comparison->n_rows; i++)
		print_row(out, &comparison->rows[i]);
}

static void print_interval(FILE *out, const struct comparison_line *line, enum shift_percentile percentile)
{
	enum shift_verdict verdict = line->verdicts[percentile];
	char interval[COMPARISON_WORDS_SIZE];

	fprintf(out, "  %s: %s\n", comparison_interval(line, percentile, interval),
		verdict == SHIFT_TOO_FEW ? line->few[percentile] : shift_verdict_words[verdict].name);
}

static void print_maxima(FILE *out, const struct comparison_line *line)
{
	char a[CELL], b[CELL];
	bool has_laps = line->a.n == line->a.n_timed && line->b.n == line->b.n_timed;

	if (!line->over_ns || !has_laps) {
		fprintf(out, "  Max not compared: %s has no %s\n", line->a.n_timed ? "B" : "A",
			has_laps ? "samples" : "single laps");
		return;
	}
	fprintf(out, "  Max %s > %s in %.1f s each%s\n", report_us(a, "", line->a.max_ns),
		report_us(b, "", line->b.max_ns), (double)line->over_ns / 1e9,
		line->max_is_higher  ? ": higher"
		: line->max_is_lower ? ": lower"
				     : "");
}

static double share(const struct comparison_side *side)
{
	return side->n_timed ? 100.0 * (double)side->above / (double)side->n_timed : 0;
}

/* "0.85", "140", "?" for an open end. Returns @text. */
static char *format_ratio(char text[CELL], double ratio)
{
	if (isinf(ratio))
		snprintf(text, CELL, "?");
	else
		snprintf(text, CELL, ratio < 9.95 ? "%.2f" : "%.0f", ratio);
	return text;
}

static void print_rates(FILE *out, const struct comparison_line *line, uint64_t limit_ns)
{
	char low[CELL], high[CELL];

	fprintf(out, "  >%g us  %llu (%.3g %%) > %llu (%.3g %%)", (double)limit_ns / 1e3,
		(unsigned long long)line->a.above, share(&line->a), (unsigned long long)line->b.above,
		share(&line->b));
	if (line->rate.low > 0 || !isinf(line->rate.high))
		fprintf(out, "; B's rate is %s to %s times A's", format_ratio(low, line->rate.low),
			format_ratio(high, line->rate.high));
	fputc('\n', out);
}

static void print_details(FILE *out, const struct comparison_row *row, uint64_t limit_ns)
{
	const struct comparison_line *line = &row->line;
	char late_a[CELL], late_b[CELL], verdict[COMPARISON_WORDS_SIZE];

	fprintf(out, "\n%s %s: %s\n", row->b->mechanism, row->b->label,
		comparison_verdict(line->verdict, line->decisive, verdict));
	for (enum shift_percentile q = 0; q < N_SHIFT_PERCENTILES; q++)
		print_interval(out, line, q);
	print_maxima(out, line);
	if (limit_ns)
		print_rates(out, line, limit_ns);
	fprintf(out, "  p99 of the lateness %s > %s; n %llu > %llu\n",
		report_us(late_a, "", line->a.late99_ns), report_us(late_b, "", line->b.late99_ns),
		(unsigned long long)line->a.n, (unsigned long long)line->b.n);
}

static bool lacks_blocks(const struct compared_row *row)
{
	return row->sum.n && !row->n_blocks;
}

static void print_notes(FILE *out, const struct comparison *comparison)
{
	bool lacks = false;

	for (size_t i = 0; i < comparison->n_rows; i++)
		lacks |= lacks_blocks(comparison->rows[i].a) || lacks_blocks(comparison->rows[i].b);
	fprintf(out, "\n%s\n", comparison_bounds);
	if (lacks)
		report_wrap(out, 0, 0,
			"A JSON summary has blocks of the figure that its run showed; with --json-blocks "
			"also of the others.");
}

void comparison_print(FILE *out, const struct comparison *comparison)
{
	print_phase(out, 'A', comparison->a);
	print_phase(out, 'B', comparison->b);
	print_differences(out, comparison);
	print_summary(out, &comparison->summary, comparison->n_rows, comparison->a->length_ns,
		comparison->b->length_ns);
	print_table(out, comparison);
	for (size_t i = 0; i < comparison->n_rows; i++)
		print_details(out, &comparison->rows[i], comparison->limit_ns);
	print_notes(out, comparison);
}

/* "phase 3 'later'", "phase 1 'start' of before.json". Returns @text. */
static char *describe_phase(
	char text[COMPARISON_WORDS_SIZE], uint32_t number, const char *name, const char *source)
{
	snprintf(text, COMPARISON_WORDS_SIZE, *name ? "phase %u '%s'%s%s" : "phase %u%s%s%s",
		(unsigned)number, name, *source ? " of " : "", source);
	return text;
}

static char *describe_baseline(char text[COMPARISON_WORDS_SIZE], const struct comparison_lines *lines)
{
	if (lines->choice.a != COMPARISON_FILE)
		return describe_phase(text, lines->a.number, lines->a.name, "");
	const struct compared_phase *phase = &lines->choice.file->phase;

	return describe_phase(text, phase->number, phase->name, phase->source);
}

static void print_verdict(FILE *out, const struct session_ring *ring, const struct comparison_line *line)
{
	char words[COMPARISON_WORDS_SIZE], text[4 * COMPARISON_WORDS_SIZE];

	snprintf(text, sizeof(text), "%s %s: %s", ring->mechanism, ring->label,
		comparison_verdict(line->verdict, line->decisive, words));
	for (enum shift_percentile q = 0; q < N_SHIFT_PERCENTILES; q++) {
		size_t at = strlen(text);

		snprintf(text + at, sizeof(text) - at, "; %s", comparison_interval(line, q, words));
	}
	report_wrap(out, 0, 4, text);
}

void comparison_lines_print(FILE *out, const struct session *session, const struct comparison_lines *lines)
{
	char a[COMPARISON_WORDS_SIZE], b[COMPARISON_WORDS_SIZE], title[3 * COMPARISON_WORDS_SIZE];

	snprintf(title, sizeof(title),
		"%s, compared with the baseline, %s:", describe_phase(b, lines->b.number, lines->b.name, ""),
		describe_baseline(a, lines));
	fputc('\n', out);
	print_wrapped(out, title);
	print_wrapped(out, lines->refusal.text);
	if (*lines->refusal.text)
		return;
	print_all_differences(out, lines->differences);
	print_wrapped(out, lines->advice);
	print_summary(out, &lines->summary, lines->n_rings, lines->a.length_ns, lines->b.length_ns);
	for (size_t i = 0; i < lines->n_rings; i++)
		if (lines->lines[i].verdict == SHIFT_WORSE || lines->lines[i].verdict == SHIFT_BETTER)
			print_verdict(out, &session->rings[i], &lines->lines[i]);
}
