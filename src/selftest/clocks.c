/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clocks.c - measures the clock: cost and resolution of a read, and how far CPUs may differ. */
#include "src/selftest/clocks.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>

#include "src/base/clock.h"
#include "src/machine/task.h"
#include "src/machine/topology.h"
#include "src/selftest/selftest.h"

enum { READS = 1000000, WAYS = 1000, PRIORITY = 50 };
/* For the ways between two CPUs; the last one for plain tasks, beside which others run. */
static const uint64_t usual_ns = 10000000, longest_ns = 30000000, longest_shared_ns = 300000000;
static const uint64_t rest_ns = 10000000; /* after them: others get these CPUs */

void clocks_read(struct clock_result *result)
{
	uint64_t start_ns = clock_now_ns(), before_ns = start_ns;

	*result = (struct clock_result){.n_reads = READS, .step_ns = UINT64_MAX};
	for (unsigned i = 0; i < READS; i++) {
		uint64_t now_ns = clock_now_ns();

		if (now_ns < before_ns)
			result->n_backward++;
		else if (now_ns > before_ns && now_ns - before_ns < result->step_ns)
			result->step_ns = now_ns - before_ns;
		before_ns = now_ns;
	}
	result->cost_ns = (double)(before_ns - start_ns) / READS;
	result->outcome = result->n_backward ? OUTCOME_FAILED : OUTCOME_HELD;
}

/* --- two CPUs --- */

/* Odd: the word is on its way there; even: back. */
struct way {
	_Alignas(64) _Atomic uint64_t word;
	_Alignas(64) uint64_t arrived_ns; /* written before the word comes back */
	atomic_bool is_ready, ends;
	unsigned cpu;
	int pinned; /* 0, or a negative errno */
};

/* Returns whether it is allowed. */
static bool run_first(void)
{
	return task_set_policy(0, (struct task_policy){.policy = SCHED_FIFO, .priority = PRIORITY}) == 0;
}

static void *answer(void *data)
{
	struct way *way = data;

	way->pinned = task_pin(0, way->cpu);
	run_first();
	atomic_store(&way->is_ready, true);
	for (uint64_t last = 0; !atomic_load_explicit(&way->ends, memory_order_relaxed);) {
		/* Acquire, release: pair with those of pass(). */
		uint64_t word = atomic_load_explicit(&way->word, memory_order_acquire);

		if (word == last)
			continue;
		way->arrived_ns = clock_now_ns();
		last = word + 1;
		atomic_store_explicit(&way->word, last, memory_order_release);
	}
	return NULL;
}

/* Sends the word there, and waits for it, or until @end_ns. Returns whether it came back. */
static bool pass(struct way *way, struct skew_pair *pair, uint64_t end_ns)
{
	uint64_t word = 2 * pair->n + 1, sent_ns = clock_now_ns(), back_ns = sent_ns;

	atomic_store_explicit(&way->word, word, memory_order_release);
	while (atomic_load_explicit(&way->word, memory_order_acquire) == word)
		if ((back_ns = clock_now_ns()) > end_ns)
			return false;
	back_ns = clock_now_ns();
	int64_t there = (int64_t)(way->arrived_ns - sent_ns), back = (int64_t)(back_ns - way->arrived_ns);

	if (!pair->n || there < pair->there_ns)
		pair->there_ns = there;
	if (!pair->n || back < pair->back_ns)
		pair->back_ns = back;
	pair->n++;
	return true;
}

/* Returns 0 or a negative errno. */
static int compare_pair(struct skew_pair *pair)
{
	struct way way = {.cpu = pair->b};
	struct task_policy own;
	pthread_t thread;
	int r = task_get_policy(0, &own);

	if (r == 0)
		r = task_pin(0, pair->a);
	if (r == 0)
		r = -pthread_create(&thread, NULL, answer, &way);
	if (r < 0)
		return r;
	const struct timespec rest = clock_timespec(rest_ns);

	while (!atomic_load(&way.is_ready)) /* it begins on this CPU */
		nanosleep(&rest, NULL);
	bool is_first = run_first();
	uint64_t start_ns = clock_now_ns(), end_ns = start_ns + (is_first ? longest_ns : longest_shared_ns);

	while (pair->n < WAYS || clock_now_ns() - start_ns < usual_ns)
		if (!pass(&way, pair, end_ns))
			break;
	atomic_store_explicit(&way.ends, true, memory_order_relaxed);
	task_set_policy(0, own);
	pthread_join(thread, NULL);
	nanosleep(&rest, NULL);
	return way.pinned;
}

static int64_t width_ns(const struct skew_pair *pair)
{
	return pair->there_ns + pair->back_ns;
}

static bool is_wrong(const struct skew_pair *pair)
{
	return pair->n && (pair->there_ns < 0 || pair->back_ns < 0);
}

static void judge(struct skew_result *result)
{
	result->outcome = OUTCOME_HELD;
	for (size_t i = 0; i < result->n_pairs; i++) {
		const struct skew_pair *pair = &result->pairs[i];

		if (is_wrong(pair))
			result->outcome = OUTCOME_FAILED;
		if (!pair->n || (result->widest && is_wrong(result->widest)))
			continue;
		if (!result->widest || is_wrong(pair) || width_ns(pair) > width_ns(result->widest))
			result->widest = pair;
	}
	if (result->widest)
		return;
	result->outcome = OUTCOME_LEFT_OUT;
	error_text_set(&result->reason, 0, "no two CPUs ran at the same time: end what keeps them busy");
}

void clocks_compare(const struct selftest *selftest, struct skew_result *result)
{
	const struct cpus *usable = &selftest->topology->usable;
	int first = cpus_next(usable, -1), r = 0;
	struct cpus own;

	*result = (struct skew_result){.outcome = OUTCOME_LEFT_OUT};
	if (cpus_count(usable) < 2) {
		error_text_set(&result->reason, 0, "there is one CPU: nothing to compare");
		return;
	}
	result->pairs = calloc(cpus_count(usable), sizeof(*result->pairs));
	if (!result->pairs || (r = task_get_affinity(0, &own)) < 0) {
		error_text_set(&result->reason, 0, "%s", error_text_of_errno(result->pairs ? r : -ENOMEM));
		return;
	}
	for (int cpu = first; (cpu = cpus_next(usable, cpu)) >= 0 && r == 0;) {
		struct skew_pair *pair = &result->pairs[result->n_pairs];

		*pair = (struct skew_pair){.a = (unsigned)first, .b = (unsigned)cpu};
		r = compare_pair(pair);
		result->n_pairs += r == 0;
	}
	task_set_affinity(0, &own);
	if (r < 0)
		error_text_set(&result->reason, 0, "no thread could be pinned: %s", error_text_of_errno(r));
	else
		judge(result);
}
