/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compat_man_test.c - the man pages of the front ends and their tables of options name the same.
 *
 * Usage: compat_man_test FOLDER */
#include <stdlib.h>
#include <string.h>

#include "src/compat/options.h"
#include "tests/unit/tap.h"

static const char *folder;

static char *read_file(const char *tool)
{
	char path[512], *text = NULL;
	size_t size = 0;

	snprintf(path, sizeof(path), "%s/%s.1", folder, tool);
	FILE *file = fopen(path, "re");
	ssize_t length = file ? getdelim(&text, &size, '\0', file) : -1;

	if (file)
		fclose(file);
	return length > 0 ? text : NULL;
}

static bool tells_of(const char *page, const char *tool)
{
	char line[64];

	snprintf(line, sizeof(line), "\n.Nm ipctop %s\n", tool);
	return page && strstr(page, line);
}

/* The page that tells of a tool, be it another's; NULL: there is none. */
static char *read_page(const char *wanted)
{
	for (const struct compat_tool *const *tool = compat_tools; *tool; tool++) {
		char *page = read_file((*tool)->name);

		if (tells_of(page, wanted))
			return page;
		free(page);
	}
	return NULL;
}

static void write_option(const struct compat_option *row, char *line, size_t size)
{
	char letter[8] = "";

	if (row->letter)
		snprintf(letter, sizeof(letter), "%c , ", row->letter);
	snprintf(line, size, "\n.It Fl %s-%s%s%s\n", letter, row->name,
		!row->argument  ? ""
		: row->optional ? " Ns Op = Ns Ar "
				: " Ar ",
		row->argument ? row->argument : "");
}

static bool is_listed(const char *page, const char *line)
{
	const char *at = strstr(page, line);

	return at && !strstr(at + 1, line);
}

static void each_option_of_each_tool_is_in_its_page_once(void)
{
	for (const struct compat_tool *const *tool = compat_tools; *tool; tool++) {
		char *page = read_page((*tool)->name), line[128];

		CHECK(page, "%s has no page", (*tool)->name);
		for (size_t t = 0; page && t < COMPAT_TABLES_MAX && (*tool)->options[t]; t++)
			for (const struct compat_option *row = (*tool)->options[t]; row->name; row++) {
				write_option(row, line, sizeof(line));
				CHECK(is_listed(page, line), "%s lacks '%s'", (*tool)->name, line);
			}
		free(page);
	}
}

int main(int argc, char **argv)
{
	folder = argc > 1 ? argv[1] : "man";
	TEST(each_option_of_each_tool_is_in_its_page_once);
	return tap_done();
}
