/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hog.c - a task above the pair takes its CPU. */
#include <unistd.h>

#include "src/base/clock.h"
#include "src/selftest/measuring.h"
#include "src/selftest/troubles.h"

enum { PRIORITY = 90, BUSY_NS = 5000000 };

static int begin(struct stage *stage)
{
	return stage_run_at(stage, PRIORITY);
}

static int keep_busy(struct stage *stage, struct injection *injection)
{
	uint64_t waited_ns = stage_waited_ns();

	(void)stage;
	*injection = (struct injection){.from_ns = clock_now_ns(), .has_length = true, .tid = getpid()};
	do
		injection->to_ns = clock_now_ns();
	while (injection->to_ns - injection->from_ns < BUSY_NS);
	injection->waited_ns = stage_waited_ns() - waited_ns;
	return 0;
}

const struct trouble trouble_hog = {
	.name = "hog",
	.title = "a task of FIFO 90 takes the pair's CPU for 5 ms",
	.kinds = 1 << CAUSE_TASK,
	.n = 30,
	.n_quick = 10,
	.is_possible = measuring_has_realtime,
	.begin = begin,
	.inflict = keep_busy,
	.wants_quiet = true,
};
