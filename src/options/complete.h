/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complete.h - what the word at the cursor of a command line may become, for the completion of shells. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

struct option_row;
struct options_names;

/* A command line up to the cursor. */
struct complete_line {
	const struct option_row *const *tables; /* ended by NULL */
	const struct options_names *names;      /* for values; NULL if no row has any */
	char *const *words;                     /* without the command */
	size_t n_words;                         /* before the cursor's */
	const char *written;                    /* the word at the cursor so far; may be empty */
};

/* A file's name, or a word that is neither option nor value, may be there: the caller offers these. */
enum complete_more { COMPLETE_NOTHING, COMPLETE_FILES, COMPLETE_WORDS };

/* Prints the options or values that the written word may become, a line each: the word, a tab, its help. */
enum complete_more complete_option(const struct complete_line *line, FILE *out);
/* Prints @word in the same form if the written one may become it. */
void complete_word(const struct complete_line *line, const char *word, const char *help, FILE *out);
/* Returns whether a word before the cursor is neither an option nor a value. */
bool complete_is_word(const struct complete_line *line, size_t i);
/* Returns how many words before the cursor are neither options nor values. */
size_t complete_n_words(const struct complete_line *line);
