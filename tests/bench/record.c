/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record - what the bookkeeping of one sample costs, and how exact the percentiles are that it leaves.
 *
 * The samples are made before: log-normal, most of them from 1 to 100 us, from a fixed seed. The clock is
 * read around all calls, never between two; it is this thread's CPU time, so that what else runs on the
 * machine does not count. Prints one JSON object: ns per call of each repetition, and
 * for each percentile what the histogram says and what sorting says. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "src/figures/hist.h"
#include "src/figures/histogram_reader.h"

enum {
	N = 10000000,
	REPETITIONS = 9,
	EPOCH_EVERY = 50000, /* samples a tick: a flood's on one CPU */
};

static uint64_t random_state = 0x9e3779b97f4a7c15;

static uint64_t random_u64(void)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return random_state;
}

/* Twelve uniform ones make a normal one, well enough. */
static double random_normal(void)
{
	double sum = 0;

	for (int i = 0; i < 12; i++)
		sum += (double)(random_u64() >> 11) / 9007199254740992.0;
	return sum - 6;
}

static void make_samples(uint32_t *samples)
{
	for (size_t i = 0; i < N; i++)
		samples[i] = (uint32_t)(8000 * exp(0.85 * random_normal()));
}

static uint64_t cpu_time_ns(void)
{
	struct timespec spent;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &spent);
	return (uint64_t)spent.tv_sec * 1000000000u + (uint64_t)spent.tv_nsec;
}

static double ns_per_call(struct hist_live *hist, const uint32_t *samples)
{
	uint32_t epoch = 1;
	uint64_t start_ns = cpu_time_ns();

	for (size_t i = 0; i < N; epoch++) {
		size_t end = i + EPOCH_EVERY < N ? i + EPOCH_EVERY : N;

		for (; i < end; i++)
			hist_record(hist, epoch, samples[i], start_ns + i);
	}
	return (double)(cpu_time_ns() - start_ns) / N;
}

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

/* As the sampler reads it. */
static int read_back(const struct hist_live *live, struct hist *hist)
{
	struct histogram_reader seen = {0};
	struct cells cells = {0};
	int r = histogram_reader_update(&seen, live, &cells);

	for (size_t i = 0; r == 0 && i < cells.n; i++)
		r = hist_add_cells(hist, &(struct hist_cell){cells.cells[i].bucket, cells.cells[i].count}, 1);
	if (r == 0)
		hist_extend(hist, seen.change.min_ns, seen.change.max_ns, seen.change.max_at_ns);
	free(cells.cells);
	histogram_reader_finish(&seen);
	return r;
}

static void print_percentiles(const struct hist *hist, const uint32_t *sorted)
{
	static const double asked[] = {50, 90, 99, 99.9};
	const char *comma = "";

	printf(", \"count\": %llu, \"percentiles\": {", (unsigned long long)hist->n);
	for (size_t i = 0; i < sizeof(asked) / sizeof(*asked); i++, comma = ", ")
		printf("%s\"%g\": [%llu, %u]", comma, asked[i],
			(unsigned long long)hist_percentile(hist, asked[i]),
			sorted[(size_t)ceil(asked[i] / 100 * N - 1e-6) - 1]);
	printf("}}\n");
}

int main(void)
{
	uint32_t *samples = malloc(N * sizeof(*samples));
	struct hist hist = {0};
	int r = samples ? 0 : -1;

	if (r == 0)
		make_samples(samples);
	printf("{\"ns\": [");
	for (int i = 0; r == 0 && i < REPETITIONS; i++) {
		struct hist_live *live = aligned_alloc(_Alignof(struct hist_live), sizeof(*live));

		if (!live)
			return EXIT_FAILURE;
		*live = (struct hist_live){0};
		printf("%s%.3f", i ? ", " : "", ns_per_call(live, samples));
		if (i + 1 == REPETITIONS)
			r = read_back(live, &hist);
		free(live);
	}
	printf("]");
	if (r < 0)
		return EXIT_FAILURE;
	qsort(samples, N, sizeof(*samples), compare);
	print_percentiles(&hist, samples);
	hist_finish(&hist);
	free(samples);
	return EXIT_SUCCESS;
}
