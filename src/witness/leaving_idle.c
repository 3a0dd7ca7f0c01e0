/* SPDX-License-Identifier: GPL-2.0-or-later */
/* leaving_idle.c - the CPU was idle when the lap was due, or was sent, and took so long to leave that state:
 * deep ones take hundreds of microseconds. After a longer time the wake-up itself was late. */
#include <stdio.h>

#include "src/witness/witness.h"

static const uint64_t most_ns = 1000000;
/* Nearly each lap finds its CPU idle, and shallow states take little: below this part of the spike, a tenth,
 * it is no cause. */
enum { PART_LEAST = 10 };

static bool find_cause(const struct moment *moment, struct cause *cause)
{
	const struct flight_record *idle = moment->cpu.idle;
	uint64_t called_ns = moment->is_sent ? moment->spike->sent_ns : moment->spike->due_ns;

	if (!idle || !called_ns || moment->is_sender == moment->is_sent || moment->cpu.task.tid ||
		moment->member.has_run || idle->from_ns > called_ns || idle->at_ns > called_ns + most_ns)
		return false;
	cause->kind = CAUSE_LEAVING_IDLE;
	cause->number = idle->number;
	snprintf(cause->name, sizeof(cause->name), "%s", idle->next_name);
	return true;
}

static bool suffices(uint64_t ns, uint64_t length_ns)
{
	return ns >= length_ns / PART_LEAST;
}

const struct witness witness_leaving_idle = {.find_cause = find_cause, .suffices = suffices};
