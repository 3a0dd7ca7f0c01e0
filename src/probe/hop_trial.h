/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hop_trial.h - hops that this process opens only to learn whether the limits of the machine allow them. No
 * member ever uses them. */
#pragma once

#include "src/probe/probe.h"

enum { HOP_TRIAL_MAX = 16 }; /* hops that are open at once, some with 1 MiB of memory; more are not tried */

struct tried_hop {
	const struct probe *probe;
	struct hop hop;
	int fds[HOP_FDS];
	void *state; /* owned */
};

/* Zeroed is empty. It does not move while hops are open. */
struct hop_trial {
	struct owner owner;
	struct tried_hop hops[HOP_TRIAL_MAX];
	size_t n;
};

/* Opens @n more hops with tokens of @bytes. Returns 0 or a negative errno, see probe_explain(). Descriptors
 * are no limit here, as the keeper, which opens the hops of rings, may have more of them. */
int hop_trial_open(struct hop_trial *trial, const struct probe *probe, size_t bytes, unsigned n);
/* Closes all. */
void hop_trial_finish(struct hop_trial *trial);
