/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session.c - the model: sums, phases and events of all rings, from ticks. */
#include "src/model/session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/matrix.h"
#include "src/model/session_events.h"
#include "src/model/session_rows.h"
#include "src/model/session_turns.h"
#include "src/plan/plan.h"
#include "src/plan/plan_turns.h"

int session_init(struct session *session, const struct plan *plan, const struct topology *topology,
	const struct config *config, const struct machine *machine)
{
	*session = (struct session){.machine = machine_copy(machine),
		.n_turns = plan->n_turns,
		.turn_ns = plan->slice_ns,
		.work_size = config->work_size,
		.auto_phase = config->auto_phase,
		.is_sweep = plan->sweep.mechanism,
		.facts_begin_phases = true};
	session->rings_room = plan->n_rings ? plan->n_rings : 1;
	session->rings = calloc(session->rings_room, sizeof(*session->rings));
	if (!session->rings)
		return -ENOMEM;
	for (size_t i = 0; i < plan->n_rings; i++) {
		int r = session_ring_init(&session->rings[session->n_rings++], &plan->rings[i],
			(uint32_t)cpus_count(&plan->unpinned), topology, config);

		if (r < 0)
			return r;
	}
	if (session->is_sweep) {
		int r = matrix_create(&session->matrix, topology, plan);

		if (r < 0)
			return r;
	}
	int r = session_find_namesakes(session);

	return r < 0 ? r : session_rows_init(session);
}

void session_finish(struct session *session)
{
	for (size_t i = 0; i < session->n_rings; i++)
		session_ring_finish(&session->rings[i]);
	for (size_t i = 0; i < session->n_events; i++)
		event_finish(&session->events[i]);
	phases_finish(&session->phases);
	series_finish(&session->series);
	second_stats_finish(&session->seconds);
	spikes_finish(&session->spikes);
	session_rows_finish(session);
	row_sums_finish(&session->sums);
	matrix_destroy(session->matrix);
	machine_finish(&session->machine);
	free(session->rings);
	free(session->events);
	*session = (struct session){0};
}

/* --- rings that come and go --- */

/* Many rings may come at once: none of the others can have another namesake than before. */
static void note_namesake(struct session *session, struct session_ring *added)
{
	for (struct session_ring *ring = session->rings; ring < added; ring++)
		if (strcmp(ring->mechanism, added->mechanism) == 0 && strcmp(ring->label, added->label) == 0)
			ring->has_namesake = added->has_namesake = true;
}

int session_add_ring(struct session *session, const struct session_ring *ring)
{
	size_t n = session->n_rings;

	if (ring->id >= GROUP_ROW || (n && session->rings[n - 1].id >= ring->id))
		return -EINVAL;
	if (n == session->rings_room) {
		size_t room = n ? 2 * n : 16;
		struct session_ring *rings = realloc(session->rings, room * sizeof(*rings));

		if (!rings)
			return -ENOMEM;
		session->rings = rings;
		session->rings_room = room;
	}
	int r = session_ring_copy(&session->rings[n], ring);

	if (r < 0) {
		session_ring_finish(&session->rings[n]);
		return r;
	}
	session->n_rings++;
	if (ring->added_ns && second_stats_begin(&session->seconds, ring->id, ring->added_ns) < 0)
		return -ENOMEM;
	if (ring->turn >= session->n_turns)
		session->n_turns = ring->turn + 1;
	/* Until the next tick says it, which none of recordings before 5.10 does. */
	if (session->turn_ns < plan_turns_shortest_ns(ring->interval_ns))
		session->turn_ns = plan_turns_shortest_ns(ring->interval_ns);
	note_namesake(session, &session->rings[n]);
	return session_rows_init(session);
}

int session_end_ring(struct session *session, uint32_t id)
{
	struct session_ring *ring = session_find_ring(session, id);
	const struct phase *phase = phases_current(&session->phases);

	if (!ring || ring->ended_ns)
		return -EINVAL;
	ring->ended_ns = session_position_ns(session);
	ring->ended_ns += !ring->ended_ns;
	ring->last_phase = phase ? phase->number : 1;
	if (!ring_state_has_ended(ring->state))
		ring->state = RING_GONE;
	ring->condition = ring->trouble = CONDITION_FINE;
	ring->age_ns = 0;
	return 0;
}

void session_remove_ring(struct session *session, struct session_ring *ring)
{
	second_stats_remove(&session->seconds, ring->id);
	session_ring_finish(ring);
	memmove(ring, ring + 1, (size_t)(session->rings + --session->n_rings - ring) * sizeof(*ring));
}

/* Removes the ended rings that no phase has any more, and of others the seconds, which are too old to be
 * shown: they are most of what a row takes. */
static int forget_rings(struct session *session)
{
	size_t n_before = session->n_rings;
	const uint64_t seconds_ns = SECONDS_KEPT * UINT64_C(1000000000);
	uint32_t first = session->phases.n ? session->phases.list[0].number : 1;

	for (size_t i = session->n_rings; i-- > 0;) {
		struct session_ring *ring = &session->rings[i];

		if (ring->ended_ns && ring->last_phase < first)
			session_remove_ring(session, ring);
		else if (ring->ended_ns && session->now_ns > ring->ended_ns + seconds_ns)
			second_stats_remove(&session->seconds, ring->id);
	}
	return session->n_rings < n_before ? session_find_namesakes(session) : 0;
}

/* --- phases and windows --- */

static struct block_list waiting_ticks(const struct session *session)
{
	return series_last_blocks(&session->series, session->phases.n_waiting);
}

/* Replaces the current phase's sum by @sum, which includes the ticks that waited. */
static void publish_sum(struct session *session, struct block *sum, pthread_mutex_t *lock)
{
	if (lock)
		pthread_mutex_lock(lock);
	block_replace(&phases_current(&session->phases)->sum, sum);
	session->phases.n_waiting = 0;
	if (lock)
		pthread_mutex_unlock(lock);
}

/* Other threads read the phase under the lock. */
static int add_waiting_ticks(struct session *session, pthread_mutex_t *lock)
{
	struct phases *phases = &session->phases;
	struct block_list ticks = waiting_ticks(session);
	struct block waited = {0}, sum;
	int r = ticks.n_rest ? block_list_sum(&ticks, &waited, &session->sums) : 0;

	if (r == 0 && ticks.n_rest) {
		struct block_list both = {.first = phases_current(phases)->sum, .rest = &waited, .n_rest = 1};

		r = block_list_sum(&both, &sum, &session->sums);
		if (r == 0)
			publish_sum(session, &sum, lock);
	}
	if (r == 0)
		r = phases_add_to_blocks(phases, ticks.rest, ticks.n_rest, &waited, &session->sums, lock);
	block_finish(&waited);
	return r;
}

int session_phases_settle(struct session *session)
{
	return session->phases.n ? add_waiting_ticks(session, NULL) : 0;
}

static int add_chunk(struct session *session, size_t n, pthread_mutex_t *lock)
{
	struct series *series = &session->series;
	struct block_list ticks = {.rest = series->blocks + series->n_chunks, .n_rest = n};
	struct block chunk;
	int r = block_list_sum(&ticks, &chunk, &session->sums);

	if (r < 0)
		return r;
	if (lock)
		pthread_mutex_lock(lock);
	series_add_chunk(series, n, &chunk);
	if (lock)
		pthread_mutex_unlock(lock);
	return 0;
}

/* Each call does one of three merges, so that no tick is delayed by all of them. */
int session_phases_merge(struct session *session, pthread_mutex_t *lock)
{
	const struct series *series = &session->series;
	size_t n_waiting = session->phases.n_waiting, n_chunk = series_chunk_due(series);

	if (n_waiting >= PHASE_WAITING_MAX || n_chunk + n_waiting > series->n_ticks)
		return add_waiting_ticks(session, lock);
	if (n_chunk)
		return add_chunk(session, n_chunk, lock);
	return phases_bound_blocks(&session->phases, &session->sums, lock);
}

/* Notes the conditions of the current phase, before each tick. */
static int note_conditions(struct session *session)
{
	struct phase *phase = phases_current(&session->phases);

	return phase ? phase_conditions_take(&phase->conditions, session) : 0;
}

static int begin_phase(struct session *session, enum phase_cause cause, const char *name)
{
	uint64_t at_ns = session_position_ns(session);
	int r = add_waiting_ticks(session, NULL);

	/* Where a change begins the phase, the last one was measured under what was before it. */
	if (r == 0 && cause != PHASE_CHANGE)
		r = note_conditions(session);
	if (r == 0)
		r = phases_begin(&session->phases, cause, name, at_ns);
	if (r < 0)
		return r;
	if (session->matrix)
		matrix_begin_phase(session->matrix, phases_current(&session->phases)->number, at_ns);
	for (size_t i = 0; i < session_rows(session); i++)
		for (int f = 0; f < N_FIGURES; f++)
			session_row_figures(session, session_nth_row(session, i))[f].phase_max_at_ns = 0;
	if (r == 0 || session->phases.dropped > 1)
		return 0;
	return session_event(session, &(struct event){.at_ns = at_ns,
					      .kind = EVENT_PHASES_FULL,
					      .ring = -1,
					      .member = -1,
					      .number = PHASES_MAX});
}

static int begin_first_phase(struct session *session)
{
	if (session->phases.n)
		return 0;
	return phases_begin(&session->phases, PHASE_START, "start", session->start_ns);
}

/* What the machine did besides: the load, whose first number is that of a minute, interrupts, and ticks in
 * which ipctop was late. */
static void count_load(struct phase *phase, const struct tick *tick)
{
	double load = strtod(tick->loadavg, NULL);

	if (load >= 0 && load < UINT16_MAX) { /* a recording may have any */
		phase->load_sum += (uint64_t)(100 * load);
		phase->n_loads++;
	}
	phase->interrupts += tick->interrupts;
	phase->n_late += own_lateness_is_late(tick);
}

/* Takes over the block of a tick that was fed to the rows, and leaves it empty. */
static int feed_phases(struct session *session, const struct tick *tick, struct block *block)
{
	int r = begin_first_phase(session);

	if (r == 0)
		r = series_feed(&session->series, block);
	if (r < 0)
		return r;
	phases_current(&session->phases)->end_ns = session->series.now_ns;
	count_load(phases_current(&session->phases), tick);
	session->phases.n_waiting++;
	return 0;
}

/* All changes within a second begin one phase, which is named by all of them. Facts of the machine are read
 * once in a second, over some time: those that changed together may be found that much later. */
static bool may_change(const struct session *session, uint64_t now_ns)
{
	uint64_t last_ns = session->auto_phase_ns, apart_ns = window_ns(WINDOW_1S);

	if (session->machine_changed_ns) {
		now_ns = session->machine_changed_ns;
		apart_ns += apart_ns / 2;
	}
	return session->auto_phase && (!last_ns || now_ns - last_ns >= apart_ns);
}

bool session_phases_will_change(const struct session *session, const struct tick *tick, uint64_t now_ns)
{
	return may_change(session, now_ns) &&
	       (session->machine_changed_ns || session_events_will_change(session, tick));
}

static bool is_same_change(const struct event *a, const struct event *b)
{
	return strcmp(a->was ? a->was : "", b->was ? b->was : "") == 0 &&
	       strcmp(a->is ? a->is : "", b->is ? b->is : "") == 0;
}

/* What changed since a time: one change, and what else. */
struct changes {
	const struct event *first; /* NULL: nothing */
	size_t n_members;          /* with the first one's change */
	unsigned n_same, n_more;   /* events: with this change, and with others */
};

static struct changes find_changes(const struct session *session, uint64_t since_ns)
{
	struct changes changes = {0};

	for (size_t i = 0; i < session->n_events; i++) {
		const struct event *event = &session->events[i];

		bool bears = event->kind == EVENT_MEMBER_CHANGED ||
			     (event->kind == EVENT_MACHINE && event->number);

		if (!bears || event->at_ns < since_ns)
			continue;
		if (!changes.first)
			changes.first = event;
		if (event->kind == changes.first->kind && is_same_change(changes.first, event)) {
			changes.n_members += event->number;
			changes.n_same++;
		} else {
			changes.n_more++;
		}
	}
	return changes;
}

/* Writes the first event's subject without thread ids: "mq 0>1 member 1", if that is all of this change and
 * has no more than @length_max bytes; otherwise the number of its members: "12 of 36 members". */
static void write_subject(const struct session *session, const struct changes *changes, size_t length_max,
	char subject[PHASE_NAME_SIZE])
{
	size_t length = 0;

	for (const char *at = changes->first->subject ? changes->first->subject : "";
		*at && length <= length_max; at++)
		if (strncmp(at, " (tid ", 6) == 0 && strchr(at, ')'))
			at = strchr(at, ')');
		else
			subject[length++] = *at;
	subject[length] = '\0';
	size_t n_all = session_n_living_members(session);

	if (changes->first->kind == EVENT_MACHINE) {
		subject[length < length_max ? length : length_max] = '\0';
		return;
	}
	/* A change that was taken back and made again counts twice. */
	if (length > length_max || changes->n_same > 1)
		snprintf(subject, PHASE_NAME_SIZE, "%zu of %zu members",
			changes->n_members < n_all ? changes->n_members : n_all, n_all);
}

/* "mq 0>1 member 1: CPU 1 -> CPU 0 and 2 more", of all changes since @since_ns. A phase may cut it. */
static void write_change_name(
	const struct session *session, uint64_t since_ns, char name[2 * PHASE_NAME_SIZE])
{
	char subject[PHASE_NAME_SIZE], change[PHASE_NAME_SIZE], more[24] = "";
	struct changes changes = find_changes(session, since_ns);
	const struct event *first = changes.first;

	name[0] = '\0';
	if (!first)
		return;
	if (changes.n_more)
		snprintf(more, sizeof(more), " and %u more", changes.n_more);
	int length = snprintf(change, sizeof(change), ": %.20s -> %.20s%s", first->was ? first->was : "",
		first->is ? first->is : "", more);

	write_subject(session, &changes, PHASE_NAME_SIZE - 1 - (size_t)length, subject);
	snprintf(name, 2 * PHASE_NAME_SIZE, "%s%s", subject, change);
}

/* Begins a phase because members' scheduling changed in the last tick, whose events the session has, and
 * names it by these: "mq 0>1 member 1: CPU 1 -> CPU 0 and 2 more". If a change began the current one less
 * than a second ago, only its name counts the new ones. Does nothing unless the session wants such phases. */
static int begin_changed_phase(struct session *session)
{
	bool begins = may_change(session, session->now_ns);
	struct phase *phase = phases_current(&session->phases);
	char name[2 * PHASE_NAME_SIZE];

	if (!session->auto_phase || (!begins && phase->cause != PHASE_CHANGE))
		return 0;
	if (begins)
		session->auto_phase_ns =
			session->machine_changed_ns ? session->machine_changed_ns : session->now_ns;
	write_change_name(session, session->auto_phase_ns, name);
	if (begins)
		return begin_phase(session, PHASE_CHANGE, name);
	phase_copy_name(phase->name, name);
	return 0;
}

int session_phases_begin(struct session *session, const char *name, uint64_t given_ns)
{
	const struct phase *phase;
	int r = begin_first_phase(session);

	if (r == 0)
		r = begin_phase(session, name ? PHASE_MARK : PHASE_KEY, name);
	if (r < 0)
		return r;
	phase = phases_current(&session->phases);
	return session_event(session, &(struct event){.at_ns = given_ns ? given_ns : phase->start_ns,
					      .kind = EVENT_PHASE,
					      .ring = -1,
					      .member = -1,
					      .number = phase->number,
					      .text = phase->name});
}

enum window session_window(const struct session *session, enum window window)
{
	bool is_all = session->phases.n <= 1 && !session->phases.dropped;

	return window == WINDOW_PHASE && is_all ? WINDOW_ALL : window;
}

enum window session_shortest_window(const struct session *session)
{
	uint64_t round_ns = session_round_ns(session);
	int window = WINDOW_1S;

	while (window < WINDOW_PHASE && window_ns((enum window)window) < round_ns)
		window++;
	return (enum window)window;
}

struct block_list session_phase_blocks(const struct session *session, const struct phase *phase)
{
	struct block_list list = {0};

	if (phase == phases_current(&session->phases))
		list = waiting_ticks(session);
	list.first = phase->sum;
	return list;
}

static struct block_list window_blocks(const struct session *session, enum window window)
{
	if (window == WINDOW_PHASE)
		return session_phase_blocks(session, phases_current(&session->phases));
	return series_window(&session->series, window);
}

int session_add_figure(
	const struct session *session, size_t row, enum window window, enum figure figure, struct hist *hist)
{
	window = session_window(session, window);
	if (window == WINDOW_ALL)
		return hist_merge(hist, &session_row_figures(session, row)[figure].hist);
	struct block_list blocks = window_blocks(session, window);

	return block_list_add_figure(&blocks, row, figure, hist);
}

void session_add_counts(
	const struct session *session, size_t row, enum window window, struct tick_counts *counts)
{
	window = session_window(session, window);
	if (window == WINDOW_ALL) {
		tick_counts_add(counts, session_row_counts(session, row));
		return;
	}
	struct block_list blocks = window_blocks(session, window);

	block_list_add_counts(&blocks, row, counts);
}

/* --- ticks --- */

/* Returns @n of a tick's length in @unit parts, as far as 32 bits hold it: recordings may have any. */
static uint32_t per_length(uint64_t n, double unit, const struct tick *tick)
{
	double length_ns = (double)tick->end_ns - (double)tick->start_ns;
	double rate = length_ns > 0.0 ? (double)n * unit / length_ns : 0.0;

	return rate < UINT32_MAX ? (uint32_t)rate : UINT32_MAX;
}

/* Ticks that a mark or the end cut short say nothing: marks and the end take time, too. */
static void note_own_cost(struct session *session, const struct tick *tick)
{
	const uint64_t own_least_ns = 25000000; /* half of the shortest --tick */

	session->recorder_ns += tick->recorder_ns;
	session->n_recorded += tick->n_recorded;
	if (session->n_ticks && tick->end_ns < tick->start_ns + own_least_ns)
		return;
	session->own_cpu_ppm = tick->own_cpu_ppm;
	session->recorder_ppm = per_length(tick->recorder_ns, 1e6, tick);
	session->recorded_hz = per_length(tick->n_recorded, 1e9, tick);
}

/* Feeds each ring, after its events were found. Returns 0 or -ENOMEM. */
static int feed_rings(struct session *session, const struct tick *tick, struct session_events *events)
{
	bool have_moved = false;
	int r = 0;

	for (size_t i = 0; i < tick->n_rings && r == 0; i++) {
		struct session_ring *ring = session_find_ring(session, tick->rings[i].id);

		if (!ring)
			continue;
		const char *label = ring->label;

		session_events_find(events, &session->machine, ring, &tick->rings[i], tick);
		r = session_ring_feed(ring, &tick->rings[i], tick);
		have_moved |= ring->label != label;
	}
	return r == 0 && have_moved ? session_find_namesakes(session) : r;
}

int session_feed(struct session *session, const struct tick *tick)
{
	struct session_events events = {0};
	struct block block = {0};
	struct event own_late;
	int r = session->machine_changed_ns ? 0 : note_conditions(session);

	if (r == 0)
		r = forget_rings(session);
	if (!session->start_ns)
		session->start_ns = tick->start_ns;
	if (r == 0)
		r = feed_rings(session, tick, &events);
	if (r == 0)
		r = session_rows_feed(session, tick, &block);
	session->now_ns = tick->end_ns;
	session->turn = tick->turn < session->n_turns ? tick->turn : 0; /* recordings may have any */
	session->turn_since_ns = tick->turn_since_ns;
	session->turn_held = tick->turn_held;
	if (tick->turn_ns)
		session->turn_ns = tick->turn_ns;
	note_own_cost(session, tick);
	session->n_ticks++;
	snprintf(session->loadavg, sizeof(session->loadavg), "%s", tick->loadavg);
	if (r == 0)
		r = feed_phases(session, tick, &block);
	if (own_lateness_feed(&session->own_lateness, tick, &own_late) && r == 0)
		r = session_event(session, &own_late);
	if (r == 0)
		r = session_events_report(&events, session, tick->end_ns);
	if (r == 0 && (session_events_have_change(&events) || session->machine_changed_ns))
		r = begin_changed_phase(session);
	session->machine_changed_ns = 0;
	session_events_finish(&events);
	block_finish(&block);
	return r;
}

bool session_has_failed(const struct session *session)
{
	bool all = true;

	for (size_t i = 0; i < session->n_rings; i++) {
		if (session_faults(&session->rings[i]))
			return true;
		all &= session->rings[i].state == RING_FAILED;
	}
	return (all && session->n_rings) || (session->matrix && session->matrix->failure);
}
