/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_events.c - the events of a session: its list, and the events that are found in ticks. */
#include "src/model/session_events.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/session.h"

/* --- the session's list --- */

static void forget_oldest_event(struct session *session)
{
	event_finish(&session->events[0]);
	memmove(session->events, session->events + 1, --session->n_events * sizeof(*session->events));
	session->events_dropped++;
}

/* "mq 0>1 member 1 (tid 4711)". Returns @text. */
static char *name_text(const struct session *session, const struct event *event, char text[256])
{
	const struct session_ring *ring = &session->rings[event->ring];
	int length = snprintf(text, 256, "%s %s", ring->mechanism, ring->label);

	if (event->member >= 0 && length < 256)
		snprintf(text + length, 256 - (size_t)length, " member %d (tid %d)", (int)event->member,
			(int)event->tid);
	return text;
}

int session_event(struct session *session, const struct event *event)
{
	struct event named = *event;
	char name[256];

	if (!session->events) {
		session->events = calloc(SESSION_EVENTS_MAX, sizeof(*session->events));
		if (!session->events)
			return -ENOMEM;
	}
	if (event->ring >= 0 && !event->subject)
		named.subject = name_text(session, event, name);
	if (session->n_events == SESSION_EVENTS_MAX)
		forget_oldest_event(session);
	return event_copy(&session->events[session->n_events++], &named);
}

const struct event *session_breach(const struct session *session)
{
	for (size_t i = session->n_events; i-- > 0;)
		if (session->events[i].kind == EVENT_BREACH)
			return &session->events[i];
	return NULL;
}

int session_machine(struct session *session, const struct machine *machine, uint64_t now_ns)
{
	int r = 0;

	for (size_t i = 0; i < machine_n_facts && r == 0; i++) {
		const struct machine_fact *fact = &machine_facts[i];
		char was[MACHINE_WORD_SIZE], is[MACHINE_WORD_SIZE];
		struct event event = {.at_ns = now_ns,
			.kind = EVENT_MACHINE,
			.ring = -1,
			.member = -1,
			.subject = fact->title,
			.was = was,
			.is = is};

		if (!fact->title)
			continue;
		machine_word(&session->machine, fact, was);
		machine_word(machine, fact, is);
		if (strcmp(was, is) != 0)
			r = session_event(session, &event);
	}
	session->machine = *machine;
	return r;
}

/* --- events in a tick --- */

/* Of one ring, or one member of it. The names are written when it is joined with the others. */
struct found_event {
	const struct session_ring *ring;
	struct event event;
};

static int found(struct session_events *events, const struct session_ring *ring, struct event event)
{
	if (events->n == events->room) {
		size_t room = events->room ? events->room * 2 : 16;
		struct found_event *list = realloc(events->list, room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		events->list = list;
		events->room = room;
	}
	events->list[events->n].ring = ring;
	return event_copy(&events->list[events->n++].event, &event);
}

void session_events_finish(struct session_events *events)
{
	for (size_t i = 0; i < events->n; i++)
		event_finish(&events->list[i].event);
	free(events->list);
	*events = (struct session_events){0};
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

/* The first tick with the member: does it run as asked? */
static int find_refusals(struct session_events *events, const struct session_ring *ring, int member,
	const struct tick_member *is, const char *reason)
{
	const struct tick_member asked_cpu = {.cpu = (int32_t)ring->cpus[member]};
	char now[TASK_POLICY_SIZE], asked[TASK_POLICY_SIZE];
	struct event event = {.member = member, .tid = is->tid, .was = asked, .is = now, .text = reason};
	int r = 0;

	if (is->policy.policy >= 0 && !task_policy_equal(is->policy, ring->asked)) {
		event.kind = EVENT_POLICY_REFUSED;
		task_policy_describe(is->policy, now);
		task_policy_describe(ring->asked, asked);
		r = found(events, ring, event);
	}
	if (r == 0 && !ring->n_cpus && is->n_cpus > 0 && is->cpu != asked_cpu.cpu) {
		event.kind = EVENT_CPU_REFUSED;
		affinity_text(is, now);
		affinity_text(&asked_cpu, asked);
		r = found(events, ring, event);
	}
	return r;
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

static int find_changes(struct session_events *events, const struct session_ring *ring, int member,
	const struct tick_member *is, bool away)
{
	const struct tick_member *was = &ring->members[member];
	char before[TASK_POLICY_SIZE], after[TASK_POLICY_SIZE];
	struct event event = {
		.kind = EVENT_MEMBER_CHANGED, .member = member, .tid = is->tid, .was = before, .is = after};
	int r = 0;

	if (policy_differs(was, is)) {
		task_policy_describe(was->policy, before);
		task_policy_describe(is->policy, after);
		r = found(events, ring, event);
	}
	if (r == 0 && affinity_differs(was, is, away)) {
		affinity_text(was, before);
		affinity_text(is, after);
		r = found(events, ring, event);
	}
	return r;
}

static bool is_live(enum ring_state state)
{
	return state == RING_RUNNING || state == RING_PAUSED;
}

/* Before a ring runs, its members have not been given their policy and affinity yet; afterwards, they go. */
static bool has_members(const struct tick_ring *seen, const struct tick_member *members)
{
	for (uint32_t i = 0; i < seen->n_members; i++)
		if (members[i].tid == 0)
			return false;
	return is_live(seen->state) && seen->n_members > 0;
}

static bool is_away(const struct session_ring *ring, const struct tick_ring *seen)
{
	return ring_condition_is_away(ring->condition) || ring_condition_is_away(seen->condition);
}

bool session_events_will_change(
	const struct session_ring *ring, const struct tick_ring *seen, const struct tick_member *members)
{
	bool away = is_away(ring, seen);

	for (uint32_t i = 0; ring->observed && has_members(seen, members) && i < seen->n_members; i++)
		if (ring->members[i].tid && (policy_differs(&ring->members[i], &members[i]) ||
						    affinity_differs(&ring->members[i], &members[i], away)))
			return true;
	return false;
}

static int find_in_members(struct session_events *events, struct session_ring *ring,
	const struct tick_ring *seen, const struct tick_member *members)
{
	bool away = is_away(ring, seen);
	size_t n_before = events->n;
	int r = 0;

	if (!has_members(seen, members))
		return 0;
	for (uint32_t i = 0; i < seen->n_members && r == 0; i++) {
		bool known = ring->observed && ring->members[i].tid != 0;

		r = known ? find_changes(events, ring, (int)i, &members[i], away)
			  : find_refusals(events, ring, (int)i, &members[i], seen->reason);
	}
	if (r == 0 && !ring->observed && seen->reason && events->n == n_before)
		r = found(events, ring,
			(struct event){.kind = EVENT_RING_REMARK, .member = -1, .text = seen->reason});
	ring->observed = true;
	return r;
}

/* --- rings --- */

static int find_in_state(
	struct session_events *events, const struct session_ring *ring, const struct tick_ring *seen)
{
	static const char unknown[] = "for a reason that is not known";
	struct event event = {.member = -1};

	if (seen->state == RING_FAILED && ring->state != RING_FAILED) {
		event.kind = EVENT_RING_FAILED;
		event.text = seen->reason ? seen->reason : unknown;
		return found(events, ring, event);
	}
	event.kind = EVENT_RING_BACK;
	return ring->state == RING_FAILED && is_live(seen->state) ? found(events, ring, event) : 0;
}

static int find_faults(
	struct session_events *events, const struct session_ring *ring, const struct tick_ring *seen)
{
	struct event event = {.kind = EVENT_FAULTS, .member = -1};
	uint64_t n = 0;

	for (int f = 0; f < N_TOKEN_FAULTS; f++)
		n += event.faults[f] = seen->faults[f];
	return n ? found(events, ring, event) : 0;
}

enum ring_condition session_events_trouble(const struct session_ring *ring, const struct tick_ring *seen)
{
	/* A ring that made laps in a turn since the last tick had no trouble in that turn. */
	if (seen->condition == CONDITION_WAITING && (seen->laps || seen->warmup_laps))
		return CONDITION_FINE;
	if (seen->condition == CONDITION_WAITING || seen->state == RING_GONE)
		return ring->trouble;
	return seen->condition >= CONDITION_LATE ? seen->condition : CONDITION_FINE;
}

/* A throttled ring's gaps are short: their ends are known by the samples that they turn into. */
uint64_t session_events_wait_ns(const struct session_ring *ring, const struct tick_ring *seen)
{
	const struct tick_figure *figure =
		&seen->figures[ring->interval_ns > 0 ? FIGURE_RESPONSE : FIGURE_LAP];

	return figure->has_extremes && figure->max_ns > ring->wait_ns ? figure->max_ns : ring->wait_ns;
}

/* The cause of a trouble, where it is known, or "". That of throttling differs between kernels, and so does
 * the remedy. Returns @text. */
static char *cause_text(const struct machine *machine, enum ring_condition condition, char text[128])
{
	text[0] = '\0';
	if (condition == CONDITION_OFFLINE)
		snprintf(text, 128, "laps of members whose CPU is gone are away, in no figure");
	else if (condition == CONDITION_EXCLUDED)
		snprintf(
			text, 128, "a cpuset took members from their CPU; their laps are away, in no figure");
	else if (condition == CONDITION_THROTTLED && machine->fair_server)
		snprintf(text, 128, "the kernel's fair server gives 50 ms of each second to other tasks");
	else if (condition == CONDITION_THROTTLED && machine->rt_runtime_us == INT64_MIN)
		snprintf(text, 128, "see sched_rt_runtime_us");
	else if (condition == CONDITION_THROTTLED)
		snprintf(text, 128, "sched_rt_runtime_us is %lld of %lld", (long long)machine->rt_runtime_us,
			(long long)machine->rt_period_us);
	return text;
}

static int find_troubles(struct session_events *events, const struct machine *machine,
	const struct session_ring *ring, const struct tick_ring *seen)
{
	enum ring_condition trouble = session_events_trouble(ring, seen);
	struct event began = {.kind = EVENT_TROUBLE, .member = -1, .condition = trouble};
	struct event over = {.kind = EVENT_TROUBLE_OVER, .member = -1, .condition = ring->trouble};
	char cause[128];
	int r = 0;

	if (trouble == ring->trouble)
		return 0;
	over.ns = ring->trouble == CONDITION_THROTTLED ? session_events_wait_ns(ring, seen) : ring->wait_ns;
	if (ring->trouble != CONDITION_FINE && is_live(seen->state))
		r = found(events, ring, over);
	if (*cause_text(machine, trouble, cause))
		began.text = cause;
	return r == 0 && trouble != CONDITION_FINE ? found(events, ring, began) : r;
}

/* In the tick with as many laps, it is plain that the ring comes to no first hop. */
static int find_late_laps(
	struct session_events *events, const struct session_ring *ring, const struct tick_ring *seen)
{
	enum { LATE_LAPS = 20 };
	bool now = ring->laps < LATE_LAPS && ring->laps + seen->laps >= LATE_LAPS;

	if (!now || !ring->interval_ns || ring->figures[FIGURE_FIRST].hist.n ||
		seen->figures[FIGURE_FIRST].n_cells)
		return 0;
	return found(events, ring, (struct event){.kind = EVENT_LATE_LAPS, .member = -1});
}

int session_events_find(struct session_events *events, const struct machine *machine,
	struct session_ring *ring, const struct tick_ring *seen, const struct tick *tick)
{
	int r = find_in_state(events, ring, seen);

	if (r == 0)
		r = find_faults(events, ring, seen);
	if (r == 0)
		r = find_troubles(events, machine, ring, seen);
	if (r == 0)
		r = find_late_laps(events, ring, seen);
	if (r == 0)
		r = find_in_members(events, ring, seen, tick->members + seen->first_member);
	return r;
}

const char *session_events_change(const struct session_events *events, char text[SESSION_CHANGE_SIZE])
{
	for (size_t i = 0; i < events->n; i++) {
		const struct event *event = &events->list[i].event;

		if (event->kind != EVENT_MEMBER_CHANGED)
			continue;
		snprintf(text, SESSION_CHANGE_SIZE, "%s -> %s", event->was, event->is);
		return text;
	}
	return NULL;
}

/* --- joined --- */

static int compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

/* Returns 0 if the events are reported as one: times and members may differ. */
static int compare_values(const struct event *a, const struct event *b)
{
	int order = a->kind != b->kind ? (a->kind > b->kind ? 1 : -1)
				       : memcmp(a->faults, b->faults, sizeof(a->faults));

	if (!order)
		order = strcmp(ring_condition_name(a->condition), ring_condition_name(b->condition));
	if (!order)
		order = compare_texts(a->was, b->was);
	if (!order)
		order = compare_texts(a->is, b->is);
	return order ? order : compare_texts(a->text, b->text);
}

static int compare_found(const void *a, const void *b)
{
	const struct found_event *x = a, *y = b;
	int order = compare_values(&x->event, &y->event);

	if (order)
		return order;
	if (x->ring->id != y->ring->id)
		return x->ring->id > y->ring->id ? 1 : -1;
	return x->event.member - y->event.member;
}

/* "mq 0>0, mq 1>1", "mq 0>0, mq 1>1, mq 2>2 and 1021 more rings", "mq 0>0 member 1 (tid 4711)". */
static void print_subject(FILE *out, const struct found_event *group, size_t n, size_t n_rings)
{
	enum { NAMED_MAX = 3 };
	size_t named = 0;

	for (size_t i = 0; i < n && named < NAMED_MAX; i++) {
		if (i > 0 && group[i].ring == group[i - 1].ring)
			continue;
		fprintf(out, "%s%s %s", named++ ? ", " : "", group[i].ring->mechanism, group[i].ring->label);
	}
	if (n_rings > named)
		fprintf(out, " and %zu more ring%s", n_rings - named, n_rings - named == 1 ? "" : "s");
	if (n_rings > 1 || group[0].event.member < 0 || n == group[0].ring->n_members)
		return;
	for (size_t i = 0; i < n; i++)
		fprintf(out, "%s member %d (tid %d)", i ? "," : "", (int)group[i].event.member,
			(int)group[i].event.tid);
}

static int report_group(struct session *session, uint64_t at_ns, const struct found_event *group, size_t n)
{
	struct event event = group[0].event;
	size_t n_rings = 1, size;
	char *subject = NULL;
	FILE *out = open_memstream(&subject, &size);

	if (!out)
		return -ENOMEM;
	for (size_t i = 1; i < n; i++) {
		n_rings += group[i].ring != group[i - 1].ring;
		event.ns = group[i].event.ns > event.ns ? group[i].event.ns : event.ns;
	}
	event.at_ns = at_ns;
	event.ring = n_rings == 1 ? (int32_t)group[0].ring->id : -1;
	event.member = n == 1 ? event.member : -1;
	event.n_rings = (uint32_t)n_rings;
	print_subject(out, group, n, n_rings);
	int r = fclose(out) == 0 ? 0 : -ENOMEM;

	event.subject = subject;
	if (r == 0)
		r = session_event(session, &event);
	free(subject);
	return r;
}

int session_events_report(struct session_events *events, struct session *session, uint64_t at_ns)
{
	int r = 0;

	if (events->n > 1)
		qsort(events->list, events->n, sizeof(*events->list), compare_found);
	for (size_t first = 0, next; first < events->n && r == 0; first = next) {
		for (next = first + 1; next < events->n; next++)
			if (compare_values(&events->list[first].event, &events->list[next].event) != 0)
				break;
		r = report_group(session, at_ns, &events->list[first], next - first);
	}
	return r;
}
