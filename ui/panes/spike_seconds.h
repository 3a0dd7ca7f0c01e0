/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike_seconds.h - the seconds in which a spike ended whose cause is named, or was found under way. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/model/second_stats.h"

struct session;

/* Notes in which of the last seconds a spike of a row ended whose cause is named, by seconds before the
 * newest one. @passes: of the rings of a group only these; NULL: all. */
void spike_seconds(const struct session *session, size_t row, const bool *passes, bool seconds[SECONDS_KEPT]);
enum { SPIKE_MARK = '*' };
