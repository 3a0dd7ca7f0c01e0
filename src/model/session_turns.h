/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_turns.h - the turns of a session's rings. Pure. */
#pragma once

#include <stdint.h>

struct session;
struct session_ring;

/* Counts the turns that have a ring: where all were removed, a turn is skipped. Returns the place of @turn
 * among them, from 1 on: of one without a ring that of the next, or else of the last; 0 if there is none. */
unsigned session_turn_place(const struct session *session, unsigned turn, unsigned *n);

/* Returns the length of these turns together; 0 if there is only one. */
uint64_t session_round_ns(const struct session *session);

/* Writes how long a ring has to wait for its turn, as of the last tick: "in 1.4s", "in 12s", "in 20m", "in
 * 3h"; "waiting" while another turn is held. Returns @text. */
enum { SESSION_TURN_IN_SIZE = 16 };
const char *session_turn_in_text(
	const struct session *session, const struct session_ring *ring, char text[SESSION_TURN_IN_SIZE]);
