/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pairs.h - what pmqtest, svsematest, ptsematest and sigwaittest have in common: pairs whose second member
 * answers the first, which slept. They differ in the mechanism and in a few options.
 *
 * They print the hop back to the origin alone, and -b compares it: the figure `answer` also has the first
 * hops of late laps. After -b the exit status is 0, as the tools', but 1 where tracing could not be stopped.
 */
#pragma once

#include "src/compat/options.h"

struct compat_pairs { /* a tool's own */
	bool tells_timeouts;
};

/* -a, -d, -i, -S, -t. */
extern const struct compat_option compat_pair_options[];
extern const struct compat_option compat_fork_options[];

void compat_pairs_defaults(struct compat *compat);
int compat_pairs_settle(struct compat *compat, struct error_text *reason);
int compat_pairs_run(const struct compat *compat);
