/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.c - one run: engine, sampler and session, from the start to the last tick. */
#include "src/run/run.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/text.h"
#include "src/engine/engine_loads.h"
#include "src/engine/engine_rings.h"
#include "src/machine/clock_skew.h"
#include "src/machine/task.h"
#include "src/model/matrix.h"
#include "src/model/session.h"
#include "src/model/session_events.h"
#include "src/model/session_turns.h"
#include "src/options/options.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/recording/history.h"
#include "src/restore/journal_json.h"
#include "src/restore/restore.h"
#include "src/run/run_hunt.h"
#include "src/run/run_items.h"
#include "src/run/run_loads.h"
#include "src/run/run_rings.h"
#include "src/run/run_try.h"
#include "src/run/run_undo.h"

enum {
	FIRST_TICK_NS = 200000000, /* early, so that the first figures are too */
	LOOPS_NS = 50000000,       /* how often it is checked whether they are done */
	RINGS_END_NS = 100000000,  /* between two ticks, at least, if not due, for rings that were removed */
	LOADING_NS = 1000000000,   /* that the flight recorder's start may take without being hurried */
};
static const uint64_t loss_every_ns = 10000000000, pair_patience_ns = 500000000;
enum { PRIORITY_MAX = 99 };

/* --- its own priority --- */

/* Members of any real-time priority go first; at the lowest one they would have to share. */
static bool may_be_realtime_task(const struct run *run)
{
	const struct task_policy *members = &run->source.config->policy;

	return !task_policy_is_realtime(members->policy) || members->priority > MAIN_PRIORITY;
}

/* Plain tasks of others must not delay what is due at @due_ns, so main is a real-time task then. Its work
 * before that takes longer: as a plain task it does not make plain members wait. */
static void be_plain_until(struct run *run, uint64_t due_ns)
{
	if (may_be_realtime_task(run))
		input_thread_promote_main(&run->source.input, due_ns);
}

/* --- items --- */

/* Makes an event of a breach, even if something else has ended the run before. */
static void feed_breach(struct run *run)
{
	struct breach breach;

	if (!breaktrace_happened(run->engine.arena, &breach))
		return;
	if (!session_breach(&run->source.session))
		run_feed_event(run, &(struct event){.at_ns = breach.at_ns,
					    .kind = EVENT_BREACH,
					    .ring = (int32_t)breach.ring,
					    .member = (int32_t)breach.member,
					    .tid = breach.tid,
					    .figure = breach.figure,
					    .ns = breach.latency_ns,
					    .limit_ns = breach.limit_ns,
					    .error = breach.error});
	snprintf(run->source.ended_by, sizeof(run->source.ended_by), "breaktrace");
}

/* The state of tracing, and the notes of plan and engine. */
static int feed_start(struct run *run)
{
	uint64_t start_ns = run->source.session.start_ns;
	char text[TRACING_TEXT_SIZE];
	int r = 0;

	if (breaktrace_found(&run->engine.tracing, text)[0])
		r = run_feed_text(run, start_ns, EVENT_NOTE, text);
	if (r == 0 && *flight_lacks(run->flight)) {
		struct error_text note;

		if (flight_is_recording(run->flight))
			error_text_set(&note, 0, "recorded by %s, not by %s: %s",
				flight_tier_name(run->flight), flight_word(FLIGHT_BEST),
				flight_lacks(run->flight));
		else
			error_text_set(&note, 0, "what runs beside the members is not recorded: %s",
				flight_lacks(run->flight));
		r = run_feed_text(run, start_ns, EVENT_NOTE, note.text);
	}
	for (size_t i = 0; r == 0 && i < run->notes->n; i++)
		r = run_feed_text(run, start_ns, EVENT_WARNING, run->notes->text[i]);
	return r == 0 && run->hunt ? run_hunt_tell(run) : r;
}

/* The session counts rings that were removed until the tick that has their rest: it need not be the next one
 * that is due. */
static bool ends_rings(const struct run *run, uint64_t now_ns)
{
	return now_ns >= run->source.session.now_ns + RINGS_END_NS && engine_has_closed_rings(&run->engine);
}

static void feed_due_tick(struct run *run, uint64_t now_ns)
{
	if (now_ns < run->next_tick_ns && !ends_rings(run, now_ns))
		return;
	run_loads_check(run, now_ns);
	run_feed_tick(run, now_ns, false);
}

/* Tells at most once in ten seconds that what ran meanwhile is not known. */
static void feed_loss(struct run *run, uint64_t now_ns)
{
	char text[160];

	if (now_ns < run->next_loss_ns)
		return;
	struct flight_loss loss = flight_take_loss(run->flight);

	if (!loss.is_there)
		return;
	run->next_loss_ns = now_ns + loss_every_ns;
	if (loss.n_hidden == HIDES_OUTSIDE)
		snprintf(text, sizeof(text),
			"the flight recorder %s can't tell tasks outside of this PID namespace from an idle CPU: none of them is named",
			flight_tier_name(run->flight));
	else if (loss.n_hidden)
		snprintf(text, sizeof(text),
			"the flight recorder %s leaves out %zu tids between those of members on CPU %u: it can't filter so many rings",
			flight_tier_name(run->flight), loss.n_hidden, loss.cpu);
	else
		snprintf(text, sizeof(text),
			"the flight recorder was overrun: records of CPU %u were overwritten before they were read",
			loss.cpu);
	run_feed_text(run, now_ns, EVENT_NOTE, text);
}

/* Main is a plain task while BPF is loaded, but for a second at most; and afterwards until @due_ns. */
static void restart_recorder(struct run *run, uint64_t due_ns)
{
	be_plain_until(run, clock_now_ns() + LOADING_NS);
	spike_watch_restart(run->spikes);
	be_plain_until(run, due_ns);
}

/* Before records are read that name them. */
static void meet_members(struct run *run, uint64_t due_ns)
{
	spike_watch_meet(run->spikes);
	if (spike_watch_is_behind(run->spikes))
		restart_recorder(run, due_ns);
}

static void feed_spikes(struct run *run, uint64_t now_ns)
{
	const struct spike_report *report;

	while ((report = spike_watch_next(run->spikes, now_ns)))
		source_feed(&run->source,
			&(struct feed_item){FEED_SPIKE, report->spike.seen_ns, .spike = report});
}

/* Says which pair of a sweep takes long, and in the end for how long: its wait is in no figure. */
static void feed_waiting_pair(struct run *run, const struct sweep_board *board, uint64_t now_ns)
{
	struct sweep_lane oldest = sweep_board_oldest(board), *told = &run->waiting;
	char text[160];

	if (told->since_ns && oldest.since_ns && oldest.since_ns != told->since_ns) {
		snprintf(text, sizeof(text), "CPUs %u and %u: measuring them took %.1f s", told->cpus[0],
			told->cpus[1], (double)(now_ns - told->since_ns) / 1e9);
		run_feed_text(run, now_ns, EVENT_NOTE, text);
		told->since_ns = 0;
	}
	if (told->since_ns || !oldest.since_ns || now_ns < oldest.since_ns + pair_patience_ns)
		return;
	*told = oldest;
	snprintf(text, sizeof(text),
		"CPUs %u and %u: measuring them takes longer than %.1f s; another task may have one of them",
		told->cpus[0], told->cpus[1], (double)pair_patience_ns / 1e9);
	run_feed_text(run, now_ns, EVENT_WARNING, text);
}

/* Adds the pairs that the sweep measured since the last call. */
static void feed_sweep(struct run *run, uint64_t now_ns)
{
	struct sweep_board *board = run->engine.arena->sweep;
	struct matrix *matrix = run->source.session.matrix;
	struct error_text reason;
	size_t n;

	while (board && (n = sweep_board_read(board, run->swept, SWEEP_RESULTS_MAX)) > 0)
		source_feed(&run->source,
			&(struct feed_item){FEED_SWEEP, now_ns,
				.sweep = &(struct feed_sweep){run->swept, n,
					atomic_load_explicit(&board->n_rounds, memory_order_relaxed)}});
	if (board)
		feed_waiting_pair(run, board, now_ns);
	if (!board || matrix->failure || !sweep_board_has_failed(board, &reason))
		return;
	matrix_fail(matrix, reason.text);
	run_feed_text(run, now_ns, EVENT_WARNING, reason.text);
	source_end(&run->source, "sweep failed");
}

/* --- commands --- */

/* A key lets turns go on if one is held. */
static int hold_turn(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	struct run *run = (struct run *)source;
	const struct session *session = &source->session;
	const struct session_ring *ring = NULL;
	struct turns *turns = &run->engine.turns;
	bool was_held = turns->is_held, lets_go = command->sender == COMMAND_BY_KEY && was_held;
	struct error_text why;
	char text[64] = "turns go on";

	int r = run_hunt_check_change(run, &why);

	if (r < 0)
		return error_text_set(refusal, r, "hold: %s", why.text);
	if (session->n_turns < 2)
		return error_text_set(
			refusal, -EINVAL, "hold: there are no turns, as all rings run at the same time");
	if (command->name[0] && !(ring = run_rings_find(session, command->name, refusal)))
		return -ENOENT;
	if (!command->name[0] && command->ring >= 0)
		ring = session_find_ring(session, (size_t)command->ring);
	r = engine_hold_turn(&run->engine, ring && !lets_go ? (int)ring->turn : -1, &why);

	if (r < 0 && command->sender == COMMAND_BY_KEY)
		run_feed_text(run, command->at_ns, EVENT_NOTE, why.text);
	if (r < 0)
		return error_text_set(refusal, r, "hold: %s", why.text);
	if (turns->is_held) {
		unsigned n, turn = session_turn_number(session, turns->held, &n);

		snprintf(text, sizeof(text), "turn %u/%u is held", turn, n);
	}
	if (was_held || turns->is_held)
		run_feed_text(run, command->at_ns, EVENT_NOTE, text);
	return 0;
}

static int read_ring(struct option_reading *reading, const char *value)
{
	struct command *command = reading->target;

	if (strlen(value) >= sizeof(command->name))
		return option_refuse(reading, value, "no ring has such a long name");
	strcpy(command->name, value);
	return 0;
}

static const struct option_row ring_argument = {.name = "ring", .argument = "RING", .read = read_ring};

const struct command_row command_hold = {"hold", "hold the turn of a ring; without it, let turns go on",
	&ring_argument, .is_optional = true, .acts = true, .in_run = hold_turn,
	.refusal = "a replay has no turns to hold"};

static int begin_phase(struct source *source, const struct command *command, struct command_result *result,
	struct error_text *refusal)
{
	struct run *run = (struct run *)source;
	const struct phase *phase =
		run_feed_phase(run, command->kind == COMMAND_MARK ? command->name : NULL, command->at_ns);

	if (!phase)
		return error_text_set(
			refusal, -ENOMEM, "%s: no memory for a phase", source_command_name(source, command));
	*result = (struct command_result){.phase = phase->number, .begins_ns = phase->start_ns};
	return 0;
}

/* Cuts a name as a key's dialog does. */
static int read_phase_name(struct option_reading *reading, const char *value)
{
	phase_copy_name(((struct command *)reading->target)->name, value);
	return 0;
}

static const struct option_row name_argument = {.name = "name", .argument = "NAME", .read = read_phase_name};

static const char no_phases[] = "a replay has the phases of its recording alone: begin them while measuring";

const struct command_row command_phase = {
	"phase", "begin a phase", .acts = true, .in_run = begin_phase, .refusal = no_phases};
const struct command_row command_mark = {"mark", "begin a phase with a name", &name_argument,
	.kind = COMMAND_MARK, .acts = true, .in_run = begin_phase, .refusal = no_phases};

/* A key takes the next tier. */
static int switch_recorder(struct source *source, const struct command *command,
	struct command_result *result, struct error_text *refusal)
{
	struct run *run = (struct run *)source;
	bool by_key = command->sender == COMMAND_BY_KEY;
	unsigned word = by_key ? flight_next_word(run->flight) : command->recorder;
	struct error_text why;
	int r = run_hunt_check_change(run, &why);

	if (r < 0)
		return error_text_set(refusal, r, "recorder: %s", why.text);
	flight_switch(run->flight, word);
	restart_recorder(run, run->next_tick_ns);
	run_tell_recorder(run);
	if (!machine_equal(&source->session.machine, &run->machine))
		source_feed(
			source, &(struct feed_item){FEED_MACHINE, clock_now_ns(), .machine = &run->machine});
	if (!*flight_lacks(run->flight) || flight_is_recording(run->flight))
		return 0;
	error_text_set(refusal, -EPERM, "recorder %s: %s", flight_word(word), flight_lacks(run->flight));
	if (by_key)
		run_feed_text(run, command->at_ns, EVENT_NOTE, refusal->text);
	return -EPERM;
}

static int read_recorder(struct option_reading *reading, const char *value)
{
	char words[64] = "";

	for (unsigned i = 0; flight_word(i); i++) {
		if (strcmp(flight_word(i), value) == 0) {
			((struct command *)reading->target)->recorder = i;
			return 0;
		}
		text_append(words, sizeof(words), ", ", flight_word(i));
	}
	return option_refuse(reading, value, "must be one of %s", words);
}

static const struct option_row recorder_argument = {.name = "recorder",
	.argument = "WHICH",
	.read = read_recorder,
	.value = options_recorder,
	.after_first = ""};

const struct command_row command_recorder = {"recorder", "switch the flight recorder", &recorder_argument,
	.acts = true, .in_run = switch_recorder, .refusal = "a replay records nothing"};

/* --- the start --- */

/* With the kernel's default, a flood that rests stays below the share. */
static struct throttling throttling_of(const struct machine *machine)
{
	const double doubt = 0.005; /* of the measured share */
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
	return clock_ns(&now) - (clock_now_ns() - monotonic_ns);
}

/* Members inherit ipctop's nice value, so it counts as asked; those of a sweep its policy, too. */
static void ask_for_own_nice(struct session *session, const struct config *config)
{
	int nice = task_own_nice();

	for (size_t i = 0; i < session->n_rings; i++)
		if (task_policy_obeys_nice(session->rings[i].asked.policy))
			session->rings[i].asked.nice = nice;
	if (session->matrix && !config->has_policy)
		task_get_policy(0, &session->matrix->policy);
	else if (session->matrix && task_policy_obeys_nice(session->matrix->policy.policy))
		session->matrix->policy.nice = nice;
}

/* --strict. Rings that the plan refused are not meant: they were not started. */
static int check_strict(const struct run *run, struct error_text *reason)
{
	if (!run->source.config->strict)
		return 0;
	if (run->notes->n > run->n_planned)
		return error_text_set(reason, -EPERM, "%s", run->notes->text[run->n_planned]);
	return engine_falls_short(&run->engine, reason) ? -EPERM : 0;
}

/* Before the rings start, so that opening it delays no tick; what runs is recorded before any member is
 * known. The keeper, which exists, does not inherit its descriptors. */
static int start_spikes(struct run *run)
{
	int r = flight_create(&run->flight, run->source.config->recorder, run->engine.keeper.pid);

	if (r == 0)
		r = spike_watch_create(&run->spikes, run->engine.arena, run->flight,
			strcmp(run->machine.hypervisor, "none") != 0);
	if (r < 0)
		return r;
	flight_watch(run->flight, &(struct flight_watch){.cpus = &run->plan->measured});
	run_tell_recorder(run);
	struct machine *machine = &run->source.session.machine;

	memcpy(machine->recorder, run->machine.recorder, sizeof(machine->recorder));
	memcpy(machine->recorder_lacks, run->machine.recorder_lacks, sizeof(machine->recorder_lacks));
	return 0;
}

static int run_start(struct source *source, struct error_text *reason)
{
	struct run *run = (struct run *)source;
	const struct config *config = source->config;

	int r = start_spikes(run);

	if (r < 0)
		return error_text_set(reason, r, "no memory for the flight recorder");
	engine_start(&run->engine);
	strcpy(source->session.machine.loads, engine_loads_text(&run->engine, run->machine.loads));
	r = check_strict(run, reason);
	if (r < 0)
		return r;
	source->session.start_ns = run->engine.start_ns;
	source->session.wall_start_ns = wall_clock_ns(run->engine.start_ns);
	r = source_feed_start(source, reason);
	if (r < 0)
		return r;
	r = feed_start(run);
	if (r == 0)
		r = sampler_create(&run->sampler, run->engine.arena, run->engine.keeper.pid,
			throttling_of(&run->machine), run->engine.start_ns);
	run->next_machine_ns = run->engine.start_ns + RUN_MACHINE_NS;
	run->next_tick_ns = run->engine.start_ns + smaller_ns(config->tick_ns, FIRST_TICK_NS);
	run->started = r == 0;
	return r < 0 ? error_text_set(reason, r, "no memory for %zu rings", run->plan->n_rings) : 0;
}

/* --- from the first tick to the last --- */

/* Looks at what changes between ticks, many times a second. */
static void feed_what_changed(struct run *run, uint64_t now_ns, uint64_t due_ns)
{
	run_read_machine(run, now_ns);
	feed_sweep(run, now_ns);
	meet_members(run, due_ns);
	feed_spikes(run, now_ns);
	feed_loss(run, now_ns);
}

static void lose_keeper(void *data, short revents)
{
	struct run *run = data;
	char text[64];

	run->keeper_lost = true;
	engine_lose_keeper(&run->engine);
	snprintf(text, sizeof(text), "the keeper (pid %d) was killed", run->engine.keeper.pid);
	run_feed_text(run, clock_now_ns(), EVENT_WARNING, text);
}

/* Waits until @until_ns, or until something happens. */
static void wait_until(struct run *run, uint64_t until_ns)
{
	source_begin_round(&run->source, &run->loop);
	if (!run->keeper_lost)
		loop_watch(&run->loop, run->engine.keeper.pidfd, POLLIN, lose_keeper, run);
	if (run->source.config->breaktrace_ns)
		loop_watch(&run->loop, run->engine.arena->breaktrace.told, POLLIN, NULL, NULL);
	loop_wake(&run->loop, until_ns, NULL, NULL);
	loop_wait(&run->loop);
}

static void check_end(struct run *run, uint64_t now_ns)
{
	const struct config *config = run->source.config;
	bool done = engine_is_done(&run->engine);

	if (run->keeper_lost)
		source_end(&run->source, "keeper killed");
	else if (run->for_ns && now_ns - run->engine.start_ns >= run->for_ns)
		source_end(&run->source, "duration");
	else if (run->source.session.matrix && config->loops &&
		 run->source.session.matrix->n_rounds >= config->loops)
		source_end(&run->source, "loops");
	else if (done && config->loops)
		source_end(&run->source, "loops");
	else if (done && !run->source.stays)
		source_end(&run->source, "no ring left");
	feed_breach(run);
}

static void run_loop(struct source *source)
{
	struct run *run = (struct run *)source;

	if (run->for_ns)
		engine_end_at(&run->engine, run->engine.start_ns + run->for_ns);
	while (!source->ended_by[0]) {
		uint64_t now_ns = clock_now_ns();
		uint64_t next_ns = engine_advance(&run->engine, now_ns);

		next_ns = smaller_ns(next_ns, run_hunt_advance(run, now_ns));
		next_ns = smaller_ns(next_ns, run_try_advance(run, now_ns));
		now_ns = clock_now_ns(); /* a step may have had a tick */

		feed_due_tick(run, now_ns);
		next_ns = smaller_ns(next_ns, run->next_tick_ns);
		if (run->for_ns)
			next_ns = smaller_ns(next_ns, run->engine.start_ns + run->for_ns);

		bool looks = now_ns >= run->next_look_ns;

		if (looks)
			run->next_look_ns = now_ns + SPIKE_WATCH_NS;
		/* A look that waits for as long as there is between two is due, too: logs are overwritten. */
		uint64_t due_ns = smaller_ns(next_ns, run->next_look_ns + SPIKE_WATCH_NS);

		be_plain_until(run, due_ns);
		if (looks)
			feed_what_changed(run, now_ns, due_ns);
		check_end(run, clock_now_ns());
		if (source->ended_by[0])
			return;
		next_ns = smaller_ns(next_ns, run->next_look_ns);
		if (source->config->loops) /* nothing signals their end */
			next_ns = smaller_ns(next_ns, now_ns + LOOPS_NS);
		wait_until(run, next_ns);
		source_obey(source);
		check_end(run, clock_now_ns());
	}
}

static void note_restored(void *data, const char *sentence)
{
	notes_add(data, "%s", sentence);
}

/* A trial whose processes were all killed has left its values. */
static void restore_machine(const struct config *config, struct notes *notes)
{
	struct error_text reason;
	int r = geteuid() == 0 ? restore_left(JOURNAL_FOLDER, note_restored, notes, &reason) : 0;

	if (r == -EBUSY && !config->trial)
		notes_add(
			notes, "an ipctop try is running: a setting of this machine changes back and forth");
	else if (r < 0 && r != -EBUSY)
		notes_add(notes, "%s", reason.text);
}

int run_prepare(struct run *run, const struct engine_job *job, struct notes *notes, struct error_text *reason)
{
	const struct plan *plan = job->plan;
	const struct config *config = job->config;
	const struct topology *topology = job->topology;
	struct source *source = &run->source;

	*run = (struct run){.topology = topology,
		.plan = plan,
		.notes = notes,
		.n_planned = notes->n,
		.for_ns = config->duration_ns};
	int r = source_init(source, config, reason);

	if (r < 0)
		return r;
	source->topology = topology;
	source->start = run_start;
	source->loop = run_loop;
	/* Members at 99, as compat tools may ask for, have the input thread beside them. */
	source->priority =
		config->policy.priority < PRIORITY_MAX ? config->policy.priority + 1 : PRIORITY_MAX;
	restore_machine(config, notes);
	run->n_planned = notes->n;
	machine_read(&run->machine, topology);
	machine_read_rows(&run->machine_rows, &run->machine);
	r = engine_prepare(&run->engine, job, &run->machine, notes, reason);
	if (r < 0)
		return r;
	source->arena = run->engine.arena;
	run->machine.clock_skew = clock_skew_read(&plan->measured); /* after the keeper's fork: by threads */
	if (run->engine.dma_latency_fd >= 0)
		run->machine.dma_latency_held_us = config->dma_latency_us;
	machine_refresh(&run->machine);
	r = session_init(&source->session, plan, topology, config, &run->machine);
	ask_for_own_nice(&source->session, config);
	if (r < 0)
		return error_text_set(reason, r, "no memory for %zu rings", plan->n_rings);
	r = run_hunt_prepare(run, reason);
	return r == 0 ? run_try_prepare(run, reason) : r;
}

/* Why a ring has not made a lap, unless an event has said so already, or a user wants it so. */
enum no_lap { HAS_LAPS, NO_OBJECTS, NO_TURN, NO_TIME, N_NO_LAPS };

static enum no_lap why_no_lap(const struct run *run, const struct session_ring *ring)
{
	const struct arena_ring *shared = run_rings_shared(run, ring->id);
	bool ran = ring->laps || ring->warmup_laps || ring->away;

	if (ran || !shared || shared->is_paused || shared->is_removed || ring->state == RING_FAILED ||
		ring->trouble != CONDITION_FINE)
		return HAS_LAPS;
	if (ring->state == RING_PLANNED || ring->state == RING_OPENING)
		return NO_OBJECTS;
	return ring->condition == CONDITION_WAITING ? NO_TURN : NO_TIME;
}

/* Their rows have no figure, which is easily overlooked among many. What ended a run earlier than planned
 * explains that by itself. */
static void feed_rings_without_laps(struct run *run)
{
	static const char *const ended_before[N_NO_LAPS][2] = {
		[NO_OBJECTS] = {"its objects were created", "their objects were created"},
		[NO_TURN] = {"its turn came", "their turns came"},
		[NO_TIME] = {"its first lap was complete", "their first laps were complete"}};
	const struct session *session = &run->source.session;
	struct run_rings rings = {.ids = calloc(session->n_rings + 1, sizeof(*rings.ids))};
	char names[512], text[640];

	for (int why = HAS_LAPS + 1; rings.ids && why < N_NO_LAPS; why++) {
		rings.n = 0;
		for (size_t i = 0; i < session->n_rings; i++)
			if ((int)why_no_lap(run, &session->rings[i]) == why)
				rings.ids[rings.n++] = session->rings[i].id;
		if (!rings.n)
			continue;
		run_rings_name(session, &rings, names, sizeof(names));
		snprintf(text, sizeof(text), "%s never ran: the run ended before %s", names,
			ended_before[why][rings.n > 1]);
		run_feed_text(run, session->now_ns, EVENT_WARNING, text);
	}
	free(rings.ids);
}

void run_stop(struct run *run)
{
	be_plain_until(run, clock_now_ns()); /* the last ticks are due */
	source_obey(&run->source);           /* from before the end */
	run_try_turn_back(run);
	/* The tick before has the rings' conditions, the one after their last counts. */
	run_feed_tick(run, clock_now_ns(), false);
	engine_stop(&run->engine);
	feed_sweep(run, clock_now_ns());
	feed_breach(run);
	run->next_tick_ns = UINT64_MAX; /* none is due any more, so the last one is not late */
	run_feed_tick(run, clock_now_ns(), false);
	spike_watch_finish(run->spikes, clock_now_ns());
	feed_spikes(run, clock_now_ns());
	if (strcmp(run->source.ended_by, "duration") == 0)
		feed_rings_without_laps(run);
	run_try_end(run);
	be_plain_until(run, UINT64_MAX); /* what follows the last tick may take its time */
	/* Until here it interrupts writes to a reader that stalls. */
	input_thread_join(&run->source.input);
	source_obey(&run->source);
}

void run_finish(struct run *run)
{
	input_thread_join(&run->source.input);
	run_undo_forget(run);
	run_hunt_destroy(run->hunt);
	run_try_destroy(run);
	history_destroy(run->source.history);
	sampler_destroy(run->sampler);
	spike_watch_destroy(run->spikes);
	flight_destroy(run->flight);
	engine_finish(&run->engine);
	machine_rows_finish(&run->machine_rows);
	free(run->member_tids);
	machine_finish(&run->machine);
	source_finish(&run->source);
}
