/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list.h - `ipctop list`: the mechanisms, and whether each can run here. */
#pragma once

#include <stdio.h>

#include "src/probe/probe.h"

/* Makes a hop of each, and undoes it. Returns how many can run. */
size_t list_mechanisms(const struct probe *const *registry, FILE *out);
