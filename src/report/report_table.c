/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_table.c - the columns of the reports in text, and tables of them. */
#include "src/report/report_table.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/model/session.h"
#include "src/model/session_faults.h"
#include "src/model/session_turns.h"

enum { COLUMNS_MAX = 16 };

/* What a column's cell is made from. */
struct report_row {
	const struct session *session;
	const struct session_ring *ring;
	const struct session_figure *figure, *lateness;
	enum figure shown;
};

/* A row's cells, and after them why it is not as it should be. */
struct line {
	char cells[COLUMNS_MAX][REPORT_CELL_SIZE];
	char remark[320];
};

char *report_us(char cell[REPORT_CELL_SIZE], uint64_t ns)
{
	snprintf(cell, REPORT_CELL_SIZE, "%llu.%03u", (unsigned long long)(ns / 1000), (unsigned)(ns % 1000));
	return cell;
}

char *report_percentile(char cell[REPORT_CELL_SIZE], const struct hist *hist, double p)
{
	if (!hist->n)
		return cell;
	report_us(cell, hist_percentile(hist, p));
	if (hist_beyond(hist, p) < REPORT_TRUSTED_BEYOND)
		strcat(cell, "~");
	return cell;
}

void report_time(char cell[REPORT_CELL_SIZE], const struct session *session, uint64_t at_ns)
{
	time_t seconds = (time_t)((session->wall_start_ns + at_ns - session->start_ns) / 1000000000u);
	struct tm here;

	localtime_r(&seconds, &here);
	strftime(cell, REPORT_CELL_SIZE, "%H:%M:%S", &here);
}

static void cell_time(const struct report_row *row, char cell[REPORT_CELL_SIZE])
{
	report_time(cell, row->session, row->session->now_ns);
}

static void cell_mechanism(const struct report_row *row, char cell[REPORT_CELL_SIZE])
{
	snprintf(cell, REPORT_CELL_SIZE, "%s", row->ring->mechanism);
}

static void cell_label(const struct report_row *row, char cell[REPORT_CELL_SIZE])
{
	snprintf(cell, REPORT_CELL_SIZE, "%s", row->ring->label);
}

static void cell_class(const struct report_row *row, char cell[REPORT_CELL_SIZE])
{
	snprintf(cell, REPORT_CELL_SIZE, "%s", locality_name(row->ring->locality));
}

/* "FF80", "FF80/OTH" where members differ from each other, "OTH!" where from what was asked. */
static void cell_sched(const struct report_row *row, char cell[REPORT_CELL_SIZE])
{
	const struct session_ring *ring = row->ring;
	bool alike = true, differs = false;
	char first[8], second[8] = "";

	if (ring->members[0].tid == 0)
		return;
	task_policy_format(ring->members[0].policy, first);
	for (unsigned i = 0; i < ring->n_members; i++) {
		differs |= session_member_differs(ring, i);
		task_policy_format(ring->members[i].policy, second);
		alike &= strcmp(first, second) == 0;
	}
	snprintf(cell, REPORT_CELL_SIZE, "%s%s%s%s", first, alike ? "" : "/", alike ? "" : second,
		differs ? "!" : "");
}

static void cell_figure(const struct report_row *row, char cell[REPORT_CELL_SIZE])
{
	snprintf(cell, REPORT_CELL_SIZE, "%s", figure_name(row->shown));
}

/* While something is overdue, the current figure is at least that. */
static void cell_current(const struct report_row *row, char cell[REPORT_CELL_SIZE])
{
	if (row->ring->condition >= CONDITION_LATE && row->ring->age_ns > 0) {
		char age[REPORT_CELL_SIZE];

		report_us(age, row->ring->age_ns);
		snprintf(cell, REPORT_CELL_SIZE, ">=%.*s", REPORT_CELL_SIZE - 3, age);
	} else if (row->figure->hist.n) {
		report_us(cell, row->figure->last_ns);
	}
}

static void cell_n(const struct report_row *row, char cell[REPORT_CELL_SIZE])
{
	snprintf(cell, REPORT_CELL_SIZE, "%llu", (unsigned long long)row->figure->hist.n);
}

static void cell_min(const struct report_row *row, char cell[REPORT_CELL_SIZE])
{
	if (row->figure->hist.n)
		report_us(cell, row->figure->hist.min_ns);
}

static void cell_average(const struct report_row *row, char cell[REPORT_CELL_SIZE])
{
	if (row->figure->hist.n)
		snprintf(cell, REPORT_CELL_SIZE, "%.3f", hist_mean(&row->figure->hist) / 1e3);
}

static void cell_p50(const struct report_row *row, char cell[REPORT_CELL_SIZE])
{
	report_percentile(cell, &row->figure->hist, 50);
}

static void cell_p99(const struct report_row *row, char cell[REPORT_CELL_SIZE])
{
	report_percentile(cell, &row->figure->hist, 99);
}

static void cell_p999(const struct report_row *row, char cell[REPORT_CELL_SIZE])
{
	report_percentile(cell, &row->figure->hist, 99.9);
}

static void cell_max(const struct report_row *row, char cell[REPORT_CELL_SIZE])
{
	if (row->figure->hist.n)
		report_us(cell, row->figure->hist.max_ns);
}

static void cell_late(const struct report_row *row, char cell[REPORT_CELL_SIZE])
{
	report_percentile(cell, &row->lateness->hist, 99);
}

static void cell_missed(const struct report_row *row, char cell[REPORT_CELL_SIZE])
{
	snprintf(cell, REPORT_CELL_SIZE, "%llu", (unsigned long long)row->ring->missed);
}

const struct report_column report_live_columns[] = {
	{"time", -1, cell_time},
	{"mech", -1, cell_mechanism},
	{"pair", -1, cell_label},
	{"class", -1, cell_class},
	{"sched", -1, cell_sched},
	{"figure", -1, cell_figure},
	{"Cur", 1, cell_current},
	{"Min", 1, cell_min},
	{"Avg", 1, cell_average},
	{"p99", 1, cell_p99},
	{"Max", 1, cell_max},
	{"Late99", 1, cell_late},
	{"missed", 1, cell_missed},
	{NULL, 0, NULL},
};

const struct report_column report_summary_columns[] = {
	{"mech", -1, cell_mechanism},
	{"pair", -1, cell_label},
	{"class", -1, cell_class},
	{"sched", -1, cell_sched},
	{"figure", -1, cell_figure},
	{"n", 1, cell_n},
	{"Max", 1, cell_max},
	{"p99.9", 1, cell_p999},
	{"p99", 1, cell_p99},
	{"p50", 1, cell_p50},
	{"Min", 1, cell_min},
	{"Avg", 1, cell_average},
	{"Late99", 1, cell_late},
	{"missed", 1, cell_missed},
	{NULL, 0, NULL},
};

/* @live: what is so now, too. */
static void fill_remark(
	const struct session *session, const struct session_ring *ring, bool live, char *remark, size_t size)
{
	char turn_in[SESSION_TURN_IN_SIZE];

	if (ring->state == RING_FAILED)
		snprintf(remark, size, "failed: %s",
			ring->reason ? ring->reason : "for a reason that is not known");
	else if (session_faults(ring))
		session_faults_text(ring->faults, remark, size);
	else if (live && ring->condition == CONDITION_WAITING)
		snprintf(remark, size, "%s", session_turn_in_text(session, ring, turn_in));
	else if (ring->state != RING_DONE && ring->state != RING_GONE)
		snprintf(remark, size, "%s", ring_condition_name(ring->condition));
	if (!*remark && ring->away)
		snprintf(remark, size, "%llu laps and slots away", (unsigned long long)ring->away);
}

static void fill_line(struct line *line, const struct report_column *columns, const struct session *session,
	const struct session_ring *ring, enum figure figure)
{
	enum figure shown = session_figure_of(ring, figure);
	struct report_row row = {.session = session,
		.ring = ring,
		.figure = &ring->figures[shown],
		.lateness = &ring->figures[FIGURE_LATENESS],
		.shown = shown};

	*line = (struct line){0};
	for (size_t c = 0; columns[c].head; c++) {
		strcpy(line->cells[c], "-");
		columns[c].cell(&row, line->cells[c]);
	}
	fill_remark(session, ring, columns == report_live_columns, line->remark, sizeof(line->remark));
}

static void widen(int *width, const char *text)
{
	if (*width < (int)strlen(text))
		*width = (int)strlen(text);
}

static void print_lines(
	FILE *out, const struct report_column *columns, const struct line *lines, size_t n, bool head)
{
	int widths[COLUMNS_MAX] = {0};

	for (size_t c = 0; columns[c].head; c++) {
		widen(&widths[c], columns[c].head);
		for (size_t i = 0; i < n; i++)
			widen(&widths[c], lines[i].cells[c]);
	}
	for (size_t c = 0; head && columns[c].head; c++)
		fprintf(out, "%s%*s%s", c ? " " : "", columns[c].sign * widths[c], columns[c].head,
			columns[c + 1].head ? "" : "\n");
	for (size_t i = 0; i < n; i++) {
		for (size_t c = 0; columns[c].head; c++)
			fprintf(out, "%s%*s", c ? " " : "", columns[c].sign * widths[c], lines[i].cells[c]);
		fprintf(out, "%s%s\n", lines[i].remark[0] ? "  " : "", lines[i].remark);
	}
}

void report_table(FILE *out, const struct report_column *columns, const struct session *session,
	enum figure figure, bool head)
{
	struct line *lines = calloc(session->n_rings + 1, sizeof(*lines));

	if (!lines) {
		fprintf(out, "(no memory for the table of %zu rings)\n", session->n_rings);
		return;
	}
	for (size_t i = 0; i < session->n_rings; i++)
		fill_line(&lines[i], columns, session, &session->rings[i], figure);
	print_lines(out, columns, lines, session->n_rings, head);
	free(lines);
}
