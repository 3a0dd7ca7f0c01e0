/* SPDX-License-Identifier: GPL-2.0-or-later */
/* comparison_json.h - a comparison as one JSON object. */
#pragma once

#include <stdio.h>

struct comparison;

/* Returns 0 or -ENOMEM; errors of writing stay with @out. */
int comparison_json_print(FILE *out, const struct comparison *comparison);
