/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter.h - the filter of the table's rings: a ring passes if it matches all words. Pure.
 *
 * A word is one term, or several with commas between them: then one of these must match. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/base/error_text.h"
#include "src/machine/cpus.h"
#include "src/machine/topology.h"

struct session;
struct session_ring;

enum { FILTER_SIZE = 256, FILTER_TERMS_MAX = 32 }; /* size: bytes of UTF-8, with their 0 */

enum filter_kind {
	FILTER_CPUS,      /* "cpu:2-7,9": a member is on one of these */
	FILTER_INSIDE,    /* "in:2-7,9": all members are on these */
	FILTER_CLASS,     /* "smt" */
	FILTER_MECHANISM, /* the name of a mechanism of the session */
	FILTER_TEXT, /* part of the label, the state or the mechanism, or the start of a member's policy */
};

struct filter_term {
	enum filter_kind kind;
	bool begins_word; /* the terms up to the next word's first are its alternatives */
	bool is_negated;  /* of the word's first term: none of them may match */
	char text[FILTER_SIZE];
	struct cpus cpus;
	enum locality locality;
};

/* Zeroed lets all rings pass. */
struct filter {
	char text[FILTER_SIZE]; /* as typed */
	struct filter_term terms[FILTER_TERMS_MAX];
	size_t n_terms;
};

/* Returns 0, or -EINVAL with the reason and the filter as it was. Blank text lets all rings pass. */
int filter_parse(struct filter *filter, const char *text, struct error_text *reason);
/* Puts in:LIST in place of the words in:; NULL: nothing. Returns 0, or -EINVAL with the reason and the filter
 * as it was. */
int filter_set_inside(struct filter *filter, const char *list, struct error_text *reason);
/* Finds the terms that are names of the session's mechanisms. Call it before filter_passes(). */
void filter_settle(struct filter *filter, const struct session *session);
bool filter_passes(const struct filter *filter, const struct session_ring *ring);
/* Returns whether a ring passes the other words than in:, for a view that has the rings by their CPUs. */
bool filter_passes_elsewhere(const struct filter *filter, const struct session_ring *ring);
