/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pmqtest.c - pmqtest of rt-tests: pairs over POSIX message queues. TO counts all timeouts of the run; the
 * tool itself forgets them with each cycle. */
#include "src/base/values.h"
#include "src/compat/pairs.h"
#include "src/compat/tools.h"

#define FIELD(member) .field = offsetof(struct compat_settings, member)

static const struct option_range times = {.what = "the time",
	.min = 1,
	.max = UINT64_C(3600) * 1000000000,
	.units = value_seconds,
	.allowed = "up to 3600, in seconds or with s, m or h, and more than 0"};

static const struct compat_option own_options[] = {
	{'f', "forcetimeout", "TO",
		.help = "the sender waits TO seconds before it sends, so that\nthe receiver's "
			"timeout passes; requires -T",
		.read = compat_read_number, FIELD(config.tool.hold_ns), .range = &times},
	{'T', "timeout", "TO", .help = "receive with a timeout of TO seconds", .read = compat_read_number,
		FIELD(config.tool.timeout_ns), .range = &times},
	{0},
};

const struct compat_tool compat_pmqtest = {
	.name = "pmqtest",
	.function = "test POSIX message queue latency",
	.mechanism = "mq",
	.options = {compat_rt_options, compat_pair_options, own_options},
	.own = &(const struct compat_pairs){.tells_timeouts = true},
	.defaults = compat_pairs_defaults,
	.settle = compat_pairs_settle,
	.run = compat_pairs_run,
};
