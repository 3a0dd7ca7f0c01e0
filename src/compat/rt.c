/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rt.c - what the front ends of rt-tests share beyond their options. */
#include "src/compat/rt.h"

#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/compat/rt_json.h"

/* The tools look each 50 ms; where nothing is shown meanwhile, ipctop's own tick does. */
enum { SHOWN_TICK_NS = 50000000, QUIET_TICK_NS = 500000000 };

void compat_rt_defaults(struct compat *compat)
{
	struct config *config = &compat->settings.config;

	config->has_policy = true; /* SCHED_OTHER too, whatever chrt gave to the program */
	config->policy = (struct task_policy){.policy = SCHED_OTHER};
}

/* All CPUs, and one pair or thread for each; whatever -a and -t say, in whichever order. */
static void settle_smp(struct compat_settings *settings, size_t n_cpus)
{
	if (settings->affinity == COMPAT_LIST)
		fprintf(stderr, "# -a: ignored, for -S takes all usable CPUs\n");
	if (settings->has_threads && settings->threads && settings->threads != n_cpus)
		fprintf(stderr, "# -t %" PRIu64 ": ignored, for -S has one for each usable CPU: %zu\n",
			settings->threads, n_cpus);
	settings->affinity = COMPAT_ALL_CPUS;
	settings->threads = n_cpus;
}

void compat_rt_settle(struct compat *compat)
{
	struct compat_settings *settings = &compat->settings;

	settings->config.tick_ns = settings->config.quiet ? QUIET_TICK_NS : SHOWN_TICK_NS;
	if (settings->smp)
		settle_smp(settings, cpus_count(&compat->topology.usable));
}

/* As the tools do: a script that starts one with "&" ends it by them, and its shell had them ignored. */
static void take_signals(void)
{
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
}

int compat_rt_run(struct compat_rt *rt, bool (*show)(void *data), int (*report)(void *data), void *data)
{
	const struct compat *compat = rt->compat;
	struct error_text reason;

	take_signals();
	compat_live_init(&rt->live);
	int r = compat_measure(&rt->measured, compat, &compat->settings.config, show, data, &reason);
	int status = r < 0 ? compat_complain(compat, &reason) : report(data);

	compat_measure_finish(&rt->measured);
	return status;
}

int compat_rt_write(const struct compat_rt *rt, int status,
	void (*print_thread)(FILE *out, const struct session *session, size_t i, const struct compat *compat),
	size_t n_threads)
{
	const struct compat *compat = rt->compat;
	const struct session *session = &rt->measured.run.session;
	struct error_text reason;

	if (rt->live.error)
		status = compat_complain(compat, &rt->live.reason);
	if (compat->settings.json &&
		compat_rt_json_write(compat, session, status, print_thread, n_threads, &reason) < 0)
		status = compat_complain(compat, &reason);
	if (compat_measure_write(&rt->measured, compat, &reason) < 0)
		status = compat_complain(compat, &reason);
	return status;
}
