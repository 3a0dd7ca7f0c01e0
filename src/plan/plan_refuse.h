/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_refuse.h - refuses rings that make no sense, and plans that leave no CPU to the rest of the system.
 * Pure. */
#pragma once

#include "src/plan/config.h"
#include "src/plan/plan.h"

/* Sets the refusal of each ring that makes no sense with its mechanism. Returns 0, or -EINVAL with its reason
 * if no ring is left. */
int plan_refuse(struct plan *plan, const struct config *config, struct error_text *reason);

/* Returns why no other ring may be on the CPUs of this one at the same time (--side-by-side); NULL: one may.
 */
const char *plan_refuse_beside(const struct plan_ring *ring);

/* Returns 0, or -EINVAL with its reason if the config's sweep over @cpus makes no sense. */
int plan_refuse_sweep(const struct cpus *cpus, const struct config *config, const struct topology *topology,
	struct error_text *reason);

/* Needs the plan's turns and housekeeping. Returns 0, or -EINVAL with its reason if members that spin or
 * flood at real-time priority would leave no CPU to the rest of the system. */
int plan_check_realtime(const struct plan *plan, const struct config *config, struct error_text *reason);
