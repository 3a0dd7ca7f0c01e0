/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own_lateness.c - when ipctop itself was late. */
#include "src/model/own_lateness.h"

#include "src/figures/tick.h"
#include "src/model/event.h"

static const uint64_t least_ns = 100000000, calm_ns = 10000000000;

bool own_lateness_is_late(const struct tick *tick)
{
	uint64_t length_ns = tick->end_ns > tick->start_ns ? tick->end_ns - tick->start_ns : 0;
	uint64_t late_ns = tick->late_ns < length_ns ? tick->late_ns : length_ns;

	return late_ns >= least_ns && late_ns >= (length_ns - late_ns) / 2;
}

bool own_lateness_feed(struct own_lateness *lateness, const struct tick *tick, struct event *event)
{
	*event = (struct event){.at_ns = tick->end_ns, .ring = -1, .member = -1};
	if (own_lateness_is_late(tick)) {
		lateness->n += lateness->n < UINT32_MAX;
		lateness->at_ns = tick->end_ns;
		lateness->last_ns = tick->late_ns;
		if (lateness->longest_ns < tick->late_ns)
			lateness->longest_ns = tick->late_ns;
		event->kind = EVENT_OWN_LATE;
		event->ns = tick->late_ns;
		event->limit_ns = tick->own_wait_ns;
		if (tick->late_ns / 2 < lateness->told_ns)
			return false;
		lateness->told_ns = tick->late_ns;
		return true;
	}
	if (!lateness->n || tick->end_ns < lateness->at_ns + calm_ns)
		return false;
	event->kind = EVENT_OWN_LATE_OVER;
	event->number = lateness->n;
	event->ns = lateness->longest_ns;
	*lateness = (struct own_lateness){0};
	return event->number > 1;
}
