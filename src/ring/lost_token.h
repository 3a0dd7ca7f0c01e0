/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lost_token.h - tokens on channels that may lose them. */
#pragma once

#include "src/ring/arena.h"

/* A token that is away for so long is lost; how often that is checked. */
enum { LOST_TOKEN_NS = 1000000000, LOST_TOKEN_CHECK_NS = 100000000 };

/* Wakes an origin that has waited for LOST_TOKEN_NS, which then declares its token lost. A deadline in its
 * receive would arm a timer within the measured window. */
void lost_token_wake(const struct arena *arena, const struct ring_slot *ring, uint64_t now_ns);
