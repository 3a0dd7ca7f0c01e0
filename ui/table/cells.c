/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cells.c - what the columns write into a row's cells. */
#include "ui/table/cells.h"

#include <math.h>
#include <string.h>

#include "src/model/session_faults.h"
#include "src/model/session_turns.h"

enum { BEYOND_TRUSTED = 10 };

const char *columns_word(const struct session_ring *ring)
{
	if (ring->state == RING_FAILED)
		return ring_state_name(ring->state);
	if (ring->condition < CONDITION_LATE && session_faults(ring))
		return token_fault_name(session_worst_fault(ring));
	if (ring->condition != CONDITION_FINE)
		return ring_condition_name(ring->condition);
	if (ring->state != RING_RUNNING)
		return ring_state_name(ring->state);
	return ring->age_ns ? "overdue" : "";
}

bool columns_waits(const struct row *row)
{
	return row->ring && row->ring->state != RING_FAILED && row->ring->condition == CONDITION_WAITING;
}

const char *columns_state(const struct row *row, char text[COLUMNS_STATE_SIZE])
{
	const char *word = columns_word(row->ring);

	if (columns_waits(row) && !session_faults(row->ring))
		return session_turn_in_text(row->session, row->ring, text);
	return !*word && row->other ? figure_name(row->figure) : word;
}

static void copy(struct cell_text *cell, const char *text)
{
	snprintf(cell->text, sizeof(cell->text), "%s", text ? text : "?");
}

void cell_pair(const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	char label[sizeof(cell->text)];

	if (!row->hop) {
		copy(cell, row->ring->label);
		return;
	}
	session_hop_label(row->ring, row_hop(row), label, sizeof(label));
	copy(cell, strlen(label) > width ? strchr(label, ' ') + 1 : label);
}

void cell_mechanism(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	(void)column, (void)width;
	copy(cell, row->ring->mechanism);
}

void cell_class(const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	(void)column, (void)width;
	copy(cell, locality_name(row->ring->locality));
}

void cell_state(const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	char text[COLUMNS_STATE_SIZE];

	(void)column, (void)width;
	copy(cell, columns_state(row, text));
	cell->style =
		row->ring->age_ns || session_faults(row->ring) || ring_condition_is_away(row->ring->condition)
			? STYLE_WARNING
			: STYLE_PLAIN;
}

size_t cell_sched_text(const struct session_ring *ring, char text[CELL_SCHED_SIZE], bool *differs)
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
		if ((!before || !task_policy_equal(before->policy, member->policy)) &&
			at < CELL_SCHED_SIZE - 16)
			at += (size_t)snprintf(&text[at], 12, "%s%s", at ? "/" : "",
				task_policy_format(member->policy, policy));
		before = member;
	}
	return at;
}

/* `!` where anything is not as asked: it must be seen, whatever is cut. */
void cell_sched(const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	bool differs;
	size_t at = cell_sched_text(row->ring, cell->text, &differs);

	if (!at)
		copy(cell, "-");
	if (!differs)
		return;
	at = at < width ? at : width - 1;
	snprintf(&cell->text[at], sizeof(cell->text) - at, "!");
	cell->style = STYLE_WARNING;
}

const char *cell_doubt(const struct hist *hist, double percentile)
{
	return hist->n && hist_beyond(hist, percentile) < BEYOND_TRUSTED ? "~" : "";
}

void cell_time(const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	double ns = column->value(column, row);
	char text[32];

	if (isnan(ns)) {
		copy(cell, "-");
		return;
	}
	units_time(text, sizeof(text), width, (uint64_t)(ns + 0.5), row->unit);
	/* The mark may stand in the gap before the column. */
	snprintf(cell->text, sizeof(cell->text), "%s%s",
		column->percentile > 0.0 ? cell_doubt(columns_hist(column, row), column->percentile) : "",
		text);
}

void cell_strong_time(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	cell_time(column, row, width, cell);
	cell->style = STYLE_STRONG;
}

void cell_cur(const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	if (row->hop || !row->ring->age_ns) {
		cell_time(column, row, width, cell);
		return;
	}
	units_age(cell->text, sizeof(cell->text), row->ring->age_ns);
	cell->style = STYLE_WARNING;
}

void cell_count(const struct column *column, const struct row *row, unsigned width, struct cell_text *cell)
{
	units_count(cell->text, sizeof(cell->text), width, (uint64_t)column->value(column, row));
}
