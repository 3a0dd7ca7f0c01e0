/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_reopen.h - commands for what can't change in a running ring: it is opened anew, under a new id, as one
 * that was removed is; and the dma latency. */
#pragma once

#include "src/run/run_undo.h"

/* Read their values. Return 0, or -EINVAL with the reason if they are not allowed. */
int run_reopen_read_interval(const char *text, uint64_t *interval_ns, struct error_text *reason);
int run_reopen_read_size(const char *text, uint64_t *bytes, struct error_text *reason);
/* Returns false if the value is not allowed. */
bool run_reopen_read_dma_latency(const char *text, int32_t *us); /* -1: off */

/* Tries whether hops of the sizes before can be opened. Returns 0, or a negative errno with its sentence. */
int run_undo_check_reopened(const struct run *run, const struct undo *undo, struct error_text *refusal);
/* Undo them, or a removal. Return 0, or a negative errno with its sentence. */
int run_undo_reopened(
	struct run *run, const struct command *command, struct undo *undo, struct error_text *refusal);
int run_undo_removed(
	struct run *run, const struct command *command, struct undo *undo, struct error_text *refusal);
int run_undo_dma_latency(
	struct run *run, const struct command *command, const struct undo *undo, struct error_text *refusal);
