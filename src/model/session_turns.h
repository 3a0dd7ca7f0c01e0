/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_turns.h - the turns of a session's rings. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct config;
struct plan;
struct plan_ring;
struct session;
struct session_ring;

/* Counts the turns that have a ring; others are skipped. Returns the number of @turn among them, from 1 on:
 * of one without a ring that of the next, or else of the last; 0 if there is none. */
unsigned session_turn_number(const struct session *session, unsigned turn, unsigned *n);

/* Returns the length of these turns together; 0 if there is only one. */
uint64_t session_round_ns(const struct session *session);

/* A ring that comes, one of the session's that goes, or one in place of the other. */
struct turn_change {
	const struct plan_ring *comes;   /* NULL: none */
	const struct session_ring *goes; /* NULL: none */
};

struct turns_foreseen {
	unsigned n_before, n; /* turns with rings, without and with the changes */
	unsigned first;       /* that of the first ring that comes, from 1 on */
	uint64_t turn_ns;     /* how long each turn is then; the session has how long it is now */
};

/* Finds what changes mean for the turns, as the engine will. @plan, @config: of the run. @changes: rings that
 * go are in the order of the session. Returns 0 or -ENOMEM. */
int session_turns_foresee(const struct session *session, const struct plan *plan, const struct config *config,
	const struct turn_change *changes, size_t n_changes, struct turns_foreseen *foreseen);

/* Writes how long a ring has to wait for its turn, as of the last tick: "in 1.4s", "in 12s", "in 20m", "in
 * 3h"; "waiting" while another turn is held; "stopped" if a member was in its last turn. Returns @text. */
enum { SESSION_TURN_IN_SIZE = 16 };
const char *session_turn_in_text(
	const struct session *session, const struct session_ring *ring, char text[SESSION_TURN_IN_SIZE]);
