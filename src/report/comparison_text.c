/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison_text.c - prints what was compared, what differs, a table of the rows, and the intervals. */
#include "src/report/comparison_text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/comparison_lines.h"
#include "src/model/session.h"
#include "src/report/matrix_text.h"
#include "src/report/report_lines.h"

enum {
	CELL = REPORT_CELL_SIZE,
	NAME_WIDTH = 14,
	SHARE_WIDTH = 5, /* with the blank before it */
	VALUE_WIDTH = 7,
	VERDICT_WIDTH = 14, /* " better missed"; "?" after it takes room from the name */
};

/* Samples of all rows, in all replicates if there are several of each. */
static uint64_t count_samples(const struct comparison *comparison, const struct compared_phase *phase)
{
	uint64_t n = 0;

	for (size_t i = 0; i < phase->n_rows; i++) {
		const struct compared_row *row = &phase->rows[i];

		if (!comparison->has_replicates)
			n += hist_samples(&compared_row_sum(row)->hists[JUDGED_SHOWN]);
		for (size_t k = 0; k < row->n_like && comparison->has_replicates; k++)
			n += hist_samples(&row->like[k].hists[JUDGED_SHOWN]);
	}
	return n;
}

static void print_phase(
	FILE *out, char letter, const struct comparison *comparison, const struct compared_phase *phase)
{
	char phases[COMPARISON_PHASES_SIZE];
	bool has_replicates = comparison->has_replicates;

	fprintf(out, "%c  %s%s%s", letter, phase->source, *phase->source ? ", " : "",
		has_replicates ? comparison_phases(phase->like, phase->n_like, phases)
			       : comparison_phases(&phase->number, 1, phases));
	if (*phase->name)
		fprintf(out, " '%s'", phase->name);
	fprintf(out, ", %.1f s, ", (double)(has_replicates ? phase->like_ns : phase->length_ns) / 1e9);
	if (phase->matrix)
		fprintf(out, "sweep of %s, %u CPUs\n", phase->matrix->mechanism, phase->matrix->n_cpus);
	else
		fprintf(out, "%llu samples\n", (unsigned long long)count_samples(comparison, phase));
}

static void print_wrapped(FILE *out, unsigned width, const char *text)
{
	if (*text)
		report_wrap_in(out, width, 0, 4, text);
}

static void print_all_differences(FILE *out, unsigned width, const char *differences)
{
	char *line = differences ? comparison_differences_line(differences, SIZE_MAX) : NULL;

	print_wrapped(out, width, line ? line : "no memory for what differs");
	free(line);
}

static void print_differences(FILE *out, const struct comparison *comparison, unsigned width)
{
	char *differences = comparison_differences(comparison);
	char advice[COMPARISON_WORDS_SIZE], blame[COMPARISON_WORDS_SIZE], alone[COMPARISON_WORDS_SIZE];

	print_all_differences(out, width, differences);
	print_wrapped(out, width, comparison_advice(comparison, advice));
	print_wrapped(out, width, comparison_blame(comparison, blame));
	print_wrapped(out, width, comparison_alone(comparison, alone));
	free(differences);
}

/* Says which phase was taken where none was named. */
static void print_choice(FILE *out, unsigned width, bool a, bool b)
{
	char text[COMPARISON_WORDS_SIZE];

	if (!a && !b)
		return;
	snprintf(text, sizeof(text), "%s: FILE:PHASE takes another, by number or name",
		a && b ? "A and B are the last of their files"
		: a    ? "A is the last phase of its file"
		       : "B is the last phase of its file");
	print_wrapped(out, width, text);
}

/* @quoted: the line that the headline quotes, or NULL. */
static void print_summary(FILE *out, unsigned width, const struct verdict_summary *summary,
	const struct comparison_line *quoted, enum figure figure)
{
	char text[COMPARISON_WORDS_SIZE];

	print_wrapped(out, width, comparison_headline_in(summary, quoted, figure, width, text));
	if (summary->n_rows != 1)
		print_wrapped(out, width, comparison_rows(summary, SIZE_MAX, text));
}

/* The widths of the table's columns, each with the blank before it. */
struct layout {
	int name, values[N_COMPARISON_COLUMNS]; /* 0: the column is omitted */
	int verdict;
};

/* "worse missed", "worse missed?": it may be chance. Returns @text. */
static char *verdict_words(char text[COMPARISON_WORDS_SIZE], const struct comparison_line *line)
{
	comparison_verdict(line, text);
	if (!comparison_stands(line))
		strcat(text, "?");
	return text;
}

static int verdict_columns(const struct comparison *comparison)
{
	char text[COMPARISON_WORDS_SIZE];
	int most = VERDICT_WIDTH;

	for (size_t i = 0; i < comparison->n_rows; i++) {
		int width = 1 + (int)strlen(verdict_words(text, &comparison->rows[i].line));

		most = width > most ? width : most;
	}
	return most;
}

static int name_columns(const struct compared_row *row)
{
	return (int)(report_columns(row->mechanism, strlen(row->mechanism)) + 1 +
		     report_columns(row->label, strlen(row->label)) + strlen(row->suffix));
}

static int count_columns(const struct comparison *comparison)
{
	uint64_t most = 0;

	for (size_t i = 0; i < comparison->n_rows; i++) {
		const struct comparison_line *line = &comparison->rows[i].line;

		most = line->a.n > most ? line->a.n : most;
		most = line->b.n > most ? line->b.n : most;
	}
	return snprintf(NULL, 0, "%llu", (unsigned long long)most);
}

static int layout_end(const struct layout *layout)
{
	int end = layout->name;

	for (size_t i = 0; i < N_COMPARISON_COLUMNS; i++)
		end += 2 * layout->values[i];
	return end + layout->verdict;
}

/* Omits the columns that give way first until the rest fits. Names have the room that is left. */
static struct layout fit_columns(const struct comparison *comparison, unsigned width)
{
	int verdict = verdict_columns(comparison), longest = NAME_WIDTH + VERDICT_WIDTH - verdict,
	    least = longest, end;
	struct layout layout = {.name = least, .verdict = verdict};

	for (size_t i = 0; i < N_COMPARISON_COLUMNS; i++)
		layout.values[i] = width < comparison_columns[i].from               ? 0
				   : comparison_columns[i].kind == COMPARISON_SHARE ? SHARE_WIDTH
				   : comparison_columns[i].kind == COMPARISON_COUNT
					   ? 1 + count_columns(comparison)
					   : VALUE_WIDTH;
	if (!comparison->limit_ns)
		layout.values[COMPARISON_ABOVE] = 0;
	while ((end = layout_end(&layout)) > (int)width) {
		size_t first = COMPARISON_P99;

		for (size_t i = 0; i < N_COMPARISON_COLUMNS; i++)
			if (layout.values[i] &&
				comparison_columns[i].gives_way > comparison_columns[first].gives_way)
				first = i;
		if (!comparison_columns[first].gives_way)
			break;
		layout.values[first] = 0;
	}
	for (size_t i = 0; i < comparison->n_rows; i++)
		if (name_columns(comparison->rows[i].b) > longest)
			longest = name_columns(comparison->rows[i].b);
	if (end < (int)width)
		layout.name = longest < least + (int)width - end ? longest : least + (int)width - end;
	return layout;
}

/* Mechanism and label; a name that is wider than its column has a line of its own. */
static void print_name(FILE *out, const struct compared_row *row, int width)
{
	int length = name_columns(row);

	fprintf(out, "%s %s%s", row->mechanism, row->label, row->suffix);
	if (length > width)
		fprintf(out, "\n%*s", width, "");
	else
		fprintf(out, "%*s", width - length, "");
}

static bool is_doubtful(const struct comparison_column *column, const struct comparison_side *side)
{
	return column->percentile < N_SHIFT_PERCENTILES && comparison_is_doubtful(side, column->percentile);
}

/* "-" where there is none. Returns @text. */
static const char *format_value(char text[CELL], const struct comparison_column *column,
	const struct comparison_side *side, bool has_max)
{
	uint64_t ns = column->kind == COMPARISON_TIME ? comparison_ns(column, side) : 0;
	double rate = comparison_rate(side);
	bool has = column->percentile < N_SHIFT_PERCENTILES        ? side->n_timed
		   : column == &comparison_columns[COMPARISON_MAX] ? has_max && side->n_timed
								   : ns > 0;

	if (column->kind == COMPARISON_SHARE)
		return comparison_share((double)side->missed, (double)side->slots, text);
	if (column->kind == COMPARISON_COUNT)
		snprintf(text, CELL, "%llu", (unsigned long long)side->n);
	else if (column->kind == COMPARISON_RATE)
		snprintf(text, CELL, rate < 9.995 ? "%.2f" : "%.0f", rate);
	else
		return has ? report_us(text, is_doubtful(column, side) ? "~" : "", ns) : "-";
	return text;
}

static void print_row(FILE *out, const struct comparison_row *row, const struct layout *layout)
{
	const struct comparison_line *line = &row->line;
	char verdict[COMPARISON_WORDS_SIZE], a[CELL], b[CELL];

	print_name(out, row->b, layout->name);
	for (size_t i = 0; i < N_COMPARISON_COLUMNS; i++)
		if (layout->values[i])
			fprintf(out, "%*s%*s", layout->values[i],
				format_value(a, &comparison_columns[i], &line->a, line->over_ns),
				layout->values[i],
				format_value(b, &comparison_columns[i], &line->b, line->over_ns));
	fprintf(out, " %s\n", verdict_words(verdict, line));
}

/* "p99", ">5 us/s". */
static const char *column_title(const struct comparison *comparison, size_t i, char title[CELL])
{
	if (i != COMPARISON_ABOVE)
		return comparison_columns[i].title;
	snprintf(title, CELL, ">%.10g us/s", (double)comparison->limit_ns / 1e3);
	return title;
}

static void print_titles(FILE *out, const struct comparison *comparison, const struct layout *layout)
{
	int x = layout->name, at = 0; /* no blank follows the last title */
	char title[CELL];

	for (size_t i = 0; i < N_COMPARISON_COLUMNS; i++) {
		if (layout->values[i])
			at += fprintf(out, "%*s%s", x + 1 - at, "", column_title(comparison, i, title));
		x += 2 * layout->values[i];
	}
	fprintf(out, "\n%-*s", layout->name, "ring");
	for (size_t i = 0; i < N_COMPARISON_COLUMNS; i++)
		if (layout->values[i])
			fprintf(out, "%*s%*s", layout->values[i], "A", layout->values[i], "B");
	fprintf(out, " verdict\n");
}

static bool has_doubtful(const struct comparison *comparison, const struct layout *layout)
{
	bool has = false;

	for (size_t i = 0; i < comparison->n_rows; i++)
		for (size_t c = 0; c < N_COMPARISON_COLUMNS; c++) {
			const struct comparison_line *line = &comparison->rows[i].line;

			has |= layout->values[c] &&
			       ((line->a.n_timed && is_doubtful(&comparison_columns[c], &line->a)) ||
				       (line->b.n_timed && is_doubtful(&comparison_columns[c], &line->b)));
		}
	return has;
}

/* Returns whether a value has a "~". */
static bool print_table(FILE *out, const struct comparison *comparison, unsigned width)
{
	struct layout layout = fit_columns(comparison, width);

	fprintf(out, "\n%s [us]; Max in equally long times of both\n", figure_title(comparison->figure));
	print_titles(out, comparison, &layout);
	for (size_t i = 0; i < comparison->n_rows; i++)
		print_row(out, &comparison->rows[i], &layout);
	return has_doubtful(comparison, &layout);
}

/* "worse", "worse, may be chance". Returns @text. */
static char *mark_words(char text[CELL], const struct mark *mark)
{
	bool stands = mark->survives || (mark->verdict != SHIFT_WORSE && mark->verdict != SHIFT_BETTER);

	snprintf(text, CELL, "%s%s", shift_verdict_words[mark->verdict].name,
		stands ? "" : comparison_may_be_chance);
	return text;
}

static void print_interval(FILE *out, const struct comparison_line *line, enum mark_id mark)
{
	const struct shift *shift = &line->shifts[mark / N_SHIFT_PERCENTILES][mark_percentile(mark)];
	enum shift_verdict verdict = line->marks[mark].verdict;
	bool has_bound = verdict == SHIFT_TOO_FEW || !isinf(shift->low) || !isinf(shift->high);
	char interval[COMPARISON_WORDS_SIZE], words[CELL];

	fprintf(out, "  %s: %s%s\n", comparison_interval(line, mark, interval),
		verdict == SHIFT_TOO_FEW ? line->few[mark] : mark_words(words, &line->marks[mark]),
		has_bound ? "" : ", because the blocks vary too much");
}

static void print_missed(FILE *out, const struct comparison_line *line)
{
	char words[CELL];

	if (line->a.slots || line->b.slots)
		fprintf(out, "  missed %llu of %llu > %llu of %llu: %s\n", (unsigned long long)line->a.missed,
			(unsigned long long)line->a.slots, (unsigned long long)line->b.missed,
			(unsigned long long)line->b.slots, mark_words(words, &line->marks[MARK_MISSED]));
}

static void print_laps(FILE *out, const struct comparison_line *line)
{
	char words[CELL];

	if (line->laps_a > 0 || line->laps_b > 0)
		fprintf(out, "  laps a second %.0f > %.0f: %s\n", line->laps_a, line->laps_b,
			mark_words(words, &line->marks[MARK_LAPS]));
}

static void print_spikes(FILE *out, const struct comparison_line *line)
{
	const struct spikes *spikes = &line->spikes;
	char limit[CELL], words[CELL];

	if (spikes->limit_ns)
		fprintf(out, "  spikes above %s us %.0f in %.1f s > %.0f in %.1f s: %s\n",
			report_us(limit, "", spikes->limit_ns), spikes->a, spikes->seconds_a, spikes->b,
			spikes->seconds_b, mark_words(words, &line->marks[MARK_SPIKES]));
}

static const char *max_text(char text[CELL], const struct comparison_side *side)
{
	return side->max_ns ? report_us(text, "", side->max_ns) : "-";
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
	fprintf(out, "  Max %s > %s in %.1f s each%s\n", max_text(a, &line->a), max_text(b, &line->b),
		(double)line->over_ns / 1e9,
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

	fprintf(out, "  >%.10g us  %llu (%.3g %%) > %llu (%.3g %%)", (double)limit_ns / 1e3,
		(unsigned long long)line->a.above, share(&line->a), (unsigned long long)line->b.above,
		share(&line->b));
	if (line->rate.low > 0 || !isinf(line->rate.high))
		fprintf(out, "; B's rate is %s to %s times A's", format_ratio(low, line->rate.low),
			format_ratio(high, line->rate.high));
	fputc('\n', out);
}

/* "-" where there is none. Returns @text. */
static const char *late_text(char text[CELL], const struct comparison_side *side)
{
	return side->late99_ns ? report_us(text, "", side->late99_ns) : "-";
}

static void print_details(FILE *out, const struct comparison_row *row, unsigned width, uint64_t limit_ns)
{
	const struct comparison_line *line = &row->line;
	bool shows_response = line->figures[JUDGED_SHOWN] == line->figures[JUDGED_RESPONSE];
	char late_a[CELL], late_b[CELL], reasons[COMPARISON_WORDS_SIZE], title[2 * COMPARISON_WORDS_SIZE];

	snprintf(title, sizeof(title), "%s %s%s: %s", row->b->mechanism, row->b->label, row->b->suffix,
		comparison_reasons(line, N_MARKS, reasons));
	fputc('\n', out);
	print_wrapped(out, width, title);
	for (size_t mark = 0; mark < (shows_response ? MARK_RESPONSE : MARK_MISSED); mark++)
		print_interval(out, line, (enum mark_id)mark);
	print_missed(out, line);
	print_laps(out, line);
	print_spikes(out, line);
	print_maxima(out, line);
	if (limit_ns)
		print_rates(out, line, limit_ns);
	fprintf(out, "  p99 of the lateness %s > %s; n %llu > %llu\n", late_text(late_a, &line->a),
		late_text(late_b, &line->b), (unsigned long long)line->a.n, (unsigned long long)line->b.n);
}

/* Has the phase samples of a judged figure, and no blocks of it? N_JUDGED_FIGURES: the same of slots. */
static bool lacks_blocks(const struct compared_row *row, bool of_replicates, size_t figure)
{
	const struct judged_blocks *blocks = compared_row_blocks(row, of_replicates);
	bool of_slots = figure == N_JUDGED_FIGURES, has = false;

	for (size_t i = 0; i < blocks->n; i++)
		has |= of_slots ? blocks->list[i].slots : blocks->list[i].hists[figure].n;
	return !has && (of_slots ? compared_row_sum(row)->slots : compared_row_sum(row)->hists[figure].n);
}

/* @what: "shown figure". */
static void print_lack(FILE *out, const struct comparison *comparison, size_t figure, const char *what)
{
	bool a = false, b = false;

	for (size_t i = 0; i < comparison->n_rows; i++) {
		const struct comparison_row *row = &comparison->rows[i];

		a |= lacks_blocks(row->a, row->line.is_of_replicates, figure);
		b |= lacks_blocks(row->b, row->line.is_of_replicates, figure);
	}
	if (a || b)
		fprintf(out, "%s no blocks of %s\n", a && b ? "A and B have" : a ? "A has" : "B has", what);
}

static void print_notes(FILE *out, const struct comparison *comparison, bool has_tilde)
{
	bool all_stand = true;

	for (size_t i = 0; i < comparison->n_rows; i++)
		all_stand &= comparison_stands(&comparison->rows[i].line);
	fprintf(out, "\n%s\n", comparison_bounds);
	if (!all_stand)
		fprintf(out, "? may be chance: among %zu marks one may change this much by itself\n",
			comparison->summary.n_tests);
	if (has_tilde)
		fprintf(out, "~ fewer than %d samples beyond it: not to be trusted\n", HIST_BEYOND_TRUSTED);
	print_lack(out, comparison, JUDGED_SHOWN, "the shown figure: --json-blocks writes them.");
	print_lack(out, comparison, JUDGED_RESPONSE, "the response: older versions wrote none.");
	print_lack(out, comparison, N_JUDGED_FIGURES, "the slots: older versions wrote none.");
}

/* Returns how many CPUs only the first one has. */
static uint32_t count_own_cpus(const struct matrix *matrix, const struct matrix *other)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < matrix->n_cpus; i++) {
		uint32_t k = 0;

		while (k < other->n_cpus && other->cpus[k].cpu != matrix->cpus[i].cpu)
			k++;
		n += k == other->n_cpus;
	}
	return n;
}

static void print_matrix(FILE *out, const struct comparison *comparison, unsigned width)
{
	const struct matrix *a = comparison->a->matrix, *b = comparison->b->matrix;
	uint32_t of_a = count_own_cpus(a, b), of_b = count_own_cpus(b, a);
	char text[COMPARISON_WORDS_SIZE];

	if (of_a || of_b)
		fprintf(out, "not compared: A alone has %u CPUs, B alone %u\n", of_a, of_b);
	if (a->has_first != b->has_first)
		fprintf(out, "not compared: first hops, which %c does not have\n", a->has_first ? 'B' : 'A');
	print_wrapped(out, width, comparison_matrix_headline(comparison, text));
	matrix_text_changes(out, &comparison->changes);
}

void comparison_print(FILE *out, const struct comparison *comparison, unsigned width)
{
	print_phase(out, 'A', comparison, comparison->a);
	print_phase(out, 'B', comparison, comparison->b);
	print_choice(out, width, comparison->a->is_last_of_several, comparison->b->is_last_of_several);
	print_differences(out, comparison, width);
	if (comparison->matrix) {
		print_matrix(out, comparison, width);
		return;
	}
	print_summary(
		out, width, &comparison->summary, comparison_quoted_row(comparison), comparison->figure);
	bool has_tilde = print_table(out, comparison, width);

	for (size_t i = 0; i < comparison->n_rows; i++)
		print_details(out, &comparison->rows[i], width, comparison->limit_ns);
	print_notes(out, comparison, has_tilde);
}

/* "phase 3 'later'", "phase 1 'start' of before.json". @of: what comes before the source, if there is one.
 * Returns @text. */
static char *describe_phase(char text[COMPARISON_WORDS_SIZE], uint32_t number, const char *name,
	const char *of, const char *source)
{
	snprintf(text, COMPARISON_WORDS_SIZE, *name ? "phase %u '%s'%s%s" : "phase %u%s%s%s",
		(unsigned)number, name, *source ? of : "", source);
	return text;
}

static char *describe_baseline(char text[COMPARISON_WORDS_SIZE], const struct comparison_lines *lines)
{
	if (lines->choice.a != COMPARISON_FILE)
		return describe_phase(text, lines->a.number, lines->a.name, "", "");
	const struct compared_phase *phase = &lines->choice.file->phases[lines->choice.figure];

	return describe_phase(text, phase->number, phase->name,
		phase->is_last_of_several ? ", the last of " : " of ", phase->source);
}

static void print_verdict(FILE *out, const struct session_ring *ring, const struct comparison_line *line)
{
	char words[COMPARISON_WORDS_SIZE], text[2 * COMPARISON_WORDS_SIZE], name[SESSION_NAME_SIZE];

	snprintf(text, sizeof(text), "%s: %s", session_ring_name(ring, name),
		comparison_reasons(line, N_MARKS, words));
	report_wrap(out, 0, 4, text);
}

void comparison_lines_print(FILE *out, const struct session *session, const struct comparison_lines *lines)
{
	const unsigned width = REPORT_WIDTH;
	char a[COMPARISON_WORDS_SIZE], b[COMPARISON_WORDS_SIZE], title[3 * COMPARISON_WORDS_SIZE];

	snprintf(title, sizeof(title), "%s, compared with the baseline, %s:",
		describe_phase(b, lines->b.number, lines->b.name, "", ""), describe_baseline(a, lines));
	fputc('\n', out);
	print_wrapped(out, width, title);
	print_wrapped(out, width, lines->refusal.text);
	if (*lines->refusal.text)
		return;
	print_all_differences(out, width, lines->differences);
	print_wrapped(out, width, lines->advice);
	print_wrapped(out, width, lines->blame);
	print_wrapped(out, width, lines->alone);
	print_summary(out, width, &lines->summary, comparison_quoted_line(lines), lines->figure);
	if (*comparison_few_text(lines)) {
		snprintf(title, sizeof(title), "too few: %s", comparison_few_text(lines));
		print_wrapped(out, width, title);
	}
	for (size_t i = 0; i < lines->n_rings; i++)
		if (lines->lines[i].verdict >= SHIFT_BETTER)
			print_verdict(out, &session->rings[i], &lines->lines[i]);
}
