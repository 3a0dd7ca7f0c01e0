/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_asked.h - what front ends ask to be seen of a ring beyond its figures. Known by the session's own
 * files. */
#pragma once

#include <stdbool.h>

#include "src/model/session.h"

/* Of a ring whose number of members is known. Returns 0 or -ENOMEM. */
int session_asked_init(struct session_ring *ring, const struct config *config);
void session_asked_finish(struct session_ring *ring);

/* Does what the tick says of it lie within it? */
bool session_asked_fits(
	const struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick);
int session_asked_feed(struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick);
