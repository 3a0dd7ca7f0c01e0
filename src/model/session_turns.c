/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_turns.c - the turns of a session's rings. */
#include "src/model/session_turns.h"

#include <stdio.h>

#include "src/model/session.h"
#include "src/plan/plan.h"

enum { TURN_WORDS = PLAN_RINGS_MAX / 64 };

/* As bits: the turns with a ring that can still run. Other turns are skipped. */
static void find_turns_with_work(const struct session *session, uint64_t works[TURN_WORDS])
{
	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];

		if (!ring_state_has_ended(ring->state) && ring->turn < PLAN_RINGS_MAX)
			works[ring->turn / 64] |= UINT64_C(1) << ring->turn % 64;
	}
}

unsigned session_turn_place(const struct session *session, unsigned turn, unsigned *n)
{
	uint64_t has_rings[TURN_WORDS] = {0};
	unsigned place = 1;

	for (size_t i = 0; i < session->n_rings; i++)
		if (!session->rings[i].ended_ns && session->rings[i].turn < PLAN_RINGS_MAX)
			has_rings[session->rings[i].turn / 64] |= UINT64_C(1) << session->rings[i].turn % 64;
	*n = 0;
	for (unsigned i = 0; i < session->n_turns && i < PLAN_RINGS_MAX; i++) {
		bool has_ring = has_rings[i / 64] >> i % 64 & 1;

		*n += has_ring;
		place += has_ring && i < turn;
	}
	return place < *n ? place : *n;
}

uint64_t session_round_ns(const struct session *session)
{
	unsigned n;

	session_turn_place(session, 0, &n);
	return n > 1 ? n * session->turn_ns : 0;
}

/* A ring of the current turn that waits has already been paused: its turn comes after all others. */
static uint64_t turn_in_ns(const struct session *session, const struct session_ring *ring)
{
	uint64_t works[TURN_WORDS] = {0}, ahead = 1, since_ns = session->turn_since_ns;
	uint64_t now_ns = session_position_ns(session), gone_ns = now_ns > since_ns ? now_ns - since_ns : 0;

	find_turns_with_work(session, works);
	for (unsigned i = 1; i < session->n_turns; i++) {
		unsigned turn = (session->turn + i) % session->n_turns;

		if (turn == ring->turn)
			break;
		ahead += works[turn / 64] >> turn % 64 & 1;
	}
	uint64_t wait_ns = ahead * session->turn_ns;

	return wait_ns > gone_ns ? wait_ns - gone_ns : 0;
}

const char *session_turn_in_text(
	const struct session *session, const struct session_ring *ring, char text[SESSION_TURN_IN_SIZE])
{
	if (session->turn_held) {
		snprintf(text, SESSION_TURN_IN_SIZE, "%s", ring_condition_name(CONDITION_WAITING));
		return text;
	}
	uint64_t tenths = turn_in_ns(session, ring) / 100000000, s = tenths / 10;

	if (s < 10)
		snprintf(text, SESSION_TURN_IN_SIZE, "in %u.%us", (unsigned)s, (unsigned)(tenths % 10));
	else if (s < 1000)
		snprintf(text, SESSION_TURN_IN_SIZE, "in %us", (unsigned)s);
	else if (s < 6000)
		snprintf(text, SESSION_TURN_IN_SIZE, "in %um", (unsigned)(s / 60));
	else
		snprintf(text, SESSION_TURN_IN_SIZE, "in %uh",
			(unsigned)(s / 3600 < 99999 ? s / 3600 : 99999));
	return text;
}
