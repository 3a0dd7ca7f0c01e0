/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pairs_print.h - what the tools of pairs print; for pairs.c alone. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "src/compat/compat.h"
#include "src/compat/live.h"

struct session;

/* Two lines for each pair: all first lines, then all second ones. Returns false where nobody reads it. */
bool compat_pairs_show(
	struct compat_live *live, const struct compat *compat, const struct session *session, bool last);

/* Thread @i of the tools' JSON. */
void compat_pairs_print_json(FILE *out, const struct session *session, size_t i, const struct compat *compat);

/* One line on stderr where the response of a pair grew to more than twice what the tools call its latency, or
 * the other way round; of the worst one. */
void compat_pairs_compare(const struct session *session);
