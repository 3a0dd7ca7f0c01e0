/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compat_man_test.c - the man pages of the compat tools and their tables of options name the same.
 *
 * Usage: compat_man_test FOLDER */
#include <stdlib.h>
#include <string.h>

#include "src/compat/compat.h"
#include "src/compat/tools.h"
#include "tests/man_option.h"
#include "tests/read_file.h"
#include "tests/unit/tap.h"

static const char *folder;

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
		char path[512];

		snprintf(path, sizeof(path), "%s/%s.1", folder, (*tool)->name);
		char *page = read_file(path);

		if (tells_of(page, wanted))
			return page;
		free(page);
	}
	return NULL;
}

static bool is_listed(const char *page, const char *option)
{
	char line[132];

	snprintf(line, sizeof(line), "\n%s\n", option);
	const char *at = strstr(page, line);

	return at && !strstr(at + 1, line);
}

static void each_option_of_each_tool_is_in_its_page_once(void)
{
	for (const struct compat_tool *const *tool = compat_tools; *tool; tool++) {
		char *page = read_page((*tool)->name), option[128];

		CHECK(page, "%s has no page", (*tool)->name);
		const struct option_row *row;

		for (size_t i = 0; page && (row = option_at((*tool)->options, i)); i++) {
			write_man_option(
				row->letter, row->name, row->argument, row->optional, option, sizeof(option));
			CHECK(is_listed(page, option), "%s lacks '%s'", (*tool)->name, option);
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
