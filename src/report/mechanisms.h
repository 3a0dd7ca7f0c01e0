/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mechanisms.h - `ipctop list`: the mechanisms, and for each whether it can run here; and the loads. */
#pragma once

#include <stdio.h>

#include "src/probe/probe.h"

/* Prints a line for each mechanism; opens and closes a hop to find out. */
void mechanisms_list(const struct probe *const *registry, FILE *out);
/* Prints a line for each kind of load. */
void loads_list(FILE *out);
