/* SPDX-License-Identifier: GPL-2.0-or-later */
/* breaktrace.h - -b: the member that measures the first latency above a limit stops the kernel's tracing.
 *
 * All files are opened before any fork, so the member only writes: a line into the trace, then 0 to
 * tracing_on (once it is off, the kernel refuses lines), then the word to the front. It goes on until the
 * front ends the run: that lap's time includes the writes, but no hop's does. Only counted samples are
 * compared, no warm-up. Each member has its limits beside the pointers to its counters, UINT64_MAX where
 * there is none. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/ring/arena.h"

struct config;
struct member_loop;

/* --- the front's --- */

/* How tracing was found at the start. */
struct tracing {
	char folder[64]; /* "" without -b */
	char on[16];     /* what tracing_on said; "?" where it can't be read */
	char tracer[64]; /* what current_tracer did */
};

enum { TRACING_TEXT_SIZE = 192 };

/* How it was found, as a sentence, or "" without -b. Returns @text. */
const char *breaktrace_found(const struct tracing *found, char text[TRACING_TEXT_SIZE]);

/* Opens what -b needs; changes nothing. Returns 0 or a negative errno with its reason; breaktrace_close()
 * accepts what is left. */
int breaktrace_open(struct breaktrace *breaktrace, const struct config *config, struct tracing *found,
	struct error_text *reason);
void breaktrace_close(struct breaktrace *breaktrace);

/* Has a member stopped it? Then @breach is what it saw. */
bool breaktrace_happened(const struct breaktrace *breaktrace, struct breach *breach);

/* A turn or a phase has ended, and its oldest slot had waited for so long, which the origin did not come to
 * see. */
void breaktrace_check_wait(const struct arena *arena, const struct ring_slot *ring, const char *mechanism,
	uint64_t waited_ns, uint64_t at_ns);

/* --- a member's --- */

/* Before it starts: tells the loop its limits. */
void breaktrace_arm(struct member_loop *loop);
/* A sample of @ns, which ended at @at_ns, is above the loop's limit. Only the first of all members' counts.
 */
void breaktrace_stop(struct member_loop *loop, uint64_t ns, uint64_t at_ns);
