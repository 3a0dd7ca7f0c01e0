/* SPDX-License-Identifier: GPL-2.0-or-later */
/* certificate.h - the results of a self-test: what was measured on this machine, and whether it held. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "src/base/error_text.h"
#include "src/machine/clock_skew.h"
#include "src/machine/machine.h"
#include "src/witness/explanation.h"

enum outcome {
	OUTCOME_HELD,
	OUTCOME_FAILED,   /* it was measured, and did not hold */
	OUTCOME_LEFT_OUT, /* it can't be measured here: the reason names what is missing, and the remedy */
	N_OUTCOMES,
};

extern const char *const outcome_names[N_OUTCOMES]; /* "held": text, JSON */

/* Two reads of the clock that follow each other on one CPU. */
struct clock_result {
	enum outcome outcome;
	uint64_t n_reads, n_backward; /* pairs of reads; those whose second time is the earlier one */
	double cost_ns;               /* of one read, on average */
	uint64_t step_ns;             /* the smallest difference that is not 0 */
};

struct skew_result {
	enum outcome outcome;
	struct error_text reason;
	struct clock_pair *pairs; /* owned; the first CPU with each other one */
	size_t n_pairs;
	const struct clock_pair *widest; /* of pairs; NULL: none was measured */
};

/* Stamps of hops, and the kernel's records of the switches to the two members. */
struct stamps_result {
	enum outcome outcome;
	struct error_text reason;
	uint64_t n_hops;            /* that were reported */
	uint64_t n_woken;           /* switches to a member that belong to them */
	uint64_t n_wrong;           /* of these, before or after the stamps between which they must be */
	uint64_t median_ns, max_ns; /* from the switch to the receiver to its stamp */
};

enum { TROUBLES_MAX = 16, TIERS_MAX = 8, RIGHTS_MAX = 8 };

struct trouble_result {
	const char *name, *title;
	enum outcome outcome;
	struct error_text reason;
	char tier[16]; /* of the flight recorder, that had to name it */
	unsigned n, n_found, n_named;
	unsigned n_drowned; /* not among n: others disturbed the pair for longer, or the recorder lost records
			     */
	unsigned n_measured, n_long;             /* those whose length is known; and was found */
	uint64_t injected_ns, found_ns;          /* together, of those whose length is known */
	char explanation[EXPLANATION_TEXT_SIZE]; /* of the last one that was found */
};

/* What a tier of the flight recorder costs a pair on one CPU: the median of its answers with the tier, over
 * that without a recorder before and after. */
struct tier_result {
	const char *name;
	enum outcome outcome;
	struct error_text reason;
	unsigned n;              /* blocks */
	double ratio, low, high; /* the median of the blocks, and the interval that has it with 95 % */
	double median_ns;        /* of an answer without a recorder */
};

struct right_result {
	const char *name, *serves;
	bool is_there;
	struct error_text reason; /* what is missing, and the remedy */
};

struct certificate {
	bool is_quick;
	uint64_t began_s, took_ns; /* CLOCK_REALTIME; CLOCK_MONOTONIC */
	struct machine machine;    /* owned */
	struct clock_result clock;
	struct skew_result skew;
	struct stamps_result stamps;
	struct trouble_result troubles[TROUBLES_MAX];
	size_t n_troubles;
	struct tier_result tiers[TIERS_MAX];
	size_t n_tiers;
	struct right_result rights[RIGHTS_MAX];
	size_t n_rights;
};

struct outcome_counts {
	unsigned n[N_OUTCOMES];
};

struct outcome_counts certificate_count(const struct certificate *certificate);
void certificate_finish(struct certificate *certificate);

/* Prints all of it as JSON. Returns 0 or -ENOMEM. */
int certificate_print_json(FILE *out, const struct certificate *certificate);
