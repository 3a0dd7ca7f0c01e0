/* SPDX-License-Identifier: GPL-2.0-or-later */
/* lost_token.h - tokens on channels that may lose them. */
#pragma once

#include "src/ring/arena.h"

/* A token that is away for so long is lost; how often that is looked at. */
enum { LOST_TOKEN_NS = 1000000000, LOST_TOKEN_CHECK_NS = 100000000 };

/* An origin that waits for a token which has been away for too long is woken, to find that out. A deadline
 * in its receive would arm a timer within the measured window. */
void lost_token_wake(const struct arena *arena, const struct ring_slot *ring, uint64_t now_ns);
