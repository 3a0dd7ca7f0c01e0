/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_events.h - the events of a session: its list, and the events that are found in ticks. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/figures/tick.h"

struct event;
struct machine;
struct session;
struct session_ring;

/* --- the session's list --- */

/* Adds a copy, by its time: a command is given before the tick in which it is obeyed. If the event has a ring
 * but no subject, the name of the ring, and of the member, becomes its subject. Returns 0 or -ENOMEM. */
int session_event(struct session *session, const struct event *event);
/* Returns the kept event that came first after the one with this serial (0: the first); NULL after the last.
 */
const struct event *session_event_after(const struct session *session, uint64_t serial);
uint64_t session_last_serial(const struct session *session); /* 0: there was no event */
/* Returns how many events that came after the one with this serial are not kept any more. */
uint64_t session_events_lost(const struct session *session, uint64_t serial);
/* Returns the event of -b that ended the run, or NULL. */
const struct event *session_breach(const struct session *session);
/* Replaces the machine's facts; each fact that changed becomes an event. Returns 0 or -ENOMEM. */
int session_machine(struct session *session, const struct machine *machine, uint64_t now_ns);

/* --- events in a tick --- */

struct session_events {
	struct event *list; /* owned */
	size_t n, room;
	int error; /* -ENOMEM if an event is missing */
};

/* Compares a ring, which has not been fed with the tick, with the tick. Notes in the ring what trouble it has
 * now, and that its members were compared. */
void session_events_find(struct session_events *events, const struct machine *machine,
	struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick);
/* Adds the events to the session, sorted, and those with the same values joined. Returns 0 or -ENOMEM. */
int session_events_report(struct session_events *events, struct session *session, uint64_t at_ns);
void session_events_finish(struct session_events *events);

/* Will session_events_find() find that somebody changed the policy or affinity of a member? Reads only the
 * tick's rings and members. */
bool session_events_will_change(const struct session *session, const struct tick *tick);
/* Returns whether session_events_find() found such a change. */
bool session_events_have_change(const struct session_events *events);
