/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_sinks.h - what a run's session is told, its recording and its history with it; the run's own.
 *
 * All are called from the thread that runs run_loop(), without the session's lock. */
#pragma once

#include "src/run/run.h"

enum { RUN_MACHINE_NS = 1000000000 }; /* how often the machine is looked at */

/* An event that does not follow from ticks. Returns 0 or -ENOMEM. */
int run_tell(struct run *run, uint64_t at_ns, enum event_kind kind, const char *text);
/* Those of the start: how tracing was found, and what @notes say. Returns 0 or -ENOMEM. */
int run_tell_start(struct run *run, const struct notes *notes);
/* Whatever else ended the run: what a member has done is told. */
void run_look_for_breach(struct run *run);

/* Takes a tick where it is time for one, and returns whether it did. */
bool run_tick(struct run *run, uint64_t now_ns);
/* Does what others asked of the run. Returns whether there was anything. */
bool run_obey_commands(struct run *run);

/* Once more does nothing. */
void run_end_recording(struct run *run);
