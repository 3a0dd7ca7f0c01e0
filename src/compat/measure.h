/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure.h - one run for a front end: from its config to the session that it prints from. */
#pragma once

#include "src/compat/compat.h"
#include "src/plan/plan.h"
#include "src/run/run.h"

struct compat_measured {
	struct plan plan;
	struct notes notes;
	struct run run; /* the figures are in source.session */
	bool started;
};

/* Runs the rings of @config until its duration or loops end, or a signal comes. Calls @updated, never NULL,
 * after each tick; it returns false to end the run. Missing rights to a real-time policy are an error, as in
 * the tools. Returns 0, or a negative errno with its sentence. compat_measure_finish() accepts either. */
int compat_measure(struct compat_measured *measured, const struct compat *compat, const struct config *config,
	bool (*updated)(void *data), void *data, struct error_text *reason);
void compat_measure_finish(struct compat_measured *measured);

/* Prints on stderr, as "# ..." lines, the notes of the plan, the rights and limits that were missing, why
 * rings failed, and the latency that exceeded -b. Returns whether all rings ran and -b could stop tracing. */
bool compat_measure_print(const struct compat_measured *measured);
