/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick.c - a tick's fields as tables, names of its figures, conditions and faults, and sums of its figures.
 */
#include "src/figures/tick.h"

#include <errno.h>

#include "src/base/text.h"

static const struct {
	const char *name, *title, *help;
} figures[N_FIGURES] = {
	[FIGURE_FIRST] = {"first", "first hop", "from the send to the receive, after a sleep"},
	[FIGURE_ANSWER] = {"answer", "answer", "every other hop: passed on at once"},
	[FIGURE_LAP] = {"lap", "lap", "the round trip of the token"},
	[FIGURE_RESPONSE] = {"response", "response", "from when the lap was due to its first receive"},
	[FIGURE_LATENESS] = {"lateness", "lateness", "from when the lap was due to its send"},
	[FIGURE_SERVED] = {"served", "response, served laps alone", "the response without the missed laps"},
};

struct word {
	const char *name, *help;
};

static const struct word states[] = {
	[RING_PLANNED] = {"planned", "not started yet"},
	[RING_OPENING] = {"opening", "its objects are being created"},
	[RING_RUNNING] = {"running", "laps are done"},
	[RING_PAUSED] = {"paused", "its members wait until it may go on"},
	[RING_DONE] = {"done", "it has completed all its laps"},
	[RING_FAILED] = {"failed", "could not be opened, or ended with an error"},
	[RING_GONE] = {"gone", "its process has ended"},
};

static const struct word conditions[] = {
	[CONDITION_FINE] = {"", ""},
	[CONDITION_NEVER_RAN] = {"never ran", "started, but no lap is complete yet"},
	[CONDITION_WAITING] = {"waiting", "its turn has not come: in 0.4s"},
	[CONDITION_LATE] = {"late", "overdue, for an unknown reason"},
	[CONDITION_STARVED] = {"starved", "a member is ready to run but gets no CPU"},
	[CONDITION_THROTTLED] = {"throttled", "the kernel's real-time throttling took the CPU"},
	[CONDITION_STOPPED] = {"stopped", "a member is stopped, by SIGSTOP or a debugger"},
	[CONDITION_OFFLINE] = {"offline", "a member's CPU is offline"},
	[CONDITION_EXCLUDED] = {"excluded", "a cpuset no longer has a member's CPU"},
};

static const struct word faults[] = {
	[FAULT_LOST] = {"lost", "a token did not return within a second"},
	[FAULT_REPEATED] = {"repeated", "a token arrived twice"},
	[FAULT_REORDERED] = {"reordered", "a token arrived after it was declared lost"},
	[FAULT_DAMAGED] = {"damaged", "the bytes of a token have changed"},
};

const char *figure_name(enum figure figure)
{
	return figures[figure].name;
}

const char *figure_title(enum figure figure)
{
	return figures[figure].title;
}

const char *figure_help(enum figure figure)
{
	return figures[figure].help;
}

const char *stamps_name(enum stamps stamps)
{
	static const char *const names[N_STAMPS] = {[STAMPS_ALL] = "all", [STAMPS_LAP] = "lap"};

	return names[stamps];
}

enum figure figure_at(enum figure figure, uint64_t interval_ns, enum stamps stamps)
{
	bool has_hops = stamps == STAMPS_ALL, is_paced = interval_ns > 0;

	switch (figure) {
	case FIGURE_ANSWER:
		return has_hops ? figure : FIGURE_LAP;
	case FIGURE_LATENESS:
		return is_paced ? figure : FIGURE_LAP;
	default:
		return has_hops && is_paced ? figure : FIGURE_LAP;
	}
}

void tick_figure_extend(struct tick_figure *figure, uint64_t min_ns, uint64_t max_ns, uint64_t max_at_ns)
{
	if (!figure->has_extremes || min_ns < figure->min_ns)
		figure->min_ns = min_ns;
	if (!figure->has_extremes || max_ns > figure->max_ns) {
		figure->max_ns = max_ns;
		figure->max_at_ns = max_at_ns;
	}
	figure->has_extremes = true;
}

int tick_figure_add(const struct tick_figure *figure, const struct hist_cell *cells, struct hist *hist)
{
	if (figure->n_cells && hist_add_cells(hist, cells + figure->first_cell, figure->n_cells) < 0)
		return -ENOMEM;
	hist->sum_ns = hist_add_sums(hist->sum_ns, figure->sum_ns);
	if (figure->last_ns)
		hist->last_ns = figure->last_ns;
	if (figure->has_extremes && figure->min_is_wait)
		hist_extend_by_waits(hist, figure->min_ns, figure->max_ns, figure->max_at_ns);
	else if (figure->has_extremes)
		hist_extend(hist, figure->min_ns, figure->max_ns, figure->max_at_ns);
	return 0;
}

uint64_t tick_counts_in_place_ns(const struct tick_counts *counts)
{
	/* Those of a file may be any numbers. */
	double in_place = (double)counts->laps + (double)counts->warmup_laps + (double)counts->missed +
			  (double)counts->rested;
	double share = in_place / (in_place + (double)counts->away), ns = (double)counts->active_ns * share;

	return counts->away && ns < (double)counts->active_ns ? (uint64_t)ns : counts->active_ns;
}

uint64_t tick_ring_longest_wait(const struct tick_ring *ring)
{
	static const enum figure waits[] = {FIGURE_LAP, FIGURE_RESPONSE};
	uint64_t longest_ns = ring->age_ns;

	for (size_t i = 0; i < sizeof(waits) / sizeof(*waits); i++) {
		const struct tick_figure *figure = &ring->figures[waits[i]];

		if (figure->has_extremes && figure->max_ns > longest_ns)
			longest_ns = figure->max_ns;
	}
	return longest_ns;
}

void tick_figure_bound_waits(struct tick_figure *figure, const struct hist_cell *cells,
	const struct tick_figure *served, uint64_t *least_ns)
{
	uint64_t n = 0, bound_ns = served->has_extremes ? served->min_ns : *least_ns;

	if (served->has_extremes && (!*least_ns || served->min_ns < *least_ns))
		*least_ns = served->min_ns;
	figure->min_is_wait = figure->has_extremes && !served->has_extremes;
	if (!figure->has_extremes || figure->min_ns >= bound_ns)
		return;
	figure->min_ns = bound_ns;
	if (figure->max_ns < bound_ns)
		figure->max_ns = bound_ns;
	for (size_t i = 0; i < figure->n_cells; i++)
		n += cells[figure->first_cell + i].count;
	if (figure->sum_ns < n * bound_ns)
		figure->sum_ns = n * bound_ns;
}

const char *ring_state_name(enum ring_state state)
{
	return states[state].name;
}

const char *ring_state_help(enum ring_state state)
{
	return states[state].help;
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
	return conditions[condition].name;
}

const char *ring_condition_help(enum ring_condition condition)
{
	return conditions[condition].help;
}

const char *token_fault_name(enum token_fault fault)
{
	return faults[fault].name;
}

const char *token_fault_help(enum token_fault fault)
{
	return faults[fault].help;
}

char *token_faults_text(const uint64_t n[N_TOKEN_FAULTS], char *text, size_t size)
{
	text[0] = '\0';
	for (int f = 0; f < N_TOKEN_FAULTS; f++)
		if (n[f])
			text_print(text, size, "%s%llu %s%s", *text ? ", " : "", (unsigned long long)n[f],
				*text       ? ""
				: n[f] == 1 ? "token "
					    : "tokens ",
				faults[f].name);
	return text;
}

/* --- fields --- */

void tick_counts_add(struct tick_counts *counts, const struct tick_counts *more)
{
	for (size_t i = 0; i < N_TICK_COUNTS; i++)
		field_set_number(&tick_count_fields[i], counts,
			(int64_t)((uint64_t)field_number(&tick_count_fields[i], counts) +
				  (uint64_t)field_number(&tick_count_fields[i], more)));
}

const struct field tick_fields[N_TICK_FIELDS] = {
	FIELD_OF(struct tick, start_ns),
	FIELD_OF(struct tick, end_ns),
	FIELD_OF(struct tick, turn),
	FIELD_OF(struct tick, turn_since_ns),
	FIELD_OF(struct tick, own_cpu_ppm),
	FIELD_OF(struct tick, loadavg),
	FIELD_OF(struct tick, turn_held),
	FIELD_OF(struct tick, late_ns),
	FIELD_OF(struct tick, own_wait_ns),
	FIELD_OF(struct tick, interrupts),
	FIELD_OF(struct tick, recorder_ns),
	FIELD_OF(struct tick, n_recorded),
	FIELD_OF(struct tick, turn_ns),
};

const struct field tick_ring_fields[N_TICK_RING_FIELDS] = {
	FIELD_OF(struct tick_ring, state, .below = RING_GONE + 1),
	FIELD_OF(struct tick_ring, condition, .below = N_CONDITIONS),
	FIELD_OF(struct tick_ring, reason),
	FIELD_OF(struct tick_ring, age_ns),
	FIELD_OF(struct tick_ring, locality, .below = N_LOCALITIES + 1),
	FIELD_OF(struct tick_ring, faults[FAULT_LOST]),
	FIELD_OF(struct tick_ring, faults[FAULT_REPEATED]),
	FIELD_OF(struct tick_ring, faults[FAULT_REORDERED]),
	FIELD_OF(struct tick_ring, faults[FAULT_DAMAGED]),
};

#define COUNT_FIELD(name) FIELD_OF(struct tick_counts, name),
const struct field tick_count_fields[N_TICK_COUNTS] = {TICK_COUNTS(COUNT_FIELD)};

const struct field tick_member_fields[N_TICK_MEMBER_FIELDS] = {
	FIELD_OF(struct tick_member, pid),
	FIELD_OF(struct tick_member, tid),
	FIELD_OF(struct tick_member, policy.policy),
	FIELD_OF(struct tick_member, policy.priority),
	FIELD_OF(struct tick_member, policy.nice),
	FIELD_OF(struct tick_member, cpu),
	FIELD_OF(struct tick_member, n_cpus),
	FIELD_OF(struct tick_member, moved_to),
};

const struct field tick_hop_fields[N_TICK_HOP_FIELDS] = {
	FIELD_OF(struct tick_hop, node),
};
