/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timers.c - many timers expire on the pair's CPU at once, in one interrupt. */
#include <errno.h>
#include <sys/timerfd.h>

#include "src/base/clock.h"
#include "src/selftest/measuring.h"
#include "src/selftest/troubles.h"

/* The child runs below the pair, and above plain tasks, so that its CPU does not sleep. */
enum {
	PRIORITY = 1,
	STEP = 2000,
	ARM_NS = 10000000,
	SET_NS = 2000,
	EARLY_NS = 1000000,
	WATCH_NS = 15000000,
	LEAST_NS = 2000000,
	GAP_NS = 20000,
	SHORT_NS = 100000 /* a gap that is no burst: to read the waits takes time, too */
};

/* Each timer takes about 0.1 us. */
static int make_timers(struct stage *stage)
{
	for (unsigned i = 0; i < STEP && stage->n_fds < FDS_MAX; i++) {
		int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

		if (fd < 0)
			return -errno;
		stage->fds[stage->n_fds++] = fd;
	}
	return stage->n_fds < FDS_MAX ? 0 : -EMFILE;
}

/* Polls until then. To read what the child has waited for its CPU takes longer than what is left at the end,
 * so *@waited_ns is read before, and again when others had it. Returns the time. */
static uint64_t poll_until(uint64_t until_ns, uint64_t *waited_ns)
{
	uint64_t last_ns = clock_now_ns(), now_ns;

	*waited_ns = stage_waited_ns();
	for (; (now_ns = clock_now_ns()) < until_ns; last_ns = now_ns)
		if (now_ns - last_ns > SHORT_NS)
			*waited_ns = stage_waited_ns();
	return now_ns;
}

/* Lets all timers expire, and watches for how long the CPU is away then, without the time in which others
 * have it. They expire where they were set. */
static int burst(struct stage *stage, struct injection *injection)
{
	uint64_t longest_ns = SHORT_NS;
	uint64_t due_ns = clock_now_ns() + ARM_NS + stage->n_fds * SET_NS, before_ns, now_ns;
	const struct itimerspec at = {.it_value = clock_timespec(due_ns)};

	*injection = (struct injection){.has_length = true};
	for (unsigned i = 0; i < stage->n_fds; i++)
		timerfd_settime(stage->fds[i], TFD_TIMER_ABSTIME, &at, NULL);
	before_ns = clock_now_ns();
	if (before_ns + EARLY_NS < due_ns)
		stage_sleep(due_ns - before_ns - EARLY_NS);
	uint64_t waited_ns;

	before_ns = poll_until(due_ns - GAP_NS, &waited_ns);
	for (uint64_t end_ns = due_ns + WATCH_NS; before_ns < end_ns; before_ns = now_ns) {
		now_ns = clock_now_ns();
		if (now_ns - before_ns <= longest_ns)
			continue;
		uint64_t waited_before_ns = waited_ns, away_ns = now_ns - before_ns;

		waited_ns = stage_waited_ns();
		if (away_ns > longest_ns + waited_ns - waited_before_ns) {
			longest_ns = away_ns - (waited_ns - waited_before_ns);
			*injection = (struct injection){.from_ns = before_ns,
				.to_ns = now_ns,
				.has_length = true,
				.waited_ns = away_ns - longest_ns};
		}
		now_ns = clock_now_ns();
	}
	return 0;
}

static int begin(struct stage *stage)
{
	struct injection last;
	int r = stage_run_at(stage, PRIORITY);

	if (r < 0)
		return r;
	r = stage_open_until(stage, make_timers, burst, LEAST_NS, ARM_NS);
	if (r < 0 || stage->usual_ns >= LEAST_NS)
		return r;
	uint64_t waited_ns = stage_waited_ns();

	burst(stage, &last);
	if (stage_waited_ns() - waited_ns > WATCH_NS / 3)
		return error_text_set(&stage->reason, -EBUSY,
			"others keep CPU %u too busy to inflict this alone", stage->cpu);
	return error_text_set(&stage->reason, -EMFILE,
		"%u timers kept the CPU for less than %d us, too short to be a spike: raise the limit of open "
		"files (ulimit -n); with PREEMPT_RT a thread handles them",
		stage->n_fds, LEAST_NS / 1000);
}

const struct trouble trouble_timers = {
	.name = "timers",
	.title = "thousands of timers expire at once on the pair's CPU",
	.kinds = 1 << CAUSE_TIMER | 1 << CAUSE_SOFTIRQ,
	.n = 20,
	.n_quick = 10,
	.is_possible = measuring_has_realtime,
	.begin = begin,
	.inflict = burst,
	.wants_quiet = true,
	.end = stage_close_fds,
};
