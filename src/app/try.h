/* SPDX-License-Identifier: GPL-2.0-or-later */
/* try.h - the verb `try`: turns a knob of this machine back and forth, and tells what it does. */
#pragma once

#include <stdbool.h>

struct option_row;
struct options_names;

extern const struct option_row *const try_options[]; /* tables, ended by NULL */

bool try_is_asked(int argc, char *const *argv);
int try_main(int argc, char **argv, const struct options_names *names); /* the exit status */
