/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike_limit.h - from which length on a ring's samples are spikes. Pure.
 *
 * The limit is the largest of 20 us, three times the usual sample, and what at most 20 samples a second
 * reach. It is no percentile of all samples: with 30 stalls of 20 ms in a second, p99.9 is a stall. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "src/figures/hist.h"

/* What a ring's samples are usually. Zeroed: not known. */
struct spike_usual {
	uint64_t median_ns; /* grows by at most a quarter a tick: a tick may have stalls alone */
};

/* Returns the limit after a tick of @length_ns with these samples, of one member, by their buckets. Returns
 * @before_ns where it has none. */
uint64_t spike_limit(struct spike_usual *usual, const struct hist_cell *cells, size_t n_cells,
	uint64_t length_ns, uint64_t before_ns);
