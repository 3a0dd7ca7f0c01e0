/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stopped.c - a member is stopped by a signal. */
#include <errno.h>
#include <signal.h>

#include "src/base/clock.h"
#include "src/plan/config.h"
#include "src/selftest/troubles.h"

enum { STOPPED_NS = 20000000 };

static void configure(struct config *config)
{
	config->fork = true;
}

static int inflict(struct stage *stage, struct injection *injection)
{
	if (kill(stage->members[1], SIGSTOP) < 0)
		return error_text_set(
			&stage->reason, -errno, "the member got no signal: %s", error_text_of_errno(-errno));
	*injection = (struct injection){.from_ns = clock_now_ns(), .has_length = true};
	stage_sleep(STOPPED_NS);
	injection->to_ns = clock_now_ns();
	kill(stage->members[1], SIGCONT);
	return 0;
}

const struct trouble trouble_stopped = {
	.name = "stopped",
	.title = "a member is stopped by a signal for 20 ms",
	.kinds = 1 << CAUSE_STOPPED,
	.n = 20,
	.n_quick = 10,
	.configure = configure,
	.inflict = inflict,
};
