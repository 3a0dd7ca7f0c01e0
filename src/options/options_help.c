/* SPDX-License-Identifier: GPL-2.0-or-later */
/* options_help.c - what --help prints, from the table. */
#include <string.h>

#include "src/options/options.h"
#include "src/options/options_table.h"
#include "src/probe/probe.h"

/* The column in which help begins; its further lines are indented to it. */
enum { HELP_COLUMN = 26 };

static void print_row(FILE *out, const struct option_row *row)
{
	char argument[24] = "", letter[5] = "";

	if (row->letter)
		snprintf(letter, sizeof(letter), "-%c, ", row->letter);
	if (row->argument)
		snprintf(argument, sizeof(argument), row->optional ? "[=%s]" : " %s", row->argument);
	int width = fprintf(out, "  %4s--%s%s", letter, row->name, argument);
	const char *line = row->help;

	for (; line; width = 0) {
		int length = (int)strcspn(line, "\n");

		fprintf(out, "%*s%.*s\n", HELP_COLUMN - width, "", length, line);
		line = line[length] ? line + length + 1 : NULL;
	}
}

void options_help(FILE *out, const struct options_names *names)
{
	const char *name, *purpose;

	fputs("Usage: ipctop [OPTION...]       measure, and show live\n"
	      "       ipctop [OPTION...] list  the mechanisms, and whether each can run here\n"
	      "       ipctop TOOL [OPTION...]  as another tool, with its options and output\n"
	      "\nMeasures what it costs to hand a token from one thread or process to the next.\n",
		out);
	for (enum option_group group = 0; group < N_OPTION_GROUPS; group++) {
		fprintf(out, "\n%s:\n", options_groups[group]);
		for (const struct option_row *row = options_table; row->name; row++)
			if (row->group == group)
				print_row(out, row);
	}
	fputs("\nTools:\n", out);
	for (unsigned i = 0; (name = names->tool(i, &purpose)); i++)
		fprintf(out, "  %-*s%s\n", HELP_COLUMN - 2, name, purpose);
	fputs("\nMechanisms:\n", out);
	for (const struct probe *const *probe = names->mechanisms; *probe; probe++)
		fprintf(out, "  %-*s%s\n", HELP_COLUMN - 2, (*probe)->name, (*probe)->title);
}
