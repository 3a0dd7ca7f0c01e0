/* SPDX-License-Identifier: GPL-2.0-or-later */
/* advice.h - the knobs of a machine, judged for the members of a run, the most costly first. Pure. */
#pragma once

#include "src/model/knobs.h"

struct session;

/* How much a knob matters here. */
enum advice_rank {
	ADVICE_SEEN,      /* the run's spikes blame it */
	ADVICE_COSTS,     /* it is not good, and that costs latency by what is published */
	ADVICE_MAY_COST,  /* it is not good; no figure is published */
	ADVICE_NO_EFFECT, /* it is not good, and no spike of this run blames it */
	ADVICE_INFORMS,   /* it is neither good nor bad, and no spike of this run blames it */
	ADVICE_GOOD,
	ADVICE_DENIED, /* from here on there is no value */
	ADVICE_UNMOUNTED,
	ADVICE_RUN_ONLY,
	ADVICE_ABSENT,
	N_ADVICE_RANKS
};

const char *advice_rank_word(enum advice_rank rank); /* "seen", "costs", "may cost", ... */

struct advice {
	const struct knob *knob;
	struct knob_finding found;
	enum advice_rank rank;
	uint64_t
		seen_ns; /* that the run's spikes took by its causes; 0 if it is good, or does nothing here */
	uint32_t seen_ppm;  /* the same as a share of all of their time */
	unsigned n_shared;  /* knobs with the same causes share that time; 0: none was seen */
	size_t group_first; /* the index of the worst one of its group; advice_group() sets it */
};

struct advice_list {
	struct advice list[KNOBS_MAX]; /* the worst first */
	size_t n;
	size_t n_ranks[N_ADVICE_RANKS];
	bool has_blames; /* the run had a spike that was recorded */
};

/* Sets the site of a session: all members that have not ended. */
void advice_site_of(struct advice_site *site, const struct session *session);
void advice_make(struct advice_list *advice, const struct advice_site *site);
/* Returns why the knob of a fact does nothing here, or NULL: it may do something, as far as is known. */
const char *advice_no_effect(const struct machine_fact *fact, const struct advice_site *site);
/* Sorts by group, the group with the worst knob first. */
void advice_group(struct advice_list *advice);
/* Does a knob cost latency that a command, or a boot option, changes? */
bool advice_has_cost(const struct advice_list *advice);

enum { ADVICE_TEXT_SIZE = 512 };

/* "timer interrupts cost 4 % of all spikes here", "no effect seen here", or what is published; "" of a knob
 * that need not change, and of which nothing is published. Returns @text. */
char *advice_cost_text(const struct advice *advice, char text[ADVICE_TEXT_SIZE]);
/* The same beside a column with the share: "timer interrupts, shared by 3 knobs". Returns @text. */
char *advice_cost_brief(const struct advice *advice, char text[ADVICE_TEXT_SIZE]);
/* Returns the command that changes the knob now, or that makes it known; NULL: there is none. */
const char *advice_now(const struct advice *advice, const struct advice_site *site);
/* Writes a command for the site; "" for NULL. Returns @text. */
char *advice_command(const struct advice *advice, const struct advice_site *site, const char *command,
	char text[ADVICE_TEXT_SIZE]);
