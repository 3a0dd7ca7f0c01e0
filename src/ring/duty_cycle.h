/* SPDX-License-Identifier: GPL-2.0-or-later */
/* duty_cycle.h - how members leave some of their CPU to others.
 *
 * Two tasks that hand over without a pause can keep all others from their CPU: real-time ones until the
 * kernel throttles them (a gap of 50 ms that would be ours, not the machine's), others for seconds under
 * EEVDF. So they rest after each stretch, for more than the 5 % that throttling would take. In a flood the
 * origin does, for no token then goes round; but members that spin use their CPU all the same, also between
 * the dues of a paced ring. At real-time priority each of them rests: between two dues that are far enough
 * from each other by itself, else when the origin says so, and no lap is made meanwhile.
 * A paced ring that can't keep up is a flood. Its origin rests where it has slept for less than DUTY_REST_NS
 * in all in a stretch, in pieces of DUTY_PIECE_NS or more, and is not about to sleep for as long; the slots
 * of the rest are counted as rested. */
#pragma once

#include <stdint.h>

enum duty_cycle {
	DUTY_NO_REST,
	DUTY_REST_ALONE,    /* between two dues */
	DUTY_REST_TOGETHER, /* told by STAMP_REST */
};

enum {
	DUTY_STRETCH_NS = 15000000,
	DUTY_PERIOD_NS = 16000000,
	DUTY_REST_NS = 1000000,
	DUTY_PIECE_NS = 25000,   /* shorter sleeps leave the CPU to nobody */
	DUTY_ROOM_NS = 2000000,  /* to the next due, where a member rests alone: it may wake up late */
	DUTY_ALONE_NS = 3000000, /* intervals from here on have such room in each stretch */
};

struct member_loop;
struct ring_slot;

/* How the members of the ring rest. */
enum duty_cycle duty_cycle_kind(const struct ring_slot *ring);

/* A member that spins sleeps for DUTY_REST_NS, or until it is woken. */
void duty_cycle_rest(struct member_loop *loop);

/* Between two polls of one that waits for a token: rests where it is time to, and no token is to come soon,
 * or where the ring has stalled. */
void duty_cycle_rest_if_due(struct member_loop *loop);
