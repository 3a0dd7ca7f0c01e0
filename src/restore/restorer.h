/* SPDX-License-Identifier: GPL-2.0-or-later */
/* restorer.h - a process that waits for the end of front and keeper, and restores then what the journal has.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "src/base/error_text.h"

struct cpus;
struct journal;

struct restorer {
	pid_t pid; /* 0: there is none */
};

/* Forks it. It has a session of its own and blocks all signals, and runs above all members, on @cpus. Threads
 * may exist. @keeper: its pidfd. Returns 0, or a negative errno with a sentence. */
int restorer_start(struct restorer *restorer, struct journal *journal, int keeper, const struct cpus *cpus,
	struct error_text *reason);
/* Returns whether it still waits; somebody may have killed it. */
bool restorer_waits(struct restorer *restorer);
/* Ends it: there is nothing to restore any more. */
void restorer_end(struct restorer *restorer);
