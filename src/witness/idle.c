/* SPDX-License-Identifier: GPL-2.0-or-later */
/* idle.c - before the lap was sent, the CPU had no other task, and the origin did not run: it was not woken.
 * Short times pass with the timer's interrupt, leaving idle, and the wake-up itself. */
#include "src/witness/witness.h"

static const uint64_t least_ns = 50000;

static bool find_cause(const struct moment *moment, struct cause *cause)
{
	cause->kind = CAUSE_NOT_WOKEN;
	return moment_awaits_timer(moment);
}

static bool suffices(uint64_t ns, uint64_t length_ns)
{
	return ns >= least_ns && ns > length_ns / 2;
}

const struct witness witness_idle = {.find_cause = find_cause, .suffices = suffices};
