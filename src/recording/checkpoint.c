/* SPDX-License-Identifier: GPL-2.0-or-later */
/* checkpoint.c - a session as bytes, so that a recording need not be read from its start. */
#include "src/recording/checkpoint.h"

#include <errno.h>
#include <stdlib.h>

#include "src/model/session.h"
#include "src/model/session_events.h"
#include "src/model/session_group.h"
#include "src/model/session_place.h"
#include "src/recording/checkpoint_phase.h"
#include "src/recording/hist_codec.h"
#include "src/recording/tick_codec.h"

static void ring_encode(struct bytes *bytes, const struct session_ring *ring)
{
	bytes_uint(bytes, ring->state);
	bytes_uint(bytes, ring->condition);
	bytes_text(bytes, ring->reason);
	bytes_uint(bytes, ring->observed);
	bytes_uint(bytes, ring->active_ns);
	bytes_uint(bytes, ring->age_ns);
	bytes_uint(bytes, ring->laps);
	bytes_uint(bytes, ring->warmup_laps);
	bytes_uint(bytes, ring->missed);
	bytes_uint(bytes, ring->rested);
	bytes_uint(bytes, ring->away);
	bytes_uint(bytes, ring->trouble);
	bytes_uint(bytes, ring->wait_ns);
	for (unsigned i = 0; i < ring->n_members; i++)
		member_encode(bytes, &ring->members[i]);
	bytes_uint(bytes, ring->locality);
	for (int i = 0; i < N_FIGURES; i++) {
		bytes_uint(bytes, ring->figures[i].last_ns);
		hist_encode(bytes, &ring->figures[i].hist);
	}
}

static int ring_decode(struct scan *scan, struct session_ring *ring)
{
	ring->state = (enum ring_state)scan_below(scan, RING_GONE + 1);
	ring->condition = (enum ring_condition)scan_below(scan, N_CONDITIONS);
	free(ring->reason);
	ring->reason = scan_text(scan);
	ring->observed = scan_uint(scan);
	ring->active_ns = scan_uint(scan);
	ring->age_ns = scan_uint(scan);
	ring->laps = scan_uint(scan);
	ring->warmup_laps = scan_uint(scan);
	ring->missed = scan_uint(scan);
	ring->rested = scan_uint(scan);
	ring->away = scan_uint(scan);
	ring->trouble = (enum ring_condition)scan_below(scan, N_CONDITIONS);
	ring->wait_ns = scan_uint(scan);
	for (unsigned i = 0; i < ring->n_members; i++)
		member_decode(scan, &ring->members[i]);
	enum locality locality = (enum locality)scan_below(scan, N_LOCALITIES + 1);

	for (int i = 0; i < N_FIGURES; i++) {
		ring->figures[i].last_ns = scan_uint(scan);
		int r = hist_decode(scan, &ring->figures[i].hist);

		if (r < 0)
			return r;
	}
	return scan->bad ? -EINVAL : session_place_update(ring, locality);
}

static int read_event(struct scan *scan, struct session *session)
{
	struct event event;

	event_decode(scan, session->n_rings, &event);
	int r = scan->bad ? -EINVAL : session_event(session, &event);

	event_finish(&event);
	return r;
}

/* Empty hops, as those of pairs are, take two bytes. */
static void hops_encode(struct bytes *bytes, const struct session_ring *ring)
{
	for (unsigned h = 0; h < ring->n_members; h++) {
		const struct session_hop *hop = &ring->hops[h];

		bytes_int(bytes, hop->node);
		bytes_uint(bytes, hop->hist.n ? 1 : 0);
		if (!hop->hist.n)
			continue;
		bytes_uint(bytes, hop->last_ns);
		hist_encode(bytes, &hop->hist);
	}
}

static int hops_decode(struct scan *scan, struct session_ring *ring)
{
	int r = 0;

	for (unsigned h = 0; h < ring->n_members && r == 0; h++) {
		struct session_hop *hop = &ring->hops[h];

		hop->node = scan_int32(scan);
		if (!scan_below(scan, 2))
			continue;
		hop->last_ns = scan_uint(scan);
		r = hist_decode(scan, &hop->hist);
	}
	return r == 0 && scan->bad ? -EINVAL : r;
}

void checkpoint_encode(const struct session *session, struct bytes *bytes, size_t phases_max)
{
	bytes_uint(bytes, session->start_ns);
	bytes_uint(bytes, session->now_ns);
	bytes_uint(bytes, session->n_ticks);
	bytes_text(bytes, session->loadavg);
	bytes_double(bytes, session->own_cpu);
	bytes_uint(bytes, session->turn);
	bytes_uint(bytes, session->turn_since_ns);
	bytes_uint(bytes, session->n_rings);
	for (size_t i = 0; i < session->n_rings; i++)
		ring_encode(bytes, &session->rings[i]);
	bytes_uint(bytes, session->events_dropped);
	bytes_uint(bytes, session->n_events);
	for (size_t i = 0; i < session->n_events; i++)
		event_encode(bytes, &session->events[i]);
	checkpoint_phases_encode(session, bytes, phases_max);
	for (size_t i = 0; i < session->n_rings; i++)
		for (int f = 0; f < N_TOKEN_FAULTS; f++)
			bytes_uint(bytes, session->rings[i].faults[f]);
	for (size_t i = 0; i < session->n_rings; i++)
		hops_encode(bytes, &session->rings[i]);
}

static void faults_decode(struct scan *scan, struct session *session)
{
	for (size_t i = 0; i < session->n_rings; i++)
		for (int f = 0; f < N_TOKEN_FAULTS; f++)
			session->rings[i].faults[f] = scan_uint(scan);
}

int checkpoint_decode(struct session *session, struct scan *scan)
{
	int r = 0;

	session->start_ns = scan_uint(scan);
	session->now_ns = scan_uint(scan);
	session->n_ticks = scan_uint(scan);
	scan_text_into(scan, session->loadavg, sizeof(session->loadavg));
	session->own_cpu = scan_double(scan);
	session->turn = (unsigned)scan_below(scan, session->n_turns ? session->n_turns : 1);
	session->turn_since_ns = scan_uint(scan);
	if (scan_uint(scan) != session->n_rings)
		return -EINVAL;
	for (size_t i = 0; i < session->n_rings && r == 0; i++)
		r = ring_decode(scan, &session->rings[i]);
	if (r == 0)
		r = session_groups_sum(session);
	uint64_t dropped = scan_uint(scan);
	uint64_t n = scan_below(scan, SESSION_EVENTS_MAX + 1);

	for (uint64_t i = 0; i < n && r == 0; i++)
		r = read_event(scan, session);
	session->events_dropped = dropped;
	if (r < 0 || scan->bad)
		return r < 0 ? r : -EINVAL;
	r = checkpoint_phases_decode(session, scan);
	if (r == 0)
		faults_decode(scan, session);
	for (size_t i = 0; i < session->n_rings && r == 0; i++)
		r = hops_decode(scan, &session->rings[i]);
	return r == 0 && scan->bad ? -EINVAL : r;
}
