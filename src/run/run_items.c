/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_items.c - the items of a run that commands feed, too. */
#include "src/run/run_items.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/sort.h"
#include "src/flight/flight.h"
#include "src/model/session.h"
#include "src/model/session_rows.h"
#include "src/plan/config.h"

enum {
	MARK_TICK_NS = 1000000, /* a longer time before a mark gets a tick of its own */
};

int run_feed_event(struct run *run, const struct event *event)
{
	return source_feed(&run->source, &(struct feed_item){FEED_EVENT, event->at_ns, .event = event});
}

int run_feed_text(struct run *run, uint64_t at_ns, enum event_kind kind, const char *text)
{
	return run_feed_event(
		run, &(struct event){.at_ns = at_ns, .kind = kind, .ring = -1, .member = -1, .text = text});
}

/* Lists the tids of the members, whose settings are facts of the machine, too, and names the session of
 * keeper and hosts. Without memory the lists stay as they were. */
static void name_members(struct run *run)
{
	const struct session *session = &run->source.session;
	unsigned *tids = realloc(run->member_tids, (session_n_members(session) + 1) * sizeof(*tids));
	size_t n = 0;

	run->machine_rows.rivals.own_session = run->engine.keeper.pid;
	if (!tids)
		return;
	for (size_t i = 0; i < session->n_rings; i++)
		for (unsigned m = 0; m < session->rings[i].n_members && !session->rings[i].ended_ns; m++)
			if (session->rings[i].members[m].tid > 0)
				tids[n++] = (unsigned)session->rings[i].members[m].tid;
	sort_uints(tids, n);
	run->member_tids = tids;
	run->machine_rows.members = tids;
	run->machine_rows.n_members = n;
}

/* Clients of sockets may take all descriptors that the limit allows: then each file seems to be absent. */
static bool has_free_descriptor(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd >= 0)
		close(fd);
	return fd >= 0 || (errno != EMFILE && errno != ENFILE);
}

static void refresh_part(struct run *run)
{
	unsigned part = run->machine_part++;

	run->n_unread -= run->n_unread > 0;
	if (has_free_descriptor())
		machine_refresh_part(&run->machine_rows, &run->machine, part);
	if (!has_free_descriptor())
		run->n_unread = MACHINE_PARTS;
}

static void feed_machine(struct run *run, uint64_t now_ns)
{
	if (run->n_unread ||                         /* what is known stays */
		breaktrace_began(run->engine.arena)) /* the run was traced, up to the breach */
		return;
	if (!machine_equal(&run->source.session.machine, &run->machine))
		source_feed(
			&run->source, &(struct feed_item){FEED_MACHINE, now_ns, .machine = &run->machine});
}

void run_read_machine(struct run *run, uint64_t now_ns)
{
	if (run->machine_part == 0 && now_ns < run->next_machine_ns)
		return;
	if (run->machine_part == 0) {
		run->next_machine_ns = now_ns + RUN_MACHINE_NS;
		name_members(run);
	}
	refresh_part(run);
	feed_machine(run, now_ns);
	if (run->machine_part == MACHINE_PARTS)
		run->machine_part = 0;
}

void run_feed_fact(struct run *run, const struct machine_fact *fact, uint64_t now_ns)
{
	machine_refresh_fact(&run->machine_rows, &run->machine, fact);
	feed_machine(run, now_ns);
}

/* Sets when the next tick is due, if this one was. Returns by how much it is late. */
static uint64_t advance_next_tick(struct run *run, uint64_t now_ns)
{
	uint64_t tick_ns = run->source.config->tick_ns;

	if (now_ns < run->next_tick_ns)
		return 0;
	uint64_t late_ns = now_ns - run->next_tick_ns;

	run->next_tick_ns += (late_ns / tick_ns + 1) * tick_ns;
	return late_ns;
}

/* Feeds the end of each ring that was removed and whose last samples are in the tick before. */
static void feed_ends(struct run *run, uint64_t at_ns)
{
	struct session_ring ring = {0};

	while (sampler_forget(run->sampler, &ring.id))
		source_feed(&run->source, &(struct feed_item){FEED_RING_END, at_ns, .ring = &ring});
}

/* The tier is a fact of the machine, whose change is an event. */
void run_tell_recorder(struct run *run)
{
	struct machine *machine = &run->machine;

	snprintf(machine->recorder, sizeof(machine->recorder), "%s", flight_tier_name(run->flight));
	snprintf(machine->recorder_lacks, sizeof(machine->recorder_lacks), "%s", flight_lacks(run->flight));
}

static void add_recorder_cost(struct run *run, struct tick *tick)
{
	struct flight_cost cost = flight_cost(run->flight);

	tick->recorder_ns = cost.cpu_ns - run->recorder_cost.cpu_ns;
	tick->n_recorded = cost.n_records - run->recorder_cost.n_records;
	run->recorder_cost = cost;
}

/* A tick that comes after the end of the run has no time after it. */
void run_feed_tick(struct run *run, uint64_t now_ns, bool ends_phase)
{
	uint64_t late_ns = advance_next_tick(run, now_ns);
	bool ends_with_rings = !run->source.stays || run->source.ended_by[0];
	uint64_t end_ns = larger_ns(
		engine_measured_until(&run->engine, now_ns, ends_with_rings), run->source.session.now_ns);
	struct tick tick;

	late_ns -= smaller_ns(late_ns, now_ns - end_ns);
	sampler_read_members(run->sampler, &tick);
	if (ends_phase || session_phases_will_change(&run->source.session, &tick, end_ns))
		engine_end_phase(&run->engine, end_ns);
	if (sampler_tick(run->sampler, end_ns, &tick) < 0)
		return; /* the next tick reads it */
	tick.turn = run->engine.turns.current;
	tick.turn_since_ns = run->engine.turns.since_ns;
	tick.late_ns = late_ns;
	tick.turn_ns = run->engine.turns.slice_ns;
	tick.turn_held = turns_holds_current(&run->engine.turns);
	add_recorder_cost(run, &tick);
	source_feed(&run->source, &(struct feed_item){FEED_TICK, tick.end_ns, .tick = &tick});
	spike_watch_tick(run->spikes, &tick);
	run_tell_recorder(run);
	feed_ends(run, tick.end_ns);
}

/* The time before the mark gets a tick of its own, and the phase begins with that tick's end. */
const struct phase *run_feed_phase(struct run *run, const char *name, uint64_t given_ns)
{
	struct session *session = &run->source.session;
	uint64_t now_ns = clock_now_ns();

	if (now_ns - session->now_ns > MARK_TICK_NS)
		run_feed_tick(run, now_ns, true);
	const struct event event = {
		.at_ns = given_ns, .kind = EVENT_PHASE, .ring = -1, .member = -1, .text = name};
	uint64_t n_before = session->phases.n + session->phases.dropped;

	source_feed(&run->source, &(struct feed_item){FEED_EVENT, session->now_ns, .event = &event});
	return session->phases.n + session->phases.dropped == n_before ? NULL
								       : phases_current(&session->phases);
}
