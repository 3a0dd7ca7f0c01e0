/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick.c - names of a tick's figures, conditions and faults, and the sum of a figure. */
#include "src/figures/tick.h"

#include <errno.h>
#include <stdio.h>

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
	[CONDITION_EXCLUDED] = "excluded",
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

int tick_figure_add(const struct tick_figure *figure, const struct hist_cell *cells, struct hist *hist)
{
	if (figure->n_cells && hist_add_cells(hist, cells + figure->first_cell, figure->n_cells) < 0)
		return -ENOMEM;
	hist->sum_ns += figure->sum_ns;
	if (figure->has_extremes)
		hist_extend(hist, figure->min_ns, figure->max_ns, figure->max_at_ns);
	return 0;
}

const char *ring_state_name(enum ring_state state)
{
	return states[state];
}

bool ring_state_has_ended(enum ring_state state)
{
	return state == RING_DONE || state == RING_FAILED || state == RING_GONE;
}

bool ring_condition_is_away(enum ring_condition condition)
{
	return condition == CONDITION_OFFLINE || condition == CONDITION_EXCLUDED;
}

const char *ring_condition_name(enum ring_condition condition)
{
	return conditions[condition];
}

const char *token_fault_name(enum token_fault fault)
{
	return faults[fault];
}

char *token_faults_text(const uint64_t n[N_TOKEN_FAULTS], char *text, size_t size)
{
	size_t used = 0;

	text[0] = '\0';
	for (int f = 0; f < N_TOKEN_FAULTS && used < size; f++)
		if (n[f])
			used += (size_t)snprintf(text + used, size - used, "%s%llu %s%s", used ? ", " : "",
				(unsigned long long)n[f],
				used        ? ""
				: n[f] == 1 ? "token "
					    : "tokens ",
				faults[f]);
	return text;
}
