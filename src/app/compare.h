/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare.h - "ipctop compare A B". */
#pragma once

#include <stdbool.h>

struct option_row;

extern const struct option_row *const compare_options[]; /* ended by NULL */

bool compare_is_asked(int argc, char *const *argv);
/* Returns the exit status: 0, EXIT_FAILURE after a sentence, or 2 if anything became worse. */
int compare_main(int argc, char **argv);
