/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measuring.h - a run of the self-test: the rings of a config, measured as `ipctop` measures them, by the
 * same engine and session. */
#pragma once

#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/run/run.h"

struct selftest;

/* Zeroed at first; the caller sets the first three. */
struct measuring {
	const struct selftest *selftest;
	/* Takes each item of the feed, in the main thread. May end the run by source_end(). */
	void (*take)(void *data, struct source *source, const struct feed_item *item);
	void *data;
	struct plan plan;
	struct notes notes;
	struct run run; /* the figures are in source.session */
};

/* Returns the config of one pair of this mechanism on @cpu, at FIFO 50 if that is allowed. */
struct config measuring_config(const struct selftest *selftest, const char *mechanism, unsigned cpu);
/* Returns whether this process may give its tasks real-time policies, with what is missing otherwise. */
bool measuring_has_realtime(struct error_text *reason);

/* Runs until the config's duration or source_end(). The caller has no threads. Returns 0, -EINTR after a
 * signal, or another negative errno with its reason; measuring_finish() accepts what is left. */
int measuring_run(struct measuring *measuring, const struct config *config, struct error_text *reason);
void measuring_finish(struct measuring *measuring);
