/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_pairs.h - which pairs of CPUs --pairs makes of the candidates. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/base/error_text.h"
#include "src/machine/topology.h"
#include "src/plan/config.h"

struct plan_pair {
	unsigned cpus[2]; /* the origin first */
};

struct plan_pairs {
	struct plan_pair *pair; /* owned */
	size_t n;
};

/* Does @pairs name CPUs itself ("0:3,5:5"), rather than a choice? */
bool plan_pairs_explicit(const char *pairs);

/* @candidates: the CPUs that may be measured, all of them in @topology. The pairs are cut to -t.
 * Returns 0, or a negative errno with its reason; @pairs is to be finished in either case. */
int plan_pairs_init(struct plan_pairs *pairs, const struct config *config, const struct topology *topology,
	const struct cpus *candidates, struct notes *notes, struct error_text *reason);
void plan_pairs_finish(struct plan_pairs *pairs);
