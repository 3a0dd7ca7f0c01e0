/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick.c - the words for what a tick holds. */
#include "src/tick.h"

static const struct {
	const char *name, *title;
} figures[N_FIGURES] = {
	[FIGURE_FIRST] = {"first", "first hop"},
	[FIGURE_ANSWER] = {"answer", "answer"},
	[FIGURE_LAP] = {"lap", "lap"},
	[FIGURE_RESPONSE] = {"response", "response"},
	[FIGURE_LATENESS] = {"lateness", "lateness"},
	[FIGURE_SERVED] = {"served", "response, served laps alone"},
};

static const char *const states[] = {
	[RING_PLANNED] = "planned",
	[RING_OPENING] = "opening",
	[RING_RUNNING] = "running",
	[RING_PAUSED] = "paused",
	[RING_DONE] = "done",
	[RING_FAILED] = "failed",
	[RING_GONE] = "gone",
};

static const char *const conditions[] = {
	[CONDITION_FINE] = "",
	[CONDITION_NEVER_RAN] = "never ran",
	[CONDITION_WAITING] = "waiting",
	[CONDITION_LATE] = "late",
	[CONDITION_STARVED] = "starved",
	[CONDITION_THROTTLED] = "throttled",
	[CONDITION_STOPPED] = "stopped",
	[CONDITION_OFFLINE] = "offline",
};

static const char *const faults[] = {
	[FAULT_LOST] = "lost",
	[FAULT_REPEATED] = "repeated",
	[FAULT_REORDERED] = "reordered",
	[FAULT_DAMAGED] = "damaged",
};

const char *figure_name(enum figure figure)
{
	return figures[figure].name;
}

const char *figure_title(enum figure figure)
{
	return figures[figure].title;
}

enum figure figure_at(enum figure figure, uint64_t interval_ns)
{
	return interval_ns > 0 || figure == FIGURE_ANSWER ? figure : FIGURE_LAP;
}

const char *ring_state_name(enum ring_state state)
{
	return states[state];
}

const char *ring_condition_name(enum ring_condition condition)
{
	return conditions[condition];
}

const char *token_fault_name(enum token_fault fault)
{
	return faults[fault];
}
