/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_helper.h - helps a person to type a line of words: the functions of a dialog's caller. */
#pragma once

#include <stddef.h>

/* Helps with a line of words that describes rings, while it is typed. Both take the whole line. */
struct line_helper {
	/* Writes what the line means, or why it is refused. Returns 0 or a negative errno. */
	int (*describe)(void *data, const char *line, char *text, size_t size);
	/* Completes the last word in place, as far as it is clear; writes the words that it may become. */
	void (*complete)(void *data, char *line, size_t line_size, char *words, size_t size);
	void *data;
};
