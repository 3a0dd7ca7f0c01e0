/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_pairs.h - which pairs of CPUs --pairs makes of the candidates. Pure. */
#pragma once

#include <stdbool.h>

#include "src/plan/plan_places.h"

/* Returns whether @pairs names CPUs itself ("0:3,5:5"), and no choice. */
bool plan_pairs_explicit(const char *pairs);

/* Sets the places of the pairs, cut to -t. @candidates: the CPUs that may be measured, all in @topology.
 * Returns 0, or a negative errno with its reason; @places is to be finished in either case. */
int plan_pairs_place(struct plan_places *places, const struct config *config, const struct topology *topology,
	const struct cpus *candidates, struct notes *notes, struct error_text *reason);
