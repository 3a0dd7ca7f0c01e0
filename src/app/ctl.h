/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ctl.h - the verb `ctl`: sends a command to the control socket of a run. */
#pragma once

#include <stdbool.h>

bool ctl_is_asked(int argc, char *const *argv);
/* Prints replies and errors. Returns the exit status. */
int ctl_main(int argc, char **argv);
