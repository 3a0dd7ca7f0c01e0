/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_sinks.c - what a run's session is told, its recording and its history with it. */
#include "src/run/run_sinks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "src/base/clock.h"
#include "src/model/session_phases.h"
#include "src/plan/config.h"
#include "src/recording/history.h"
#include "src/recording/record.h"

/* What is shorter than this is no tick of its own, for a mark. */
enum { MARK_TICK_NS = 1000000 };

int run_tell(struct run *run, uint64_t at_ns, enum event_kind kind, const char *text)
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

static int tell_tracing(struct run *run)
{
	char text[TRACING_TEXT_SIZE];

	if (!breaktrace_found(&run->engine.tracing, text)[0])
		return 0;
	return run_tell(run, run->session.start_ns, EVENT_NOTE, text);
}

void run_look_for_breach(struct run *run)
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

int run_tell_start(struct run *run, const struct notes *notes)
{
	int r = tell_tracing(run);

	for (size_t i = 0; r == 0 && i < notes->n; i++)
		r = run_tell(run, run->session.start_ns, EVENT_WARNING, notes->text[i]);
	return r;
}

static void look_at_machine(struct run *run, uint64_t now_ns)
{
	if (now_ns < run->next_machine_ns)
		return;
	run->next_machine_ns = now_ns + RUN_MACHINE_NS;
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
	run_tell(run, now_ns, EVENT_WARNING, run->record_reason.text);
}

void run_remember(struct run *run)
{
	if (history_create(&run->history, run->record_failed ? NULL : run->config->record, &run->session,
		    run->config, run->topology) < 0)
		run->history = NULL;
}

/* @ends_phase: a mark follows. Where someone has changed the members' scheduling, a phase ends too. */
static bool take_tick(struct run *run, uint64_t now_ns, bool ends_phase)
{
	struct tick tick;

	sampler_look(run->sampler, &tick);
	if (ends_phase || session_will_change(&run->session, &tick, now_ns))
		engine_end_phase(&run->engine, now_ns);
	if (sampler_tick(run->sampler, now_ns, &tick) < 0)
		return false; /* what was not read stays to be read */
	tick.turn = run->engine.turns.current;
	tick.turn_since_ns = run->engine.turns.since_ns;
	pthread_mutex_lock(&run->lock);
	session_feed(&run->session, &tick);
	pthread_mutex_unlock(&run->lock);
	/* This thread alone writes to the session, and may read it without the lock. */
	if (record_tick(run->recorder, &tick, &run->session, &run->record_reason) < 0)
		stop_recording(run, now_ns);
	history_tick(run->history, &tick, &run->session, run->record_failed ? NULL : run->recorder);
	return true;
}

bool run_tick(struct run *run, uint64_t now_ns)
{
	if (now_ns < run->next_tick_ns)
		return false;
	run->next_tick_ns += ((now_ns - run->next_tick_ns) / run->config->tick_ns + 1) * run->config->tick_ns;
	look_at_machine(run, now_ns);
	return take_tick(run, now_ns, false);
}

/* The phase's border is the moment of the key: what was before it gets a tick of its own. */
static void begin_phase(struct run *run, const char *name)
{
	uint64_t now_ns = clock_now_ns();

	if (now_ns - run->session.now_ns > MARK_TICK_NS)
		take_tick(run, now_ns, true);
	pthread_mutex_lock(&run->lock);
	int r = session_phase(&run->session, name);
	pthread_mutex_unlock(&run->lock);
	if (r < 0)
		return;
	record_mark(run->recorder, name, run->session.now_ns);
	record_mark(history_recorder(run->history), name, run->session.now_ns);
	history_mark(run->history, run->record_failed ? NULL : run->recorder);
}

bool run_obey_requests(struct run *run)
{
	struct request request;
	bool any = false;

	for (; requests_take(&run->requests, &request); any = true)
		if (request.kind == REQUEST_PHASE)
			begin_phase(run, request.has_name ? request.name : NULL);
	return any;
}

void run_forget(struct run *run)
{
	history_destroy(run->history);
	run->history = NULL;
}

void run_end_recording(struct run *run)
{
	struct error_text reason;

	if (record_finish(run->recorder, run->ended_by, &reason) < 0 && !run->record_failed) {
		run->record_failed = true;
		run->record_reason = reason;
	}
	run->recorder = NULL;
}
