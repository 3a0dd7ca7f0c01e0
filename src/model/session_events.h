/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_events.h - what in a tick a person should be told; the same for many rings is told once. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/figures/tick.h"

struct machine;
struct session;
struct session_ring;
struct notice;

struct notices_of_tick {
	struct notice *list; /* owned */
	size_t n, room;
};

/* Compares a ring, as it was, with what the tick says of it. Returns 0 or -ENOMEM. */
int notices_look(struct notices_of_tick *notices, const struct machine *machine, struct session_ring *ring,
	const struct tick_ring *seen, const struct tick *tick);

/* Will notices_look() find that someone changed the members' scheduling? */
bool notices_will_change(
	const struct session_ring *ring, const struct tick_ring *seen, const struct tick_member *members);

/* Makes events of them all. Returns 0 or -ENOMEM. */
int notices_tell(struct notices_of_tick *notices, struct session *session, uint64_t at_ns);

/* What changed in the scheduling of members, the first of it, such as "FIFO:80 -> OTHER"; NULL: nothing. */
const char *notices_change(const struct notices_of_tick *notices);

void notices_of_tick_finish(struct notices_of_tick *notices);

/* What is wrong with the ring after this tick: see session_ring. */
enum ring_condition notices_trouble(const struct session_ring *ring, const struct tick_ring *seen);

/* How long a throttled ring's wait became: its end is seen only as the sample that it turned into. */
uint64_t notices_wait_ns(const struct session_ring *ring, const struct tick_ring *seen);
