/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pace.h - when laps may start: absolute dues, and what happens to those that went by. Pure.
 *
 * The oldest due that is not served is served, however late it is; younger ones that went by
 * meanwhile are missed: not made up in a burst, but counted with their own waiting times. */
#pragma once

#include <stdint.h>

struct pace {
	uint64_t interval_ns; /* 0: flood, there are no dues */
	uint32_t burst;       /* laps for each due, >= 1 */
	uint32_t burst_left;  /* laps that start at once, without a due */
	uint64_t due_ns;      /* of the next slot */
};

struct pace_missed {
	uint64_t count;
	uint64_t longest_ns; /* the oldest one's waiting time; each further one's is an interval shorter */
};

static inline void pace_start(struct pace *pace, uint64_t first_due_ns)
{
	pace->due_ns = first_due_ns;
	pace->burst_left = 0;
}

/* When the next lap may start: 0 is at once. */
static inline uint64_t pace_due(const struct pace *pace)
{
	return pace->interval_ns && !pace->burst_left ? pace->due_ns : 0;
}

/* A lap starts at @now_ns. Returns its due, 0 where it has none. */
static inline uint64_t pace_take(struct pace *pace, uint64_t now_ns, struct pace_missed *missed)
{
	uint64_t due_ns = pace_due(pace);

	*missed = (struct pace_missed){0};
	if (!due_ns) {
		pace->burst_left -= pace->burst_left > 0;
		return 0;
	}
	if (now_ns - due_ns >= pace->interval_ns && now_ns > due_ns) { /* rarely: spare the division */
		missed->count = (now_ns - due_ns) / pace->interval_ns;
		missed->longest_ns = now_ns - due_ns - pace->interval_ns;
	}
	pace->due_ns += (missed->count + 1) * pace->interval_ns;
	pace->burst_left = pace->burst - 1;
	return due_ns;
}

/* What is overdue when a ring is told to serve no more: the oldest due and, behind a stall, others. */
struct pace_abandoned {
	uint64_t oldest_ns; /* its waiting time; 0: nothing was overdue long enough to count */
	struct pace_missed others;
};

/* A due that had been waiting for an interval, or for this long, when the ring was told so. */
#define PACE_PATIENCE_NS 100000000u

/* @due_ns is the oldest due that is not served (0: none), @next_ns the slot after it and after those
 * that are counted already. */
static inline struct pace_abandoned pace_abandon(
	uint64_t due_ns, uint64_t next_ns, uint64_t interval_ns, uint64_t now_ns)
{
	struct pace_abandoned abandoned = {0};
	uint64_t patience_ns = interval_ns < PACE_PATIENCE_NS ? interval_ns : PACE_PATIENCE_NS;

	if (!due_ns || !interval_ns || now_ns < due_ns + patience_ns)
		return abandoned;
	abandoned.oldest_ns = now_ns - due_ns;
	if (now_ns >= next_ns) {
		abandoned.others.count = (now_ns - next_ns) / interval_ns + 1;
		abandoned.others.longest_ns = now_ns - next_ns;
	}
	return abandoned;
}
