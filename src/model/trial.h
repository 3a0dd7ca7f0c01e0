/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trial.h - what a knob does: phases with the value that was found, beside phases with another one. Pure.
 *
 * The phases of each value have one name, so they are replicates of each other (phases_like()), and the
 * spread between them enters the verdict. */
#pragma once

#include "src/figures/signed_rank.h"
#include "src/model/comparison_lines.h"
#include "src/model/session.h"

/* Pairs of phases, one with each value. */
enum {
	TRIAL_PAIRS = SIGNED_RANK_PAIRS_MIN, /* so that their differences are judged */
	TRIAL_PAIRS_MAX = 24,                /* of a machine that moves more */
	TRIAL_PAIRS_FEW = 6,                 /* if the time is short */
	TRIAL_PAIRS_MIN = 3,
};

/* The lengths of the phases. */
struct trial_pace {
	uint64_t pilot_ns; /* before the first one, from which the next is chosen */
	uint64_t phase_ns;
	unsigned n_pairs;
};

/* Returns whether a phase, from 0 on, has the new value: A B B A A B B A. A steady drift of the machine makes
 * B higher in one pair and lower in the next one, and the knob is turned half as often as by A B A B. */
bool trial_is_b(unsigned phase);
/* Returns the shortest phase in which all rings measure enough: 2 s, a round of all turns, 100 of the
 * longest interval, or 10 ticks. */
uint64_t trial_phase_ns_min(const struct session *session, uint64_t tick_ns);
/* Returns how long a trial may take unless the user says so: two minutes, or what all phases need. */
uint64_t trial_for_ns(uint64_t least_ns);
/* Sets the pilot, and the phases as if it had shown nothing. @for_ns: how long all of it may take. Returns 0,
 * or -EINVAL with a sentence: that is too short. */
int trial_pace_init(struct trial_pace *pace, uint64_t least_ns, uint64_t for_ns, struct error_text *reason);
/* Chooses how long phases are, so that the interval of a typical ring's p99 is about 5 % wide on either side.
 * @spread: see trial_spread(). */
void trial_pace_choose(struct trial_pace *pace, uint64_t least_ns, uint64_t for_ns, double spread);
/* Returns how long a phase that begins at @begin_ns lasts, if all of the trial is to end at @end_ns: shorter
 * than planned if less time is left, but at least half as long: a shorter one would be no replicate. 0: the
 * trial @was_stopped, and the time that is left is not enough for a phase. */
uint64_t trial_phase_ns(const struct trial_pace *pace, uint64_t begin_ns, uint64_t end_ns, bool was_stopped);
/* Returns whether a phase that ends so late was stopped, and not only busy. */
bool trial_was_stopped(const struct trial_pace *pace, uint64_t late_ns);
/* Returns the standard deviation that the log of a ring's p99 has from one second of the current phase to the
 * next; the median of the rings. 0: there are too few samples. */
double trial_spread(const struct session *session);

enum { TRIAL_TEXT_SIZE = 2 * COMPARISON_WORDS_SIZE };

struct trial_result {
	enum shift_verdict verdict;
	/* "BETTER: response p99 71 > 44 us, -38 % [-45, -30]; not woken 61 > 4 % of spikes" */
	char text[TRIAL_TEXT_SIZE];
};

/* Finds the last trial of the session of which there are phases with both values, and the last one with each.
 * Returns its event, or NULL. */
const struct event *trial_last(const struct session *session, const struct phase **a, const struct phase **b);
/* Compares the last phases of both names that are not cut short, with all that are like them. Returns 0 or
 * -ENOMEM. */
int trial_judge(struct trial_result *result, const struct session *session, const char *name_a,
	const char *name_b, enum figure figure);
