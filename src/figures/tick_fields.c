/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick_fields.c - the fields of a tick as tables. */
#include "src/figures/tick_fields.h"

void tick_counts_add(struct tick_counts *counts, const struct tick_counts *more)
{
	for (size_t i = 0; i < N_TICK_COUNTS; i++)
		field_set_number(&tick_count_fields[i], counts,
			(int64_t)((uint64_t)field_number(&tick_count_fields[i], counts) +
				  (uint64_t)field_number(&tick_count_fields[i], more)));
}

const struct field tick_fields[N_TICK_FIELDS] = {
	FIELD_OF(struct tick, start_ns),
	FIELD_OF(struct tick, end_ns),
	FIELD_OF(struct tick, turn),
	FIELD_OF(struct tick, turn_since_ns),
	FIELD_OF(struct tick, own_cpu_ppm),
	FIELD_OF(struct tick, loadavg),
	FIELD_OF(struct tick, turn_held),
	FIELD_OF(struct tick, late_ns),
	FIELD_OF(struct tick, own_wait_ns),
};

const struct field tick_ring_fields[N_TICK_RING_FIELDS] = {
	FIELD_OF(struct tick_ring, state, .below = RING_GONE + 1),
	FIELD_OF(struct tick_ring, condition, .below = N_CONDITIONS),
	FIELD_OF(struct tick_ring, reason),
	FIELD_OF(struct tick_ring, age_ns),
	FIELD_OF(struct tick_ring, locality, .below = N_LOCALITIES + 1),
	FIELD_OF(struct tick_ring, faults[FAULT_LOST]),
	FIELD_OF(struct tick_ring, faults[FAULT_REPEATED]),
	FIELD_OF(struct tick_ring, faults[FAULT_REORDERED]),
	FIELD_OF(struct tick_ring, faults[FAULT_DAMAGED]),
};

#define COUNT_FIELD(name) FIELD_OF(struct tick_counts, name),
const struct field tick_count_fields[N_TICK_COUNTS] = {TICK_COUNTS(COUNT_FIELD)};

const struct field tick_member_fields[N_TICK_MEMBER_FIELDS] = {
	FIELD_OF(struct tick_member, pid),
	FIELD_OF(struct tick_member, tid),
	FIELD_OF(struct tick_member, policy.policy),
	FIELD_OF(struct tick_member, policy.priority),
	FIELD_OF(struct tick_member, policy.nice),
	FIELD_OF(struct tick_member, cpu),
	FIELD_OF(struct tick_member, n_cpus),
	FIELD_OF(struct tick_member, moved_to),
};

const struct field tick_hop_fields[N_TICK_HOP_FIELDS] = {
	FIELD_OF(struct tick_hop, node),
};
