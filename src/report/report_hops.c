/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_hops.c - the hops of larger rings, as text. */
#include "src/report/report_hops.h"

#include <stdlib.h>

#include "src/model/session.h"
#include "src/report/report_table.h"

enum { HOPS_SHOWN = 16, CELL = REPORT_CELL_SIZE };

static void print_hop(FILE *out, const struct session_ring *ring, unsigned h)
{
	const struct hist *hist = &ring->hops[h].hist;
	char name[40], max[CELL], p999[CELL], p99[CELL], p50[CELL], min[CELL];

	session_hop_label(ring, h, name, sizeof(name));
	if (!hist->n) {
		fprintf(out, "%-14s %10s\n", name, "0");
		return;
	}
	fprintf(out, "%-14s %10llu %11s %11s %11s %11s %11s %11.3f\n", name, (unsigned long long)hist->n,
		report_us(max, hist->max_ns), report_percentile(p999, hist, 99.9),
		report_percentile(p99, hist, 99), report_percentile(p50, hist, 50),
		report_us(min, hist->min_ns), hist_mean(hist) / 1e3);
}

static uint64_t max_of(const struct session_hop *hop)
{
	return hop->hist.n ? hop->hist.max_ns : 0;
}

/* Those with the largest Max in @shown, in the order of the ring. */
static void choose(const struct session_ring *ring, bool *shown)
{
	for (unsigned n = 0; n < HOPS_SHOWN && n < ring->n_members; n++) {
		unsigned best = ring->n_members;

		for (unsigned h = 0; h < ring->n_members; h++)
			if (!shown[h] && (best == ring->n_members ||
						 max_of(&ring->hops[h]) > max_of(&ring->hops[best])))
				best = h;
		shown[best] = true;
	}
}

static void print_ring(FILE *out, const struct session_ring *ring, const bool *shown)
{
	fprintf(out, "\nhops of %s %s", ring->mechanism, ring->label);
	if (ring->n_members > HOPS_SHOWN)
		fprintf(out, ", the %d of the largest Max", HOPS_SHOWN);
	fprintf(out, "\n%-14s %10s %11s %11s %11s %11s %11s %11s\n", "hop", "n", "Max", "p99.9", "p99", "p50",
		"Min", "Avg");
	for (unsigned h = 0; h < ring->n_members; h++)
		if (shown[h])
			print_hop(out, ring, h);
}

static bool has_samples(const struct session_ring *ring)
{
	for (unsigned h = 0; h < ring->n_members; h++)
		if (ring->hops[h].hist.n)
			return true;
	return false;
}

void report_hops(FILE *out, const struct session *session)
{
	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];
		bool listed = ring->n_members > 2 && has_samples(ring);
		bool *shown = listed ? calloc(ring->n_members, sizeof(*shown)) : NULL;

		if (!shown)
			continue;
		choose(ring, shown);
		print_ring(out, ring, shown);
		free(shown);
	}
}
