/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_undo.c - the last action of a run, so that it can be undone. */
#include "src/run/run_undo.h"

#include <stdlib.h>
#include <string.h>

void run_undo_finish(struct undo *undo)
{
	for (size_t i = 0; i < undo->n_members; i++)
		free(undo->members[i].cpus);
	for (size_t i = 0; i < undo->n_plans; i++)
		free(undo->plans[i].cpus);
	free(undo->plans);
	free(undo->were_paused);
	free(undo->members);
	free(undo->rings.ids);
	free(undo->values);
	free(undo->loads);
	*undo = (struct undo){0};
}

void run_undo_forget(struct run *run)
{
	if (run->undo)
		run_undo_finish(run->undo);
	free(run->undo);
	run->undo = NULL;
}

void run_undo_keep(struct run *run, struct undo *undo)
{
	run_undo_forget(run);
	run->undo = malloc(sizeof(*undo));
	if (run->undo)
		*run->undo = *undo;
	else
		run_undo_finish(undo);
}

void run_undo_note(struct run *run, enum undo_kind kind, const struct run_rings *rings)
{
	struct undo undo = {.kind = kind, .rings.ids = calloc(rings->n + 1, sizeof(*rings->ids))};

	if (undo.rings.ids) {
		memcpy(undo.rings.ids, rings->ids, rings->n * sizeof(*rings->ids));
		undo.rings.n = rings->n;
	}
	run_undo_keep(run, &undo);
}
