/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measuring.c - a run of the self-test. */
#include "src/selftest/measuring.h"

#include <errno.h>
#include <sched.h>
#include <stddef.h>
#include <string.h>

#include "src/machine/task.h"
#include "src/probe/probe.h"
#include "src/selftest/selftest.h"

enum { PRIORITY = 50, INPUT_PRIORITY = 51, TICK_NS = 100000000 };

static const struct probe *find_probe(const struct selftest *selftest, const char *name)
{
	const struct probe *const *probe = selftest->registry;

	while (*probe && strcmp((*probe)->name, name) != 0)
		probe++;
	return *probe;
}

bool measuring_has_realtime(struct error_text *reason)
{
	struct task_policy own;
	int r = task_get_policy(0, &own);

	if (r == 0)
		r = task_set_policy(
			0, (struct task_policy){.policy = SCHED_FIFO, .priority = INPUT_PRIORITY});
	if (r == 0)
		r = task_set_policy(0, own);
	if (r < 0)
		error_text_set(reason, r,
			"no right to real-time policies (%s): run as root, with CAP_SYS_NICE, or raise the limit "
			"rtprio to 98 (ulimit -r)",
			error_text_of_errno(r));
	return r == 0;
}

struct config measuring_config(const struct selftest *selftest, const char *mechanism, unsigned cpu)
{
	struct config config = {.policy = {.policy = -1},
		.n_probes = 1,
		.has_cpus = true,
		.n_pairs = 1,
		.interval_ns = 1000000,
		.tick_ns = TICK_NS,
		.recorder = selftest->recorder,
		.side_by_side = true,
		.quiet = true};
	struct error_text reason;

	config.probes[0] = find_probe(selftest, mechanism);
	cpus_add(&config.cpus, cpu);
	if (measuring_has_realtime(&reason)) {
		config.has_policy = true;
		config.policy = (struct task_policy){.policy = SCHED_FIFO, .priority = PRIORITY};
	}
	return config;
}

/* --- one run --- */

static int open_taker(struct source *source, void **state, struct error_text *reason)
{
	*state = (char *)source - offsetof(struct measuring, run.source);
	return source_listen(source, reason);
}

static int take_item(void *state, const struct feed_item *item, struct error_text *reason)
{
	struct measuring *measuring = state;

	if (measuring->take && !measuring->run.source.has_result)
		measuring->take(measuring->data, &measuring->run.source, item);
	return 0;
}

static const struct module taker = {.open = open_taker, .feed = take_item};
static const struct module *const modules[] = {&module_session, &taker, NULL};

/* The ring may have failed. */
static int check_ring(const struct session *session, struct error_text *reason)
{
	for (size_t i = 0; i < session->n_rings; i++)
		if (session->rings[i].state == RING_FAILED)
			return error_text_set(reason, -ECANCELED, "the pair %s failed: %s",
				session->rings[i].label,
				session->rings[i].reason ? session->rings[i].reason : "no reason is known");
	return 0;
}

int measuring_run(struct measuring *measuring, const struct config *config, struct error_text *reason)
{
	const struct selftest *selftest = measuring->selftest;
	const struct engine_job job = {&measuring->plan, config, selftest->topology, selftest->registry};
	struct run *run = &measuring->run;
	struct source *source = &run->source;
	int r = -ENOTSUP;

	if (!config->probes[0])
		return error_text_set(reason, r, "this build lacks the mechanisms of the self-test");
	r = plan_init(&measuring->plan, config, selftest->topology, NULL, &measuring->notes, reason);
	if (r < 0)
		return r;
	input_thread_block_signals();
	r = run_prepare(run, &job, &measuring->notes, reason);
	if (r == 0)
		r = source_start(source, modules, command_rows, reason);
	if (r == 0) {
		source_loop(source);
		run_stop(run);
		r = source->signal     ? -EINTR
		    : run->keeper_lost ? error_text_set(reason, -ECANCELED, "the keeper was killed")
				       : check_ring(&source->session, reason);
	}
	input_thread_join(&source->input);
	input_thread_unblock_signals();
	return r;
}

void measuring_finish(struct measuring *measuring)
{
	if (measuring->run.source.config)
		run_finish(&measuring->run);
	plan_finish(&measuring->plan);
	notes_finish(&measuring->notes);
}
