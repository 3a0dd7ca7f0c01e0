/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hop_trial.h - hops that this process opens only to learn whether the limits of the machine allow them. No
 * member ever uses them. */
#pragma once

#include "src/probe/probe.h"

/* The most hops that are open at once, and bytes of their tokens, as some hops have memory for these. At most
 * half of this process's descriptors are used: its other threads need some meanwhile. */
enum { HOP_TRIAL_MAX = 256, HOP_TRIAL_BYTES = 16 << 20 };

/* Zeroed is empty. */
struct hop_trial {
	struct owner owner;
	struct tried_hop *last; /* owned; a list, back to the first one */
	size_t n, bytes;        /* of all */
};

/* Returns how many of @n hops with tokens of @bytes are tried, where no other hops are. */
size_t hop_trial_room(size_t n, size_t bytes);
/* Opens @n more hops with tokens of @bytes, as far as there is room. Returns 0 or a negative errno, see
 * probe_explain(). Descriptors are no limit here, as the keeper, which opens the hops of rings, may have more
 * of them. */
int hop_trial_open(struct hop_trial *trial, const struct probe *probe, size_t bytes, unsigned n);
/* Closes all. */
void hop_trial_finish(struct hop_trial *trial);
