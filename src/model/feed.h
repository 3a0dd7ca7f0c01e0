/* SPDX-License-Identifier: GPL-2.0-or-later */
/* feed.h - what a session is made of, one item after the other. A run measures the items, or a recording is
 * read as them; session, recorder and history get the same ones in the same order. */
#pragma once

#include <stdint.h>

#include "src/figures/tick.h"
#include "src/machine/machine.h"
#include "src/model/session.h"

enum feed_kind {
	FEED_TICK,
	FEED_EVENT,   /* one that does not follow from the other items; EVENT_PHASE begins one */
	FEED_MACHINE, /* its facts, where one of them has changed */
};

struct feed_item {
	enum feed_kind kind;
	uint64_t at_ns; /* CLOCK_MONOTONIC; of a tick its end */
	union {         /* whoever makes the item owns it */
		const struct tick *tick;
		const struct event *event;
		const struct machine *machine;
	};
};

/* Returns 0 or -ENOMEM. A tick of other rings is left out. */
int feed_session(struct session *session, const struct feed_item *item);
