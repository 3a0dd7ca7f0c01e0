/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_events.c - the events of a session: its list, and the events that are found in ticks. */
#include "src/model/session_events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/sort.h"
#include "src/base/tally.h"
#include "src/base/text.h"
#include "src/model/session.h"
#include "src/model/session_rows.h"

/* --- the session's list --- */

enum { NAMED_MAX = 3 };

/* "mq 0>0, mq 1>1", "mq 0>0, mq 1>1, mq 2>2 and 1021 more rings", "mq 0>0 member 1 (tid 4711)". */
static void print_rings(
	FILE *out, const struct session *session, const struct event *events, size_t n, size_t n_rings)
{
	const struct session_ring *ring =
		events[0].ring >= 0 ? session_find_ring(session, (size_t)events[0].ring) : NULL;
	bool names_members = n_rings == 1 && events[0].member >= 0 && ring && n < ring->n_members;
	size_t named = 0;

	for (size_t i = 0; i < n && named < NAMED_MAX; i++)
		if (i == 0 || events[i].ring != events[i - 1].ring)
			fprintf(out, "%s%s", named++ ? ", " : "", events[i].subject);
	if (n_rings > named)
		fprintf(out, " and %zu more ring%s", n_rings - named, n_rings - named == 1 ? "" : "s");
	for (size_t i = 0; i < n && names_members; i++)
		fprintf(out, "%s member %d (tid %d)", i ? "," : "", (int)events[i].member,
			(int)events[i].tid);
}

/* Writes the subject of @n events of @n_rings rings, each of which has the name of its ring as its subject.
 * Changes of members of many rings have a number: "32 of 36 members". The caller frees it; NULL without
 * memory. */
static char *subject_text(const struct session *session, const struct event *events, size_t n, size_t n_rings)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		return NULL;
	if (events[0].kind == EVENT_MEMBER_CHANGED && n_rings > NAMED_MAX)
		fprintf(out, "%zu of %zu members", n, session_n_living_members(session));
	else
		print_rings(out, session, events, n, n_rings);
	if (fclose(out) == 0)
		return text;
	free(text);
	return NULL;
}

uint64_t session_last_serial(const struct session *session)
{
	return session->events_dropped + session->n_events;
}

int session_event(struct session *session, const struct event *event)
{
	struct event named = *event;
	char *subject = NULL;

	if (!session->events) {
		session->events = calloc(SESSION_EVENTS_MAX, sizeof(*session->events));
		if (!session->events)
			return -ENOMEM;
	}
	const struct session_ring *ring =
		event->ring >= 0 ? session_find_ring(session, (size_t)event->ring) : NULL;

	if (ring && !event->subject) {
		char name[SESSION_NAME_SIZE];

		named.subject = session_ring_name(ring, name);
		named.subject = subject = subject_text(session, &named, 1, 1);
		if (!subject)
			return -ENOMEM;
	}
	if (session->n_events == SESSION_EVENTS_MAX) {
		event_finish(&session->events[0]);
		memmove(session->events, session->events + 1, --session->n_events * sizeof(*session->events));
		session->events_dropped++;
	}
	size_t at = session->n_events;

	while (at > 0 && session->events[at - 1].at_ns > event->at_ns)
		at--;
	memmove(&session->events[at + 1], &session->events[at],
		(session->n_events++ - at) * sizeof(*session->events));
	named.serial = session_last_serial(session);
	int r = event_copy(&session->events[at], &named);

	free(subject);
	return r;
}

const struct event *session_event_after(const struct session *session, uint64_t serial)
{
	const struct event *next = NULL;

	for (size_t i = 0; i < session->n_events && serial < session_last_serial(session); i++) {
		const struct event *event = &session->events[i];

		if (event->serial > serial && (!next || event->serial < next->serial))
			next = event;
	}
	return next;
}

uint64_t session_events_lost(const struct session *session, uint64_t serial)
{
	uint64_t last = session_last_serial(session), lost = last > serial ? last - serial : 0;

	for (size_t i = 0; i < session->n_events && lost; i++)
		lost -= session->events[i].serial > serial;
	return lost;
}

const struct event *session_breach(const struct session *session)
{
	for (size_t i = session->n_events; i-- > 0;)
		if (session->events[i].kind == EVENT_BREACH)
			return &session->events[i];
	return NULL;
}

/* A fact flaps that goes back to a value which it had, soon after the last change: from the third change on
 * all are one event. */
enum { FLAPS_FROM = 3 };

static const uint64_t flaps_within_ns = UINT64_C(2500000000); /* two rounds of reading, and some lateness */

/* What the list has of a fact's last changes, each at most flaps_within_ns before the next one. */
struct last_changes {
	struct event *last; /* NULL: none */
	uint64_t first_ns;
	unsigned n;
	bool had_value; /* one of them took the new value away */
};

static bool has_value(const struct event *event, const char *value)
{
	return (event->was && strcmp(event->was, value) == 0) ||
	       (event->kind == EVENT_MACHINE_FLAPS && event->is && strcmp(event->is, value) == 0);
}

/* When the last of the event's changes came. */
static uint64_t last_change_ns(const struct event *event)
{
	return event->at_ns + (event->kind == EVENT_MACHINE_FLAPS ? event->ns : 0);
}

/* Returns the last change of a fact that came before this time, or NULL. */
static struct event *change_before(struct session *session, const char *subject, uint64_t before_ns)
{
	struct event *before = NULL;

	for (size_t i = 0; i < session->n_events; i++) {
		struct event *event = &session->events[i];

		if ((event->kind == EVENT_MACHINE || event->kind == EVENT_MACHINE_FLAPS) && event->subject &&
			strcmp(event->subject, subject) == 0 && last_change_ns(event) < before_ns &&
			(!before || last_change_ns(event) > last_change_ns(before)))
			before = event;
	}
	return before;
}

static struct last_changes find_last_changes(
	struct session *session, uint64_t now_ns, const char *subject, const char *is)
{
	struct last_changes changes = {.first_ns = now_ns};
	bool is_counted = false; /* an event that flaps counts those before it */

	for (struct event *event = change_before(session, subject, UINT64_MAX); event;
		event = change_before(session, subject, last_change_ns(event))) {
		bool flaps = event->kind == EVENT_MACHINE_FLAPS;
		uint64_t within_ns = is_counted ? 0 : flaps_within_ns;

		if (last_change_ns(event) + within_ns < changes.first_ns || (flaps && changes.last))
			break; /* a new value ended what flapped */
		changes.had_value |= has_value(event, is);
		if (is_counted)
			continue;
		changes.last = changes.last ? changes.last : event;
		changes.n += flaps ? event->number : 1;
		changes.first_ns = event->at_ns;
		is_counted = flaps;
	}
	return changes;
}

/* Counts another change in the event that has the others. */
static int add_to_flaps(struct event *event, uint64_t now_ns, const char *is)
{
	char *text = strdup(is);

	if (!text)
		return -ENOMEM;
	text_clean(text);
	free((char *)event->is);
	event->is = text;
	event->number++;
	event->ns = now_ns - event->at_ns;
	return 0;
}

/* Who marks a phase and changes the machine, as a trial does, means one thing: a phase of less than a second
 * keeps the change, unless it came by another change. */
static bool is_of_new_phase(const struct session *session, uint64_t now_ns)
{
	const struct phase *phase = phases_current(&session->phases);

	return phase && phase->cause != PHASE_CHANGE && now_ns < phase->start_ns + UINT64_C(1000000000);
}

static bool may_begin_phase(const struct session *session, const struct machine_fact *fact, uint64_t now_ns)
{
	return phases_current(&session->phases) && session->facts_begin_phases &&
	       (fact->is_commanded || !is_of_new_phase(session, now_ns));
}

/* @bears: on the latency of members. */
static int add_machine_event(struct session *session, uint64_t now_ns, const struct machine_fact *fact,
	bool bears, const char *subject, const char *was, const char *is)
{
	struct last_changes changes = {0};

	if (!fact->is_commanded && !is_of_new_phase(session, now_ns))
		changes = find_last_changes(session, now_ns, subject, is);
	bool flaps = changes.had_value || fact->drifts;

	if (flaps && changes.last && changes.last->kind == EVENT_MACHINE_FLAPS)
		return add_to_flaps(changes.last, now_ns, is);
	if (flaps && changes.n + 1 >= FLAPS_FROM)
		return session_event(session, &(struct event){.at_ns = changes.first_ns,
						      .kind = EVENT_MACHINE_FLAPS,
						      .ring = -1,
						      .member = -1,
						      .number = changes.n + 1,
						      .ns = now_ns - changes.first_ns,
						      .subject = subject,
						      .was = was,
						      .is = is});
	if (bears && !session->machine_changed_ns && may_begin_phase(session, fact, now_ns))
		session->machine_changed_ns = now_ns;
	if (fact->is_commanded) /* a phase has one load only, however short it was open */
		session->auto_phase_ns = 0;
	return session_event(session, &(struct event){.at_ns = now_ns,
					      .kind = EVENT_MACHINE,
					      .ring = -1,
					      .member = -1,
					      .number = bears,
					      .subject = subject,
					      .was = was,
					      .is = is});
}

static bool has_member_on(const struct session *session, const struct cpus *cpus)
{
	for (size_t i = 0; i < session->n_rings; i++)
		for (unsigned m = 0; m < session->rings[i].n_members && !session->rings[i].ended_ns; m++) {
			int64_t place = session_member_place(&session->rings[i], m);

			if (place >= 0 && cpus_has(cpus, (unsigned)place))
				return true;
		}
	return false;
}

/* "irq affinity of irqs 24-26": "CPUs 0-1" -> "CPU 0"; "governor of 300 of 576 CPUs" if they have no short
 * list; "governor" if it changed on all CPUs. Returns -EINVAL if the fact has no rows. */
static int note_changed_rows(struct session *session, const struct machine_fact *fact,
	const struct machine *machine, uint64_t now_ns)
{
	struct fact_rows_change change = {0};
	const struct tally_change *counts = &change.counts;
	const struct fact_rows_kind *kind = fact->rows;
	char subject[128], was[TALLY_TEXT_SIZE], is[TALLY_TEXT_SIZE];
	int r = !kind ? -EINVAL
		      : fact_rows_compare(kind, machine_rows_of(&session->machine, fact),
				machine_rows_of(machine, fact), &change);

	if (r == 0 && counts->n) {
		if (kind->is_brief && counts->n == counts->of)
			snprintf(subject, sizeof(subject), "%s", fact->title);
		else if (*change.numbers)
			snprintf(subject, sizeof(subject), "%s of %s %s", fact->title,
				counts->n > 1 ? kind->several : kind->one, change.numbers);
		else
			snprintf(subject, sizeof(subject), "%s of %zu of %zu %s", fact->title, counts->n,
				counts->of, kind->several);
		bool bears = fact->bears || (fact->bears_on_cpus && has_member_on(session, &change.cpus));

		r = add_machine_event(session, now_ns, fact, bears, subject, tally_value(&counts->was, was),
			tally_value(&counts->is, is));
	}
	tally_change_finish(&change.counts);
	return r;
}

static int note_changed_fact(struct session *session, const struct machine_fact *fact,
	const struct machine *machine, uint64_t now_ns)
{
	char was[MACHINE_WORD_SIZE], is[MACHINE_WORD_SIZE];
	int r = note_changed_rows(session, fact, machine, now_ns);

	if (r != -EINVAL)
		return r;
	if (fact->rows && fact->rows->is_given)
		return 0;
	machine_word(&session->machine, fact, was);
	machine_word(machine, fact, is);
	if (strcmp(was, is) == 0)
		return 0;
	return add_machine_event(session, now_ns, fact, fact->bears, fact->title, was, is);
}

int session_machine(struct session *session, const struct machine *machine, uint64_t now_ns)
{
	bool had_changed = session->machine_changed_ns;
	int r = 0;

	for (size_t i = 0; i < machine_n_facts && r == 0; i++)
		if (machine_facts[i].title)
			r = note_changed_fact(session, &machine_facts[i], machine, now_ns);
	/* The phase ended under what was before. */
	if (r == 0 && session->machine_changed_ns && !had_changed)
		r = phase_conditions_take(&phases_current(&session->phases)->conditions, session);
	struct machine before = session->machine;

	session->machine = machine_copy(machine);
	machine_finish(&before);
	return r;
}

/* --- events in a tick --- */

/* Keeps an event of one ring, or of one member, whose tid is not 0. Its subject is the ring's name until it
 * is joined with others: the name before the tick, which may say that a member was moved. */
static void add_event(struct session_events *events, const struct session_ring *ring, struct event event)
{
	char name[SESSION_NAME_SIZE];

	if (events->n == events->room) {
		size_t room = events->room ? events->room * 2 : 16;
		struct event *list = realloc(events->list, room * sizeof(*list));

		if (!list) {
			events->error = -ENOMEM;
			return;
		}
		events->list = list;
		events->room = room;
	}
	event.ring = (int32_t)ring->id;
	event.member = event.tid ? event.member : -1;
	event.subject = session_ring_name(ring, name);
	if (event_copy(&events->list[events->n++], &event) < 0)
		events->error = -ENOMEM;
}

void session_events_finish(struct session_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		event_finish(&events->list[i]);
	free(events->list);
	*events = (struct session_events){0};
}

static bool is_live(enum ring_state state)
{
	return state == RING_RUNNING || state == RING_PAUSED;
}

/* --- members --- */

/* "CPU 3", "any of 4 CPUs". */
static char *affinity_text(const struct tick_member *member, char text[TASK_POLICY_SIZE])
{
	if (member->cpu >= 0)
		snprintf(text, TASK_POLICY_SIZE, "CPU %d", (int)member->cpu);
	else
		snprintf(text, TASK_POLICY_SIZE, "any of %u CPUs", (unsigned)member->n_cpus);
	return text;
}

static bool policy_differs(const struct tick_member *was, const struct tick_member *is)
{
	return was->policy.policy >= 0 && is->policy.policy >= 0 &&
	       !task_policy_equal(was->policy, is->policy);
}

/* @away: the member's CPU was taken from it, or given back, which is an event of the ring's condition. */
static bool affinity_differs(const struct tick_member *was, const struct tick_member *is, bool away)
{
	bool moved = was->cpu != is->cpu || was->n_cpus != is->n_cpus;

	return was->n_cpus > 0 && is->n_cpus > 0 && (was->moved_to != is->moved_to || (!away && moved));
}

/* Members get their policy and affinity before the ring runs, and stay when it has done its laps. */
static bool has_members(const struct tick_ring *seen, const struct tick_member *members)
{
	for (uint32_t i = 0; i < seen->n_members; i++)
		if (members[i].tid == 0)
			return false;
	return (is_live(seen->state) || seen->state == RING_DONE) && seen->n_members > 0;
}

static bool is_away(const struct session_ring *ring, const struct tick_ring *seen)
{
	return ring_condition_is_away(ring->condition) || ring_condition_is_away(seen->condition);
}

bool session_events_will_change(const struct session *session, const struct tick *tick)
{
	for (size_t i = 0; i < tick->n_rings; i++) {
		const struct tick_ring *seen = &tick->rings[i];
		const struct tick_member *is = tick->members + seen->first_member;
		const struct session_ring *ring = session_find_ring(session, seen->id);
		bool away = ring && is_away(ring, seen);

		for (uint32_t m = 0; ring && ring->observed && has_members(seen, is) && m < seen->n_members;
			m++) {
			const struct tick_member *was = &ring->members[m];

			if (was->tid && (policy_differs(was, &is[m]) || affinity_differs(was, &is[m], away)))
				return true;
		}
	}
	return false;
}

/* Compares a new member with the requested policy, and with its CPU if it is pinned; others with the previous
 * tick. */
static void find_in_member(struct session_events *events, struct session_ring *ring,
	const struct tick_ring *seen, int member, const struct tick_member *is)
{
	const struct tick_member asked = {
		.policy = ring->asked, .cpu = (int32_t)ring->cpus[member], .n_cpus = ring->n_cpus ? 0 : 1};
	bool is_new = !ring->observed || ring->members[member].tid == 0;
	const struct tick_member *was = is_new ? &asked : &ring->members[member];
	char before[TASK_POLICY_SIZE], after[TASK_POLICY_SIZE];
	struct event event = {.kind = is_new ? EVENT_POLICY_REFUSED : EVENT_MEMBER_CHANGED,
		.member = member,
		.tid = is->tid,
		.was = before,
		.is = after,
		.text = is_new ? seen->reason : NULL};

	if (policy_differs(was, is)) {
		task_policy_describe(was->policy, before);
		task_policy_describe(is->policy, after);
		add_event(events, ring, event);
		ring->refused = is_new;
	}
	if (affinity_differs(was, is, !is_new && is_away(ring, seen))) {
		event.kind = is_new ? EVENT_CPU_REFUSED : EVENT_MEMBER_CHANGED;
		affinity_text(was, before);
		affinity_text(is, after);
		add_event(events, ring, event);
		ring->refused |= is_new;
	}
}

static void find_in_members(struct session_events *events, struct session_ring *ring,
	const struct tick_ring *seen, const struct tick_member *members)
{
	size_t n_before = events->n;

	if (!has_members(seen, members))
		return;
	for (uint32_t i = 0; i < seen->n_members; i++)
		find_in_member(events, ring, seen, (int)i, &members[i]);
	if (!ring->observed && seen->reason && events->n == n_before)
		add_event(events, ring, (struct event){.kind = EVENT_RING_REMARK, .text = seen->reason});
	ring->observed = true;
}

/* --- rings --- */

static void find_in_state(
	struct session_events *events, const struct session_ring *ring, const struct tick_ring *seen)
{
	const char *reason = seen->reason ? seen->reason : "for a reason that is not known";

	if (seen->state == RING_FAILED && ring->state != RING_FAILED)
		add_event(events, ring, (struct event){.kind = EVENT_RING_FAILED, .text = reason});
	if (is_live(seen->state) && ring->state == RING_FAILED)
		add_event(events, ring, (struct event){.kind = EVENT_RING_BACK});
}

static void find_faults(
	struct session_events *events, const struct session_ring *ring, const struct tick_ring *seen)
{
	struct event event = {.kind = EVENT_FAULTS};
	uint64_t n = 0;

	for (int f = 0; f < N_TOKEN_FAULTS; f++)
		n += event.faults[f] = seen->faults[f];
	if (n)
		add_event(events, ring, event);
}

static enum ring_condition trouble_of(const struct session_ring *ring, const struct tick_ring *seen)
{
	/* A ring that made laps in a turn since the last tick had no trouble in that turn. */
	if (seen->condition == CONDITION_WAITING && (seen->laps || seen->warmup_laps))
		return CONDITION_FINE;
	/* The origin has obeyed the end of the turn, or none of the members is stopped. */
	if (seen->condition == CONDITION_WAITING && ring->trouble == CONDITION_STOPPED &&
		seen->state == RING_PAUSED)
		return CONDITION_FINE;
	if (seen->condition == CONDITION_WAITING || seen->state == RING_GONE)
		return ring->trouble;
	return seen->condition >= CONDITION_LATE ? seen->condition : CONDITION_FINE;
}

/* Returns the cause of a trouble, or NULL. That of throttling differs between kernels, and so does the
 * remedy. */
static const char *cause_of(const struct machine *machine, enum ring_condition condition, char text[128])
{
	if (condition == CONDITION_OFFLINE)
		return "laps of members whose CPU is gone are away, in no figure";
	if (condition == CONDITION_EXCLUDED)
		return "a cpuset took members from their CPU; their laps are away, in no figure";
	if (condition != CONDITION_THROTTLED)
		return NULL;
	if (machine->fair_server)
		return "the kernel's fair server gives 50 ms of each second to other tasks";
	if (machine->rt_runtime_us == INT64_MIN)
		return "see sched_rt_runtime_us";
	snprintf(text, 128, "sched_rt_runtime_us is %lld of %lld", (long long)machine->rt_runtime_us,
		(long long)machine->rt_period_us);
	return text;
}

static void find_trouble(struct session_events *events, const struct machine *machine,
	struct session_ring *ring, const struct tick_ring *seen)
{
	enum ring_condition was = ring->trouble, is = trouble_of(ring, seen);
	/* Laps of a ring whose member is away are in no figure: the samples are of other laps. */
	uint64_t wait_ns = ring_condition_is_away(was) ? seen->age_ns : tick_ring_longest_wait(seen);
	char text[128];

	/* The tick that ends a wait has the sample of its whole length. */
	if (was != CONDITION_FINE && ring->wait_ns < wait_ns)
		ring->wait_ns = wait_ns;
	if (is != was) {
		if (was != CONDITION_FINE && is_live(seen->state))
			add_event(events, ring,
				(struct event){
					.kind = EVENT_TROUBLE_OVER, .condition = was, .ns = ring->wait_ns});
		if (is != CONDITION_FINE)
			add_event(events, ring,
				(struct event){.kind = EVENT_TROUBLE,
					.condition = is,
					.text = cause_of(machine, is, text)});
		/* A gap of throttling is over when it is found; other waits last. */
		ring->wait_ns = is == CONDITION_THROTTLED ? wait_ns : seen->age_ns;
		ring->trouble = is;
	}
}

/* If so many laps started late, all will: the ring gets no first hop. */
static void find_late_laps(
	struct session_events *events, const struct session_ring *ring, const struct tick_ring *seen)
{
	enum { LATE_LAPS = 20 };
	bool now = ring->laps < LATE_LAPS && ring->laps + seen->laps >= LATE_LAPS;

	if (now && session_figure_of(ring, FIGURE_FIRST) == FIGURE_FIRST &&
		!ring->figures[FIGURE_FIRST].hist.n && !seen->figures[FIGURE_FIRST].n_cells)
		add_event(events, ring, (struct event){.kind = EVENT_LATE_LAPS});
}

void session_events_find(struct session_events *events, const struct machine *machine,
	struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick)
{
	find_in_state(events, ring, seen);
	find_faults(events, ring, seen);
	find_trouble(events, machine, ring, seen);
	find_late_laps(events, ring, seen);
	find_in_members(events, ring, seen, tick->members + seen->first_member);
}

bool session_events_have_change(const struct session_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		if (events->list[i].kind == EVENT_MEMBER_CHANGED)
			return true;
	return false;
}

/* --- joined --- */

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* Returns 0 if the events are reported as one: times and members may differ. */
static int compare_values(const struct event *a, const struct event *b)
{
	int order = sort_compare(a->kind, b->kind);

	if (!order)
		order = memcmp(a->faults, b->faults, sizeof(a->faults));
	if (!order)
		order = strcmp(ring_condition_name(a->condition), ring_condition_name(b->condition));
	if (!order)
		order = compare_texts(a->was, b->was);
	if (!order)
		order = compare_texts(a->is, b->is);
	return order ? order : compare_texts(a->text, b->text);
}

static int compare_events(const void *left, const void *right)
{
	const struct event *a = left, *b = right;
	int order = compare_values(a, b);

	if (!order)
		order = sort_compare(a->ring, b->ring);
	return order ? order : sort_compare(a->member, b->member);
}

static int report_joined(struct session *session, uint64_t at_ns, const struct event *events, size_t n)
{
	struct event event = events[0];

	event.at_ns = at_ns;
	event.n_rings = 1;
	event.number = (uint32_t)n;
	for (size_t i = 1; i < n; i++) {
		event.n_rings += events[i].ring != events[i - 1].ring;
		event.ns = events[i].ns > event.ns ? events[i].ns : event.ns;
	}
	char *subject = subject_text(session, events, n, event.n_rings);

	event.subject = subject;
	event.ring = event.n_rings == 1 ? event.ring : -1;
	event.member = n == 1 ? event.member : -1;
	int r = subject ? session_event(session, &event) : -ENOMEM;

	free(subject);
	return r;
}

int session_events_report(struct session_events *events, struct session *session, uint64_t at_ns)
{
	int r = events->error;

	if (events->n > 1)
		qsort(events->list, events->n, sizeof(*events->list), compare_events);
	for (size_t first = 0, next; first < events->n && r == 0; first = next) {
		for (next = first + 1; next < events->n; next++)
			if (compare_values(&events->list[first], &events->list[next]) != 0)
				break;
		r = report_joined(session, at_ns, &events->list[first], next - first);
	}
	return r;
}
