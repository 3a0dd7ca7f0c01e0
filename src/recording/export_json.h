/* SPDX-License-Identifier: GPL-2.0-or-later */
/* export_json.h - a recording as JSON objects, one a line. */
#pragma once

#include <stdio.h>

#include "src/base/error_text.h"

struct replay;

/* The "type" of a line is "header", "tick", "ring" (one for each ring in each tick), "event" or "damage".
 * Returns 0 or a negative errno with its reason; a reader that has closed its end is no error. */
int export_jsonl(FILE *out, struct replay *replay, struct error_text *reason);
