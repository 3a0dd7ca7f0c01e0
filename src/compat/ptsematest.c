/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ptsematest.c - ptsematest of rt-tests: pairs over a mutex of POSIX threads. */
#include "src/compat/pairs.h"
#include "src/compat/tools.h"

const struct compat_tool compat_ptsematest = {
	.name = "ptsematest",
	.function = "test POSIX threads mutex latency",
	.mechanism = "mutex",
	.options = {compat_rt_options, compat_pair_options},
	.own = &(const struct compat_pairs){.tells_timeouts = false},
	.defaults = compat_pairs_defaults,
	.settle = compat_pairs_settle,
	.run = compat_pairs_run,
};
