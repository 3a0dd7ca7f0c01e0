/* SPDX-License-Identifier: GPL-2.0-or-later */
/* audit.h - the verb `audit`: which settings of this machine cost latency. */
#pragma once

#include <stdbool.h>

struct option_row;

extern const struct option_row *const audit_options[];

bool audit_is_asked(int argc, char *const *argv);
/* Returns the exit status. */
int audit_main(int argc, char **argv);
