/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_helper.h - helps a person to type a line of words: the functions of a dialog's caller. */
#pragma once

#include <stddef.h>

#include "src/model/commands.h"

/* Helps with the line of words of a command, or with its value, while it is typed. */
struct line_helper {
	/* Writes what the command as typed so far means, or why it is refused. Returns 0 or a negative errno.
	 */
	int (*describe)(void *data, const struct command *command, char *text, size_t size);
	/* Takes the whole line of a command. Completes the last word in place, as far as it is clear; writes
	 * the words that it may become. */
	void (*complete)(void *data, const struct command *command, char *line, size_t line_size, char *words,
		size_t size);
	void *data;
};
