/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rt.h - what the front ends of rt-tests share beyond their options: what they ask for at first, and how they
 * run and end. */
#pragma once

#include <stdio.h>

#include "src/compat/live.h"
#include "src/compat/measure.h"

/* One run, and what is shown of it. */
struct compat_rt {
	const struct compat *compat;
	struct compat_measured measured;
	struct compat_live live;
};

/* SCHED_OTHER, whatever policy the program has. */
void compat_rt_defaults(struct compat *compat);
/* How often it looks, and -S, but for its priorities. */
void compat_rt_settle(struct compat *compat);

/* Measures and returns the exit status. @rt has its compat, and nothing else yet. @show is called after each
 * tick, and returns false where nobody reads it; @report once at the end, where it was measured, for the exit
 * status. Both get @data. */
int compat_rt_run(struct compat_rt *rt, bool (*show)(void *data), int (*report)(void *data), void *data);

/* For the end of a report: says what could not be shown, and writes --json and --ipctop-json. @print_thread
 * as in rt_json.h. Returns the exit status, which is @status where nothing fails. */
int compat_rt_write(const struct compat_rt *rt, int status,
	void (*print_thread)(FILE *out, const struct session *session, size_t i, const struct compat *compat),
	size_t n_threads);
