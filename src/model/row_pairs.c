/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row_pairs.c - which rows of two phases belong together. */
#include "src/model/row_pairs.h"

#include <string.h>

/* Where a ring is opened anew as a phase begins or ends, the phase may have a rest of the old or the new one.
 * A rest has at most this part of the other one's time. */
static const double PART_RATIO = 0.1;

static bool has_same_place(const struct compared_row *row, const struct compared_row *other)
{
	return strcmp(row->cpus, other->cpus) == 0 && strcmp(row->mechanism, other->mechanism) == 0;
}

static bool is_like(const struct compared_row *row, const struct compared_row *other)
{
	return has_same_place(row, other) && row->size_bytes == other->size_bytes &&
	       row->figures.at[JUDGED_SHOWN] == other->figures.at[JUDGED_SHOWN];
}

static enum row_kind kind_beside(const struct compared_row *row, const struct compared_row *other)
{
	bool follow = (row->has_ended && other->was_added) || (other->has_ended && row->was_added);
	bool may_follow = row->has_ended || row->was_added || other->was_added;
	double part = (double)row->active_ns / (double)other->active_ns;

	if (row->active_ns >= other->active_ns || !has_same_place(row, other))
		return ROW_WHOLE;
	/* When the phase ends it may not be known yet that the old one does. */
	if (part < PART_RATIO && may_follow)
		return ROW_LEFT_OUT;
	return follow ? ROW_PART : ROW_WHOLE;
}

static enum row_kind kind_of(const struct compared_phase *phase, const struct compared_row *row)
{
	enum row_kind kind = row->is_absent ? ROW_LEFT_OUT : ROW_WHOLE;

	for (size_t i = 0; i < phase->n_rows && kind != ROW_LEFT_OUT; i++) {
		enum row_kind beside = kind_beside(row, &phase->rows[i]);

		kind = beside < kind ? beside : kind;
	}
	return kind;
}

/* The rows of both phases while they are paired. */
struct pairing {
	const struct compared_phase *a, *b;
	enum row_kind *kinds_a, *kinds_b;
	size_t *partners;
};

/* Pairs rows that are alike, of this kind at least. Of several that are, the first of B belongs to the first
 * of A, the second to the second. */
static void pair_rows(struct pairing *pairing, enum row_kind least)
{
	for (size_t i = 0; i < pairing->b->n_rows; i++)
		for (size_t k = 0; k < pairing->a->n_rows && pairing->kinds_b[i] != ROW_PAIRED; k++) {
			if (pairing->kinds_b[i] < least || pairing->kinds_a[k] < least ||
				pairing->kinds_a[k] == ROW_PAIRED ||
				!is_like(&pairing->a->rows[k], &pairing->b->rows[i]))
				continue;
			pairing->kinds_a[k] = pairing->kinds_b[i] = ROW_PAIRED;
			pairing->partners[i] = k;
		}
}

void row_pairs_find(const struct compared_phase *a, const struct compared_phase *b, enum row_kind *kinds_a,
	enum row_kind *kinds_b, size_t *partners)
{
	struct pairing pairing = {a, b, kinds_a, kinds_b, partners};

	for (size_t i = 0; i < a->n_rows; i++)
		kinds_a[i] = kind_of(a, &a->rows[i]);
	for (size_t i = 0; i < b->n_rows; i++) {
		kinds_b[i] = kind_of(b, &b->rows[i]);
		partners[i] = SIZE_MAX;
	}
	pair_rows(&pairing, ROW_WHOLE);
	pair_rows(&pairing, ROW_PART);
}
