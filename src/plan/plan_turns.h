/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_turns.h - the turns of rings: rings of one turn run at once. Pure. */
#pragma once

#include "src/plan/config.h"
#include "src/plan/plan.h"

/* Gives each ring its turn, and spreads the first laps of what runs at once. Returns 0, or a negative errno
 * with its reason: --turns may be too short. */
int plan_turns_assign(struct plan *plan, const struct config *config, struct error_text *reason);
