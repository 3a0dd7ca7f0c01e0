/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_tables.c - the tables of the reports in plain text: of rings, of their hops, and of phases. */
#include "src/report/report_tables.h"

#include <stdlib.h>
#include <string.h>

#include "src/model/session.h"
#include "src/model/session_turns.h"
#include "src/report/report_lines.h"

/* --- cells --- */

enum { CELL_SIZE = REPORT_CELL_SIZE, TIME_WIDTH = 6, HOPS_SHOWN = 16, PHASES_SHOWN = 50 };
enum { INDENT = 4, REMARK_GAP = 2, REMARK_SHORT = 10 };

/* The source of a line: a ring with one of its figures, a hop, or a phase. */
struct row {
	const struct session *session;
	const struct session_ring *ring;
	unsigned hop;
	const struct phase *phase;
	uint64_t active_ns; /* of the phase */
	enum figure figure;
	const struct hist *hist, *response, *lateness; /* hist: of the figure */
	uint64_t missed;
};

/* If a table is too wide, its columns are omitted, the highest rank first; rank 0: never. */
struct column {
	const char *head;
	int width; /* at least; negative: flush left */
	unsigned omitted;
	void (*cell)(const struct column *column, const struct row *row, char cell[CELL_SIZE]);
	double percentile; /* 0: the maximum */
	enum { OF_FIGURE, OF_RESPONSE, OF_LATENESS } of;
};

/* The cells of a row, and a remark after them, or below where there is no room. */
struct line {
	char cells[REPORT_COLUMNS_MAX][CELL_SIZE]; /* the first empty one ends the line */
	char remark[320];
};

struct table {
	const struct column *columns;
	bool shown[REPORT_COLUMNS_MAX];
	struct report_widths widths;
};

static void cell_time(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	report_clock(cell, row->session, row->session->now_ns);
}

static void cell_mechanism(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	snprintf(cell, CELL_SIZE, "%s", row->ring->mechanism);
}

static void cell_label(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	char suffix[SESSION_SUFFIX_SIZE];

	snprintf(cell, CELL_SIZE, "%s%s", row->ring->label, session_ring_suffix(row->ring, suffix));
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

/* The policy of the first member that is not as asked: "OTH!", or else the first one's: "FF80". */
static void cell_sched_brief(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	const struct session_ring *ring = row->ring;
	unsigned m = 0;

	while (m < ring->n_members && !session_member_differs(ring, m))
		m++;
	bool differs = m < ring->n_members;
	const struct tick_member *member = &ring->members[differs ? m : 0];

	if (!member->tid)
		return;
	task_policy_format(member->policy, cell);
	strcat(cell, differs ? "!" : "");
}

static void cell_figure(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	snprintf(cell, CELL_SIZE, "%s", figure_name(row->figure));
}

static void cell_current(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	if (row->ring->condition >= CONDITION_LATE && row->ring->age_ns > 0)
		report_us(cell, ">=", row->ring->age_ns);
	else if (row->ring->figures[row->figure].hist.n)
		report_us(cell, "", row->ring->figures[row->figure].hist.last_ns);
}

static void cell_n(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	snprintf(cell, CELL_SIZE, "%llu", (unsigned long long)hist_samples(row->hist));
}

static void cell_min(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	if (row->hist->n)
		report_us(cell, "", row->hist->min_ns);
}

static const struct hist *hist_of(const struct column *column, const struct row *row)
{
	return column->of == OF_RESPONSE   ? row->response
	       : column->of == OF_LATENESS ? row->lateness
					   : row->hist;
}

static void cell_max(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	const struct hist *hist = hist_of(column, row);

	if (hist->n)
		report_us(cell, "", hist->max_ns);
}

static void cell_average(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	if (hist_has_mean(row->hist))
		snprintf(cell, CELL_SIZE, "%.3f", hist_mean(row->hist) / 1e3);
}

static void cell_percentile(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	const struct hist *hist = hist_of(column, row);

	if (!hist->n)
		return;
	report_us(cell, "", hist_percentile(hist, column->percentile));
	strcat(cell, hist_beyond(hist->n, column->percentile) < HIST_BEYOND_TRUSTED ? "~" : " ");
}

static void cell_missed(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	snprintf(cell, CELL_SIZE, "%llu", (unsigned long long)row->missed);
}

static bool is_open(const struct session_ring *ring)
{
	return ring->state != RING_PLANNED && ring->state != RING_OPENING;
}

/* A word for the ring's trouble, or its wait for a turn. */
static void cell_state(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	const struct session_ring *ring = row->ring;
	char turn_in[SESSION_TURN_IN_SIZE];

	cell[0] = '\0';
	if (ring->state == RING_FAILED)
		snprintf(cell, CELL_SIZE, "failed");
	else if (session_faults(ring))
		snprintf(cell, CELL_SIZE, "%s", token_fault_name(session_worst_fault(ring)));
	else if (ring->condition == CONDITION_WAITING)
		snprintf(cell, CELL_SIZE, "%s", session_turn_in_text(row->session, ring, turn_in));
	else if (!is_open(ring))
		snprintf(cell, CELL_SIZE, "%s", ring_state_name(ring->state));
	else if (ring->state != RING_DONE && ring->state != RING_GONE)
		snprintf(cell, CELL_SIZE, "%s", ring_condition_name(ring->condition));
}

static void cell_phase(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	snprintf(cell, CELL_SIZE, "%u", (unsigned)row->phase->number);
}

static void cell_start(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	report_clock(cell, row->session, row->phase->start_ns);
}

static void cell_active(const struct column *column, const struct row *row, char cell[CELL_SIZE])
{
	snprintf(cell, CELL_SIZE, "%.1fs", (double)row->active_ns / 1e9);
}

static const struct column live_columns[] = {
	{"time", -8, 0, cell_time},
	{"mech", -2, 0, cell_mechanism},
	{"pair", -5, 0, cell_label},
	{"sched", -5, 2, cell_sched_brief},
	{"figure", -1, 0, cell_figure},
	{"Cur", TIME_WIDTH, 0, cell_current},
	{"Min", TIME_WIDTH, 3, cell_min},
	{"p99", TIME_WIDTH + 1, 0, cell_percentile, 99},
	{"Max", TIME_WIDTH, 0, cell_max},
	{"Resp99", TIME_WIDTH + 1, 1, cell_percentile, 99, OF_RESPONSE},
	{"RMax", TIME_WIDTH, 0, cell_max, .of = OF_RESPONSE},
	{"missed", 6, 0, cell_missed},
	{"state", -9, 0, cell_state},
	{NULL},
};

static const struct column summary_columns[] = {
	{"mech", -1, 0, cell_mechanism},
	{"pair", -1, 0, cell_label},
	{"class", -1, 7, cell_class},
	{"sched", -1, 3, cell_sched},
	{"figure", -1, 0, cell_figure},
	{"n", 1, 0, cell_n},
	{"Max", 1, 0, cell_max},
	{"p99.9", 1, 4, cell_percentile, 99.9},
	{"p99", 1, 0, cell_percentile, 99},
	{"p50", 1, 1, cell_percentile, 50},
	{"Min", 1, 5, cell_min},
	{"Avg", 1, 6, cell_average},
	{"Resp99", 1, 2, cell_percentile, 99, OF_RESPONSE},
	{"RMax", 1, 0, cell_max, .of = OF_RESPONSE},
	{"Late99", 1, 8, cell_percentile, 99, OF_LATENESS},
	{"missed", 1, 0, cell_missed},
	{NULL},
};

static const struct column hop_columns[] = {
	{"hop", -14, 0, cell_hop},
	{"n", 8, 0, cell_n},
	{"Max", TIME_WIDTH + 1, 0, cell_max},
	{"p99.9", TIME_WIDTH + 1, 0, cell_percentile, 99.9},
	{"p99", TIME_WIDTH + 1, 0, cell_percentile, 99},
	{"p50", TIME_WIDTH + 1, 0, cell_percentile, 50},
	{"Min", TIME_WIDTH + 1, 0, cell_min},
	{"Avg", TIME_WIDTH + 1, 0, cell_average},
	{NULL},
};

/* The name of the phase is the remark. */
static const struct column phase_columns[] = {
	{"phase", 1, 0, cell_phase},
	{"start", -8, 0, cell_start},
	{"active", 1, 0, cell_active},
	{"n", 1, 0, cell_n},
	{"p50", 1, 0, cell_percentile, 50},
	{"p99", 1, 0, cell_percentile, 99},
	{"Max", 1, 0, cell_max},
	{NULL},
};

/* Writes the trouble of a ring; to wait for a turn is none. */
static void write_remark(const struct session_ring *ring, char *remark, size_t size)
{
	if (ring->state == RING_FAILED)
		snprintf(remark, size, "failed: %s", ring->reason ? ring->reason : "for an unknown reason");
	else if (session_faults(ring))
		token_faults_text(ring->faults, remark, size);
	else if (!is_open(ring)) /* the run ended before */
		snprintf(remark, size, "not opened");
	else if (ring->state != RING_DONE && ring->state != RING_GONE && ring->condition != CONDITION_WAITING)
		snprintf(remark, size, "%s", ring_condition_name(ring->condition));
	if (!*remark && ring->away)
		snprintf(remark, size, "%llu %s away", (unsigned long long)ring->away,
			ring->away == 1 ? "lap or slot" : "laps and slots");
}

static void write_cells(struct line *line, const struct column *columns, const struct row *row)
{
	for (size_t c = 0; columns[c].head; c++) {
		strcpy(line->cells[c], "-");
		columns[c].cell(&columns[c], row, line->cells[c]);
	}
}

/* --- lines --- */

static unsigned table_width(const struct table *table)
{
	unsigned width = 0, n = 0;

	for (size_t c = 0; table->columns[c].head; c++)
		if (table->shown[c])
			width += (unsigned)abs(table->widths.of[c]) + (n++ > 0);
	return width;
}

/* Returns the room for the longest remark of a word or two; longer ones have lines of their own. */
static unsigned remarks_width(const struct line *lines, size_t n)
{
	unsigned longest = 0;

	for (size_t i = 0; i < n; i++) {
		unsigned width = report_columns(lines[i].remark, strlen(lines[i].remark));

		if (width > longest && width <= REMARK_SHORT)
			longest = width;
	}
	return longest ? REMARK_GAP + longest : 0;
}

/* Omits columns until the others, and short remarks, fit. */
static void fit_table(struct table *table, const struct line *lines, size_t n)
{
	unsigned room = REPORT_WIDTH - remarks_width(lines, n);

	while (table_width(table) > room) {
		size_t next = 0;

		for (size_t c = 0; table->columns[c].head; c++)
			if (table->shown[c] && table->columns[c].omitted > table->columns[next].omitted)
				next = c;
		if (!table->columns[next].omitted)
			return;
		table->shown[next] = false;
	}
}

static int wider_width(int width, const char *text)
{
	int length = (int)strlen(text);

	return abs(width) >= length ? width : width < 0 ? -length : length;
}

/* Columns are as wide as the widest cell so far. */
static void measure_cells(struct table *table, const struct line *lines, size_t n)
{
	for (size_t c = 0; table->columns[c].head; c++) {
		int *width = &table->widths.of[c];

		*width = wider_width(*width ? *width : table->columns[c].width, table->columns[c].head);
		for (size_t i = 0; i < n && table->shown[c]; i++)
			*width = wider_width(*width, lines[i].cells[c]);
	}
}

/* Columns that do not fit have no sign that a note would explain. */
static struct report_signs find_signs(const struct table *table, const struct line *lines, size_t n)
{
	struct report_signs signs = {0};

	for (size_t c = 0; table->columns[c].head; c++)
		for (size_t i = 0; i < n && table->shown[c]; i++) {
			signs.has_tilde |= strchr(lines[i].cells[c], '~') != NULL;
			signs.has_exclamation |= strchr(lines[i].cells[c], '!') != NULL;
		}
	return signs;
}

static void print_head(FILE *out, const struct table *table)
{
	const char *gap = "";

	for (size_t c = 0; table->columns[c].head; c++) {
		bool last = !table->columns[c + 1].head && table->widths.of[c] < 0;

		if (!table->shown[c])
			continue;
		fprintf(out, "%s%*s", gap, last ? 0 : table->widths.of[c], table->columns[c].head);
		gap = " ";
	}
	fputc('\n', out);
}

static void print_line(FILE *out, const struct table *table, const struct line *line)
{
	unsigned x = 0;

	for (size_t c = 0; table->columns[c].head && line->cells[c][0]; c++) {
		bool last = !table->columns[c + 1].head && table->widths.of[c] < 0;

		if (table->shown[c])
			x += (unsigned)fprintf(
				out, "%s%*s", x ? " " : "", last ? 0 : table->widths.of[c], line->cells[c]);
	}
	if (!line->remark[0]) {
		fputc('\n', out);
	} else if (x + REMARK_GAP + report_columns(line->remark, strlen(line->remark)) <= REPORT_WIDTH) {
		fprintf(out, "  %s\n", line->remark);
	} else {
		fprintf(out, "\n%*s", INDENT, "");
		report_wrap(out, INDENT, INDENT, line->remark);
	}
}

/* --- tables --- */

static struct table make_table(const struct column *columns)
{
	struct table table = {.columns = columns};

	memset(table.shown, true, sizeof(table.shown));
	return table;
}

static struct report_signs print_table(
	FILE *out, const struct column *columns, const struct line *lines, size_t n)
{
	struct table table = make_table(columns);

	measure_cells(&table, lines, n);
	fit_table(&table, lines, n);
	print_head(out, &table);
	for (size_t i = 0; i < n; i++)
		print_line(out, &table, &lines[i]);
	return find_signs(&table, lines, n);
}

bool report_tables_figure(const struct session *session, enum figure asked, enum figure *figure)
{
	*figure = session->n_rings ? session_figure_of(&session->rings[0], asked) : asked;
	for (size_t i = 1; i < session->n_rings; i++)
		if (session_figure_of(&session->rings[i], asked) != *figure) {
			*figure = asked;
			return false;
		}
	return true;
}

/* Without memory for its samples, the line of a ring lacks some. */
static void write_ring(struct line *line, const struct column *columns, const struct session *session,
	const struct session_ring *ring, enum figure shown, enum window window)
{
	const enum figure figures[] = {shown, session_response_of(ring), FIGURE_LATENESS};
	struct hist hists[3] = {0};
	struct tick_counts counts = {0};

	for (size_t i = 0; i < 3; i++)
		(void)session_add_figure(session, ring->id, window, figures[i], &hists[i]);
	session_add_counts(session, ring->id, window, &counts);
	write_cells(line, columns,
		&(struct row){.session = session,
			.ring = ring,
			.figure = shown,
			.hist = &hists[0],
			.response = &hists[1],
			.lateness = &hists[2],
			.missed = counts.missed});
	for (size_t i = 0; i < 3; i++)
		hist_finish(&hists[i]);
}

static struct line *make_ring_lines(
	const struct column *columns, const struct session *session, enum figure figure, enum window window)
{
	struct line *lines = calloc(session->n_rings + 1, sizeof(*lines));

	for (size_t i = 0; lines && i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];

		write_ring(&lines[i], columns, session, ring, session_figure_of(ring, figure), window);
		if (columns == summary_columns)
			write_remark(ring, lines[i].remark, sizeof(lines[i].remark));
	}
	return lines;
}

/* All rings mostly have the same figure, which the line above the table names. */
static struct report_signs print_rings(FILE *out, const struct column *columns, const struct session *session,
	enum figure figure, enum window window, struct report_widths *widths, bool with_head)
{
	struct line *lines = make_ring_lines(columns, session, figure, window);
	struct table table = make_table(columns);
	enum figure shown;
	bool alike = report_tables_figure(session, figure, &shown);

	if (!lines) {
		fprintf(out, "(no memory for the table of %zu rings)\n", session->n_rings);
		return (struct report_signs){0};
	}
	for (size_t c = 0; columns[c].head; c++)
		table.shown[c] = !alike || columns[c].cell != cell_figure;
	table.widths = *widths;
	measure_cells(&table, lines, session->n_rings);
	fit_table(&table, lines, session->n_rings);
	if (with_head || memcmp(widths, &table.widths, sizeof(*widths)) != 0) {
		if (columns == live_columns)
			fprintf(out, "figure: %s, window %s, times in us\n", figure_title(shown),
				window_name(window));
		print_head(out, &table);
	}
	*widths = table.widths;
	for (size_t i = 0; i < session->n_rings; i++)
		print_line(out, &table, &lines[i]);
	struct report_signs signs = find_signs(&table, lines, session->n_rings);

	free(lines);
	return signs;
}

void report_tables_live(FILE *out, const struct session *session, enum figure figure, enum window window,
	struct report_widths *widths, bool with_head)
{
	enum window shortest = session_shortest_window(session);

	print_rings(
		out, live_columns, session, figure, window < shortest ? shortest : window, widths, with_head);
}

struct report_signs report_tables_summary(FILE *out, const struct session *session, enum figure figure)
{
	return print_rings(
		out, summary_columns, session, figure, WINDOW_ALL, &(struct report_widths){0}, true);
}

/* --- hops --- */

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
	char name[SESSION_NAME_SIZE];
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
	fprintf(out, "\nhops of %s", session_ring_name(ring, name));
	if (ring->n_members > HOPS_SHOWN)
		fprintf(out, ", the %d of the largest Max", HOPS_SHOWN);
	fputc('\n', out);
	return print_table(out, hop_columns, lines, n).has_tilde;
}

bool report_tables_hops(FILE *out, const struct session *session)
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

/* --- phases --- */

/* Returns how long the ring that ran longest was running in these blocks. */
static uint64_t longest_active_ns(const struct session *session, const struct block_list *blocks)
{
	uint64_t longest_ns = 0;

	for (size_t i = 0; i < session->n_rings; i++) {
		struct tick_counts counts = {0};

		block_list_add_counts(blocks, session->rings[i].id, &counts);
		longest_ns = counts.active_ns > longest_ns ? counts.active_ns : longest_ns;
	}
	return longest_ns;
}

static void write_phase(
	struct line *line, const struct session *session, const struct phase *phase, enum figure figure)
{
	struct block_list blocks = session_phase_blocks(session, phase);
	struct hist hist = {0};

	if (block_list_add_figure(&blocks, GROUP_ROW, figure, &hist) < 0)
		hist_reset(&hist);
	write_cells(line, phase_columns,
		&(struct row){.session = session,
			.phase = phase,
			.active_ns = longest_active_ns(session, &blocks),
			.hist = &hist});
	snprintf(line->remark, sizeof(line->remark), "%s", phase->name);
	hist_finish(&hist);
}

bool report_tables_phases(FILE *out, const struct session *session, enum figure asked)
{
	const struct phases *phases = &session->phases;
	struct line lines[PHASES_SHOWN] = {0};
	size_t n = phases->n < PHASES_SHOWN ? phases->n : PHASES_SHOWN, first = phases->n - n;
	enum figure figure;

	if (phases->n + phases->dropped < 2)
		return false;
	report_tables_figure(session, asked, &figure);
	for (size_t i = 0; i < n; i++)
		write_phase(&lines[i], session, &phases->list[first + i], figure);
	fprintf(out, "\nphases, all pairs together: %s, times in us\n", figure_title(figure));
	if (first + phases->dropped)
		fprintf(out, "(%llu earlier phases are not shown)\n",
			(unsigned long long)(first + phases->dropped));
	return print_table(out, phase_columns, lines, n).has_tilde;
}
