/* SPDX-License-Identifier: GPL-2.0-or-later */
/* man_option.h - an option, as a man page in mdoc has it. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

/* ".It Fl m , -mechanisms Ar LIST". @letter: 0 where there is none; @argument: NULL where it takes none. */
static void write_man_option(
	char letter, const char *name, const char *argument, bool optional, char *line, size_t size)
{
	char short_one[8] = "";

	if (letter)
		snprintf(short_one, sizeof(short_one), "%c , ", letter);
	snprintf(line, size, ".It Fl %s-%s%s%s", short_one, name,
		!argument  ? ""
		: optional ? " Ns Op = Ns Ar "
			   : " Ar ",
		argument ? argument : "");
}
