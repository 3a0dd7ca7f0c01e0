/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process_words.c - the name and the command line by which ps(1), pidof(1) and killall(1) find a process. */
#include "src/base/process_words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>

static const char own_name[] = "ipctop";

int process_words_init(struct process_words *words, const char *tool, int argc, char **argv)
{
	char *shown = argv[0];
	size_t size = (size_t)(argv[argc - 1] - shown) + strlen(argv[argc - 1]) + 1; /* side by side */
	char *copy = malloc(size), *slash = strrchr(shown, '/');

	if (!copy)
		return -ENOMEM;
	memcpy(copy, shown, size);
	for (int i = 0; i < argc; i++)
		argv[i] = copy + (argv[i] - shown);
	*words = (struct process_words){.tool = tool,
		.shown = shown,
		.size = size,
		.argc = argc,
		.argv = argv,
		.tool_word = strcmp(slash ? slash + 1 : shown, tool) ? 1 : 0,
		.copy = copy};
	process_words_show(words, true);
	return 0;
}

void process_words_finish(struct process_words *words)
{
	free(words->copy);
	*words = (struct process_words){0};
}

/* Writes @word, and after it those of argv from @rest on. Cuts what does not fit. */
static void show_words(const struct process_words *words, const char *word, int rest)
{
	char *at = words->shown, *end = at + words->size;

	memset(at, 0, words->size);
	while ((size_t)(end - at) > strlen(word)) {
		at = stpcpy(at, word) + 1;
		if (rest == words->argc)
			return;
		word = words->argv[rest++];
	}
}

void process_words_show(const struct process_words *words, bool as_tool)
{
	prctl(PR_SET_NAME, as_tool ? words->tool : own_name);
	if (as_tool)
		show_words(words, words->argv[words->tool_word], words->tool_word + 1);
	else
		show_words(words, words->tool_word ? words->argv[0] : own_name, 1);
}
