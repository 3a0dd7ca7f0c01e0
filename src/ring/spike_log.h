/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike_log.h - the spikes that a ring's members measure: written by one of them, read by the front.
 *
 * Member 1 writes the responses that are above the ring's limit; in a flood, and without stamps of hops, the
 * origin writes the laps. The member makes no system call for it. New entries overwrite the oldest. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum { SPIKE_LOG_SIZE = 64 };

struct spike_entry {
	_Atomic uint64_t due_ns, sent_ns, received_ns; /* of a lap no due: 0 */
	_Atomic uint64_t hop_from_ns, hop_to_ns;
	_Atomic uint64_t says; /* the token's number, and above its bits that of the hop */
};

struct spike_log {
	_Atomic uint64_t count; /* of entries written; stored after the entry itself */
	struct spike_entry entries[SPIKE_LOG_SIZE];
};

struct spike_log_entry {
	uint64_t due_ns, sent_ns, received_ns;
	uint32_t token;
	/* The hop that took most of it, and when it had the token; hop_from_ns 0: see struct slow_hop. */
	uint32_t hop;
	uint64_t hop_from_ns, hop_to_ns;
};

/* The member's. */
void spike_log_add(struct spike_log *log, const struct spike_log_entry *entry);

/* --- the front's --- */

/* Reads the entry after the *@n_read that were read before, and counts it there. Entries that were
 * overwritten are passed over, and added to *@n_lost. Returns whether there was one. */
bool spike_log_read(
	const struct spike_log *log, uint64_t *n_read, uint64_t *n_lost, struct spike_log_entry *entry);
