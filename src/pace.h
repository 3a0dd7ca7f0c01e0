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
	if (now_ns > due_ns) {
		missed->count = (now_ns - due_ns) / pace->interval_ns;
		missed->longest_ns = missed->count ? now_ns - due_ns - pace->interval_ns : 0;
	}
	pace->due_ns += (missed->count + 1) * pace->interval_ns;
	pace->burst_left = pace->burst - 1;
	return due_ns;
}

/* The ring is told at @now_ns to serve no more. What was overdue by an interval or more is missed. */
static inline void pace_abandon(struct pace *pace, uint64_t now_ns, struct pace_missed *missed)
{
	*missed = (struct pace_missed){0};
	if (pace->interval_ns && pace->due_ns && now_ns > pace->due_ns) {
		missed->count = (now_ns - pace->due_ns) / pace->interval_ns;
		missed->longest_ns = now_ns - pace->due_ns;
	}
	pace->due_ns = 0; /* until the next start */
}
