/* SPDX-License-Identifier: GPL-2.0-or-later */
/* svsematest.c - svsematest of rt-tests: pairs over SysV semaphores. */
#include "src/compat/pairs.h"
#include "src/compat/tools.h"

const struct compat_tool compat_svsematest = {
	.name = "svsematest",
	.function = "test SYSV semaphore latency",
	.mechanism = "svsem",
	.options = {compat_rt_options, compat_pair_options, compat_fork_options},
	.own = &(const struct compat_pairs){.tells_timeouts = false},
	.defaults = compat_pairs_defaults,
	.settle = compat_pairs_settle,
	.run = compat_pairs_run,
};
