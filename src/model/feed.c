/* SPDX-License-Identifier: GPL-2.0-or-later */
/* feed.c - what a session is made of, one item after the other. */
#include "src/model/feed.h"

#include <errno.h>

int feed_session(struct session *session, const struct feed_item *item)
{
	const struct event *event = item->event;
	int r = 0;

	switch (item->kind) {
	case FEED_TICK:
		r = session_feed(session, item->tick);
		break;
	case FEED_EVENT:
		r = session_event(session, event->at_ns, event->kind, event->ring, "%s", event->text);
		break;
	case FEED_MACHINE:
		r = session_machine(session, item->machine, item->at_ns);
		break;
	case FEED_MARK:
		r = session_phase(session, item->name);
		break;
	case FEED_BREACH:
		r = session_breach(session, item->breach);
		break;
	}
	return r == -ENOMEM ? r : 0;
}
