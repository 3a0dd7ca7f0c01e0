/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pairs.c - pmqtest, svsematest, ptsematest and sigwaittest: their options as a config, and their run.
 *
 * The origin is the tools' receiver: it sleeps, sends, and the other member, their sender, answers at once.
 * What they print is that answer. */
#include "src/compat/pairs.h"

#include <errno.h>
#include <stdlib.h>

#include "src/base/values.h"
#include "src/compat/pairs_print.h"
#include "src/compat/rt.h"
#include "src/plan/plan.h"

#define FIELD(member) .field = offsetof(struct compat_settings, member)

static const struct option_range intervals = {.what = "the interval",
	.max = UINT64_C(3600) * 1000000000,
	.units = value_microseconds,
	.allowed = "0 to 3600s, in microseconds or with us, ms or s"};
static const struct option_range distances = {.what = "the distance",
	.max = UINT64_C(60) * 1000000000,
	.units = value_microseconds,
	.allowed = "0 to 60s, in microseconds or with us, ms or s"};
static const struct option_range numbers = {
	.what = "the number of pairs", .min = 1, .max = PLAN_RINGS_MAX, .allowed = "1 to 4096"};

const struct compat_option compat_pair_options[] = {
	{'a', "affinity", "NUM", .optional = true,
		.help = "run pair #N on processor #N\nwith NUM run all pairs on processor NUM",
		.read = compat_read_cpu},
	{'d', "distance", "DIST", .help = "distance of the pairs' intervals in us; default=500",
		.read = compat_read_number, FIELD(config.distance_ns), .range = &distances},
	{'i', "interval", "INTV", .alias = "i", .help = "interval of the first pair in us; default=1000",
		.read = compat_read_number, FIELD(config.interval_ns), .range = &intervals},
	{'S', "smp", .help = "options -a -t and the same priority for all pairs", .read = compat_read_flag,
		FIELD(smp)},
	{'t', "threads", "NUM", .optional = true,
		.help = "number of pairs; default=1\nwithout NUM one for each processor",
		.read = compat_read_threads, .range = &numbers},
	{0},
};

const struct compat_option compat_fork_options[] = {
	/* A number apart is the OPT of its documents, which says nothing. */
	{'f', "fork", .optional = true, .help = "fork processes instead of creating threads",
		.read = compat_read_flag, FIELD(config.fork)},
	{0},
};

void compat_pairs_defaults(struct compat *compat)
{
	struct config *config = &compat->settings.config;

	compat_rt_defaults(compat);
	compat->settings.threads = 1;
	config->pairs = "own";
	config->ring_members = 2;
	config->interval_ns = 1000000;
	config->distance_ns = 500000;
	config->side_by_side = config->tool.first_ends = config->tool.pair_hops = true;
	config->tool.break_at_origin = true; /* as pair_hops: first hops of late laps are answers too */
	config->force = true;                /* -i 0 has no --force */
	config->figure = FIGURE_ANSWER;
}

static int settle_places(struct compat *compat, struct error_text *reason)
{
	struct config *config = &compat->settings.config;
	size_t threads = compat->settings.threads, n_cpus = cpus_count(&compat->topology.usable);

	config->n_rings = (unsigned)(threads ? threads : n_cpus);
	if (config->n_rings > PLAN_RINGS_MAX)
		return error_text_set(reason, -E2BIG,
			"-t: %zu CPUs are more than the %d pairs that one run can have", n_cpus,
			PLAN_RINGS_MAX);
	return compat_settle_affinity(compat, "-a", reason);
}

int compat_pairs_settle(struct compat *compat, struct error_text *reason)
{
	struct config *config = &compat->settings.config;

	compat_rt_settle(compat);
	config->tool.priority_step = compat->settings.smp ? 0 : 1;
	if (!config->interval_ns) /* flood has no slots */
		config->distance_ns = 0;
	if (config->tool.hold_ns && !config->tool.timeout_ns)
		return error_text_set(
			reason, -EINVAL, "-f: it is the receiver's timeout that it forces: add -T SEC");
	config->tool.timeout_fails = !config->tool.hold_ns;
	return settle_places(compat, reason);
}

static bool show(void *data)
{
	struct compat_rt *rt = data;

	return rt->compat->settings.config.quiet ||
	       compat_pairs_show(&rt->live, rt->compat, &rt->measured.run.session, false);
}

static int report(void *data)
{
	struct compat_rt *rt = data;
	const struct session *session = &rt->measured.run.session;
	int status = compat_measure_tell(&rt->measured) ? EXIT_SUCCESS : EXIT_FAILURE;

	compat_pairs_show(&rt->live, rt->compat, session, true);
	compat_pairs_compare(session);
	return compat_rt_write(rt, status, compat_pairs_print_json, session->n_rings);
}

int compat_pairs_run(const struct compat *compat)
{
	struct compat_rt rt = {.compat = compat};

	return compat_rt_run(&rt, show, report, &rt);
}
