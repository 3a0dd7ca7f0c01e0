/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_helper.h - helps a person to type a line of words: the functions of a dialog's caller. */
#pragma once

#include <stddef.h>

#include "src/model/commands.h"

/* Helps with the line of words of a command, while it is typed. Both take the whole line. */
struct line_helper {
	/* Writes what the line means, or why it is refused. Returns 0 or a negative errno. */
	int (*describe)(void *data, enum command_kind kind, const char *line, char *text, size_t size);
	/* Completes the last word in place, as far as it is clear; writes the words that it may become. */
	void (*complete)(
		void *data, enum command_kind kind, char *line, size_t line_size, char *words, size_t size);
	void *data;
};
