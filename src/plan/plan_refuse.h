/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_refuse.h - which rings are planned, and not run. Pure. */
#pragma once

#include "src/plan/config.h"
#include "src/plan/plan.h"

/* Gives each ring that its mechanism has no sense for its refusal. Returns 0, or -EINVAL with its reason
 * where no ring is left. */
int plan_refuse(struct plan *plan, const struct config *config, struct error_text *reason);

/* Of a plan that has its turns and its housekeeping: -EINVAL with its reason where members that spin at
 * real-time priority would leave no CPU to the rest of the system. */
int plan_check_realtime(const struct plan *plan, const struct config *config, struct error_text *reason);
