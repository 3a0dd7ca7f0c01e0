/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export_csv.c - the figures of a session as CSV (RFC 4180): a line for each ring, phase and figure, below
 * the names of the columns. */
#include <string.h>

#include "src/figures/tick.h"
#include "src/model/session.h"
#include "src/report/export.h"
#include "src/report/figure_values.h"

/* A line that is being printed. */
struct line {
	FILE *out;
	bool is_header; /* it has the columns' names */
	bool has_fields;
};

/* Where the values of a line come from. The header has no values, and all of this is zero. */
struct csv_row {
	const struct session *session;
	const struct session_ring *ring;
	const struct phase *phase;
	const struct row_sums *sums; /* of the ring in the phase */
	enum figure figure;
};

static void print_quoted(FILE *out, const char *text)
{
	if (!strpbrk(text, "\",\r\n")) {
		fputs(text, out);
		return;
	}
	fputc('"', out);
	for (; *text; text++) {
		if (*text == '"')
			fputc('"', out);
		fputc(*text, out);
	}
	fputc('"', out);
}

static void put_text(struct line *line, const char *name, const char *text)
{
	if (line->has_fields)
		fputc(',', line->out);
	line->has_fields = true;
	print_quoted(line->out, line->is_header ? name : text);
}

static void put_integer(struct line *line, const char *name, int64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)number);
	put_text(line, name, text);
}

static void put_value(struct line *line, const struct figure_value *value)
{
	char text[32] = "";

	if (value->kind == VALUE_INTEGER)
		snprintf(text, sizeof(text), "%lld", (long long)value->integer);
	else if (value->kind == VALUE_REAL)
		snprintf(text, sizeof(text), "%.3f", value->real);
	put_text(line, value->name, text);
}

static void put_ring(struct line *line, const struct session_ring *ring)
{
	put_integer(line, "ring", ring->id);
	put_text(line, "mechanism", ring->mechanism);
	put_text(line, "label", ring->label);
	put_text(line, "class", locality_name(ring->locality));
	put_integer(line, "interval_ns", (int64_t)ring->interval_ns);
}

static void put_phase(struct line *line, const struct phase *phase, uint64_t start_ns)
{
	put_integer(line, "phase", phase->number);
	put_text(line, "phase_name", phase->name);
	put_text(line, "phase_cause", phase_cause_name(phase->cause));
	put_integer(line, "phase_start_ns", (int64_t)(phase->start_ns - start_ns));
	put_integer(line, "phase_end_ns", (int64_t)(phase->end_ns - start_ns));
}

static void print_line(FILE *out, const struct csv_row *row, bool is_header)
{
	struct line line = {out, .is_header = is_header};
	struct figure_values values = figure_values(row->session, &row->sums->hists[row->figure]);

	put_ring(&line, row->ring);
	put_phase(&line, row->phase, row->session->start_ns);
	for (size_t i = 0; i < N_TICK_COUNTS; i++)
		put_integer(&line, tick_count_fields[i].key,
			field_number(&tick_count_fields[i], &row->sums->counts));
	put_text(&line, "figure", figure_name(row->figure));
	for (size_t i = 0; i < N_FIGURE_VALUES; i++)
		put_value(&line, &values.list[i]);
	for (size_t i = 0; i < N_FIGURE_PERCENTILES; i++)
		put_value(&line, &values.percentiles[i]);
	fprintf(out, "\r\n");
}

static void print_header(FILE *out, const struct row_sums *empty)
{
	static const struct session session;
	static const struct session_ring ring;
	static const struct phase phase;

	print_line(out, &(struct csv_row){&session, &ring, &phase, empty, FIGURE_FIRST}, true);
}

static int print_phase(FILE *out, struct csv_row *row, struct row_sums *sums)
{
	struct block_list blocks = session_phase_blocks(row->session, row->phase);
	int r = block_list_sum_row(&blocks, row->ring->id, sums);

	for (int figure = 0; figure < N_FIGURES && r == 0; figure++) {
		row->figure = (enum figure)figure;
		print_line(out, row, false);
	}
	return r;
}

static int print_all(FILE *out, const struct export_view *view)
{
	const struct session *session = view->session;
	struct row_sums sums = {0};
	struct csv_row row = {.session = session, .sums = &sums};
	int r = 0;

	print_header(out, &sums);
	for (size_t i = 0; i < session->n_rings; i++)
		for (size_t p = 0; p < session->phases.n && r == 0; p++) {
			row.ring = &session->rings[i];
			row.phase = &session->phases.list[p];
			r = print_phase(out, &row, &sums);
		}
	row_sums_finish(&sums);
	return r;
}

const struct export_format export_csv = {"csv", .print = print_all};
