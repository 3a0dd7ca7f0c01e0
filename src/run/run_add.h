/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_add.h - what a line of words for `add` means before it is sent. Called from any thread, of a run. */
#pragma once

#include <stddef.h>

#include "src/base/error_text.h"
#include "src/run/run.h"

/* Writes what a line of words for `add` means: rings, shared CPUs, turns; or why it is refused. An empty line
 * means what to type. Takes the session's lock. Returns 0 or a negative errno. */
int run_add_describe(struct source *source, const char *line, struct error_text *text);
/* See ring_words_complete(). */
void run_add_complete(
	const struct source *source, char *line, size_t line_size, char *found, size_t found_size);
