/* SPDX-License-Identifier: GPL-2.0-or-later */
/* process_words.h - the name and the command line by which ps(1), pidof(1) and killall(1) find a process:
 * those of the tool that ipctop is called as, or ipctop's. Forks inherit them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct process_words {
	const char *tool;
	char *shown; /* the command line as the kernel reads it */
	size_t size;
	int argc;
	char **argv;   /* points into the copy */
	int tool_word; /* 0: argv[0] is the tool's name; 1: it is ipctop's */
	char *copy;    /* owned */
};

/* Copies the words that main() got, lets argv point to the copies, and shows them as the tool's. Returns 0 or
 * -ENOMEM. */
int process_words_init(struct process_words *words, const char *tool, int argc, char **argv);
void process_words_finish(struct process_words *words);

/* Sets name and command line of the process whose first thread calls it. */
void process_words_show(const struct process_words *words, bool as_tool);
