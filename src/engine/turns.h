/* SPDX-License-Identifier: GPL-2.0-or-later */
/* turns.h - switches turns. Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct turns {
	unsigned n;
	uint64_t slice_ns;
	unsigned current;
	uint64_t since_ns;         /* when the current one began */
	uint64_t leaving_since_ns; /* 0: the current turn goes on */
	bool is_held;              /* it has its turn, now or next, and does not end */
	unsigned held;
};

enum turns_step {
	TURNS_STAY,
	TURNS_PAUSE, /* the current turn's rings are to pause */
	TURNS_RUN,   /* the current turn has changed: its rings are to run */
};

enum { TURNS_PATIENCE_NS = 50000000 }; /* a ring that can't pause delays the others no longer */

void turns_init(struct turns *turns, unsigned n, uint64_t slice_ns, uint64_t now_ns);

/* Returns the step at @now_ns. @all_paused: no ring of the current turn runs any more. @has_work: by turn,
 * whether any of its rings can still run; other turns are skipped. */
enum turns_step turns_advance(struct turns *turns, uint64_t now_ns, bool all_paused, const bool *has_work);

/* Holds a turn, which comes next if it is not the current one; below 0, lets turns go on. A turn is held as
 * long as it has work. */
void turns_hold(struct turns *turns, int turn);
/* Returns whether the current turn is held. */
bool turns_holds_current(const struct turns *turns);

/* Returns when to call turns_advance() again; UINT64_MAX: never. */
uint64_t turns_next(const struct turns *turns, uint64_t now_ns);
