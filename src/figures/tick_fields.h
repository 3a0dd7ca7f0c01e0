/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick_fields.h - the fields of a tick as tables, from which recordings are written and read, and counts are
 * added up. Pure. */
#pragma once

#include "src/base/field.h"
#include "src/figures/tick.h"

/* The recorded fields of a tick, of a ring (except counts and figures), of counts, of a member, and of a hop
 * (except its figure). A new field is a row at the end of its table. */
extern const struct field tick_fields[N_TICK_FIELDS], tick_ring_fields[N_TICK_RING_FIELDS],
	tick_count_fields[N_TICK_COUNTS], tick_member_fields[N_TICK_MEMBER_FIELDS],
	tick_hop_fields[N_TICK_HOP_FIELDS];

void tick_counts_add(struct tick_counts *counts, const struct tick_counts *more);
