/* SPDX-License-Identifier: GPL-2.0-or-later */
/* restore.h - the verb `restore`: puts back the settings that a trial has left which was killed. */
#pragma once

#include <stdbool.h>

bool restore_is_asked(int argc, char *const *argv);
int restore_main(int argc, char **argv); /* the exit status */
