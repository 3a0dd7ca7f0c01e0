/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leaving_idle.c - the CPU was idle when the lap was due, or was sent, and took so long to leave that state:
 * deep ones take hundreds of microseconds. What takes longer than any of them came late. */
#include <stdio.h>

#include "src/witness/witness.h"

static const uint64_t most_ns = 1000000;

static bool look(const struct moment *moment, struct cause *cause)
{
	const struct flight_record *idle = moment->cpu.idle;
	uint64_t called_ns = moment->is_sent ? moment->spike->sent_ns : moment->spike->due_ns;

	if (!idle || !called_ns || moment->is_sender == moment->is_sent || moment->member.has_run ||
		idle->from_ns > called_ns || idle->at_ns > called_ns + most_ns)
		return false;
	cause->kind = CAUSE_LEAVING_IDLE;
	cause->number = idle->number;
	snprintf(cause->name, sizeof(cause->name), "%s", idle->next_name);
	return true;
}

const struct witness witness_leaving_idle = {.look = look};
