/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ring_words.h - the words that describe rings to be added: "pipe 0>3 -s 4k" is
 * "-m pipe --pairs 0:3 -s 4k", and "pipe smt" is "-m pipe --pairs smt". */
#pragma once

#include "src/options/options.h"
#include "src/plan/plan.h"

struct cpus;
struct topology;

/* Reads them as the command line's, over the config of the run, whose CPUs and pairs don't count. Reorders
 * and changes @argv, whose first word is not read. The rings of @plan have the descriptors; their ids and
 * turns are meaningless. Returns 0, or a negative errno with one sentence; plan_finish() accepts @plan in any
 * case. */
int ring_words_read(struct plan *plan, int argc, char **argv, const struct config *running,
	const struct topology *topology, const struct options_names *names, struct error_text *reason);

enum { RING_WORDS_MAX = 128 };
/* Cuts a line at its spaces, in place. Returns the number of words, at most RING_WORDS_MAX. */
int ring_words_cut(char *line, char *words[RING_WORDS_MAX]);

/* Completes the last word of a line, which has room for @line_size bytes, as far as it is clear: a mechanism,
 * then a place, whose CPUs are allowed, or a class that these have, then options. Writes the words that it
 * may become to @found, separated by spaces, cut to its size; empty: none. */
void ring_words_complete(char *line, size_t line_size, const struct options_names *names,
	const struct topology *topology, char *found, size_t found_size);
