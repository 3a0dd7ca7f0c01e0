/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick_faults.c - lost, repeated, reordered and damaged tokens, at the end of a tick's bytes. */
#include "src/recording/tick_faults.h"

static bool has_fault(const struct tick_ring *ring)
{
	uint64_t any = 0;

	for (int f = 0; f < N_TOKEN_FAULTS; f++)
		any |= ring->faults[f];
	return any;
}

void tick_faults_encode(struct bytes *bytes, const struct tick *tick)
{
	size_t n = 0;

	for (size_t i = 0; i < tick->n_rings; i++)
		n += has_fault(&tick->rings[i]);
	bytes_uint(bytes, n);
	for (size_t i = 0; i < tick->n_rings; i++) {
		if (!has_fault(&tick->rings[i]))
			continue;
		bytes_uint(bytes, i);
		for (int f = 0; f < N_TOKEN_FAULTS; f++)
			bytes_uint(bytes, tick->rings[i].faults[f]);
	}
}

void tick_faults_decode(struct scan *scan, struct tick *tick)
{
	uint64_t n = scan_below(scan, tick->n_rings + 1);

	for (uint64_t i = 0; i < n && !scan->bad; i++) {
		uint64_t ring = scan_below(scan, tick->n_rings);

		for (int f = 0; f < N_TOKEN_FAULTS && !scan->bad; f++)
			tick->rings[ring].faults[f] = scan_uint(scan);
	}
}
