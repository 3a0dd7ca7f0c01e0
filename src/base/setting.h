/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setting.h - an option as a line of the configuration file: its word and its value. */
#pragma once

#include <stdbool.h>

enum { SETTING_SIZE = 160 };

struct setting {
	const char *word;
	char value[SETTING_SIZE];
	bool is_usual; /* the default: a file without the word needs no line for it */
	bool is_flag;  /* a word without a value, which is on where the file has it */
};
