/* SPDX-License-Identifier: GPL-2.0-or-later */
/* stopped.c - a member is stopped by a signal. */
#include <errno.h>
#include <signal.h>

#include "src/base/clock.h"
#include "src/machine/task.h"
#include "src/plan/config.h"
#include "src/selftest/troubles.h"

enum { STOPPED_NS = 20000000 };

static void configure(struct config *config)
{
	config->fork = true;
}

/* It stops once it has its CPU, and the token may come later. */
static int stop_member(struct stage *stage, struct injection *injection)
{
	pid_t member = stage->members[1];
	uint64_t waited_ns = stage_member_times(stage).waited_ns;
	struct task_stat stat = {0};

	if (kill(member, SIGSTOP) < 0)
		return error_text_set(
			&stage->reason, -errno, "the member got no signal: %s", error_text_of_errno(-errno));
	*injection = (struct injection){.from_ns = clock_now_ns(), .has_length = true};
	stage_sleep(STOPPED_NS);
	injection->to_ns = clock_now_ns();
	injection->waited_ns = stage_member_times(stage).waited_ns - waited_ns;
	if (task_read_stat(member, member, &stat) == 0 && stat.state != 'T') /* it still waits for its CPU */
		injection->waited_ns = injection->to_ns - injection->from_ns;
	kill(member, SIGCONT);
	return 0;
}

const struct trouble trouble_stopped = {
	.name = "stopped",
	.title = "a member is stopped by a signal for 20 ms",
	.kinds = 1 << CAUSE_STOPPED,
	.n = 20,
	.n_quick = 10,
	.configure = configure,
	.inflict = stop_member,
	.wants_quiet = true,
};
