/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_effects.h - what each load did to each ring: phases with it beside those without any. Pure.
 *
 * Phases with the same loads count together. The figure is the response, in a flood the lap. */
#pragma once

#include "src/figures/hist.h"
#include "src/machine/topology.h"
#include "src/model/session.h"
#include "src/model/spikes.h"

/* What a ring did under some loads. */
struct load_effect {
	const char *loads; /* "fork:0-3:100%"; "none" */
	/* The nearest part that a CPU of the ring and one of the loads share; N_LOCALITIES: not known. */
	enum locality locality;
	uint64_t n, p50_ns, p99_ns, max_ns;
	uint64_t slots, missed; /* slots: 0 in a flood */
	double factor;          /* p99 divided by that without load; 0: not known */
	/* Its interval at 95 % (shift.h); low: 0, high: INFINITY: this end is open. Both 0: none is known, as
	 * phases have too few blocks or samples, or they are gone. */
	double factor_low, factor_high;
	bool lacks_blocks; /* there is no interval because phases are sums alone, as after a seek */
	bool is_trusted;   /* are enough samples beyond both p99s? */
	/* The cause that took the longest in spikes of all rings, in the phase where these took the longest;
	 * NULL: there was no spike. */
	const struct blamed *culprit;
	double culprit_share; /* of the time of these spikes */
};

struct ring_effects {
	const struct session_ring *ring;
	struct load_effect without;
	struct load_effect *list; /* owned, the largest factor first */
	size_t n;
};

struct load_effects {
	struct ring_effects *rings; /* owned; those with samples in phases with and without loads */
	size_t n;
};

/* They point into the session, and are valid until it is fed. Empty where no phase has a load, or all have.
 * Returns 0 or -ENOMEM; load_effects_finish() accepts what is left. */
int load_effects_make(struct load_effects *effects, const struct session *session);
void load_effects_finish(struct load_effects *effects);
