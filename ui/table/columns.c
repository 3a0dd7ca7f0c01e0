/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns.c - the table's columns: their keys for sorting, their cells, and their widths. */
#include "ui/table/columns.h"

#include <math.h>
#include <string.h>

#include "src/model/asymmetry.h"
#include "src/model/comparison_lines.h"
#include "ui/table/fold.h"
#include "ui/table/view_state.h"

enum {
	LABEL_MIN = 5, /* "10>11" */
	LABEL_MAX = 16,
	NAME_MAX_SHOWN = 11, /* "zmq-req-tcp": a cut name would be that of two */
	TIME_MAX = 8,
	TIME_WIDTH = 6,
	COUNT_MIN = 6,
	ID_MIN = 2,
	INTERVAL_MIN = 5, /* "500us" */
	INTERVAL_MAX = 9, /* "1234.5us" */
	SIZE_MIN = 4,
	SCHED_WIDTH = 5, /* "FF80!" */
	FOLD_SIGN = 2,   /* and a blank */
	TREND_MIN = 12,
	TREND_LEAST = 5, /* its title */
	TREND_MAX = 40,
	CHANGE_WIDTH = 8, /* ">999% w", "missed w" */
};

static enum figure figure_of(const struct column *column, const struct row *row)
{
	if (column->figure != FIGURE_RESPONSE)
		return column->figure ? column->figure : row->figure;
	return row->ring ? session_response_of(row->ring) : row->view->response_column;
}

/* The histogram of a column's statistic. */
static const struct hist *hist_of(const struct column *column, const struct row *row)
{
	return row_hist(row, figure_of(column, row));
}

/* --- their keys for sorting --- */

static double value_id(const struct column *column, const struct row *row)
{
	return row->hop ? row_hop(row) : row->ring->id;
}

/* The first six letters as a number, so that names sort as words do. */
static double value_mechanism(const struct column *column, const struct row *row)
{
	const char *name = row->group ? row->group->name : row->ring->mechanism;
	double value = 0.0;

	for (size_t i = 0; i < 6; i++) {
		value = value * 256.0 + (unsigned char)*name;
		name += *name != '\0';
	}
	return value;
}

static double value_class(const struct column *column, const struct row *row)
{
	return row->ring->locality;
}

static double value_interval(const struct column *column, const struct row *row)
{
	return (double)row->ring->interval_ns;
}

static double value_size(const struct column *column, const struct row *row)
{
	return row->ring->token_bytes ? (double)row->ring->token_bytes : NAN;
}

static double value_sched(const struct column *column, const struct row *row)
{
	if (!row->ring->n_members)
		return NAN;
	const struct task_policy *policy = &row->ring->members[0].policy;

	return policy->policy * 100.0 + policy->priority - policy->nice;
}

/* Order: failed rings, overdue ones with the longest first, all others that have a word. */
static double value_state(const struct column *column, const struct row *row)
{
	if (row->ring->state == RING_FAILED)
		return INFINITY;
	if (row->ring->age_ns)
		return (double)row->ring->age_ns;
	return *row_word(row->ring) || row->other ? row->ring->condition * 0.01 + row->ring->state * 0.001
						  : -1.0;
}

static double value_cur(const struct column *column, const struct row *row)
{
	if (row->hop)
		return row->hop->hist.n ? (double)row->hop->hist.last_ns : NAN;
	if (row->ring->age_ns)
		return (double)row->ring->age_ns;
	return row->shown->hist.n ? (double)row->shown->hist.last_ns : NAN;
}

static double value_statistic(const struct column *column, const struct row *row)
{
	const struct hist *hist = hist_of(column, row);

	return statistic_is_known(&column->statistic, hist) ? (double)statistic_ns(&column->statistic, hist)
							    : NAN;
}

static double value_above(const struct column *column, const struct row *row)
{
	return (double)hist_above(hist_of(column, row), row->view->limit_ns);
}

static double value_missed(const struct column *column, const struct row *row)
{
	const struct session *session = row->session;
	struct tick_counts counts = {0};

	if (!row->is_part)
		session_add_counts(session, row_number(row), row->view->window, &counts);
	for (size_t i = 0; row->is_part && i < session->n_rings; i++)
		if (row_includes(row, i))
			session_add_counts(session, session->rings[i].id, row->view->window, &counts);
	return (double)counts.missed;
}

static double value_n(const struct column *column, const struct row *row)
{
	return (double)hist_samples(hist_of(column, row));
}

static double value_change(const struct column *column, const struct row *row)
{
	const struct comparison_line *line = compared_line(row->view, row_number(row));

	if (!line || row->group)
		return NAN;
	enum mark_id mark = comparison_mark(line);

	if (mark >= MARK_MISSED)
		return line->marks[mark].verdict == SHIFT_BETTER ? -INFINITY : INFINITY;
	return line->marks[mark].verdict == SHIFT_TOO_FEW
		       ? NAN
		       : line->shifts[mark / N_SHIFT_PERCENTILES][mark_percentile(mark)].estimate;
}

/* --- their cells --- */

static void set_text(struct cell_text *cell, const char *text)
{
	snprintf(cell->text, sizeof(cell->text), "%s", text);
}

/* The label, and the suffix of a ring that has a namesake, which stays where there is no room for all. */
static void write_label(const struct session_ring *ring, unsigned width, struct cell_text *cell)
{
	char suffix[SESSION_SUFFIX_SIZE];
	size_t taken = strlen(session_ring_suffix(ring, suffix)), length = strlen(ring->label);
	size_t room = width > taken + 2 ? width - taken - 2 : 0;

	if (!taken || length + taken <= width)
		snprintf(cell->text, sizeof(cell->text), "%s%s", ring->label, suffix);
	else
		snprintf(cell->text, sizeof(cell->text), "%.*s..%s", (int)room, ring->label, suffix);
}

static void cell_pair(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	char label[sizeof(cell->text)];

	if (!row->hop) {
		write_label(row->ring, width, cell);
		return;
	}
	session_hop_label(row->ring, row_hop(row), label, sizeof(label) - 1);
	if (asymmetry_of_hop_is_skew(row->session, row->ring, row_hop(row)))
		strcat(label, "=");
	set_text(cell, strlen(label) > width ? strchr(label, ' ') + 1 : label);
}

static void cell_mechanism(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	set_text(cell, row->ring->mechanism);
}

static void cell_class(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	set_text(cell, locality_name(row->ring->locality));
}

/* Returns the first member that does not run as asked, or else the first one; NULL before any has started. */
static const struct tick_member *sched_member(const struct session_ring *ring, bool *differs)
{
	const struct tick_member *first = NULL;

	*differs = false;
	for (unsigned i = 0; i < ring->n_members && !*differs; i++) {
		if (!ring->members[i].tid)
			continue;
		*differs = session_member_differs(ring, i);
		if (!first || *differs)
			first = &ring->members[i];
	}
	return first;
}

/* "FF80!": the mark of scheduling that is not as asked. A nice value that does not fit is left out. */
static void cell_sched(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	bool differs;
	const struct tick_member *member = sched_member(row->ring, &differs);
	char text[8] = "-";

	if (member) {
		struct task_policy policy = member->policy;

		if (strlen(task_policy_format(policy, text)) + differs > width) {
			policy.nice = 0;
			task_policy_format(policy, text);
		}
	}
	snprintf(cell->text, sizeof(cell->text), "%s%s", text, differs ? "!" : "");
	if (differs)
		cell->style = row->ring->refused ? STYLE_WRONG : STYLE_STRONG;
}

static void cell_state(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	char text[ROW_STATE_SIZE];

	set_text(cell, row_state(row, text));
	cell->style = row_state_style(row);
}

static void cell_time(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	double ns = column->value(column, row);
	const char *doubt = "";
	char text[32];

	if (isnan(ns)) {
		set_text(cell, "-");
		return;
	}
	if (column->statistic.percentile > 0.0)
		doubt = statistic_doubt(&column->statistic, hist_of(column, row));
	if (*doubt)
		cell->style = style_stronger(cell->style, STYLE_THIN);
	if (figure_of(column, row) == row->figure)
		cell->style =
			style_stronger(cell->style, statistic_time_style((uint64_t)ns, row->view->limit_ns));
	snprintf(cell->text, sizeof(cell->text), "%s%s", doubt,
		units_time(
			text, sizeof(text), width - (unsigned)strlen(doubt), (uint64_t)ns, row->view->unit));
}

static void cell_id(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	snprintf(cell->text, sizeof(cell->text), "%u", (unsigned)row->ring->id);
}

static void cell_interval(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	units_pace(cell->text, sizeof(cell->text), "", row->ring->interval_ns);
}

static void cell_size(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	if (row->ring->token_bytes)
		units_bytes(cell->text, sizeof(cell->text), row->ring->token_bytes);
}

static void cell_cur(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	if (row->hop || !row->ring->age_ns) {
		cell_time(column, row, width, cell);
		return;
	}
	units_age(cell->text, sizeof(cell->text), row->ring->age_ns);
	cell->style = STYLE_WRONG;
}

static void cell_count(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	units_count(cell->text, sizeof(cell->text), width, (uint64_t)column->value(column, row));
}

static void cell_missed(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	uint64_t missed = (uint64_t)column->value(column, row);

	units_count(cell->text, sizeof(cell->text), width, missed);
	if (missed)
		cell->style = STYLE_UNUSUAL;
}

static void cell_change(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	const struct comparison_line *line = compared_line(row->view, row_number(row));
	char change[32];

	if (line) {
		snprintf(cell->text, sizeof(cell->text), "%s %s",
			compared_change(line, comparison_mark(line), row->group, change, sizeof(change)),
			shift_verdict_words[line->verdict].sign);
		cell->style = compared_style(line);
	}
}

/* --- the widths that they need --- */

static size_t need_label(const struct session_ring *ring)
{
	char suffix[SESSION_SUFFIX_SIZE];

	return strlen(ring->label) + strlen(session_ring_suffix(ring, suffix));
}

/* The longest label of a hop, "12: 3>4=", or the ring's label with the sign before it. */
static size_t need_hops(const struct session_ring *ring)
{
	unsigned cpu = 0;

	for (unsigned m = 0; m < ring->n_members; m++)
		cpu = ring->cpus[m] > cpu ? ring->cpus[m] : cpu;
	size_t hop = (size_t)snprintf(NULL, 0, "%u: %u>%u=", ring->n_members - 1, cpu, cpu);
	size_t label = FOLD_SIGN + need_label(ring);

	return hop > label ? hop : label;
}

static unsigned need_pair(const struct session *session, uint64_t limit_ns)
{
	size_t longest = LABEL_MIN;

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];
		size_t length = fold_can_show_hops(ring) ? need_hops(ring) : need_label(ring);

		longest = length > longest ? length : longest;
	}
	return longest < LABEL_MAX ? (unsigned)longest : LABEL_MAX;
}

static unsigned need_mechanism(const struct session *session, uint64_t limit_ns)
{
	size_t longest = 4;
	bool several = false;

	for (size_t i = 0; i < session->n_rings; i++) {
		const char *name = session->rings[i].mechanism, *first = session->rings[0].mechanism;

		several = several || strcmp(name, first) != 0;
		longest = strlen(name) > longest ? strlen(name) : longest;
	}
	return !several ? 0 : longest < NAME_MAX_SHOWN ? (unsigned)longest : NAME_MAX_SHOWN;
}

static unsigned need_id(const struct session *session, uint64_t limit_ns)
{
	size_t last = session->n_rings ? session->rings[session->n_rings - 1].id : 0;
	unsigned digits = (unsigned)snprintf(NULL, 0, "%zu", last);

	return digits > ID_MIN ? digits : ID_MIN;
}

/* Where all rings have one interval, the header says it. */
static unsigned need_interval(const struct session *session, uint64_t limit_ns)
{
	size_t longest = INTERVAL_MIN;
	bool several = false;
	char text[64];

	for (size_t i = 0; i < session->n_rings; i++) {
		uint64_t interval_ns = session->rings[i].interval_ns;

		if (i > 0 && interval_ns == session->rings[i - 1].interval_ns)
			continue;
		several |= i > 0;
		units_pace(text, sizeof(text), "", interval_ns);
		longest = strlen(text) > longest ? strlen(text) : longest;
	}
	return !several ? 0 : longest < INTERVAL_MAX ? (unsigned)longest : INTERVAL_MAX;
}

/* The same for the size; rings whose mechanism carries no bytes have none. */
static unsigned need_size(const struct session *session, uint64_t limit_ns)
{
	size_t longest = SIZE_MIN;
	uint64_t first = 0;
	bool several = false;
	char text[64];

	for (size_t i = 0; i < session->n_rings; i++) {
		uint64_t bytes = session->rings[i].token_bytes;

		if (i > 0 && bytes == session->rings[i - 1].token_bytes)
			continue;
		first = first ? first : bytes;
		several |= bytes && bytes != first;
		units_bytes(text, sizeof(text), bytes);
		longest = strlen(text) > longest ? strlen(text) : longest;
	}
	return several ? (unsigned)longest : 0;
}

/* Needs no room where laps come in batches: only their mean is known. */
static unsigned need_timed(const struct session *session, uint64_t limit_ns)
{
	return session->n_rings && session->rings[0].batch_laps ? 0 : TIME_WIDTH;
}

char *columns_title(size_t column, uint64_t limit_ns, char *text, size_t size)
{
	char limit[32];

	if (column == COLUMN_ABOVE && limit_ns)
		snprintf(text, size, ">%s", units_named(limit, sizeof(limit), limit_ns));
	else
		snprintf(text, size, "%s", columns_table[column].title);
	return text;
}

static unsigned need_above(const struct session *session, uint64_t limit_ns)
{
	char title[32];
	size_t width = strlen(columns_title(COLUMN_ABOVE, limit_ns, title, sizeof(title)));

	return !limit_ns ? 0 : width > COUNT_MIN ? (unsigned)width : COUNT_MIN;
}

/* The fields that all columns of a statistic share, those that batches lack, and those of all counts. */
#define TIME                                                                                                 \
	.time = true, .of_groups = true, .largest_first = true, .value = value_statistic, .cell = cell_time
#define TIMED TIME, .need = need_timed
#define COUNT .of_groups = true, .largest_first = true, .cell = cell_count

const struct column columns_table[N_COLUMNS] = {
	[COLUMN_MARK] = {"", "", 1, 4, .left = true},
	[COLUMN_PAIR] = {"PAIR", "CPUs in the token's order, the origin's first", 5, 0, .of_hops = true,
		.need = need_pair, .value = value_id, .cell = cell_pair},
	[COLUMN_MECHANISM] = {"MECH", "the mechanism, where there are several", 6, 3, .of_groups = true,
		.left = true, .need = need_mechanism, .value = value_mechanism, .cell = cell_mechanism},
	[COLUMN_ID] = {"ID", "the ring's number, which commands take", ID_MIN, 17, .need = need_id,
		.cell = cell_id},
	[COLUMN_CLASS] = {"CLASS", "CPUs share: own smt l2 l3 node package cross", 7, 10, .left = true,
		.value = value_class, .cell = cell_class},
	[COLUMN_INTERVAL] = {"EVERY", "the interval, where rings have several", INTERVAL_MIN, 8,
		.largest_first = true, .need = need_interval, .value = value_interval, .cell = cell_interval},
	[COLUMN_SIZE] = {"SIZE", "the token's bytes, where rings have several", SIZE_MIN, 8,
		.largest_first = true, .need = need_size, .value = value_size, .cell = cell_size},
	[COLUMN_SCHED] = {"SCHED", "policy and priority now; ! is not as asked", SCHED_WIDTH, 9, .left = true,
		.largest_first = true, .value = value_sched, .cell = cell_sched},
	[COLUMN_STATE] = {"STATE", "a word, see WORDS, or the time until its turn", 9, 5, .left = true,
		.largest_first = true, .value = value_state, .cell = cell_state},
	[COLUMN_CUR] = {"Cur", "the latest sample; >=1.2s: the age of a stall", 6, 0, .of_hops = true,
		.time = true, .largest_first = true, .value = value_cur, .cell = cell_cur},
	[COLUMN_MIN] = {"Min", "the shortest sample, exact", 6, 11, TIMED, .of_hops = true,
		.statistic.of = statistic_min},
	[COLUMN_P50] = {"p50", "the median: half of the samples are no larger", 6, 12, TIMED, .of_hops = true,
		.statistic.percentile = 50.0},
	[COLUMN_AVG] = {"Avg", "the mean of all samples, exact: hides stalls", 6, 15, TIME, .of_hops = true,
		.statistic.of = statistic_mean},
	[COLUMN_P99] = {"p99", "99 of 100 samples are no larger, within 0.8 %", 6, 0, TIMED, .of_hops = true,
		.statistic.percentile = 99.0, .group_style = STYLE_STRONG},
	[COLUMN_P999] = {"p99.9", "999 of 1000 are no larger, within 0.8 %", 6, 13, TIMED, .of_hops = true,
		.statistic.percentile = 99.9},
	[COLUMN_MAX] = {"Max", "the longest sample, exact", 6, 0, TIMED, .of_hops = true,
		.statistic.of = statistic_max, .style = STYLE_STRONG},
	[COLUMN_ABOVE] = {">limit", "samples above the limit of --fail-above", 6, 6, COUNT, .name = "above",
		.need = need_above, .value = value_above},
	[COLUMN_RESPONSE_P99] = {"Resp99", "p99 of the response, of a flood of the lap", 6, 1, TIMED,
		.figure = FIGURE_RESPONSE, .statistic.percentile = 99.0},
	[COLUMN_RESPONSE_MAX] = {"RMax", "the longest response, of a flood the longest lap", 6, 0, TIMED,
		.figure = FIGURE_RESPONSE, .statistic.of = statistic_max, .style = STYLE_STRONG},
	[COLUMN_LATE] = {"Late99", "p99 of the lateness, missed laps included", 6, 16, TIMED,
		.figure = FIGURE_LATENESS, .statistic.percentile = 99.0},
	[COLUMN_MISSED] = {"missed", "laps whose time went by before they started", 6, 7, .of_groups = true,
		.largest_first = true, .value = value_missed, .cell = cell_missed},
	[COLUMN_N] = {"n", "the number of samples", 7, 14, COUNT, .of_hops = true, .value = value_n},
	[COLUMN_CHANGE] = {"vs base", "the change with the row's verdict; detail has all", CHANGE_WIDTH, 2,
		.name = "change", .of_baseline = true, .of_groups = true, .largest_first = true,
		.value = value_change, .cell = cell_change},
	[COLUMN_TREND] = {"trend", "the longest response of each second, newest right", TREND_MIN, 8,
		.of_groups = true, .left = true},
};

_Static_assert(N_COLUMNS - COLUMN_PAIR <= CONFIG_COLUMNS_MAX, "--columns may name all of them");

#undef TIME
#undef TIMED
#undef COUNT

size_t columns_sortable(size_t i)
{
	size_t column = 0;

	while (column < N_COLUMNS && (!columns_table[column].value || i-- > 0))
		column++;
	return column;
}

const char *columns_name(unsigned i)
{
	const struct column *column = &columns_table[i + COLUMN_PAIR < N_COLUMNS ? i + COLUMN_PAIR : 0];

	return column->name ? column->name : *column->title ? column->title : NULL;
}

const char *columns_sort_name(unsigned i)
{
	size_t column = columns_sortable(i);

	return column < N_COLUMNS ? columns_name((unsigned)(column - COLUMN_PAIR)) : NULL;
}

/* --- which are shown, and in which order --- */

bool columns_always_shown(size_t column)
{
	return column == COLUMN_MARK || column == COLUMN_PAIR || column == COLUMN_CUR;
}

/* Inserts a column at a position of an order of @n columns. */
static void insert_column(struct column_choice *choice, size_t n, size_t position, size_t column)
{
	memmove(&choice->order[position + 1], &choice->order[position], n - position);
	choice->order[position] = (unsigned char)column;
}

static size_t place_of(const struct column_choice *choice, size_t column)
{
	size_t position = 0;

	while (position < N_COLUMNS && choice->order[position] != column)
		position++;
	return position;
}

/* A hidden column is behind the one before it in the usual order. */
void columns_choose(struct column_choice *choice, const unsigned char *numbers, size_t n)
{
	size_t n_ordered = 0;

	*choice = (struct column_choice){0};
	for (size_t i = 0; i < N_COLUMNS; i++) {
		choice->hidden[i] = n > 0 && !columns_always_shown(i);
		if (i <= COLUMN_CUR)
			choice->order[n_ordered++] = (unsigned char)i;
	}
	for (size_t i = 0; i < n; i++) {
		size_t column = COLUMN_PAIR + numbers[i];

		choice->hidden[column] = false;
		if (column > COLUMN_CUR)
			choice->order[n_ordered++] = (unsigned char)column;
	}
	for (size_t i = COLUMN_CUR + 1; i < N_COLUMNS; i++)
		if (choice->hidden[i] || n == 0)
			insert_column(choice, n_ordered++, place_of(choice, i - 1) + 1, i);
}

bool columns_is_usual(const struct column_choice *choice)
{
	struct column_choice usual;

	columns_choose(&usual, NULL, 0);
	return memcmp(choice, &usual, sizeof(usual)) == 0;
}

size_t columns_move(struct column_choice *choice, size_t position, int by)
{
	size_t other = position + (size_t)by;
	unsigned char column = choice->order[position];

	if (column <= COLUMN_CUR || other >= N_COLUMNS || choice->order[other] <= COLUMN_CUR)
		return position;
	choice->order[position] = choice->order[other];
	choice->order[other] = column;
	return other;
}

/* --- their positions in a table --- */

/* With a gap of one column between two. */
static unsigned total_width(const struct columns *fit)
{
	unsigned width = 0;

	for (size_t i = 0; i < N_COLUMNS; i++)
		if (fit->width[i])
			width += fit->width[i] + (width > 0);
	return width;
}

/* Beside a baseline the state goes before SCHED and the trend: its word replaces the latest sample then. */
static unsigned rank_of(const struct columns *fit, size_t column)
{
	bool is_state = column == COLUMN_STATE && fit->needed[COLUMN_CHANGE];

	return columns_table[is_state ? COLUMN_SCHED : column].gives_way + is_state;
}

/* Of batches, which have no Min, Avg is the only figure. */
static size_t first_to_give_way(const struct columns *fit)
{
	size_t first = COLUMN_PAIR;

	for (size_t i = 0; i < N_COLUMNS; i++)
		if (fit->width[i] && (i != COLUMN_AVG || fit->needed[COLUMN_MIN]) &&
			rank_of(fit, i) > rank_of(fit, first))
			first = i;
	return first;
}

/* Returns the width of a trend with fewer seconds that fits; 0: it would have too few of them. */
static unsigned short_trend(const struct columns *fit, unsigned columns)
{
	unsigned beyond = total_width(fit) - columns, width = fit->width[COLUMN_TREND];

	return width >= beyond + TREND_LEAST ? width - beyond : 0;
}

/* Distributes spare room over the columns of times, evenly. */
static void widen(struct columns *fit, unsigned columns)
{
	unsigned n = 0, more;

	for (size_t i = 0; i < N_COLUMNS; i++)
		n += fit->width[i] && columns_table[i].time;
	more = columns > total_width(fit) && n ? (columns - total_width(fit)) / n : 0;
	for (size_t i = 0; i < N_COLUMNS; i++)
		if (fit->width[i] && columns_table[i].time)
			fit->width[i] = fit->width[i] + more < TIME_MAX ? fit->width[i] + more : TIME_MAX;
}

struct columns columns_fit(const struct session *session, uint64_t limit_ns, bool has_baseline,
	const struct column_choice *choice, size_t sort, unsigned columns)
{
	struct columns fit = {0};
	char title[32];
	unsigned x = 0, sorted = 1 + (unsigned)strlen(columns_title(sort, limit_ns, title, sizeof(title)));

	for (size_t i = 0; i < N_COLUMNS; i++)
		fit.needed[i] = columns_table[i].of_baseline && !has_baseline ? 0
				: columns_table[i].need ? columns_table[i].need(session, limit_ns)
							: columns_table[i].width;
	for (size_t i = 0; i < N_COLUMNS; i++)
		fit.width[i] = choice->hidden[i] ? 0 : fit.needed[i];
	if (fit.width[sort] && fit.width[sort] < sorted)
		fit.width[sort] = sorted;
	while (total_width(&fit) > columns) {
		size_t column = first_to_give_way(&fit);

		if (column == COLUMN_PAIR)
			break;
		fit.width[column] = column == COLUMN_TREND ? short_trend(&fit, columns) : 0;
	}
	if (total_width(&fit) > columns)
		fit.width[COLUMN_PAIR] = LABEL_MIN;
	widen(&fit, columns);
	if (fit.width[COLUMN_TREND] && columns > total_width(&fit))
		fit.width[COLUMN_TREND] =
			smaller(fit.width[COLUMN_TREND] + columns - total_width(&fit), TREND_MAX);
	for (size_t i = 0; i < N_COLUMNS; i++) {
		size_t column = choice->order[i];

		fit.x[column] = x;
		x += fit.width[column] ? fit.width[column] + 1 : 0;
		if (column == COLUMN_CUR)
			fit.figures = x;
	}
	fit.end = x - 1;
	return fit;
}
