/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweep_bench.h - two threads that measure one pair of CPUs after the other, each pinned anew. */
#pragma once

#include <pthread.h>
#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "src/figures/sweep_result.h"
#include "src/probe/probe.h"

/* One of the two threads, on cache lines of its own. Its memory is fresh for each pair, and touched first by
 * itself. */
struct sweep_end {
	alignas(64) unsigned cpu;
	char *memory; /* the hop that leads here, the token, and the samples */
	struct hop in, out;
	float *hops, *laps, *firsts; /* ns; laps: the first thread's */
	size_t n_hops, n_laps, n_firsts;
	int error; /* why it can't run on its CPU */
};

struct sweep_bench {
	const struct probe *probe;
	size_t token_size;
	bool has_first; /* first hops are measured, too; false where members spin */
	struct owner owner;
	uint32_t first_hop; /* of two ids */
	/* Held while objects are opened: all that one process opens have the same name for a moment. */
	pthread_mutex_t *opening;
	/* Ends the process with a reason: where one thread fails, the other may wait for a token for ever. */
	void (*fail)(void *data, const struct sweep_bench *bench, int error);
	void *data;

	/* The rest is the bench's own. */
	size_t memory_size, token_at, samples_at;
	pthread_barrier_t barrier;
	struct hop_task tasks[2], hop_ends[2][2];
	int fds[2][HOP_FDS];
	struct sweep_end ends[2];
	bool is_open;                     /* both hops are */
	alignas(64) _Atomic bool is_last; /* the lap under way ends a part of the measurement */
};

/* The members before memory_size must be set. Returns 0 or a negative errno. */
int sweep_bench_init(struct sweep_bench *bench);

/* Serves the second end of all pairs. Never returns. To be called by a thread of its own. */
void sweep_bench_serve(struct sweep_bench *bench);

/* Measures a pair in the calling thread, always the same one, in about 3 ms, with first hops in
 * about 65 ms; longer where a lap is. The CPUs must differ. Without the right to one of them, and where a
 * thread was moved, the figures have no samples.
 */
void sweep_bench_measure(
	struct sweep_bench *bench, const unsigned cpus[2], struct sweep_figure figures[N_SWEEP_FIGURES]);
