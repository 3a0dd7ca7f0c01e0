/* SPDX-License-Identifier: GPL-2.0-or-later */
/* complete.h - "ipctop complete COMMAND WORD...": what the last word may become, for shells. */
#pragma once

#include <stdbool.h>

struct options_names;

bool complete_is_asked(int argc, char *const *argv);
/* Prints the words. Returns the exit status: 0, or 3 if the shell should offer names of files. */
int complete_main(int argc, char **argv, const struct options_names *names);
