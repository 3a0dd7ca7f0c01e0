/* SPDX-License-Identifier: GPL-2.0-or-later */
/* feed.h - the items that a run measures, or that a playback reads from a recording. All modules get the same
 * items in the same order. */
#pragma once

#include <stdint.h>

#include "src/figures/spike.h"
#include "src/figures/sweep_result.h"
#include "src/figures/tick.h"
#include "src/machine/machine.h"
#include "src/model/session.h"

enum feed_kind {
	FEED_TICK,
	FEED_EVENT,    /* one that the session does not find in ticks; EVENT_PHASE begins a phase */
	FEED_MACHINE,  /* all facts, after one has changed */
	FEED_RING,     /* a ring was added: the next ticks have it */
	FEED_RING_END, /* a ring was removed: no more ticks have it */
	FEED_SPIKE,    /* a response, or a lap, that was far too long */
	FEED_SWEEP,    /* pairs of CPUs that a sweep has measured */
	/* No recording has the following. */
	FEED_START,    /* the session begins: its rings run, or the first state of the recording was read */
	FEED_PLAYBACK, /* the playback was paused, goes on, or has moved */
	FEED_TRIAL,    /* of a knob: it begins, its next phase does, or it has ended */
	FEED_HUNT,     /* of loads: it begins, or its next load does */
	FEED_STOP,     /* the end begins: of a run the last ticks follow */
};

struct feed_sweep {
	const struct sweep_result *results; /* in the order in which they were measured */
	size_t n;                           /* at most SWEEP_RESULTS_MAX */
	uint64_t n_rounds;                  /* complete ones so far */
};

struct feed_item {
	enum feed_kind kind;
	uint64_t at_ns; /* CLOCK_MONOTONIC; of a tick its end */
	union {         /* owned by the maker of the item */
		const struct tick *tick;
		const struct event *event;
		const struct machine *machine;
		const struct spike_report *spike;
		const struct feed_sweep *sweep;
		const struct trial_progress *trial;
		const struct hunt_progress *hunt;
		const struct session_ring *ring; /* as before its first tick; of an end only the id counts */
	};
};

/* Feeds a session under @lock, which may be NULL, and then lets it merge old ticks. Returns 0, -ENOMEM, or
 * -EINVAL for a ring that can't be added or ended. */
int feed_session(struct session *session, const struct feed_item *item, pthread_mutex_t *lock);
