/* SPDX-License-Identifier: GPL-2.0-or-later */
/* columns.c - the table's columns: their keys for sorting, their cells, and their widths. */
#include "ui/table/columns.h"

#include <math.h>
#include <string.h>

#include "ui/table/fold.h"
#include "ui/table/view_state.h"

enum {
	LABEL_MIN = 5, /* "10>11" */
	LABEL_MAX = 16,
	NAME_MAX_SHOWN = 10,
	TIME_MAX = 8,
	COUNT_MIN = 6,
	SCHED_MIN = 5,
	SCHED_SEVERAL = 10,
	SCHED_MAX = 14, /* "OTH-19/OTH-20!" */
	SCHED_SIZE = 64,
	FOLD_SIGN = 2, /* and a blank */
	SPARK_MIN = 12,
};

/* The histogram of a column's statistic. */
static const struct hist *hist_of(const struct column *column, const struct row *row)
{
	return row_hist(row, column->late ? FIGURE_LATENESS : row->figure);
}

/* --- their keys for sorting --- */

static double value_id(const struct column *column, const struct row *row)
{
	return row->hop ? row_hop(row) : row->ring->id;
}

/* The first six letters as a number, so that names sort as words do. */
static double value_mechanism(const struct column *column, const struct row *row)
{
	const char *mechanism = row->group ? row->group->name : row->ring->mechanism;
	const char *name = mechanism ? mechanism : "";
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

static double value_sched(const struct column *column, const struct row *row)
{
	if (!row->ring->members || !row->ring->n_members)
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

	return hist->n ? (double)statistic_ns(&column->statistic, hist) : NAN;
}

static double value_above(const struct column *column, const struct row *row)
{
	return (double)hist_above(hist_of(column, row), row->view->limit_ns);
}

static double value_missed(const struct column *column, const struct row *row)
{
	return (double)window_sums_counts(&row->view->window_sums, row_index(row)).missed;
}

static double value_n(const struct column *column, const struct row *row)
{
	return (double)hist_of(column, row)->n;
}

/* --- their cells --- */

static void copy(struct cell_text *cell, const char *text)
{
	snprintf(cell->text, sizeof(cell->text), "%s", text ? text : "?");
}

static void cell_pair(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	char label[sizeof(cell->text)];

	if (!row->hop) {
		copy(cell, row->ring->label);
		return;
	}
	session_hop_label(row->ring, row_hop(row), label, sizeof(label));
	copy(cell, strlen(label) > width ? strchr(label, ' ') + 1 : label);
}

static void cell_mechanism(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	copy(cell, row->ring->mechanism);
}

static void cell_class(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	copy(cell, locality_name(row->ring->locality));
}

/* The members' policies, a run of equal ones once; @differs: anything is not as asked. Returns the length. */
static size_t sched_text(const struct session_ring *ring, char text[SCHED_SIZE], bool *differs)
{
	const struct tick_member *before = NULL;
	size_t at = 0;

	text[0] = '\0';
	*differs = false;
	for (unsigned i = 0; ring->members && i < ring->n_members; i++) {
		const struct tick_member *member = &ring->members[i];
		char policy[8];

		if (!member->tid)
			continue;
		*differs = *differs || session_member_differs(ring, i);
		if ((!before || !task_policy_equal(before->policy, member->policy)) && at < SCHED_SIZE - 16)
			at += (size_t)snprintf(&text[at], 12, "%s%s", at ? "/" : "",
				task_policy_format(member->policy, policy));
		before = member;
	}
	return at;
}

/* "FF80!": the mark of scheduling that is not as asked. A nice value that does not fit is left out. */
static void cell_sched(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	bool differs;
	size_t at = sched_text(row->ring, cell->text, &differs);

	if (!at)
		copy(cell, "-");
	if (!differs)
		return;
	at = at < width ? at : width - 1;
	snprintf(&cell->text[at], sizeof(cell->text) - at, "!");
	cell->style = STYLE_WARNING;
}

static void cell_state(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	const struct session_ring *ring = row->ring;
	char text[ROW_STATE_SIZE];

	copy(cell, row_state(row, text));
	if (ring->age_ns || session_faults(ring) || ring_condition_is_away(ring->condition))
		cell->style = STYLE_WARNING;
}

static void cell_time(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	double ns = column->value(column, row);
	char text[32];

	if (isnan(ns)) {
		copy(cell, "-");
		return;
	}
	/* The mark of doubt may take the gap before the column. */
	snprintf(cell->text, sizeof(cell->text), "%s%s",
		column->statistic.percentile > 0.0 ? statistic_doubt(&column->statistic, hist_of(column, row))
						   : "",
		units_time(text, sizeof(text), width, (uint64_t)ns, row->view->unit));
}

static void cell_cur(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	if (row->hop || !row->ring->age_ns) {
		cell_time(column, row, width, cell);
		return;
	}
	units_age(cell->text, sizeof(cell->text), row->ring->age_ns);
	cell->style = STYLE_WARNING;
}

static void cell_count(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	units_count(cell->text, sizeof(cell->text), width, (uint64_t)column->value(column, row));
}

/* --- the widths that they need --- */

static unsigned digits(unsigned number)
{
	return number < 10 ? 1 : 1 + digits(number / 10);
}

/* "12: 3>4" at its longest, or the ring's label with the sign before it. */
static size_t need_hops(const struct session_ring *ring)
{
	unsigned cpu = 0;

	for (unsigned m = 0; m < ring->n_members; m++)
		cpu = ring->cpus[m] > cpu ? ring->cpus[m] : cpu;
	size_t hop = digits(ring->n_members - 1) + strlen(": >") + 2 * digits(cpu);
	size_t label = FOLD_SIGN + (ring->label ? strlen(ring->label) : 1);

	return hop > label ? hop : label;
}

static unsigned need_pair(const struct session *session, uint64_t limit_ns)
{
	size_t longest = LABEL_MIN;

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];
		size_t length = fold_can_show_hops(ring, i) ? need_hops(ring)
				: ring->label               ? strlen(ring->label)
							    : 1;

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

		if (!name || !first)
			continue;
		several = several || strcmp(name, first) != 0;
		longest = strlen(name) > longest ? strlen(name) : longest;
	}
	return !several ? 0 : longest < NAME_MAX_SHOWN ? (unsigned)longest : NAME_MAX_SHOWN;
}

/* "FF80!"; "FF80/OTH!" where any ring's members differ from each other; and all of "OTH10/OTH19!". */
static unsigned need_sched(const struct session *session, uint64_t limit_ns)
{
	size_t need = SCHED_MIN;

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];
		bool several = false, nice = false, differs;
		char text[SCHED_SIZE];

		for (unsigned m = 0; ring->members && m < ring->n_members; m++) {
			several |= !task_policy_equal(ring->members[m].policy, ring->members[0].policy);
			nice |= ring->members[m].policy.nice != 0;
		}
		size_t own = several ? SCHED_SEVERAL : SCHED_MIN;

		if (nice) {
			size_t length = sched_text(ring, text, &differs) + differs;

			own = length > own ? length : own;
		}
		need = own > need ? own : need;
	}
	return need < SCHED_MAX ? (unsigned)need : SCHED_MAX;
}

static unsigned need_spark(const struct session *session, uint64_t limit_ns)
{
	return session->series.n_ticks ? SPARK_MIN : 0;
}

char *columns_title(size_t column, uint64_t limit_ns, char *text, size_t size)
{
	char limit[32];

	if (column == COLUMN_ABOVE)
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

/* The fields that all columns of a statistic share, and those of all counts. */
#define TIME                                                                                                 \
	.time = true, .of_groups = true, .largest_first = true, .value = value_statistic, .cell = cell_time
#define COUNT .of_groups = true, .largest_first = true, .cell = cell_count

const struct column columns_table[N_COLUMNS] = {
	[COLUMN_MARK] = {"", 1, 4, .left = true},
	[COLUMN_PAIR] = {"PAIR", 5, 0, .of_hops = true, .need = need_pair, .value = value_id,
		.cell = cell_pair},
	[COLUMN_MECHANISM] = {"MECH", 6, 3, .of_groups = true, .left = true, .need = need_mechanism,
		.value = value_mechanism, .cell = cell_mechanism},
	[COLUMN_CLASS] = {"CLASS", 5, 10, .left = true, .value = value_class, .cell = cell_class},
	[COLUMN_SCHED] = {"SCHED", 5, 9, .left = true, .need = need_sched, .largest_first = true,
		.value = value_sched, .cell = cell_sched},
	[COLUMN_STATE] = {"STATE", 9, 5, .left = true, .largest_first = true, .value = value_state,
		.cell = cell_state},
	[COLUMN_CUR] = {"Cur", 6, 0, .of_hops = true, .time = true, .largest_first = true, .value = value_cur,
		.cell = cell_cur},
	[COLUMN_MIN] = {"Min", 6, 0, TIME, .of_hops = true, .statistic.of = statistic_min},
	[COLUMN_P50] = {"p50", 6, 11, TIME, .of_hops = true, .statistic.percentile = 50.0},
	[COLUMN_AVG] = {"Avg", 6, 0, TIME, .of_hops = true, .statistic.of = statistic_mean},
	[COLUMN_P99] = {"p99", 6, 0, TIME, .of_hops = true, .statistic.percentile = 99.0},
	[COLUMN_P999] = {"p99.9", 6, 12, TIME, .of_hops = true, .statistic.percentile = 99.9},
	[COLUMN_MAX] = {"Max", 6, 0, TIME, .of_hops = true, .statistic.of = statistic_max,
		.style = STYLE_STRONG},
	[COLUMN_ABOVE] = {">limit", 6, 6, COUNT, .need = need_above, .value = value_above},
	[COLUMN_LATE] = {"Late99", 6, 8, TIME, .late = true, .statistic.percentile = 99.0},
	[COLUMN_MISSED] = {"missed", 6, 7, COUNT, .value = value_missed},
	[COLUMN_N] = {"n", 7, 13, COUNT, .of_hops = true, .value = value_n},
	[COLUMN_SPARK] = {"60s of max", SPARK_MIN, 14, .of_groups = true, .left = true, .need = need_spark},
};

#undef TIME
#undef COUNT

/* One column, except before the first that is shown. */
static unsigned gap_before(const struct columns *fit, size_t column)
{
	return column > COLUMN_PAIR || (column == COLUMN_PAIR && fit->width[COLUMN_MARK]) ? 1 : 0;
}

static unsigned total_width(const struct columns *fit)
{
	unsigned width = 0;

	for (size_t i = 0; i < N_COLUMNS; i++)
		if (fit->width[i])
			width += fit->width[i] + gap_before(fit, i);
	return width;
}

static size_t first_to_give_way(const struct columns *fit)
{
	size_t first = COLUMN_PAIR;

	for (size_t i = 0; i < N_COLUMNS; i++)
		if (fit->width[i] && columns_table[i].gives_way > columns_table[first].gives_way)
			first = i;
	return first;
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

/* Returns the largest width that fits, of those in which all columns cover equally many seconds. */
static unsigned spark_width(unsigned room)
{
	static const unsigned widths[] = {60, 30, 20, 15, SPARK_MIN};
	size_t i = 0;

	while (widths[i] > room && widths[i] > SPARK_MIN)
		i++;
	return widths[i];
}

struct columns columns_fit(const struct session *session, uint64_t limit_ns, unsigned columns)
{
	struct columns fit = {0};
	unsigned x = 0;

	for (size_t i = 0; i < N_COLUMNS; i++)
		fit.width[i] = columns_table[i].need ? columns_table[i].need(session, limit_ns)
						     : columns_table[i].width;
	while (total_width(&fit) > columns) {
		size_t column = first_to_give_way(&fit);

		if (column == COLUMN_PAIR)
			break;
		fit.width[column] = 0;
	}
	if (total_width(&fit) > columns)
		fit.width[COLUMN_PAIR] = LABEL_MIN;
	widen(&fit, columns);
	if (fit.width[COLUMN_SPARK])
		fit.width[COLUMN_SPARK] = spark_width(columns - total_width(&fit) + fit.width[COLUMN_SPARK]);
	for (size_t i = 0; i < N_COLUMNS; i++) {
		fit.x[i] = x + (fit.width[i] ? gap_before(&fit, i) : 0);
		x = fit.width[i] ? fit.x[i] + fit.width[i] : x;
	}
	fit.end = x;
	return fit;
}
