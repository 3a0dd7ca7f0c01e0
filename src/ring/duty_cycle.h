/* SPDX-License-Identifier: GPL-2.0-or-later */
/* duty_cycle.h - members rest now and then, so that other tasks get their CPUs.
 *
 * Two tasks that hand over without a pause can keep all others from their CPU: real-time tasks until the
 * kernel throttles them (a gap of 50 ms that ipctop would cause, not the machine), others for seconds under
 * EEVDF. So members rest after each stretch, for more than the 5 % that throttling takes.
 *
 *   a flood: the origin rests, so that no token goes round
 *   a paced ring that can't keep up: its origin rests, where it has slept for less than DUTY_REST_NS in the
 *   stretch, in sleeps that were to last DUTY_PIECE_NS or more, and is not about to sleep for as long
 *   members that spin at real-time priority: each rests alone between two dues that are DUTY_ALONE_NS apart,
 *   else all rest together when the origin sets STAMP_REST, and no lap is made meanwhile
 *
 * All other tasks share a rest. A plain task may take a whole rest, so other tasks may have to wait for the
 * next one. Floods and overloaded rings rest twice as long where they share a CPU, or have a real-time
 * policy, for the front takes its part first. They rest three times as long with both.
 *
 * A lap may take longer than a rest, and longer than a stretch: of a flood with many members that shares a
 * CPU. Then the member that has the token DUTY_LEAVING_NS after the others' stretches have ended parks it: it
 * sleeps for as long as a rest, after its hop and before the next one. This time is in no figure, and the hop
 * after it is an answer. Members that spin park no token, nor do those that read no clock (--stamps lap).
 *
 * The slots of a rest are counted as rested. Rings that share a CPU share the stretch (n_sharers), and all
 * stretches end at multiples of DUTY_PERIOD_NS, so that these rings leave the CPU together. As each ends its
 * own lap first, their rests are longer by a lap. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum duty_cycle {
	DUTY_NO_REST,
	DUTY_REST_ALONE,    /* between two dues */
	DUTY_REST_TOGETHER, /* on STAMP_REST */
};

enum {
	DUTY_STRETCH_NS = 15000000,
	DUTY_PERIOD_NS = 16000000,
	DUTY_REST_NS = 1000000,
	DUTY_LEAVING_NS = 2000000, /* in it, rings whose laps are short leave a CPU that they share */
	DUTY_PIECE_NS = 10000,     /* a timer of less may expire before its task has left the CPU */
	DUTY_ROOM_NS = 2000000,  /* until the next due, for a member that rests alone: it may wake up late */
	DUTY_ALONE_NS = 3000000, /* from this interval on, each stretch has such room */
};

struct member_loop;
struct arena_ring;

/* Returns how the members of the ring rest. */
enum duty_cycle duty_cycle_kind(const struct arena_ring *ring);

/* Returns when the stretch ends that begins at @start_ns. Those of all rings, and of FIFO loads, end at the
 * same times, so that all leave a CPU that they share together. */
uint64_t duty_cycle_stretch_end(uint64_t start_ns);
/* Returns when stretches ended last. */
uint64_t duty_cycle_last_end(uint64_t now_ns);
/* Sleeps for DUTY_REST_NS, or until it is woken. */
void duty_cycle_rest(struct member_loop *loop);

/* Returns how many rings are on the ring's busiest CPU, itself included; 1 if it is not pinned. */
unsigned duty_cycle_sharers(const struct arena_ring *ring);
/* Returns how much longer the rests of a flood, or of an overloaded ring, are than DUTY_REST_NS. */
unsigned duty_cycle_factor(const struct arena_ring *ring);
/* Returns whether the ring's tokens are parked where it shares a CPU. */
bool duty_cycle_may_park(const struct arena_ring *ring);
/* Called by a member that has received the token at @received_ns. Sleeps where the token is to be parked. */
void duty_cycle_park(struct member_loop *loop, uint64_t received_ns);

/* Called between two polls for a token. Rests when it is time, if no token is expected soon or the ring has
 * stalled. */
void duty_cycle_rest_if_due(struct member_loop *loop);
