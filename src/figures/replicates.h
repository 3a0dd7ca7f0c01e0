/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replicates.h - what replicates, phases of one configuration, say about the marks of rows: by how much a
 * value moves from phase to phase without a change. Pure. */
#pragma once

#include "src/figures/verdict.h"

/* Judges the percentiles of a figure by the mean of all replicates, before they become marks. The error is
 * that of the blocks of the phase, or that between the replicates if it is larger. Of replicates that are
 * apart it is that between them alone: where the samples beyond a percentile come in bursts, the blocks of
 * one short phase exclude no change. Returns 0 or -ENOMEM. */
int replicates_judge_figure(struct row_verdict *verdict, const struct judged_row *row, size_t figure,
	struct verdict_counts *counts);
/* Judges the marks of missed slots, spikes and laps, which the verdict has from its blocks. */
void replicates_judge_counts(
	struct row_verdict *verdict, const struct judged_row *row, struct verdict_counts *counts);

void replicate_values_add(struct replicate_values *values, const struct replicate_values *more);
/* Judges a mark of missed slots or laps by its values in replicates, and makes others less certain. @a, @b:
 * shares or laps. */
struct mark replicate_values_mark(
	enum mark_id id, struct mark mark, const struct replicate_values *values, double a, double b);
/* Finds with which probability chance alone moves any mark so far; NAN where a mark has no values. Latencies
 * move together; missed slots, which tell most, are a group of their own, as are marks that lack a value in
 * some replicate. Of several rows p99.9 has no mark. */
void replicate_values_find_chances(
	const struct replicate_values values[N_MARKS], size_t n_rows, double chances[N_MARKS]);
