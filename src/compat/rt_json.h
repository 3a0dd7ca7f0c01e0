/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rt_json.h - rt-tests' JSON, to the space: one key a line, and two keys with a colon too many that their
 * readers know. */
#pragma once

#include <stdio.h>

#include "src/compat/compat.h"

struct session;

/* Writes the results of one run to settings.json. @print_thread prints what stands between the braces of
 * thread @i, each line indented by six spaces. Returns 0 or a negative errno with its sentence. */
int compat_rt_json_write(const struct compat *compat, const struct session *session, int return_code,
	void (*print_thread)(FILE *out, const struct session *session, size_t i, const struct compat *compat),
	size_t n_threads, struct error_text *reason);
