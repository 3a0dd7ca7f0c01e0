/* SPDX-License-Identifier: GPL-2.0-or-later */
/* compare - what comparing two phases of many pairs costs: bench_compare RINGS TICKS
 *
 * Each phase has TICKS ticks; in the second one every other pair is slower. Prints one JSON object, times in
 * ms: how long the session's lock is held, how long the whole comparison takes, and how long its end takes
 * when it is asked for at the worst time; and the bytes that the comparison allocates. */
#include <malloc.h>
#include <math.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/model/comparer.h"
#include "src/model/session.h"
#include "tests/unit/session_fixture.h"

enum { SAMPLES = 500, BUCKETS = 60, ENDS = 20 };

static struct hist_cell *cells;

static double ms_since(uint64_t from_ns)
{
	return (double)(clock_now_ns() - from_ns) / 1e6;
}

static void fill_tick(struct fixture *f, uint64_t *seed, bool is_second)
{
	for (size_t ring = 0; ring < f->tick.n_rings; ring++)
		for (int figure = 0; figure < N_FIGURES; figure++) {
			struct tick_figure *out = &f->rings[ring].figures[figure];
			unsigned first = hist_bucket(is_second && ring % 2 ? 3600 : 3000);

			*out = (struct tick_figure){.first_cell = f->tick.n_cells,
				.n_cells = BUCKETS,
				.sum_ns = SAMPLES * 5000,
				.last_ns = 5000,
				.min_ns = 3000,
				.max_ns = 9000,
				.max_at_ns = f->tick.end_ns - 5,
				.has_extremes = true};
			for (unsigned b = 0; b < BUCKETS; b++) {
				*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407;
				cells[f->tick.n_cells++] =
					(struct hist_cell){first + b, 1 + (uint32_t)(*seed >> 60)};
			}
		}
}

static struct fixture *make_phases(size_t n_rings, unsigned n_ticks)
{
	struct fixture *f = fixture_create(n_rings, 1000000);
	uint64_t seed = 1;

	f->tick.cells = cells = calloc(n_rings * N_FIGURES * BUCKETS, sizeof(*cells));
	for (unsigned i = 0; i < 2 * n_ticks; i++) {
		if (i == n_ticks && session_phases_begin(&f->session, "second", 0) < 0)
			exit(1);
		fill_tick(f, &seed, i >= n_ticks);
		if (fixture_feed(f) < 0)
			exit(1);
	}
	if (session_phases_settle(&f->session) < 0)
		exit(1);
	free(cells);
	return f;
}

static void post(void *data)
{
	sem_post(data);
}

int main(int argc, char **argv)
{
	static const struct comparison_choice choice = {1, 2, FIGURE_FIRST, 0};
	struct comparer *comparer;
	struct comparison_lines lines = {0};
	double ask_ms = INFINITY, end_ms = 0;
	sem_t news;

	if (argc != 3)
		return 1;
	mallopt(M_ARENA_MAX, 1); /* so that mallinfo2() counts all */
	struct fixture *f = make_phases((size_t)atoi(argv[1]), (unsigned)atoi(argv[2]));
	size_t before = mallinfo2().uordblks + mallinfo2().hblkhd, most = 0;

	sem_init(&news, 0, 0);
	if (comparer_create(&comparer, post, &news) < 0)
		return 1;
	uint64_t from_ns = clock_now_ns();

	comparer_ask(comparer, &f->session, false, &choice, NULL, 0, NULL);
	while (sem_trywait(&news) < 0) {
		struct mallinfo2 now = mallinfo2();

		most = now.uordblks + now.hblkhd > most ? now.uordblks + now.hblkhd : most;
		usleep(1000);
	}
	double all_ms = ms_since(from_ns);

	comparer_read(comparer, &lines);
	comparer_destroy(comparer);
	for (unsigned i = 0; i < ENDS; i++) {
		if (comparer_create(&comparer, post, &news) < 0)
			return 1;
		from_ns = clock_now_ns();
		comparer_ask(comparer, &f->session, false, &choice, NULL, 0, NULL);
		ask_ms = fmin(ask_ms, ms_since(from_ns));
		usleep((useconds_t)(all_ms * 1000 * (i + 1) / (ENDS + 1)));
		from_ns = clock_now_ns();
		comparer_destroy(comparer);
		end_ms = fmax(end_ms, ms_since(from_ns));
	}
	printf("{\"ask_ms\": %.3f, \"all_ms\": %.1f, \"end_ms\": %.1f, \"bytes\": %zu, \"worse\": %zu}\n",
		ask_ms, all_ms, end_ms, most > before ? most - before : 0, lines.summary.worse);
	comparison_lines_finish(&lines);
	sem_destroy(&news);
	fixture_destroy(f);
	return 0;
}
