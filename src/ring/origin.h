/* SPDX-License-Identifier: GPL-2.0-or-later */
/* origin.h - the origin between two laps: obeys commands, waits, warms up, rests. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/ring/member_loop.h"

/* Sets the ring's @state (paused, or done), and sleeps until its turn. Returns 0, or -ECANCELED to end. */
int origin_wait_for_turn(struct member_loop *loop, enum ring_state state);

/* Obeys commands, and sleeps until the next lap is due. Returns STAMP_FIRST if it slept, 0 if it did not, or
 * -ECANCELED. */
int origin_next_lap(struct member_loop *loop);

/* Returns whether the next lap is a warm-up lap. */
bool origin_is_warming_up(struct member_loop *loop);

/* After a lap, or a batch of @n_laps. Rests where it is time to, unless the token was parked meanwhile; waits
 * for the end where the ring has done its loops. Returns 0 or -ECANCELED. */
int origin_after_lap(struct member_loop *loop, uint32_t n_laps, uint64_t received_ns, bool was_parked);
