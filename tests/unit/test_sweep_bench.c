/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_sweep_bench.c - two threads measure pairs of CPUs, by each mechanism that can be swept. */
#include <dirent.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>

#include "src/base/clock.h"
#include "src/engine/sweep_bench.h"
#include "src/machine/cpus.h"
#include "src/machine/task.h"
#include "tests/unit/probe_lacks.h"
#include "tests/unit/tap.h"

enum { REPEATS = 30 };

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;

static void fail(void *data, const struct sweep_bench *bench, int error)
{
	printf("Bail out! %s: %s\n", bench->probe->name, probe_explain(bench->probe, error));
	fflush(stdout);
	exit(1);
}

static void *serve(void *bench)
{
	sweep_bench_serve(bench);
	return NULL;
}

static struct sweep_bench *bench_of(const struct probe *probe)
{
	struct sweep_bench *bench = aligned_alloc(alignof(struct sweep_bench), sizeof(*bench));
	pthread_t thread;

	*bench = (struct sweep_bench){
		.probe = probe, .token_size = 1, .owner = owner_self(), .opening = &opening, .fail = fail};
	CHECK(sweep_bench_init(bench) == 0);
	CHECK(pthread_create(&thread, NULL, serve, bench) == 0);
	return bench;
}

static size_t open_descriptors(void)
{
	DIR *folder = opendir("/proc/self/fd");
	size_t n = 0;

	while (folder && readdir(folder))
		n++;
	if (folder)
		closedir(folder);
	return n;
}

/* Memory that a mechanism maps is shared; private mappings are the allocator's and a sanitizer's. */
static size_t shared_mappings(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[512], rights[5];
	size_t n = 0;

	while (maps && fgets(line, sizeof(line), maps))
		n += sscanf(line, "%*x-%*x %4s", rights) == 1 && rights[3] == 's';
	if (maps)
		fclose(maps);
	return n;
}

static unsigned cpus[2];

static bool is_sorted(const struct sweep_figure *figure)
{
	return figure->min_ns > 0 && figure->min_ns <= figure->p50_ns && figure->p50_ns <= figure->p99_ns &&
	       figure->p99_ns <= figure->max_ns;
}

static void each_mechanism_measures_and_keeps_nothing(void)
{
	for (size_t i = 0; probe_registry[i]; i++) {
		const struct probe *probe = probe_registry[i];
		struct sweep_figure figures[N_SWEEP_FIGURES];
		size_t n_fds = 0, n_maps = 0;

		if (!(probe->traits & PROBE_SWEEPS) || probe_lacks(probe))
			continue;
		struct sweep_bench *bench = bench_of(probe);

		for (unsigned repeat = 0; repeat < REPEATS; repeat++) {
			const unsigned turned[2] = {cpus[repeat % 2], cpus[1 - repeat % 2]};

			sweep_bench_measure(bench, turned, figures);
			for (unsigned f = 0; f < N_SWEEP_FIGURES_OF_ALL; f++)
				CHECK(figures[f].n > 0 && is_sorted(&figures[f]), "%s: figure %u: n %u",
					probe->name, f, figures[f].n);
			if (repeat == 1) { /* by now the threads have all that they keep */
				n_fds = open_descriptors();
				n_maps = shared_mappings();
			}
		}
		CHECK(open_descriptors() == n_fds, "%s", probe->name);
		CHECK(shared_mappings() == n_maps, "%s: %zu shared mappings, then %zu", probe->name, n_maps,
			shared_mappings());
	}
}

/* Of each mechanism whose members sleep. */
static void a_first_hop_follows_a_sleep_where_it_is_wanted(void)
{
	for (size_t i = 0; probe_registry[i]; i++) {
		const struct probe *probe = probe_registry[i];
		struct sweep_figure figures[N_SWEEP_FIGURES];

		if (!(probe->traits & PROBE_SWEEPS) || probe->traits & PROBE_SPINS || probe_lacks(probe))
			continue;
		struct sweep_bench *bench = bench_of(probe);

		sweep_bench_measure(bench, cpus, figures);
		CHECK(!figures[SWEEP_FIRST_THERE].n && !figures[SWEEP_FIRST_BACK].n, "%s", probe->name);
		bench->has_first = true;
		uint64_t start_ns = clock_now_ns();

		sweep_bench_measure(bench, cpus, figures);
		uint64_t took_ns = clock_now_ns() - start_ns;

		for (unsigned f = SWEEP_FIRST_THERE; f < N_SWEEP_FIGURES; f++)
			CHECK(figures[f].n > 0 && figures[f].n <= SWEEP_FIRST_HOPS && is_sorted(&figures[f]),
				"%s: figure %u: n %u", probe->name, f, figures[f].n);
		CHECK(figures[SWEEP_FIRST_THERE].n == figures[SWEEP_FIRST_BACK].n, "%s", probe->name);
		CHECK(took_ns >= 2 * figures[SWEEP_FIRST_THERE].n * (uint64_t)SWEEP_SLEEP_NS,
			"%s: %u laps in %g ms", probe->name, figures[SWEEP_FIRST_THERE].n,
			(double)took_ns / 1e6);
		CHECK(figures[SWEEP_LAP].n > 0, "%s", probe->name);
	}
}

static void a_cpu_that_is_not_allowed_has_no_samples(void)
{
	const unsigned wrong[2] = {cpus[0], CPUS_MAX - 1};
	struct sweep_figure figures[N_SWEEP_FIGURES];

	for (size_t i = 0; probe_registry[i]; i++)
		if (probe_registry[i]->traits & PROBE_SWEEPS) {
			struct sweep_bench *bench = bench_of(probe_registry[i]);

			sweep_bench_measure(bench, wrong, figures);
			CHECK(!figures[SWEEP_THERE].n && !figures[SWEEP_BACK].n && !figures[SWEEP_LAP].n);
			sweep_bench_measure(bench, cpus, figures); /* and the next pair is measured */
			CHECK(figures[SWEEP_LAP].n > 0, "%s", probe_registry[i]->name);
			return;
		}
}

int main(void)
{
	struct cpus allowed = {0};

	task_get_affinity(0, &allowed);
	int first = cpus_next(&allowed, -1), second = cpus_next(&allowed, first);

	cpus[0] = (unsigned)first;
	cpus[1] = (unsigned)second;
	if (second < 0) {
		tap_skip("sweeps", "this process may use one CPU only");
		return tap_done();
	}
	TEST(each_mechanism_measures_and_keeps_nothing);
	TEST(a_first_hop_follows_a_sleep_where_it_is_wanted);
	TEST(a_cpu_that_is_not_allowed_has_no_samples);
	return tap_done();
}
