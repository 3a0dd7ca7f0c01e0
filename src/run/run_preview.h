/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_preview.h - what the value of an action changes beyond what it says, before it is sent. */
#pragma once

#include <stddef.h>

struct command;
struct error_text;
struct source;

/* Writes a sentence for a command that removes rings, or gives them another interval, size, policy or other
 * CPUs, holds the dma latency, or tries a knob (its words are the fact's key): turns that become longer or
 * shorter, a limit of the mechanism, the policy before, a ring of the same turn on the same CPU, isolated
 * CPUs that members leave or enter, idle states, the value now and those that the knob takes. "" if there is
 * nothing to say, or the value is not complete. Returns 0, or a negative errno where the sentence says why
 * the run will refuse the value. Called from any thread. */
int run_preview_value(struct source *source, const struct command *command, struct error_text *text);
/* Completes the value of such a command where it is a word: a policy, in capitals or not, "off", what a knob
 * takes; see text_complete(). */
void run_preview_complete(struct source *source, const struct command *command, char *line, size_t line_size,
	char *found, size_t found_size);
