/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_faults.c - tokens that were lost, repeated, reordered or damaged. */
#include "src/model/session_faults.h"

#include "src/model/session.h"

uint64_t session_faults(const struct session_ring *ring)
{
	uint64_t n = 0;

	for (int f = 0; f < N_TOKEN_FAULTS; f++)
		n += ring->faults[f];
	return n;
}

enum token_fault session_worst_fault(const struct session_ring *ring)
{
	static const enum token_fault worst_first[] = {FAULT_DAMAGED, FAULT_LOST, FAULT_REORDERED};

	for (size_t i = 0; i < sizeof(worst_first) / sizeof(*worst_first); i++)
		if (ring->faults[worst_first[i]])
			return worst_first[i];
	return FAULT_REPEATED;
}

bool session_has_failed(const struct session *session)
{
	bool all = true;

	for (size_t i = 0; i < session->n_rings; i++) {
		if (session_faults(&session->rings[i]))
			return true;
		all &= session->rings[i].state == RING_FAILED;
	}
	return all;
}
