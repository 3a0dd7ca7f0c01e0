/* SPDX-License-Identifier: GPL-2.0-or-later */
/* halted.c - the member was stopped by a signal or a debugger, or waited in the kernel: for a page, the disk
 * or a lock. */
#include "src/witness/witness.h"

static bool find_cause(const struct moment *moment, struct cause *cause)
{
	const struct flight_record *left = moment->member.left;

	if (!left || !(left->prev_state & (FLIGHT_STOPPED | FLIGHT_BLOCKED)))
		return false;
	cause->kind = left->prev_state & FLIGHT_STOPPED ? CAUSE_STOPPED : CAUSE_BLOCKED;
	return true;
}

const struct witness witness_halted = {.find_cause = find_cause};
