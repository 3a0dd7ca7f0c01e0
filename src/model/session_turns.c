/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_turns.c - the turns of a session's rings. */
#include "src/model/session_turns.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/session.h"
#include "src/plan/plan.h"
#include "src/plan/plan_turns.h"

enum { TURN_WORDS = PLAN_RINGS_MAX / 64 };

/* It was not removed, has not failed, and is not done. A paused ring keeps its turn. */
static bool has_turn(const struct session_ring *ring)
{
	return !ring->ended_ns && ring->state != RING_FAILED && ring->state != RING_DONE;
}

/* No turn begins for paused rings alone. */
static bool is_paused(const struct session_ring *ring)
{
	return ring->state == RING_PAUSED && ring->condition == CONDITION_FINE;
}

/* Sets a bit for each turn that has a ring, or with @will_run one that is not paused. */
static void find_turns(const struct session *session, bool will_run, uint64_t has_rings[TURN_WORDS])
{
	memset(has_rings, 0, TURN_WORDS * sizeof(*has_rings));
	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];

		if (has_turn(ring) && !(will_run && is_paused(ring)) && ring->turn < PLAN_RINGS_MAX)
			has_rings[ring->turn / 64] |= UINT64_C(1) << ring->turn % 64;
	}
}

unsigned session_turn_number(const struct session *session, unsigned turn, unsigned *n)
{
	uint64_t has_rings[TURN_WORDS];
	unsigned number = 1;

	find_turns(session, false, has_rings);
	*n = 0;
	for (unsigned i = 0; i < session->n_turns && i < PLAN_RINGS_MAX; i++) {
		bool has_ring = has_rings[i / 64] >> i % 64 & 1;

		*n += has_ring;
		number += has_ring && i < turn;
	}
	return number < *n ? number : *n;
}

uint64_t session_round_ns(const struct session *session)
{
	unsigned n;

	session_turn_number(session, 0, &n);
	return n > 1 ? n * session->turn_ns : 0;
}

/* Rings that share no CPU with others of a turn take its CPUs; so does the ring in place of one that goes. */
static unsigned take_turns(const struct session *session, const struct config *config,
	const struct turn_change *changes, size_t n_changes, struct cpus *taken)
{
	unsigned first = UINT_MAX;

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];

		for (unsigned m = 0; m < ring->n_members && has_turn(ring); m++)
			cpus_add(&taken[ring->turn], ring->cpus[m]);
	}
	for (size_t i = 0; i < n_changes; i++) {
		const struct turn_change *change = &changes[i];
		bool frees = change->goes && has_turn(change->goes) && !config->side_by_side;

		for (unsigned m = 0; frees && m < change->goes->n_members; m++)
			cpus_remove(&taken[change->goes->turn], change->goes->cpus[m]);
		if (!change->comes)
			continue;
		unsigned turn = plan_turns_take(change->comes, taken, config->side_by_side);

		first = first == UINT_MAX ? turn : first;
	}
	return first;
}

static uint64_t longest_interval_ns(
	const struct session *session, const struct turn_change *changes, size_t n_changes)
{
	uint64_t longest_ns = 0;
	size_t at = 0;

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];
		bool goes = at < n_changes && changes[at].goes == ring;

		at += goes;
		if (!goes && has_turn(ring) && ring->interval_ns > longest_ns)
			longest_ns = ring->interval_ns;
	}
	for (size_t i = 0; i < n_changes; i++)
		if (changes[i].comes && changes[i].comes->interval_ns > longest_ns)
			longest_ns = changes[i].comes->interval_ns;
	return longest_ns;
}

int session_turns_foresee(const struct session *session, const struct plan *plan, const struct config *config,
	const struct turn_change *changes, size_t n_changes, struct turns_foreseen *foreseen)
{
	size_t size = session->n_turns + n_changes + 1;
	struct cpus *taken = calloc(size, sizeof(*taken));

	if (!taken)
		return -ENOMEM;
	unsigned first = take_turns(session, config, changes, n_changes, taken);

	*foreseen = (struct turns_foreseen){.first = 1};
	session_turn_number(session, 0, &foreseen->n_before);
	for (size_t i = 0; i < size; i++) {
		foreseen->n += cpus_count(&taken[i]) > 0;
		foreseen->first += cpus_count(&taken[i]) > 0 && i < first;
	}
	foreseen->turn_ns =
		plan_turns_slice_ns(plan, config, longest_interval_ns(session, changes, n_changes));
	free(taken);
	return 0;
}

/* A ring of the current turn that waits has already been paused: its turn comes after all others. */
static uint64_t turn_in_ns(const struct session *session, const struct session_ring *ring)
{
	uint64_t has_rings[TURN_WORDS], ahead = 1, since_ns = session->turn_since_ns;
	uint64_t now_ns = session_position_ns(session), gone_ns = now_ns > since_ns ? now_ns - since_ns : 0;

	find_turns(session, true, has_rings);
	for (unsigned i = 1; i < session->n_turns; i++) {
		unsigned turn = (session->turn + i) % session->n_turns;

		if (turn == ring->turn)
			break;
		ahead += has_rings[turn / 64] >> turn % 64 & 1;
	}
	uint64_t wait_ns = ahead * session->turn_ns;

	return wait_ns > gone_ns ? wait_ns - gone_ns : 0;
}

const char *session_turn_in_text(
	const struct session *session, const struct session_ring *ring, char text[SESSION_TURN_IN_SIZE])
{
	if (session->turn_held || ring->trouble == CONDITION_STOPPED) {
		snprintf(text, SESSION_TURN_IN_SIZE, "%s",
			ring_condition_name(session->turn_held ? CONDITION_WAITING : ring->trouble));
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
