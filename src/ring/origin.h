/* SPDX-License-Identifier: GPL-2.0-or-later */
/* origin.h - what the origin does between two laps: obeys, waits, warms up, rests. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/ring/member_loop.h"

/* Sleeps until it is the ring's turn, which is first shown as @state (paused, or done for good).
 * Returns 0, or -ECANCELED to end. */
int origin_wait_for_turn(struct member_loop *loop, enum ring_state state);

/* Obeys commands, and sleeps until the next lap is due. Returns STAMP_FIRST where it slept for it, 0 where
 * there was nothing to wait for, or -ECANCELED. */
int origin_next_lap(struct member_loop *loop);

/* Is the lap that is about to start one that is not counted? */
bool origin_is_warming_up(struct member_loop *loop);

/* A flood rests now and then; a ring that has its loops waits for its end. Returns 0 or -ECANCELED. */
int origin_after_lap(struct member_loop *loop, uint64_t received_ns);
