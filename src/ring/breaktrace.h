/* SPDX-License-Identifier: GPL-2.0-or-later */
/* breaktrace.h - -b: the member that measures the first latency above a limit stops the kernel's tracing.
 *
 * All files are opened before any fork, so the member only writes: a line into the trace, then 0 to
 * tracing_on (once it is off, the kernel refuses lines), then the word to the front. It goes on until the
 * front ends the run: that lap's time includes the writes, and no hop's does. Only counted samples are
 * compared, no warm-up. Each member has its limits beside the pointers to its counters, UINT64_MAX where
 * there is none. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/ring/arena.h"

struct member_loop;

/* --- the front's --- */

/* The state of tracing at the start. */
struct tracing {
	char folder[64]; /* "" without -b */
	char on[16];     /* the content of tracing_on; "?" where it can't be read */
	char tracer[64]; /* the content of current_tracer */
};

enum { TRACING_TEXT_SIZE = 192 };

/* Writes that state as a sentence, or "" without -b. Returns @text. */
const char *breaktrace_found(const struct tracing *found, char text[TRACING_TEXT_SIZE]);

/* Opens the files of the config's -b, and changes none. Returns 0 or a negative errno with its reason;
 * breaktrace_close() accepts either. */
int breaktrace_open(struct arena *arena, struct tracing *found, struct error_text *reason);
void breaktrace_close(struct arena *arena);

/* Returns whether a member may have written to tracing_on before this call. */
bool breaktrace_began(const struct arena *arena);
/* Returns whether a member has stopped tracing, with its @breach. */
bool breaktrace_happened(const struct arena *arena, struct breach *breach);

/* Compares the wait of the oldest slot at the end of a turn or phase, which the origin could not measure. */
void breaktrace_check_wait(const struct arena_ring *ring, uint64_t waited_ns, uint64_t at_ns);

/* --- a member's --- */

/* Sets the loop's limits, before it starts. */
void breaktrace_arm(struct member_loop *loop);
/* Reports a sample of @ns, ended at @at_ns, that is above the loop's limit. Only the first of all members
 * counts. */
void breaktrace_stop(struct member_loop *loop, uint64_t ns, uint64_t at_ns);
