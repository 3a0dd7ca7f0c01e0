/* SPDX-License-Identifier: GPL-2.0-or-later */
/* feed - what a tick costs the session, on average and at worst, in CPU time: bench_feed RINGS TICKS
 *
 * Each ring has about 60 buckets in each figure, and others in each tick. Prints one JSON object. */
#include "src/base/clock.h"
#include "src/model/session.h"
#include "tests/unit/session_fixture.h"

#include <stdio.h>

enum { BUCKETS = 60, LONG_NS = 20000000 };

/* As half a second at 1 kHz: most in a row of buckets around some us, a few far above. */
static void fill_figures(struct fixture *f, size_t ring, struct hist_cell *cells, unsigned *seed)
{
	for (int figure = 0; figure < N_FIGURES; figure++) {
		struct tick_figure *out = &f->rings[ring].figures[figure];
		unsigned bucket;

		*seed = *seed * 1103515245 + 12345;
		bucket = hist_bucket(2000 + 700 * (unsigned)figure + 16 * (*seed >> 16) % 1024);
		*out = (struct tick_figure){
			.first_cell = f->tick.n_cells, .n_cells = BUCKETS, .last_ns = 5000};
		for (unsigned b = 0; b < BUCKETS; b++) {
			bucket += b < BUCKETS - 4 ? 1 + (*seed >> b % 16 & 1) : 20 + (*seed >> 20) % 16;
			cells[f->tick.n_cells++] = (struct hist_cell){bucket, 1 + (b * 7 + *seed) % 16};
			out->sum_ns += cells[f->tick.n_cells - 1].count * hist_middle(bucket);
		}
		out->min_ns = hist_middle(cells[out->first_cell].bucket);
		out->max_ns = hist_middle(bucket);
		out->max_at_ns = f->tick.end_ns - 5;
		out->has_extremes = true;
	}
	f->rings[ring].laps = 500;
	f->rings[ring].active_ns = FIXTURE_TICK_NS;
}

int main(int argc, char **argv)
{
	size_t n_rings = argc == 3 ? (size_t)atoi(argv[1]) : 0,
	       n_ticks = argc == 3 ? (size_t)atoi(argv[2]) : 0;
	uint64_t all_ns = 0, first_ns = 0, worst_ns = 0, over = 0;
	struct hist_cell *cells;
	struct fixture *f;
	unsigned seed = 1;

	if (!n_rings || !n_ticks || n_rings > FIXTURE_RINGS_MAX)
		return 1;
	f = fixture_create(n_rings, 1000000);
	f->tick.cells = cells = calloc(n_rings * N_FIGURES * BUCKETS, sizeof(*cells));
	for (size_t i = 0; i < n_ticks; i++) {
		for (size_t r = 0; r < n_rings; r++)
			fill_figures(f, r, cells, &seed);
		uint64_t from_ns = clock_thread_ns();

		if (session_feed(&f->session, &f->tick) < 0 || session_phases_merge(&f->session, NULL) < 0)
			return 1;
		uint64_t took_ns = clock_thread_ns() - from_ns;

		all_ns += took_ns;
		over += took_ns > LONG_NS;
		if (i == 0)
			first_ns = took_ns;
		else if (took_ns > worst_ns)
			worst_ns = took_ns;
		fixture_next(f);
	}
	printf("{\"ring_tick_us\": %.2f, \"first_ms\": %.2f, \"worst_ms\": %.2f, \"over_20_ms\": %llu}\n",
		(double)all_ns / 1e3 / (double)(n_ticks * n_rings), (double)first_ns / 1e6,
		(double)worst_ns / 1e6, (unsigned long long)over);
	free(cells);
	fixture_destroy(f);
	return 0;
}
