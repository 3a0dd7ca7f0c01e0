/* SPDX-License-Identifier: GPL-2.0-or-later */
/* recorded_spike.h - explains a spike as a recording has it. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "src/witness/explanation.h"
#include "tests/unit/tap.h"

static inline bool is_same_cause(const struct cause *a, const struct cause *b)
{
	return a->kind == b->kind && a->cpu == b->cpu && a->tid == b->tid && a->priority == b->priority &&
	       a->policy == b->policy && a->number == b->number && strcmp(a->name, b->name) == 0 &&
	       a->partner_tid == b->partner_tid && strcmp(a->partner_name, b->partner_name) == 0;
}

static inline bool is_same_explanation(const struct explanation *a, const struct explanation *b)
{
	bool is_same = a->length_ns == b->length_ns && a->explained_ns == b->explained_ns &&
		       a->is_complete == b->is_complete && a->steal_ns == b->steal_ns &&
		       a->is_guest == b->is_guest && a->n_smis == b->n_smis &&
		       a->sender_ran_ns == b->sender_ran_ns && a->receiver_ran_ns == b->receiver_ran_ns &&
		       a->n_segments == b->n_segments && a->n_blames == b->n_blames &&
		       a->n_hints == b->n_hints;

	for (size_t i = 0; is_same && i < a->n_segments; i++)
		is_same = a->segments[i].from_ns == b->segments[i].from_ns &&
			  a->segments[i].to_ns == b->segments[i].to_ns &&
			  is_same_cause(&a->segments[i].cause, &b->segments[i].cause);
	for (size_t i = 0; is_same && i < a->n_blames; i++)
		is_same = a->blames[i].ns == b->blames[i].ns && a->blames[i].n == b->blames[i].n &&
			  is_same_cause(&a->blames[i].cause, &b->blames[i].cause);
	for (size_t i = 0; is_same && i < a->n_hints; i++)
		is_same = a->hints[i].kind == b->hints[i].kind &&
			  strcmp(a->hints[i].text, b->hints[i].text) == 0;
	return is_same;
}

/* Explains the spike, and checks that its recording explains it alike. */
static inline void explain_recorded(struct explanation *explanation, const struct spike *spike,
	const struct flight_record *records, size_t n_records)
{
	struct flight_record *decoded = calloc(SPIKE_RECORDS_MAX, sizeof(*decoded));
	struct spike_report report = {*spike, records, n_records};
	struct explanation replayed;
	struct bytes bytes = {0};

	explain(explanation, spike, records, n_records);
	spike_encode(&bytes, &report);
	struct scan scan = {bytes.data, bytes.data + bytes.n, false};

	spike_decode(&scan, &report, decoded);
	CHECK(!bytes.failed && !scan.bad && scan.at == scan.end);
	explain(&replayed, &report.spike, report.records, report.n_records);
	CHECK(is_same_explanation(explanation, &replayed), "a recording of this spike explains it otherwise");
	bytes_finish(&bytes);
	free(decoded);
}
