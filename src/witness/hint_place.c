/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hint_place.c - a member may run on several CPUs, or was moved after the spike: so no CPU's records are its
 * own. Or a tick found it on another CPU: only records of that one, and of later, are. */
#include <stdio.h>

#include "src/witness/witness.h"

static bool find_hint(const struct spike *spike, bool is_sender, char text[128])
{
	const struct spike_end *end = is_sender ? &spike->sender : &spike->receiver;

	if (end->cpu >= 0 && end->moved_ns) {
		snprintf(text, 128, "the %s may have come to CPU %d meanwhile",
			is_sender ? "sender" : "receiver", (int)end->cpu);
		return true;
	}
	bool is_sender_free = spike->sender.cpu < 0, is_receiver_free = spike->receiver.cpu < 0;

	if (is_sender ? !is_sender_free : !is_receiver_free || is_sender_free)
		return false;
	snprintf(text, 128, "%s may have run on several CPUs, or %s moved",
		!is_sender         ? "the receiver"
		: is_receiver_free ? "sender and receiver"
				   : "the sender",
		is_sender && is_receiver_free ? "were" : "was");
	return true;
}

const struct hint_source hint_place = {"place", find_hint, .is_beside_records = true};
