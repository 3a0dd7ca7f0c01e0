/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_places.h - the CPUs of each ring's members, which are the same for each mechanism. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/base/error_text.h"
#include "src/machine/topology.h"
#include "src/plan/config.h"

struct plan_places {
	unsigned *cpus; /* owned; n_members for each ring, the origin's first */
	size_t n;       /* rings */
	unsigned n_members;
};

/* Places rings (--ring) or pairs (--pairs) on @candidates, the CPUs that may be measured. Returns 0, or a
 * negative errno with its reason; @places is to be finished in either case. */
int plan_places_init(struct plan_places *places, const struct config *config, const struct topology *topology,
	const struct cpus *candidates, struct notes *notes, struct error_text *reason);
void plan_places_finish(struct plan_places *places);

/* Returns whether @pairs names CPUs itself, as "0:3,5:5" does. */
bool plan_places_are_named(const char *pairs);
/* Returns word @i of --pairs, "own", "smt", ... "all"; NULL past the last one. */
const char *plan_places_word(unsigned i);
/* The same without the classes that are not among @localities, see topology_localities(). */
const char *plan_places_word_of(unsigned localities, unsigned i);
