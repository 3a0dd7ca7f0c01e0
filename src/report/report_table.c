/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_table.c - the tables of the reports in text, in lines of at most 80 columns. */
#include "src/report/report_table.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/model/session.h"
#include "src/model/session_turns.h"

enum { COLUMNS_MAX = 16, CELL_SIZE = 48, HOPS_SHOWN = 16 };

/* The source of a line: a ring with one of its figures, a hop, or a phase. */
struct row {
	const struct session *session;
	const struct session_ring *ring;
	unsigned hop;
	enum figure figure;
	const struct hist *hist, *lateness;
	uint64_t last_ns;
};

struct column {
	const char *head;
	int width; /* the least; < 0: flush left */
	void (*cell)(const struct column *column, const struct row *row, char cell[CELL_SIZE]);
	double percentile;
};

/* The cells of a row, and a remark after them, or below where there is no room. */
struct line {
	char cells[COLUMNS_MAX][CELL_SIZE]; /* up to the first empty one */
	char remark[320];
};

void report_time(char text[REPORT_TIME_SIZE], const struct session *session, uint64_t at_ns)
{
	time_t seconds = (time_t)((session->wall_start_ns + at_ns - session->start_ns) / 1000000000u);
	struct tm here;

	localtime_r(&seconds, &here);
	strftime(text, REPORT_TIME_SIZE, "%H:%M:%S", &here);
}

static void format_us(char cell[CELL_SIZE], const char *sign, uint64_t ns)
{
	snprintf(
		cell, CELL_SIZE, "%s%llu.%03u", sign, (unsigned long long)(ns / 1000), (unsigned)(ns % 1000));
}

static void format_percentile(char cell[CELL_SIZE], const struct hist *hist, double percentile)
{
	if (!hist->n)
		return;
	format_us(cell, "", hist_percentile(hist, percentile));
	if (hist_beyond(hist->n, percentile) < REPORT_TRUSTED_BEYOND)
		strcat(cell, "~");
}

static void cell_time(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	report_time(cell, row->session, row->session->now_ns);
}

static void cell_mechanism(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	snprintf(cell, CELL_SIZE, "%s", row->ring->mechanism);
}

static void cell_label(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	snprintf(cell, CELL_SIZE, "%s", row->ring->label);
}

static void cell_hop(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	session_hop_label(row->ring, row->hop, cell, CELL_SIZE);
}

static void cell_class(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	snprintf(cell, CELL_SIZE, "%s", locality_name(row->ring->locality));
}

/* "FF80"; "FF80/OTH" if members differ from each other: the first one's policy and the last one's; "OTH!" if
 * one differs from its requested policy. */
static void cell_sched(const struct column *column, const struct row *row, char cell[CELL_SIZE])
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
	snprintf(cell, CELL_SIZE, "%s%s%s%s", first, alike ? "" : "/", alike ? "" : second,
		differs ? "!" : "");
}

static void cell_figure(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	snprintf(cell, CELL_SIZE, "%s", figure_name(row->figure));
}

static void cell_current(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	if (row->ring->condition >= CONDITION_LATE && row->ring->age_ns > 0)
		format_us(cell, ">=", row->ring->age_ns);
	else if (row->hist->n)
		format_us(cell, "", row->last_ns);
}

static void cell_n(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	snprintf(cell, CELL_SIZE, "%llu", (unsigned long long)row->hist->n);
}

static void cell_min(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	if (row->hist->n)
		format_us(cell, "", row->hist->min_ns);
}

static void cell_max(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	if (row->hist->n)
		format_us(cell, "", row->hist->max_ns);
}

static void cell_average(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	if (row->hist->n)
		snprintf(cell, CELL_SIZE, "%.3f", hist_mean(row->hist) / 1e3);
}

static void cell_percentile(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	format_percentile(cell, row->hist, column->percentile);
}

static void cell_late(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	format_percentile(cell, row->lateness, column->percentile);
}

static void cell_missed(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	snprintf(cell, CELL_SIZE, "%llu", (unsigned long long)row->ring->missed);
}

static const struct column live_columns[] = {
	{"time", -1, cell_time},
	{"mech", -1, cell_mechanism},
	{"pair", -1, cell_label},
	{"class", -1, cell_class},
	{"sched", -1, cell_sched},
	{"figure", -1, cell_figure},
	{"Cur", 1, cell_current},
	{"Min", 1, cell_min},
	{"Avg", 1, cell_average},
	{"p99", 1, cell_percentile, 99},
	{"Max", 1, cell_max},
	{"Late99", 1, cell_late, 99},
	{"missed", 1, cell_missed},
	{NULL},
};

static const struct column summary_columns[] = {
	{"mech", -1, cell_mechanism},
	{"pair", -1, cell_label},
	{"class", -1, cell_class},
	{"sched", -1, cell_sched},
	{"figure", -1, cell_figure},
	{"n", 1, cell_n},
	{"Max", 1, cell_max},
	{"p99.9", 1, cell_percentile, 99.9},
	{"p99", 1, cell_percentile, 99},
	{"p50", 1, cell_percentile, 50},
	{"Min", 1, cell_min},
	{"Avg", 1, cell_average},
	{"Late99", 1, cell_late, 99},
	{"missed", 1, cell_missed},
	{NULL},
};

static const struct column hop_columns[] = {
	{"hop", -14, cell_hop},
	{"n", 10, cell_n},
	{"Max", 11, cell_max},
	{"p99.9", 11, cell_percentile, 99.9},
	{"p99", 11, cell_percentile, 99},
	{"p50", 11, cell_percentile, 50},
	{"Min", 11, cell_min},
	{"Avg", 11, cell_average},
	{NULL},
};

/* Writes the reason why a ring is not as it should be. @live: the current state too. */
static void write_remark(
	const struct session *session, const struct session_ring *ring, bool live, char *remark, size_t size)
{
	char turn_in[SESSION_TURN_IN_SIZE];

	if (ring->state == RING_FAILED)
		snprintf(remark, size, "failed: %s",
			ring->reason ? ring->reason : "for a reason that is not known");
	else if (session_faults(ring))
		token_faults_text(ring->faults, remark, size);
	else if (live && ring->condition == CONDITION_WAITING)
		snprintf(remark, size, "%s", session_turn_in_text(session, ring, turn_in));
	else if (ring->state != RING_DONE && ring->state != RING_GONE)
		snprintf(remark, size, "%s", ring_condition_name(ring->condition));
	if (!*remark && ring->away)
		snprintf(remark, size, "%llu laps and slots away", (unsigned long long)ring->away);
}

static void write_cells(struct line *line, const struct column *columns, const struct row *row)
{
	for (size_t c = 0; columns[c].head; c++) {
		strcpy(line->cells[c], "-");
		columns[c].cell(&columns[c], row, line->cells[c]);
	}
}

static int wider(int width, const char *text)
{
	int length = (int)strlen(text);

	return abs(width) >= length ? width : width < 0 ? -length : length;
}

static struct report_signs print_lines(
	FILE *out, const struct column *columns, const struct line *lines, size_t n, bool with_head)
{
	struct report_signs signs = {0};
	int widths[COLUMNS_MAX];

	for (size_t c = 0; columns[c].head; c++) {
		widths[c] = wider(columns[c].width, columns[c].head);
		for (size_t i = 0; i < n; i++) {
			widths[c] = wider(widths[c], lines[i].cells[c]);
			signs.has_tilde |= strchr(lines[i].cells[c], '~') != NULL;
			signs.has_exclamation |= strchr(lines[i].cells[c], '!') != NULL;
		}
	}
	for (size_t c = 0; with_head && columns[c].head; c++)
		fprintf(out, "%s%*s%s", c ? " " : "", widths[c], columns[c].head,
			columns[c + 1].head ? "" : "\n");
	for (size_t i = 0; i < n; i++) {
		for (size_t c = 0; columns[c].head && lines[i].cells[c][0]; c++)
			fprintf(out, "%s%*s", c ? " " : "", widths[c], lines[i].cells[c]);
		fprintf(out, "%s%s\n", lines[i].remark[0] ? "  " : "", lines[i].remark);
	}
	return signs;
}

static struct report_signs print_rings(FILE *out, const struct column *columns, const struct session *session,
	enum figure figure, bool with_head)
{
	struct line *lines = calloc(session->n_rings + 1, sizeof(*lines));
	struct report_signs signs = {0};

	if (!lines) {
		fprintf(out, "(no memory for the table of %zu rings)\n", session->n_rings);
		return signs;
	}
	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];
		enum figure shown = session_figure_of(ring, figure);
		const struct session_figure *of_figure = &ring->figures[shown];
		struct row row = {.session = session,
			.ring = ring,
			.figure = shown,
			.hist = &of_figure->hist,
			.lateness = &ring->figures[FIGURE_LATENESS].hist,
			.last_ns = of_figure->hist.last_ns};

		write_cells(&lines[i], columns, &row);
		write_remark(
			session, ring, columns == live_columns, lines[i].remark, sizeof(lines[i].remark));
	}
	signs = print_lines(out, columns, lines, session->n_rings, with_head);
	free(lines);
	return signs;
}

void report_live_table(FILE *out, const struct session *session, enum figure figure, bool with_head)
{
	print_rings(out, live_columns, session, figure, with_head);
}

struct report_signs report_summary_table(FILE *out, const struct session *session, enum figure figure)
{
	return print_rings(out, summary_columns, session, figure, true);
}

static uint64_t max_of(const struct session_hop *hop)
{
	return hop->hist.n ? hop->hist.max_ns : 0;
}

/* Returns whether fewer than HOPS_SHOWN hops come before it: by a larger Max, or an equal one and their
 * order. */
static bool is_listed(const struct session_ring *ring, unsigned hop)
{
	uint64_t max_ns = max_of(&ring->hops[hop]);
	unsigned before = 0;

	for (unsigned h = 0; h < ring->n_members; h++)
		before += max_of(&ring->hops[h]) + (h < hop) > max_ns;
	return before < HOPS_SHOWN;
}

static bool print_hops(FILE *out, const struct session_ring *ring)
{
	struct line lines[HOPS_SHOWN] = {0};
	size_t n = 0;

	for (unsigned h = 0; h < ring->n_members; h++) {
		struct row row = {.ring = ring, .hop = h, .hist = &ring->hops[h].hist};

		if (!is_listed(ring, h))
			continue;
		write_cells(&lines[n], hop_columns, &row);
		if (!row.hist->n)
			lines[n].cells[2][0] = '\0';
		n++;
	}
	fprintf(out, "\nhops of %s %s", ring->mechanism, ring->label);
	if (ring->n_members > HOPS_SHOWN)
		fprintf(out, ", the %d of the largest Max", HOPS_SHOWN);
	fputc('\n', out);
	return print_lines(out, hop_columns, lines, n, true).has_tilde;
}

bool report_hops_tables(FILE *out, const struct session *session)
{
	bool has_tilde = false;

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];
		uint64_t samples = 0;

		for (unsigned h = 0; ring->n_members > 2 && h < ring->n_members; h++)
			samples += ring->hops[h].hist.n;
		if (samples)
			has_tilde |= print_hops(out, ring);
	}
	return has_tilde;
}
