/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export_matrix.c - the matrix of a sweep as a table of numbers (RFC 4180): a line for each cell that was
 * measured, below the names of the columns. A cell without samples has empty times. */
#include "src/model/matrix.h"
#include "src/model/session.h"
#include "src/report/export.h"

static void print_figure(FILE *out, const struct sweep_figure *figure)
{
	if (figure->n)
		fprintf(out, ",%u,%.3f,%.3f,%.3f,%.3f", figure->n, (double)figure->min_ns,
			(double)figure->p50_ns, (double)figure->p99_ns, (double)figure->max_ns);
	else
		fputs(",0,,,,", out);
}

static int print_matrix(FILE *out, const struct export_view *view)
{
	const struct session *session = view->session;
	const struct matrix *matrix = session->matrix;
	bool has_first = matrix && matrix->has_first;

	fputs("from,to,age_s,hop_n,hop_min_ns,hop_p50_ns,hop_p99_ns,hop_max_ns,lap_n,lap_min_ns,lap_p50_ns,"
	      "lap_p99_ns,lap_max_ns",
		out);
	fputs(has_first ? ",first_n,first_min_ns,first_p50_ns,first_p99_ns,first_max_ns\n" : "\n", out);
	for (uint32_t row = 0; matrix && row < matrix->n_cpus; row++)
		for (uint32_t column = 0; column < matrix->n_cpus; column++) {
			uint64_t at_ns = matrix_measured_ns(matrix, row, column);

			if (!at_ns)
				continue;
			fprintf(out, "%u,%u,%.3f", matrix->cpus[row].cpu, matrix->cpus[column].cpu,
				(double)session_age_ns(session, at_ns) / 1e9);
			print_figure(out, matrix_figure_of(matrix, MATRIX_HOP, row, column));
			print_figure(out, matrix_figure_of(matrix, MATRIX_LAP, row, column));
			if (has_first)
				print_figure(out, matrix_figure_of(matrix, MATRIX_FIRST, row, column));
			fputc('\n', out);
		}
	return 0;
}

const struct export_format export_matrix = {"matrix", .print = print_matrix};
