/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complete.c - completes command lines of ipctop and of its front ends. */
#include "src/app/complete.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/app/audit.h"
#include "src/app/compare.h"
#include "src/app/self_test.h"
#include "src/app/try.h"
#include "src/compat/compat.h"
#include "src/compat/tools.h"
#include "src/model/knobs.h"
#include "src/options/complete.h"
#include "src/options/option.h"
#include "src/options/options.h"
#include "src/run/command.h"

enum { EXIT_FILES = 3 };

bool complete_is_asked(int argc, char *const *argv)
{
	return argc > 3 && strcmp(argv[1], "complete") == 0;
}

/* bash passes "--show=first" as three words, and "--show=" as two. Of "hgrm=FILE" only the sign is left.
 * Returns the number of words that are left. */
static int drop_equal_signs(char **words, int n)
{
	static char empty[] = "";
	int kept = 0;

	for (int i = 0; i < n; i++)
		if (strcmp(words[i], "=") != 0)
			words[kept++] = words[i];
		else if (kept && words[kept - 1][0] != '-')
			words[kept - 1] = words[i++];
		else if (i == n - 1)
			words[kept++] = empty;
	return kept;
}

static void print_commands(const struct complete_line *line, FILE *out)
{
	const char *name, *purpose;

	complete_word(line, "list", "the mechanisms, and whether each can run here", out);
	complete_word(line, "compare", "did one phase become worse or better than another?", out);
	complete_word(line, "audit", "which settings of this machine cost latency?", out);
	complete_word(line, "try", "what does a setting of this machine do?", out);
	complete_word(line, "restore", "puts back what a killed try has left changed", out);
	complete_word(line, "export", "a recording, in the format of another program", out);
	complete_word(line, "report", "a recording as a page with pictures (HTML)", out);
	complete_word(line, "ctl", "tells a run with --control what to do", out);
	complete_word(line, "self-test", "tries on this machine what ipctop relies on", out);
	for (unsigned i = 0; (name = line->names->tool(i, &purpose)); i++)
		complete_word(line, name, purpose, out);
}

/* After "export": the format, and then the recording. */
static enum complete_more complete_export(const struct complete_line *line, FILE *out)
{
	size_t n = complete_n_words(line);

	for (unsigned i = 0; n == 1 && line->names->export(i); i++)
		complete_word(line, line->names->export(i), NULL, out);
	return n == 2 ? COMPLETE_FILES : COMPLETE_NOTHING;
}

/* The knobs that can be tried: "governor=". */
static void print_knobs(const struct complete_line *line, FILE *out)
{
	const struct knob *knob;
	char word[64];

	for (unsigned i = 0; (knob = knobs_to_try(i)); i++) {
		snprintf(word, sizeof(word), "%s=", knob->fact);
		complete_word(line, word, knob->about, out);
	}
}

/* After "ctl": the socket, the command, and its argument. */
static enum complete_more complete_ctl(const struct complete_line *line, FILE *out)
{
	size_t n = complete_n_words(line);
	const struct command_row *row = n == 3 ? command_named(line->words[2]) : NULL;
	const struct option_row *argument = row ? row->argument : NULL;

	for (size_t i = COMMAND_NONE + 1; n == 2 && i < command_n_rows; i++)
		if (command_rows[i].senders & COMMAND_BY_SOCKET)
			complete_word(line, command_rows[i].name, command_rows[i].help, out);
	for (unsigned i = 0; argument && argument->value && argument->value(line->names, i); i++)
		complete_word(line, argument->value(line->names, i), NULL, out);
	if (row == &command_rows[COMMAND_TRY])
		print_knobs(line, out);
	return n == 1 || row == &command_rows[COMMAND_SAVE] ? COMPLETE_FILES : COMPLETE_NOTHING;
}

/* After "try": the knobs. */
static enum complete_more complete_try(const struct complete_line *line, FILE *out)
{
	if (!complete_n_words(line))
		print_knobs(line, out);
	return COMPLETE_NOTHING;
}

/* The words of ipctop itself that are no options. */
static enum complete_more complete_words(const struct complete_line *line, FILE *out)
{
	if (line->n_words && strcmp(line->words[0], "export") == 0)
		return complete_export(line, out);
	if (line->n_words && strcmp(line->words[0], "report") == 0)
		return complete_n_words(line) == 1 ? COMPLETE_FILES : COMPLETE_NOTHING;
	if (line->n_words && strcmp(line->words[0], "ctl") == 0)
		return complete_ctl(line, out);
	if (!complete_n_words(line))
		print_commands(line, out);
	return COMPLETE_NOTHING;
}

/* After "--" are the options of the run. Returns the number of words up to there. */
static int choose_try_tables(struct complete_line *line, int n_words, char **words)
{
	line->tables = try_options;
	for (int i = 2; i < n_words - 1; i++)
		if (strcmp(words[i], "--") == 0) {
			line->tables = options_tables;
			return i + 1;
		}
	return 2;
}

/* Sets the options of the command that @words begin, and returns the number of its words. The word at the
 * cursor names no command yet. */
static int choose_tables(struct complete_line *line, int n_words, char **words)
{
	const struct compat_tool *tool = tools_find(n_words - 1, words);

	line->tables = options_tables;
	if (tool) {
		line->tables = tool->options;
		return tools_find(1, words) ? 1 : 2;
	}
	if (try_is_asked(n_words - 1, words))
		return choose_try_tables(line, n_words, words);
	if (compare_is_asked(n_words - 1, words))
		line->tables = compare_options;
	else if (self_test_is_asked(n_words - 1, words))
		line->tables = self_test_options;
	else if (audit_is_asked(n_words - 1, words))
		line->tables = audit_options;
	else
		return 1;
	return 2;
}

int complete_main(int argc, char **argv, const struct options_names *names)
{
	char **words = argv + 2;
	int n_words = 1 + drop_equal_signs(words + 1, argc - 3);
	struct complete_line line = {.names = names, .written = words[n_words - 1]};
	int n_command = choose_tables(&line, n_words, words);

	line.words = words + n_command;
	line.n_words = (size_t)(n_words - 1 - n_command);
	enum complete_more more = complete_option(&line, stdout);

	if (more == COMPLETE_WORDS && line.tables == options_tables)
		more = complete_words(&line, stdout);
	if (more == COMPLETE_WORDS && line.tables == try_options)
		more = complete_try(&line, stdout);
	if (more == COMPLETE_WORDS && line.tables == compare_options)
		more = COMPLETE_FILES;
	if (fflush(stdout) != 0)
		return EXIT_FAILURE;
	return more == COMPLETE_FILES ? EXIT_FILES : EXIT_SUCCESS;
}
