/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring_words.h - the words that describe rings to be added: "-m pipe --pairs 0:3 -s 4k". */
#pragma once

#include "src/options/options.h"
#include "src/plan/plan.h"

struct topology;

/* Reads them as the command line's, over the config of the run, whose CPUs and pairs don't count. Reorders
 * @argv, whose first word is not read. The rings of @plan have the descriptors; their ids and turns are
 * meaningless. Returns 0, or a negative errno with one sentence; plan_finish() accepts @plan in any case. */
int ring_words_read(struct plan *plan, int argc, char **argv, const struct config *running,
	const struct topology *topology, const struct options_names *names, struct error_text *reason);
