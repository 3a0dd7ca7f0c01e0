/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.c - one run: engine, sampler and session, from the start to the last tick. */
#include "src/run.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "src/clock.h"
#include "src/config.h"
#include "src/history.h"
#include "src/plan.h"
#include "src/record.h"

/* The first tick comes early, so that a figure does; the machine is looked at once a second. What is shorter
 * than a tick for a mark may be is no tick of its own. */
enum { FIRST_TICK_NS = 200000000, MACHINE_NS = 1000000000, LOOPS_NS = 50000000, MARK_TICK_NS = 1000000 };
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

/* What does not follow from ticks has to be recorded for itself. */
static int tell(struct run *run, uint64_t at_ns, enum event_kind kind, const char *text)
{
	pthread_mutex_lock(&run->lock);
	int r = session_event(&run->session, at_ns, kind, -1, "%s", text);
	pthread_mutex_unlock(&run->lock);
	if (r < 0)
		return r;
	const struct event *event = &run->session.events[run->session.n_events - 1];

	record_event(run->recorder, event);
	record_event(history_recorder(run->history), event);
	return 0;
}

static int warn(struct run *run, uint64_t at_ns, const char *text)
{
	return tell(run, at_ns, EVENT_WARNING, text);
}

static int tell_tracing(struct run *run)
{
	char text[TRACING_TEXT_SIZE];

	if (!breaktrace_found(&run->engine.tracing, text)[0])
		return 0;
	return tell(run, run->session.start_ns, EVENT_NOTE, text);
}

/* Whatever else ended the run: what a member has done is told. */
static void look_for_breach(struct run *run)
{
	struct breach breach;

	if (!run->session.has_breach && breaktrace_happened(&run->engine.arena.head->breaktrace, &breach)) {
		pthread_mutex_lock(&run->lock);
		session_breach(&run->session, &breach);
		pthread_mutex_unlock(&run->lock);
		record_breach(run->recorder, &breach);
		record_breach(history_recorder(run->history), &breach);
	}
	if (run->session.has_breach)
		snprintf(run->ended_by, sizeof(run->ended_by), "breaktrace");
}

static int tell_notes(struct run *run, const struct notes *notes)
{
	for (size_t i = 0; i < notes->n; i++)
		if (warn(run, run->session.start_ns, notes->text[i]) < 0)
			return -ENOMEM;
	return 0;
}

static uint64_t wall_clock_ns(uint64_t monotonic_ns)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec - (clock_now_ns() - monotonic_ns);
}

int run_start(struct run *run, const struct config *config, const struct topology *topology,
	const struct plan *plan, struct notes *notes, const struct probe *const *registry,
	struct reason *reason)
{
	*run = (struct run){.config = config, .topology = topology, .plan = plan};
	pthread_mutex_init(&run->lock, NULL);
	int r = requests_init(&run->requests);

	if (r < 0)
		return reason_set(reason, r, "eventfd: %s", reason_error(r));
	machine_read(&run->machine);
	count_machine(&run->machine, topology);
	r = engine_start(&run->engine, plan, config, topology, &run->machine, registry, notes, reason);

	if (r < 0)
		return r;
	if (run->engine.dma_latency_fd >= 0)
		run->machine.dma_latency_held_us = config->dma_latency_us;
	machine_refresh(&run->machine);
	r = session_init(&run->session, plan, topology, config, &run->machine);
	run->session.start_ns = run->engine.start_ns;
	run->session.wall_start_ns = wall_clock_ns(run->engine.start_ns);
	if (r == 0 && config->record) {
		r = record_start(&run->recorder, config->record, &run->session, config, topology, reason);
		if (r < 0)
			return r;
	}
	if (r == 0)
		r = tell_tracing(run);
	if (r == 0)
		r = tell_notes(run, notes);
	if (r == 0)
		r = sampler_create(&run->sampler, &run->engine.arena, run->engine.keeper.pid,
			throttling_of(&run->machine), run->engine.start_ns);
	run->next_tick_ns = run->engine.start_ns + earlier(config->tick_ns, FIRST_TICK_NS);
	run->next_machine_ns = run->engine.start_ns + MACHINE_NS;
	return r < 0 ? reason_set(reason, r, "no memory for %zu rings", plan->n_rings) : 0;
}

static void look_at_machine(struct run *run, uint64_t now_ns)
{
	if (now_ns < run->next_machine_ns)
		return;
	run->next_machine_ns = now_ns + MACHINE_NS;
	machine_refresh(&run->machine);
	if (memcmp(&run->session.machine, &run->machine, sizeof(run->machine)) != 0) {
		record_machine(run->recorder, &run->machine, now_ns);
		record_machine(history_recorder(run->history), &run->machine, now_ns);
	}
	pthread_mutex_lock(&run->lock);
	session_machine(&run->session, &run->machine, now_ns);
	pthread_mutex_unlock(&run->lock);
}

/* The run goes on without it. */
static void stop_recording(struct run *run, uint64_t now_ns)
{
	run->record_failed = true;
	warn(run, now_ns, run->record_reason.text);
}

void run_remember(struct run *run)
{
	if (history_create(&run->history, run->record_failed ? NULL : run->config->record, &run->session,
		    run->config, run->topology) < 0)
		run->history = NULL;
}

static bool take_tick(struct run *run, uint64_t now_ns)
{
	struct tick tick;

	if (sampler_tick(run->sampler, now_ns, &tick) < 0)
		return false; /* what was not read stays to be read */
	pthread_mutex_lock(&run->lock);
	session_feed(&run->session, &tick);
	pthread_mutex_unlock(&run->lock);
	/* This thread alone writes to the session, and may read it without the lock. */
	if (record_tick(run->recorder, &tick, &run->session, &run->record_reason) < 0)
		stop_recording(run, now_ns);
	history_tick(run->history, &tick, &run->session, run->record_failed ? NULL : run->recorder);
	return true;
}

/* Returns whether it was time for one. */
static bool tick(struct run *run, uint64_t now_ns)
{
	if (now_ns < run->next_tick_ns)
		return false;
	run->next_tick_ns += ((now_ns - run->next_tick_ns) / run->config->tick_ns + 1) * run->config->tick_ns;
	look_at_machine(run, now_ns);
	return take_tick(run, now_ns);
}

/* The phase's border is the moment of the key: what was before it gets a tick of its own. */
static void begin_phase(struct run *run, const char *name)
{
	uint64_t now_ns = clock_now_ns();

	if (now_ns - run->session.now_ns > MARK_TICK_NS)
		take_tick(run, now_ns);
	pthread_mutex_lock(&run->lock);
	int r = session_phase(&run->session, name);
	pthread_mutex_unlock(&run->lock);
	if (r < 0)
		return;
	record_mark(run->recorder, name, run->session.now_ns);
	record_mark(history_recorder(run->history), name, run->session.now_ns);
	history_mark(run->history, run->record_failed ? NULL : run->recorder);
}

/* Returns whether there were any. */
static bool obey_requests(struct run *run)
{
	struct request request;
	bool any = false;

	for (; requests_take(&run->requests, &request); any = true)
		if (request.kind == REQUEST_PHASE)
			begin_phase(run, request.has_name ? request.name : NULL);
	return any;
}

/* Waits until @until_ns, or until something happens. */
static void wait_until(struct run *run, uint64_t until_ns)
{
	struct pollfd fds[] = {
		{.fd = run->guard.wanted, .events = POLLIN},
		{.fd = run->keeper_lost ? -1 : run->engine.keeper.pidfd, .events = POLLIN},
		{.fd = run->requests.wanted, .events = POLLIN},
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
		warn(run, clock_now_ns(), text);
	}
	if (fds[0].revents)
		snprintf(run->ended_by, sizeof(run->ended_by), "quit");
}

static bool is_done(const struct run *run)
{
	return engine_is_done(&run->engine) || (run->config->first_ends && engine_has_done(&run->engine));
}

/* Sets ended_by where there is nothing more to be seen. */
static void check_end(struct run *run, uint64_t for_ns, bool stays, uint64_t now_ns)
{
	const char *why = NULL;
	int signal = atomic_load(&run->guard.signal);

	if (for_ns && now_ns - run->engine.start_ns >= for_ns)
		why = "duration";
	if (run->keeper_lost)
		why = "keeper killed";
	else if (is_done(run) && (run->config->loops || !stays))
		why = run->config->loops ? "loops" : "no ring left";
	if (run->ended_by[0] && signal)
		snprintf(run->ended_by, sizeof(run->ended_by), "signal SIG%s", sigabbrev_np(signal));
	else if (!run->ended_by[0] && why)
		snprintf(run->ended_by, sizeof(run->ended_by), "%s", why);
	look_for_breach(run);
}

void run_loop(struct run *run, uint64_t for_ns, bool stays, bool (*updated)(void *data), void *data)
{
	while (!run->ended_by[0]) {
		uint64_t now_ns = clock_now_ns();
		uint64_t next_ns = engine_advance(&run->engine, now_ns);

		bool fed = tick(run, now_ns);

		if ((obey_requests(run) || fed) && !updated(data))
			snprintf(run->ended_by, sizeof(run->ended_by), "output closed");
		check_end(run, for_ns, stays, now_ns);
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

int run_guard(struct run *run, const struct guard_screen *screen, struct reason *reason)
{
	if (run->replay)
		return guard_start(&run->guard, NULL, 0, screen, reason);
	int priority = run->config->policy.priority;

	/* Members at 99, as front ends may ask for, have it beside them. */
	return guard_start(&run->guard, &run->engine.arena,
		priority < PRIORITY_MAX ? priority + 1 : PRIORITY_MAX, screen, reason);
}

static void end_recording(struct run *run)
{
	struct reason reason;

	if (record_finish(run->recorder, run->ended_by, &reason) < 0 && !run->record_failed) {
		run->record_failed = true;
		run->record_reason = reason;
	}
	run->recorder = NULL;
}

void run_stop(struct run *run)
{
	obey_requests(run); /* from before the end */
	/* The tick before tells how the rings stood, the one after what they have counted. */
	run->next_machine_ns = UINT64_MAX;
	run->next_tick_ns = 0;
	tick(run, clock_now_ns());
	engine_stop(&run->engine);
	look_for_breach(run);
	run->next_tick_ns = 0;
	tick(run, clock_now_ns());
	end_recording(run);
}

void run_forget(struct run *run)
{
	history_destroy(run->history);
	run->history = NULL;
}

void run_finish(struct run *run)
{
	end_recording(run);
	guard_finish(&run->guard);
	sampler_destroy(run->sampler);
	engine_finish(&run->engine);
	run_forget(run);
	session_finish(&run->session);
	requests_finish(&run->requests);
	pthread_mutex_destroy(&run->lock);
}
