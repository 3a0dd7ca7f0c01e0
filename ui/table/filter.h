/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter.h - which rings the table has: all words that were typed hold for them. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/base/error_text.h"
#include "src/machine/cpus.h"
#include "src/machine/topology.h"
#include "ui/draw/prompt.h"

struct session;
struct session_ring;

enum { FILTER_TERMS_MAX = PROMPT_SIZE / 2 };

enum filter_kind {
	FILTER_CPUS,      /* "cpu:2-7,9": one of its members' CPUs is among these */
	FILTER_CLASS,     /* "smt" */
	FILTER_MECHANISM, /* the name of one that the session has */
	FILTER_TEXT,      /* pair, state or mechanism hold it */
};

struct filter_term {
	enum filter_kind kind;
	bool not ;
	char text[PROMPT_SIZE];
	struct cpus cpus;
	enum locality class;
};

/* Zeroed lets all rings pass. */
struct filter {
	char text[PROMPT_SIZE]; /* as typed */
	struct filter_term words[FILTER_TERMS_MAX];
	size_t n_words;
};

/* Returns 0, or -EINVAL with the filter as it was, and why. Blank text lets all rings pass. */
int filter_parse(struct filter *filter, const char *text, struct error_text *reason);
/* Before rings are asked for: which words are names of the session's mechanisms? */
void filter_settle(struct filter *filter, const struct session *session);
bool filter_passes(const struct filter *filter, const struct session_ring *ring);
