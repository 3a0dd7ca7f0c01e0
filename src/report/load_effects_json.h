/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_effects_json.h - what each load did to each ring, as JSON: the document's "load_effects". */
#pragma once

#include <stdio.h>

struct session;

/* Prints the member, an array of rings, after a comma; nothing if there was no load. Returns 0 or -ENOMEM. */
int load_effects_json_print(FILE *out, const struct session *session);
