/* SPDX-License-Identifier: GPL-2.0-or-later */
/* watch - what a run takes to watch all facts of this machine, in CPU time:
 * bench_watch MEMBERS ROUNDS [REST_MS]
 *
 * A run has one round a second. Here each follows the one before after @REST_MS, or at once, so caches are
 * warmer than there. Prints one JSON object. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/machine/machine.h"
#include "src/machine/topology.h"

enum { MEMBERS_MAX = 2048, REST_NS = 20000000 };

static pthread_barrier_t barrier;
static unsigned members[MEMBERS_MAX];

static void *wait_as_member(void *data)
{
	*(unsigned *)data = (unsigned)gettid();
	pthread_barrier_wait(&barrier);
	pause();
	return NULL;
}

static int compare_tids(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

int main(int argc, char **argv)
{
	size_t n = argc >= 3 ? (size_t)atoi(argv[1]) : 0, n_rounds = argc >= 3 ? (size_t)atoi(argv[2]) : 0;
	unsigned rest_ms = argc >= 4 ? (unsigned)atoi(argv[3]) : 0;
	const struct timespec rest = {.tv_nsec = REST_NS};
	struct machine_rows rows = {.members = members, .n_members = n};
	struct topology topology;
	struct machine machine;
	struct error_text reason;
	uint64_t took_ns = 0, worst_ns = 0;

	if (!n || n > MEMBERS_MAX || !n_rounds || topology_init(&topology, &reason) < 0)
		return 1;
	pthread_barrier_init(&barrier, NULL, (unsigned)n + 1);
	for (size_t i = 0; i < n; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, wait_as_member, &members[i]) != 0)
			return 1;
	}
	pthread_barrier_wait(&barrier);
	qsort(members, n, sizeof(*members), compare_tids);
	machine_read(&machine, &topology);
	machine_read_rows(&rows, &machine);
	for (size_t round = 0; round < n_rounds; round++, usleep(rest_ms * 1000))
		for (unsigned part = 0; part < MACHINE_PARTS; part++) {
			uint64_t from_ns = clock_thread_ns();

			machine_refresh_part(&rows, &machine, part);
			uint64_t part_ns = clock_thread_ns() - from_ns;

			took_ns += part_ns;
			worst_ns = part_ns > worst_ns ? part_ns : worst_ns;
			nanosleep(&rest, NULL); /* others get the CPU, as between two parts of a run */
		}
	printf("{\"percent\": %.4f, \"worst_part_ms\": %.3f}\n",
		100.0 * (double)took_ns / (double)n_rounds / 1e9, (double)worst_ns / 1e6);
	machine_rows_finish(&rows);
	machine_finish(&machine);
	topology_finish(&topology);
	return 0;
}
