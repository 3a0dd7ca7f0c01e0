/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_hops.h - what is known of each hop of a ring. Known by the session's own files, and by those that
 * write and read sessions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/model/session.h"

/* Of a ring whose number of members is known. Returns 0 or -ENOMEM. */
int session_hops_init(struct session_ring *ring);
void session_hops_finish(struct session_ring *ring);

/* Does what the tick says of the ring's hops lie within it? */
bool session_hops_fit(const struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick);
int session_hops_feed(struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick);

/* Do @n things from @first on lie within @all? */
static inline bool session_part_of(size_t first, size_t n, size_t all)
{
	return first <= all && n <= all - first;
}
