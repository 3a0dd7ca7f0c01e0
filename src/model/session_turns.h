/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_turns.h - whose turn it is in a session, and when a ring's comes. Pure. */
#pragma once

#include <stdint.h>

struct session;
struct session_ring;

/* How long all turns last, one after the other; 0 where there is one alone. */
uint64_t session_round_ns(const struct session *session);

/* How long a ring that waits for its turn has to wait, as of the last tick. */
uint64_t session_turn_in_ns(const struct session *session, const struct session_ring *ring);
/* The same as people read it: "in 1.4s", "in 12s", "in 20m", "in 3h". Returns @text. */
enum { SESSION_TURN_IN_SIZE = 16 };
const char *session_turn_in_text(
	const struct session *session, const struct session_ring *ring, char text[SESSION_TURN_IN_SIZE]);
