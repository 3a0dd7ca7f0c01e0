/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_print.h - prints a plan: --plan. */
#pragma once

#include <stdio.h>

struct plan;
struct topology;

void plan_print(const struct plan *plan, const struct topology *topology, FILE *out);
