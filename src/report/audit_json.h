/* SPDX-License-Identifier: GPL-2.0-or-later */
/* audit_json.h - the knobs of a machine as one JSON object. */
#pragma once

#include <stdio.h>

struct advice_list;
struct advice_site;

/* Returns 0 or -ENOMEM; errors of writing stay with @out. */
int audit_json_print(FILE *out, const struct advice_list *advice, const struct advice_site *site);
