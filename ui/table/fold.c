/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fold.c - mechanisms that hide their rings, and rings that show their hops. */
#include "ui/table/fold.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/sorted.h"
#include "src/model/session.h"

/* A mechanism's id counts down from the largest number, a ring's up from 0: so do the lower halves. */
static size_t index_of(const struct fold *fold, uint64_t id)
{
	return sorted_index(fold->turned, fold->n, sizeof(*fold->turned), 0, (uint32_t)id);
}

bool fold_is_turned(const struct fold *fold, uint64_t id)
{
	size_t at = index_of(fold, id);

	return at < fold->n && fold->turned[at] == (uint32_t)id;
}

void fold_turn(struct fold *fold, uint64_t id, bool turned)
{
	uint32_t *rows = fold->turned;
	size_t at = index_of(fold, id), after = fold->n - at;

	if (fold_is_turned(fold, id) == turned)
		return;
	if (!turned) {
		memmove(&rows[at], &rows[at + 1], (after - 1) * sizeof(*rows));
		fold->n--;
		return;
	}
	rows = realloc(rows, (fold->n + 1) * sizeof(*rows));
	if (!rows)
		return;
	memmove(&rows[at + 1], &rows[at], after * sizeof(*rows));
	rows[at] = (uint32_t)id;
	fold->turned = rows;
	fold->n++;
}

void fold_finish(struct fold *fold)
{
	free(fold->turned);
	*fold = (struct fold){0};
}

bool fold_can_show_hops(const struct session_ring *ring)
{
	return ring->n_members > 2;
}
