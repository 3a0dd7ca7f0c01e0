/* SPDX-License-Identifier: GPL-2.0-or-later */
/* feed.c - the items that feed a session. */
#include "src/model/feed.h"

#include <errno.h>

#include "src/model/session_events.h"
#include "src/model/session_phases.h"

int feed_session(struct session *session, const struct feed_item *item, pthread_mutex_t *lock)
{
	int r;

	if (item->kind >= FEED_START)
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
