/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.c - one run: engine, sampler and session, from the start to the last tick. */
#include "src/run/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "src/base/clock.h"
#include "src/machine/task.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/recording/record.h"
#include "src/run/run_sinks.h"

/* The first tick comes early, so that a figure does. */
enum { FIRST_TICK_NS = 200000000, LOOPS_NS = 50000000 };
enum { PRIORITY_MAX = 99 };

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void count_machine(struct machine *machine, const struct topology *topology)
{
	machine->n_cpus = topology->n_cpus;
	machine->n_cores = topology->n_cores;
	machine->n_packages = topology->n_packages;
	machine->n_nodes = topology->n_nodes;
}

/* Where it is as the kernel's default, a flood that rests stays below the share. */
static struct throttling throttling_of(const struct machine *machine)
{
	const double doubt = 0.005; /* can't be told apart */
	double share = 0.95;        /* the fair server's */
	uint64_t gap_ns = 50000000;

	if (!machine->fair_server) {
		if (machine->rt_runtime_us < 0 || machine->rt_runtime_us >= machine->rt_period_us)
			return (struct throttling){0};
		share = (double)machine->rt_runtime_us / (double)machine->rt_period_us;
		gap_ns = (uint64_t)(machine->rt_period_us - machine->rt_runtime_us) * 1000;
	}
	return (struct throttling){.share = share > doubt ? share - doubt : share, .gap_ns = gap_ns / 2};
}

static uint64_t wall_clock_ns(uint64_t monotonic_ns)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec - (clock_now_ns() - monotonic_ns);
}

/* Members inherit the nice value that ipctop was started with, and so it is what was asked for. */
static void ask_for_own_nice(struct session *session)
{
	int nice = task_own_nice();

	for (size_t i = 0; i < session->n_rings; i++)
		if (task_policy_obeys_nice(session->rings[i].asked.policy))
			session->rings[i].asked.nice = nice;
}

int run_prepare(struct run *run, const struct config *config, const struct topology *topology,
	const struct plan *plan, struct notes *notes, const struct probe *const *registry,
	struct error_text *reason)
{
	*run = (struct run){
		.config = config, .topology = topology, .plan = plan, .notes = notes, .n_planned = notes->n};
	pthread_mutex_init(&run->lock, NULL);
	int r = commands_init(&run->commands);

	if (r < 0)
		return error_text_set(reason, r, "eventfd: %s", error_text_of_errno(r));
	machine_read(&run->machine);
	count_machine(&run->machine, topology);
	r = engine_prepare(&run->engine, plan, config, topology, &run->machine, registry, notes, reason);

	if (r < 0)
		return r;
	if (run->engine.dma_latency_fd >= 0)
		run->machine.dma_latency_held_us = config->dma_latency_us;
	machine_refresh(&run->machine);
	r = session_init(&run->session, plan, topology, config, &run->machine);
	ask_for_own_nice(&run->session);
	return r < 0 ? error_text_set(reason, r, "no memory for %zu rings", plan->n_rings) : 0;
}

/* --strict: what the plan left out is not short of anything. */
static int check_strict(const struct run *run, struct error_text *reason)
{
	if (!run->config->strict)
		return 0;
	if (run->notes->n > run->n_planned)
		return error_text_set(reason, -EPERM, "%s", run->notes->text[run->n_planned]);
	return engine_falls_short(&run->engine, reason) ? -EPERM : 0;
}

int run_start(struct run *run, struct error_text *reason)
{
	const struct config *config = run->config;

	engine_start(&run->engine);
	int r = check_strict(run, reason);

	if (r < 0)
		return r;
	run->session.start_ns = run->engine.start_ns;
	run->session.wall_start_ns = wall_clock_ns(run->engine.start_ns);
	if (config->record) {
		r = record_start(
			&run->recorder, config->record, &run->session, config, run->topology, reason);
		if (r < 0)
			return r;
	}
	r = run_tell_start(run, run->notes);
	if (r == 0)
		r = sampler_create(&run->sampler, &run->engine.arena, run->topology, run->engine.keeper.pid,
			throttling_of(&run->machine), run->engine.start_ns);
	run->next_tick_ns = run->engine.start_ns + earlier(config->tick_ns, FIRST_TICK_NS);
	run->next_machine_ns = run->engine.start_ns + RUN_MACHINE_NS;
	run->started = r == 0;
	return r < 0 ? error_text_set(reason, r, "no memory for %zu rings", run->plan->n_rings) : 0;
}

/* Waits until @until_ns, or until something happens. */
static void wait_until(struct run *run, uint64_t until_ns)
{
	struct pollfd fds[] = {
		{.fd = run->guard.wanted, .events = POLLIN},
		{.fd = run->keeper_lost ? -1 : run->engine.keeper.pidfd, .events = POLLIN},
		{.fd = run->commands.wanted, .events = POLLIN},
		{.fd = run->config->breaktrace_ns ? run->engine.arena.head->breaktrace.told : -1,
			.events = POLLIN},
	};
	uint64_t now_ns = clock_now_ns();
	struct timespec left = clock_timespec(until_ns > now_ns ? until_ns - now_ns : 0);

	if (ppoll(fds, 4, &left, NULL) <= 0)
		return;
	if (fds[1].revents) {
		run->keeper_lost = true;
		engine_lose_keeper(&run->engine);
		char text[64];

		snprintf(text, sizeof(text), "the keeper (pid %d) was killed", run->engine.keeper.pid);
		run_tell(run, clock_now_ns(), EVENT_WARNING, text);
	}
	if (fds[0].revents)
		snprintf(run->ended_by, sizeof(run->ended_by), "quit");
}

static bool is_done(const struct run *run)
{
	return engine_is_done(&run->engine) ||
	       (run->config->tool.first_ends && engine_has_done(&run->engine));
}

/* Sets ended_by where there is nothing more to be seen. */
static void check_end(struct run *run, uint64_t for_ns, bool stays, uint64_t now_ns)
{
	const char *why = NULL;
	int signal = atomic_load(&run->guard.signal);

	if (run->keeper_lost)
		why = "keeper killed";
	else if (for_ns && now_ns - run->engine.start_ns >= for_ns)
		why = "duration";
	else if (is_done(run) && (run->config->loops || !stays))
		why = run->config->loops ? "loops" : "no ring left";
	if (run->ended_by[0] && signal)
		snprintf(run->ended_by, sizeof(run->ended_by), "signal SIG%s", sigabbrev_np(signal));
	else if (!run->ended_by[0] && why)
		snprintf(run->ended_by, sizeof(run->ended_by), "%s", why);
	run_look_for_breach(run);
}

void run_loop(struct run *run, uint64_t for_ns, bool stays, bool (*updated)(void *data), void *data)
{
	if (for_ns)
		engine_end_at(&run->engine, run->engine.start_ns + for_ns);
	while (!run->ended_by[0]) {
		uint64_t now_ns = clock_now_ns();
		uint64_t next_ns = engine_advance(&run->engine, now_ns);

		bool fed = run_tick(run, now_ns);

		if ((run_obey_commands(run) || fed) && !updated(data))
			snprintf(run->ended_by, sizeof(run->ended_by), "output closed");
		check_end(run, for_ns, stays, clock_now_ns());
		if (run->ended_by[0])
			break;
		next_ns = earlier(next_ns, run->next_tick_ns);
		if (run->config->loops) /* their end wakes nobody */
			next_ns = earlier(next_ns, now_ns + LOOPS_NS);
		if (for_ns)
			next_ns = earlier(next_ns, run->engine.start_ns + for_ns);
		wait_until(run, next_ns);
		check_end(run, for_ns, stays, clock_now_ns());
	}
}

int run_guard(struct run *run, const struct guard_screen *screen, struct error_text *reason)
{
	if (run->replay)
		return guard_start(&run->guard, NULL, 0, screen, reason);
	int priority = run->config->policy.priority;

	/* Members at 99, as front ends may ask for, have it beside them. */
	return guard_start(&run->guard, &run->engine.arena,
		priority < PRIORITY_MAX ? priority + 1 : PRIORITY_MAX, screen, reason);
}

void run_stop(struct run *run)
{
	run_obey_commands(run); /* from before the end */
	/* The tick before tells how the rings stood, the one after what they have counted. */
	run->next_machine_ns = UINT64_MAX;
	run->next_tick_ns = 0;
	run_tick(run, clock_now_ns());
	engine_stop(&run->engine);
	run_look_for_breach(run);
	run->next_tick_ns = 0;
	run_tick(run, clock_now_ns());
	run_end_recording(run);
}

void run_finish(struct run *run)
{
	run_end_recording(run);
	guard_finish(&run->guard);
	sampler_destroy(run->sampler);
	engine_finish(&run->engine);
	run_forget(run);
	session_finish(&run->session);
	commands_finish(&run->commands);
	pthread_mutex_destroy(&run->lock);
}
