/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_loads.h - loads beside the measurement: a fact of the machine, whose changes are events and begin
 * phases. */
#pragma once

#include "src/run/run.h"

/* Undoes a change of loads: opens and ends loads until the same ones are open as before it. Returns 0, or a
 * negative errno with its sentence if they were changed again since. */
int run_undo_loads(
	struct run *run, const struct command *command, const struct undo *undo, struct error_text *refusal);

/* Begins to end all loads, without an event or a phase. */
void run_loads_close(struct run *run);
/* Opens @load, if it is not NULL; why it can't be opened is an event. The change since loads were closed or
 * opened before is an event, and begins a phase. */
void run_loads_change_to(struct run *run, const struct load *load, uint64_t at_ns);
/* Reports loads that have ended by themselves. */
void run_loads_check(struct run *run, uint64_t now_ns);

/* --- from any thread, of a run --- */

/* Completes the word in place, as far as it is clear; writes the words that it may become. */
void run_loads_complete(char *line, size_t line_size, char *found, size_t found_size);
/* Writes what a load's words mean, or why they are refused. Takes the session's lock. Returns 0 or a negative
 * errno. */
int run_loads_describe(struct source *source, const char *words, struct error_text *text);
