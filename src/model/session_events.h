/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_events.h - what happened in a session: the events that are given to it, and those that follow from
 * its ticks, where the same for many rings is one event. Pure. */
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

/* Keeps a copy. The event of a ring that has no subject gets the ring's name, and the member's where it has
 * one. Returns 0 or -ENOMEM. */
int session_event(struct session *session, const struct event *event);
/* What ended the run by -b, or NULL. */
const struct event *session_breach(const struct session *session);
/* Takes the facts of the machine that change; each that changed is an event. Returns 0 or -ENOMEM. */
int session_machine(struct session *session, const struct machine *machine, uint64_t now_ns);

/* --- what follows from a tick --- */

struct session_events {
	struct found_event *list; /* owned */
	size_t n, room;
};

/* Compares a ring, as it was, with the tick. Returns 0 or -ENOMEM. */
int session_events_find(struct session_events *events, const struct machine *machine,
	struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick);
/* Gives them to the session, sorted and joined. Returns 0 or -ENOMEM. */
int session_events_report(struct session_events *events, struct session *session, uint64_t at_ns);
void session_events_finish(struct session_events *events);

/* Will session_events_find() find that somebody changed the members' policy or affinity? */
bool session_events_will_change(
	const struct session_ring *ring, const struct tick_ring *seen, const struct tick_member *members);
/* The first of these changes, such as "FIFO:80 -> OTHER". Returns @text, or NULL where there was none. */
enum { SESSION_CHANGE_SIZE = 80 };
const char *session_events_change(const struct session_events *events, char text[SESSION_CHANGE_SIZE]);

/* The ring's trouble after this tick, and for how long it has waited; see session_ring. */
enum ring_condition session_events_trouble(const struct session_ring *ring, const struct tick_ring *seen);
uint64_t session_events_wait_ns(const struct session_ring *ring, const struct tick_ring *seen);
