/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure.h - one run for a front end: from its config to the session that it prints from. */
#pragma once

#include "src/compat/compat.h"
#include "src/plan/plan.h"
#include "src/run/run.h"

struct compat_measured {
	struct plan plan;
	struct notes notes;
	struct run run; /* its session is what was seen; run.source.ended_by why it ended */
	bool started;
};

/* Runs the rings of @config until the end that it asks for, or a signal; @updated is called after each tick
 * and returns false to end the run. A real-time policy that the rings have no right to is an error, as it is
 * in the tools. Returns 0, or a negative errno with its sentence. compat_measure_finish() accepts either. */
int compat_measure(struct compat_measured *measured, const struct compat *compat, const struct config *config,
	bool (*updated)(void *data), void *data, struct error_text *reason);
void compat_measure_finish(struct compat_measured *measured);

/* Says on stderr, as "# ..." lines, what the user should know of the plan, why rings failed, what they went
 * on without, and which latency was above -b. Returns whether all rings ran, and tracing was stopped if it
 * was to be. */
bool compat_measure_tell(const struct compat_measured *measured);
