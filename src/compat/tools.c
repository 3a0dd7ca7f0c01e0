/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tools.c - finds the compat tool that is called. */
#include "src/compat/tools.h"

#include <string.h>

#include "src/compat/compat.h"

const char *tools_name(unsigned i, const char **purpose)
{
	const struct compat_tool *tool = compat_tools[i];

	*purpose = tool ? tool->function : NULL;
	return tool ? tool->name : NULL;
}

void tools_list(FILE *out)
{
	for (const struct compat_tool *const *tool = compat_tools; *tool; tool++)
		fprintf(out, "ipctop %-11s  %s\n", (*tool)->name, (*tool)->function);
}

static const struct compat_tool *find_name(const char *name)
{
	const char *slash = strrchr(name, '/');

	for (const struct compat_tool *const *tool = compat_tools; *tool; tool++)
		if (!strcmp((*tool)->name, slash ? slash + 1 : name))
			return *tool;
	return NULL;
}

const struct compat_tool *tools_find(int argc, char *const *argv)
{
	const struct compat_tool *tool = argc > 0 ? find_name(argv[0]) : NULL;

	return tool || argc < 2 || strchr(argv[1], '/') ? tool : find_name(argv[1]);
}
