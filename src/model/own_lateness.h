/* SPDX-License-Identifier: GPL-2.0-or-later */
/* own_lateness.h - when ipctop itself was late: between two ticks nothing was sampled for too long. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct event;
struct tick;

/* Late ticks with less than 10 s between them. Zeroed: there were none. */
struct own_lateness {
	uint32_t n;                   /* of late ticks; 0: ipctop is in time */
	uint64_t last_ns, longest_ns; /* how late the last one was, and the latest one */
	uint64_t told_ns;             /* how late the one of the last event was */
	uint64_t at_ns;               /* when the last one was made */
};

/* Returns whether a tick was late by half the time that it should have covered, and by 100 ms. */
bool own_lateness_is_late(const struct tick *tick);

/* Adds a tick. Returns whether that makes an @event: the first late tick does, each that is twice as late as
 * that of the last event, and the end of several. */
bool own_lateness_feed(struct own_lateness *lateness, const struct tick *tick, struct event *event);
