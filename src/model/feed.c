/* SPDX-License-Identifier: GPL-2.0-or-later */
/* feed.c - the items that feed a session. */
#include "src/model/feed.h"

#include "src/model/matrix.h"
#include "src/model/session_events.h"

/* Returns the phase in which a spike ended, or was seen while it was under way; NULL: it is dropped. */
static struct phase *phase_of_spike(const struct phases *phases, const struct spike *spike)
{
	size_t i = phases->n;

	while (i > 0 && phases->list[i - 1].start_ns > spike_end_ns(spike))
		i--;
	return i ? &phases->list[i - 1] : NULL;
}

/* A report that came while the spike was under way may be in an earlier phase: this one replaces it. */
static int add_spike(struct session *session, const struct spike_report *report)
{
	const struct kept_spike *before = spikes_find(&session->spikes, &report->spike);
	struct phase *phase = phase_of_spike(&session->phases, &report->spike),
		     *had = before ? phase_of_spike(&session->phases, &before->spike) : NULL;

	int r = spikes_add(
		&session->spikes, report, phase ? &phase->blames : NULL, had ? &had->blames : NULL);
	const struct kept_spike *added = r == 0 ? spikes_find(&session->spikes, &report->spike) : NULL;

	if (added && explanation_cause(added->explanation))
		r = second_stats_mark(&session->seconds, report->spike.ring, spike_end_ns(&report->spike));
	return r;
}

int feed_session(struct session *session, const struct feed_item *item, pthread_mutex_t *lock)
{
	int r = 0;

	if (item->kind >= FEED_START && item->kind != FEED_TRIAL && item->kind != FEED_HUNT)
		return 0;
	if (lock)
		pthread_mutex_lock(lock);
	if (item->kind == FEED_TICK)
		r = session_feed(session, item->tick);
	else if (item->kind == FEED_MACHINE)
		r = session_machine(session, item->machine, item->at_ns);
	else if (item->kind == FEED_RING)
		r = session_add_ring(session, item->ring);
	else if (item->kind == FEED_RING_END)
		r = session_end_ring(session, item->ring->id);
	else if (item->kind == FEED_SPIKE)
		r = add_spike(session, item->spike);
	else if (item->kind == FEED_SWEEP)
		r = matrix_feed(session->matrix, item->sweep->results, item->sweep->n, item->sweep->n_rounds);
	else if (item->kind == FEED_TRIAL)
		session->trial = *item->trial;
	else if (item->kind == FEED_HUNT)
		session->hunt = *item->hunt;
	else if (item->event->kind == EVENT_PHASE)
		r = session_phases_begin(session, item->event->text, item->event->at_ns);
	else
		r = session_event(session, item->event);
	if (lock)
		pthread_mutex_unlock(lock);
	if (r == 0 && item->kind == FEED_TICK)
		r = session_phases_merge(session, lock);
	return r;
}
