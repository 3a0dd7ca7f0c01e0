/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complete.c - completes command lines of ipctop and of its compat tools. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/app/verb.h"
#include "src/compat/compat.h"
#include "src/compat/tools.h"
#include "src/options/complete.h"
#include "src/options/option.h"
#include "src/options/options.h"

enum { EXIT_FILES = 3 };

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

/* Returns the number of words up to the options of the run, after "--"; 0: the cursor is not among these. */
static int find_run(int n_words, char **words)
{
	for (int i = 2; i < n_words - 1; i++)
		if (strcmp(words[i], "--") == 0)
			return i + 1;
	return 0;
}

/* Sets the options of the command that @words begin, and @verb if its words are completed. Returns the number
 * of the command's words. The word at the cursor names no command yet. */
static int choose_tables(struct complete_line *line, int n_words, char **words, const struct verb **verb)
{
	static const struct option_row *const none[] = {NULL};
	const struct compat_tool *tool = tools_find(n_words - 1, words);

	line->tables = options_tables;
	if (tool) {
		line->tables = tool->options;
		return tools_find(1, words) ? 1 : 2;
	}
	const struct verb *found = verb_find(n_words - 1, words);
	int n_run = found && found->has_run ? find_run(n_words, words) : 0;

	if (!found || n_run)
		return found ? n_run : 1;
	*verb = found;
	line->tables = found->options ? found->options : none;
	return 2;
}

/* "ipctop complete COMMAND WORD...": prints what the last word may become. Returns the exit status: 0, or
 * EXIT_FILES if the shell should offer names of files. */
static int complete_main(int argc, char **argv, const struct options_names *names)
{
	struct error_text reason;

	if (argc <= 3) {
		error_text_set(&reason, -EINVAL, "complete: takes a command and its words");
		return verb_complain(&reason);
	}
	char **words = argv + 2;
	int n_words = 1 + drop_equal_signs(words + 1, argc - 3);
	struct complete_line line = {.names = names, .written = words[n_words - 1]};
	const struct verb *verb = NULL;
	int n_command = choose_tables(&line, n_words, words, &verb);

	line.words = words + n_command;
	line.n_words = (size_t)(n_words - 1 - n_command);
	enum complete_more more = complete_option(&line, stdout);

	if (more == COMPLETE_WORDS && verb)
		more = verb->complete ? verb->complete(&line, stdout) : COMPLETE_NOTHING;
	else if (more == COMPLETE_WORDS && line.tables == options_tables)
		more = options_complete_words(&line, stdout);
	if (fflush(stdout) != 0)
		return EXIT_FAILURE;
	return more == COMPLETE_FILES ? EXIT_FILES : EXIT_SUCCESS;
}

const struct verb verb_complete = {
	.name = "complete",
	.main = complete_main,
};
