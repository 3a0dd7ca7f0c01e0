/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cells.h - what the columns write into a row's cells. Pure. */
#pragma once

#include "ui/table/columns.h"

/* All of the same form, see struct column. */
void cell_pair(const struct column *column, const struct row *row, unsigned width, struct cell_text *cell);
void cell_mechanism(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell);
void cell_class(const struct column *column, const struct row *row, unsigned width, struct cell_text *cell);
void cell_sched(const struct column *column, const struct row *row, unsigned width, struct cell_text *cell);
void cell_state(const struct column *column, const struct row *row, unsigned width, struct cell_text *cell);
void cell_cur(const struct column *column, const struct row *row, unsigned width, struct cell_text *cell);
/* The column's value as a time, or as a count. */
void cell_time(const struct column *column, const struct row *row, unsigned width, struct cell_text *cell);
void cell_strong_time(
	const struct column *column, const struct row *row, unsigned width, struct cell_text *cell);
void cell_count(const struct column *column, const struct row *row, unsigned width, struct cell_text *cell);

/* The members' policies, a run of equal ones once; @differs: anything is not as asked. Returns the length. */
enum { CELL_SCHED_SIZE = 64 };
size_t cell_sched_text(const struct session_ring *ring, char text[CELL_SCHED_SIZE], bool *differs);

/* Marks a percentile with fewer than 10 samples beyond it: "~". */
const char *cell_doubt(const struct hist *hist, double percentile);
