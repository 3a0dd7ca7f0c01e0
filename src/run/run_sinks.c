/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_sinks.c - what a run's session is told, its recording and its history with it. */
#include "src/run/run_sinks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "src/base/clock.h"
#include "src/model/feed.h"
#include "src/model/session_events.h"
#include "src/model/session_phases.h"
#include "src/plan/config.h"
#include "src/recording/history.h"
#include "src/recording/record.h"

/* What is shorter than this is no tick of its own, for a mark. */
enum { MARK_TICK_NS = 1000000 };

/* The history looks at what the recorder has written, so it comes last. */
static int feed(struct run *run, const struct feed_item *item)
{
	pthread_mutex_lock(&run->lock);
	int r = feed_session(&run->session, item);
	pthread_mutex_unlock(&run->lock);

	if (record_feed(run->recorder, item) < 0) { /* the run goes on without it */
		run->record_failed = true;
		run->record_reason = *record_reason(run->recorder);
		run_tell(run, item->at_ns, EVENT_WARNING, run->record_reason.text);
	}
	history_feed(run->history, item);
	return r;
}

static int feed_event(struct run *run, const struct event *event)
{
	return feed(run, &(struct feed_item){FEED_EVENT, event->at_ns, .event = event});
}

int run_tell(struct run *run, uint64_t at_ns, enum event_kind kind, const char *text)
{
	return feed_event(
		run, &(struct event){.at_ns = at_ns, .kind = kind, .ring = -1, .member = -1, .text = text});
}

void run_look_for_breach(struct run *run)
{
	struct breach breach;

	if (!breaktrace_happened(&run->engine.arena.head->breaktrace, &breach))
		return;
	if (!session_breach(&run->session))
		feed_event(run, &(struct event){.at_ns = breach.at_ns,
					.kind = EVENT_BREACH,
					.ring = (int32_t)breach.ring,
					.member = (int32_t)breach.member,
					.tid = breach.tid,
					.figure = breach.figure,
					.ns = breach.latency_ns,
					.limit_ns = breach.limit_ns,
					.error = breach.error});
	snprintf(run->ended_by, sizeof(run->ended_by), "breaktrace");
}

int run_tell_start(struct run *run, const struct notes *notes)
{
	uint64_t start_ns = run->session.start_ns;
	char text[TRACING_TEXT_SIZE];
	int r = 0;

	if (breaktrace_found(&run->engine.tracing, text)[0])
		r = run_tell(run, start_ns, EVENT_NOTE, text);
	for (size_t i = 0; r == 0 && i < notes->n; i++)
		r = run_tell(run, start_ns, EVENT_WARNING, notes->text[i]);
	return r;
}

static void look_at_machine(struct run *run, uint64_t now_ns)
{
	if (now_ns < run->next_machine_ns)
		return;
	run->next_machine_ns = now_ns + RUN_MACHINE_NS;
	machine_refresh(&run->machine);
	if (memcmp(&run->session.machine, &run->machine, sizeof(run->machine)) != 0)
		feed(run, &(struct feed_item){FEED_MACHINE, now_ns, .machine = &run->machine});
}

void run_remember(struct run *run)
{
	if (history_create(&run->history, run->recorder, &run->session, run->config, run->topology) < 0)
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
	feed(run, &(struct feed_item){FEED_TICK, tick.end_ns, .tick = &tick});
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
	run_tell(run, run->session.now_ns, EVENT_PHASE, name);
}

bool run_obey_commands(struct run *run)
{
	struct command command;
	bool any = false;

	for (; commands_next(&run->commands, &command); any = true)
		if (command.kind == COMMAND_PHASE || command.kind == COMMAND_MARK)
			begin_phase(run, command.kind == COMMAND_MARK ? command.name : NULL);
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
