/* SPDX-License-Identifier: GPL-2.0-or-later */
/* feed.c - the items that feed a session. */
#include "src/model/feed.h"

#include <errno.h>

#include "src/model/session_events.h"

int feed_session(struct session *session, const struct feed_item *item)
{
	const struct event *event = item->event;
	int r = 0;

	switch (item->kind) {
	case FEED_TICK:
		r = session_feed(session, item->tick);
		break;
	case FEED_EVENT:
		r = event->kind == EVENT_PHASE ? session_phase(session, event->text)
					       : session_event(session, event);
		break;
	case FEED_MACHINE:
		r = session_machine(session, item->machine, item->at_ns);
		break;
	}
	return r == -ENOMEM ? r : 0;
}
