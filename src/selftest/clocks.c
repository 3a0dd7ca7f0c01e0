/* SPDX-License-Identifier: GPL-2.0-or-later */
/* clocks.c - measures the clock: cost and resolution of a read, and how far CPUs may differ. */
#include "src/selftest/clocks.h"

#include <errno.h>
#include <sched.h>
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

/* Returns whether threads may run before those of others. */
static bool may_run_first(void)
{
	struct task_policy own;
	int r = task_get_policy(0, &own);

	if (r == 0)
		r = task_set_policy(0, (struct task_policy){.policy = SCHED_FIFO, .priority = PRIORITY});
	if (r == 0)
		task_set_policy(0, own);
	return r == 0;
}

static int64_t width_ns(const struct clock_pair *pair)
{
	return pair->there_ns + pair->back_ns;
}

static bool is_wrong(const struct clock_pair *pair)
{
	return pair->n && (pair->there_ns < 0 || pair->back_ns < 0);
}

static void judge(struct skew_result *result)
{
	result->outcome = OUTCOME_HELD;
	for (size_t i = 0; i < result->n_pairs; i++) {
		const struct clock_pair *pair = &result->pairs[i];

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
	const struct clock_pace pace = {.usual_ns = usual_ns,
		.longest_ns = may_run_first() ? longest_ns : longest_shared_ns,
		.ways = WAYS,
		.priority = PRIORITY};
	const struct timespec rest = clock_timespec(rest_ns);
	int first = cpus_next(usable, -1), r = 0;

	*result = (struct skew_result){.outcome = OUTCOME_LEFT_OUT};
	if (cpus_count(usable) < 2) {
		error_text_set(&result->reason, 0, "there is one CPU: nothing to compare");
		return;
	}
	result->pairs = calloc(cpus_count(usable), sizeof(*result->pairs));
	if (!result->pairs) {
		error_text_set(&result->reason, 0, "%s", error_text_of_errno(-ENOMEM));
		return;
	}
	for (int cpu = first; (cpu = cpus_next(usable, cpu)) >= 0 && r == 0;) {
		struct clock_pair *pair = &result->pairs[result->n_pairs];

		*pair = (struct clock_pair){.a = (unsigned)first, .b = (unsigned)cpu};
		r = clock_pair_measure(pair, &pace);
		result->n_pairs += r == 0;
		nanosleep(&rest, NULL);
	}
	if (r < 0)
		error_text_set(&result->reason, 0, "no thread could be pinned: %s", error_text_of_errno(r));
	else
		judge(result);
}
