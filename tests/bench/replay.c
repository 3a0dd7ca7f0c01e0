/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay - how long a recording takes to open, to seek in, and to read a phase of: bench_replay FILE RINGS
 * TICKS ACTIVE
 *
 * ACTIVE rings have samples in each tick, as where pairs take turns. Prints one JSON object, times in ms:
 * those of opening, seeking and reading are CPU time, so that what else runs on the machine does not count.
 */
#include "src/recording/replay.h"
#include "src/recording/record.h"
#include "tests/unit/session_fixture.h"

#include <math.h>
#include <stdio.h>
#include <sys/stat.h>

#include "src/base/clock.h"
#include "src/recording/history.h"
#include "src/recording/phase_reader.h"

enum { SAMPLES = 500, SEEKS = 20, BUCKETS = 60 };

static struct hist_cell *cells;

/* Around 5 us, in as many buckets as half a second at 1 kHz fills. */
static void fill_figures(struct fixture *f, size_t ring)
{
	for (int figure = 0; figure < N_FIGURES; figure++) {
		struct tick_figure *out = &f->rings[ring].figures[figure];

		*out = (struct tick_figure){.first_cell = f->tick.n_cells,
			.n_cells = BUCKETS,
			.sum_ns = SAMPLES * 5000,
			.last_ns = 5000 + ring,
			.min_ns = 3000,
			.max_ns = 9000 + ring,
			.max_at_ns = f->tick.end_ns - 5,
			.has_extremes = true};
		unsigned first = hist_bucket(3000 + 100 * (ring % 40));

		for (unsigned b = 0; b < BUCKETS; b++)
			cells[f->tick.n_cells++] = (struct hist_cell){first + b, SAMPLES / BUCKETS};
	}
	f->rings[ring].laps = SAMPLES;
	f->rings[ring].active_ns = FIXTURE_TICK_NS;
}

static double ms_since(uint64_t from_ns)
{
	return (double)(clock_now_ns() - from_ns) / 1e6;
}

static double thread_ms_since(uint64_t from_ns)
{
	return (double)(clock_thread_ns() - from_ns) / 1e6;
}

/* @history_ms: what it costs to keep them in memory too, for each tick. */
static double write_it(const char *path, size_t n_rings, size_t n_ticks, size_t n_active, uint64_t *end_ns,
	double *history_ms)
{
	struct history *history = NULL;
	struct fixture *f = fixture_create(n_rings, 1000000);
	struct recording *recording = NULL;
	struct error_text reason;
	double worst_ms = 0;

	f->session.start_ns = FIXTURE_START_NS;
	f->tick.cells = cells = calloc(n_active * N_FIGURES * BUCKETS, sizeof(*cells));
	if (record_start(&recording, path, &f->session, &f->config, &f->topology, &reason) < 0)
		exit(1);
	if (history_create(&history, NULL, &f->session, &f->config, &f->topology) < 0)
		exit(1);
	for (size_t i = 0; i < n_ticks; i++) {
		for (size_t r = 0; r < n_active; r++)
			fill_figures(f, (i / 2 * n_active + r) % n_rings);
		const struct feed_item item = {FEED_TICK, f->tick.end_ns, .tick = &f->tick};

		feed_session(&f->session, &item, NULL);
		uint64_t from_ns = clock_now_ns();

		if (record_feed(recording, &item) < 0)
			exit(1);
		worst_ms = fmax(worst_ms, ms_since(from_ns));
		from_ns = clock_now_ns();
		history_feed(history, &item, false);
		*history_ms += ms_since(from_ns) / (double)n_ticks;
		*end_ns = f->tick.end_ns;
		fixture_next(f);
	}
	if (record_finish(recording, "duration", &reason) < 0)
		exit(1);
	free(cells);
	history_destroy(history);
	fixture_destroy(f);
	return worst_ms;
}

/* Reads all but the first tick as one phase. */
static double read_phase(const char *path, uint64_t end_ns)
{
	const struct phase wanted = {.start_ns = FIXTURE_START_NS + FIXTURE_TICK_NS, .end_ns = end_ns};
	struct phase_reader reader = {0};
	struct phase read = {0};
	struct error_text reason;

	if (replay_open(&reader.replay, path, &reason) < 0)
		exit(1);
	uint64_t from_ns = clock_thread_ns();

	if (phase_reader_read(&reader, &wanted, false, NULL, &read) < 0)
		exit(1);
	double ms = thread_ms_since(from_ns);

	phase_finish(&read);
	phase_reader_close(&reader);
	return ms;
}

int main(int argc, char **argv)
{
	struct replay replay;
	struct error_text reason;
	struct session session = {0};
	struct stat status;
	uint64_t end_ns = 0, from_ns;
	double worst_ms = 0, history_ms = 0, write_ms;

	if (argc != 5)
		return 1;
	write_ms = write_it(argv[1], (size_t)atoi(argv[2]), (size_t)atoi(argv[3]), (size_t)atoi(argv[4]),
		&end_ns, &history_ms);
	from_ns = clock_thread_ns();
	if (replay_open(&replay, argv[1], &reason) < 0 || stat(argv[1], &status) < 0)
		return 1;
	double open_ms = thread_ms_since(from_ns);

	for (uint64_t i = 0; i < SEEKS; i++) { /* to and fro */
		uint64_t part = i * 7919 % SEEKS;
		uint64_t at_ns =
			FIXTURE_START_NS + (end_ns - FIXTURE_START_NS) * (2 * part + 1) / (2 * SEEKS);

		from_ns = clock_thread_ns();
		if (replay_seek(&replay, &session, at_ns) < 0)
			return 1;
		worst_ms = fmax(worst_ms, thread_ms_since(from_ns));
	}
	printf("{\"open_ms\": %.2f, \"seek_ms\": %.2f, \"phase_ms\": %.0f, \"tick_ms\": %.2f, \"history_ms\": %.3f, \"bytes\": %lld}\n",
		open_ms, worst_ms, read_phase(argv[1], end_ns), write_ms, history_ms,
		(long long)status.st_size);
	session_finish(&session);
	replay_close(&replay);
	return 0;
}
