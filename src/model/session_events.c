/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_events.c - what in a tick a person should be told. */
#include "src/model/session_events.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "src/model/session.h"
#include "src/model/session_events_own.h"
#include "src/model/session_faults.h"

__attribute__((format(printf, 3, 4))) static int add(
	struct notices_of_tick *notices, struct notice notice, const char *format, ...)
{
	va_list arguments;
	int r;

	if (notices->n == notices->room) {
		size_t room = notices->room ? notices->room * 2 : 16;
		struct notice *list = realloc(notices->list, room * sizeof(*list));

		if (!list)
			return -ENOMEM;
		notices->list = list;
		notices->room = room;
	}
	va_start(arguments, format);
	r = vasprintf(&notice.what, format, arguments);
	va_end(arguments);
	if (r < 0)
		return -ENOMEM;
	notices->list[notices->n++] = notice;
	return 0;
}

/* "CPU 3", "any of 4 CPUs". */
static const char *affinity_text(const struct tick_member *member, char text[32])
{
	if (member->cpu >= 0)
		snprintf(text, 32, "CPU %d", (int)member->cpu);
	else
		snprintf(text, 32, "any of %u CPUs", (unsigned)member->n_cpus);
	return text;
}

/* The first sight of a member. Both members of a ring mostly say the same, and are told as one. */
static int look_first(struct notices_of_tick *notices, const struct session_ring *ring, int index,
	const struct tick_member *is, const char *reason)
{
	struct notice notice = {.kind = NOTICE_NOT_ASKED, .ring = ring, .member = index, .tid = is->tid};
	const char *colon = reason ? ": " : "", *why = reason ? reason : "";
	char now[32], asked[32];
	int r = 0;

	if (is->policy.policy >= 0 && !task_policy_equal(is->policy, ring->asked))
		r = add(notices, notice, "as %s, %s was asked%s%s", task_policy_describe(is->policy, now),
			task_policy_describe(ring->asked, asked), colon, why);
	if (r == 0 && !ring->n_cpus && is->n_cpus > 0 && is->cpu != (int64_t)ring->cpus[index])
		r = add(notices, notice, "on %s, CPU %u was asked%s%s", affinity_text(is, now),
			ring->cpus[index], colon, why);
	return r;
}

static bool policy_differs(const struct tick_member *was, const struct tick_member *is)
{
	return was->policy.policy >= 0 && is->policy.policy >= 0 &&
	       !task_policy_equal(was->policy, is->policy);
}

/* @away: that its CPU was taken from it, and given back, is an event of the ring's condition. */
static bool affinity_differs(const struct tick_member *was, const struct tick_member *is, bool away)
{
	bool moved = was->cpu != is->cpu || was->n_cpus != is->n_cpus;

	return was->n_cpus > 0 && is->n_cpus > 0 && (was->moved_to != is->moved_to || (!away && moved));
}

static int look_again(struct notices_of_tick *notices, const struct session_ring *ring, int index,
	const struct tick_member *is, bool away)
{
	const struct tick_member *was = &ring->members[index];
	struct notice notice = {.kind = NOTICE_CHANGED, .ring = ring, .member = index, .tid = is->tid};
	char before[32], after[32];
	int r = 0;

	if (policy_differs(was, is))
		r = add(notices, notice, "%s -> %s", task_policy_describe(was->policy, before),
			task_policy_describe(is->policy, after));
	if (r == 0 && affinity_differs(was, is, away))
		r = add(notices, notice, "%s -> %s", affinity_text(was, before), affinity_text(is, after));
	return r;
}

static bool all_started(const struct tick_ring *seen, const struct tick_member *members)
{
	for (uint32_t i = 0; i < seen->n_members; i++)
		if (members[i].tid == 0)
			return false;
	return seen->n_members > 0;
}

static bool is_live(enum ring_state state)
{
	return state == RING_RUNNING || state == RING_PAUSED;
}

/* Before it runs, its members have not been given their scheduling yet; after, they go. */
static bool has_members(const struct tick_ring *seen, const struct tick_member *members)
{
	return is_live(seen->state) && all_started(seen, members);
}

bool notices_will_change(
	const struct session_ring *ring, const struct tick_ring *seen, const struct tick_member *members)
{
	bool away = ring_condition_is_away(ring->condition) || ring_condition_is_away(seen->condition);

	for (uint32_t i = 0; ring->observed && has_members(seen, members) && i < seen->n_members; i++)
		if (ring->members[i].tid && (policy_differs(&ring->members[i], &members[i]) ||
						    affinity_differs(&ring->members[i], &members[i], away)))
			return true;
	return false;
}

static int look_at_members(struct notices_of_tick *notices, struct session_ring *ring,
	const struct tick_ring *seen, const struct tick_member *members)
{
	bool away = ring_condition_is_away(ring->condition) || ring_condition_is_away(seen->condition);
	size_t n_before = notices->n;
	int r = 0;

	if (!has_members(seen, members))
		return 0;
	for (uint32_t i = 0; i < seen->n_members && r == 0; i++) {
		bool known = ring->observed && ring->members[i].tid != 0;

		r = known ? look_again(notices, ring, (int)i, &members[i], away)
			  : look_first(notices, ring, (int)i, &members[i], seen->reason);
	}
	if (r == 0 && !ring->observed && seen->reason && notices->n == n_before)
		r = add(notices, (struct notice){.kind = NOTICE_REASON, .ring = ring, .member = -1}, "%s",
			seen->reason);
	ring->observed = true;
	return r;
}

static int look_at_state(
	struct notices_of_tick *notices, const struct session_ring *ring, const struct tick_ring *seen)
{
	struct notice notice = {.kind = NOTICE_FAILED, .ring = ring, .member = -1};

	if (seen->state == RING_FAILED && ring->state != RING_FAILED)
		return add(notices, notice, "%s",
			seen->reason ? seen->reason : "for a reason that is not known");
	notice.kind = NOTICE_BACK;
	if (ring->state == RING_FAILED && is_live(seen->state))
		return add(notices, notice, "%s", "");
	return 0;
}

static int look_at_faults(
	struct notices_of_tick *notices, const struct session_ring *ring, const struct tick_ring *seen)
{
	struct notice notice = {.kind = NOTICE_FAULTS, .ring = ring, .member = -1};
	char text[128];

	if (!*session_faults_text(seen->faults, text, sizeof(text)))
		return 0;
	return add(notices, notice, "%s", text);
}

enum ring_condition notices_trouble(const struct session_ring *ring, const struct tick_ring *seen)
{
	/* A ring that made laps in a turn since the last tick was rid of its trouble in it. */
	if (seen->condition == CONDITION_WAITING && (seen->laps || seen->warmup_laps))
		return CONDITION_FINE;
	if (seen->condition == CONDITION_WAITING || seen->state == RING_GONE)
		return ring->trouble;
	return seen->condition >= CONDITION_LATE ? seen->condition : CONDITION_FINE;
}

/* What is behind throttling differs between kernels, and so does the remedy. */
static int add_began(struct notices_of_tick *notices, const struct machine *machine, struct notice notice,
	enum ring_condition condition)
{
	const char *name = ring_condition_name(condition);

	if (condition == CONDITION_OFFLINE)
		return add(notices, notice, "%s: laps of members whose CPU is gone are away, in no figure",
			name);
	if (condition == CONDITION_EXCLUDED)
		return add(notices, notice,
			"%s: a cpuset took members from their CPU; their laps are away, in no figure", name);
	if (condition != CONDITION_THROTTLED)
		return add(notices, notice, "%s", name);
	if (machine->fair_server)
		return add(notices, notice,
			"%s: the kernel's fair server gives 50 ms of each second to other tasks", name);
	if (machine->rt_runtime_us == INT64_MIN)
		return add(notices, notice, "%s: see sched_rt_runtime_us", name);
	return add(notices, notice, "%s: sched_rt_runtime_us is %lld of %lld", name,
		(long long)machine->rt_runtime_us, (long long)machine->rt_period_us);
}

uint64_t notices_wait_ns(const struct session_ring *ring, const struct tick_ring *seen)
{
	const struct tick_figure *figure =
		&seen->figures[ring->interval_ns > 0 ? FIGURE_RESPONSE : FIGURE_LAP];

	return figure->has_extremes && figure->max_ns > ring->wait_ns ? figure->max_ns : ring->wait_ns;
}

static int look_at_condition(struct notices_of_tick *notices, const struct machine *machine,
	const struct session_ring *ring, const struct tick_ring *seen)
{
	struct notice notice = {.kind = NOTICE_ENDED, .ring = ring, .member = -1};
	enum ring_condition trouble = notices_trouble(ring, seen);
	int r = 0;

	if (trouble == ring->trouble)
		return 0;
	if (ring->trouble != CONDITION_FINE && is_live(seen->state)) {
		notice.wait_ns =
			ring->trouble == CONDITION_THROTTLED ? notices_wait_ns(ring, seen) : ring->wait_ns;
		r = add(notices, notice, "%s", ring_condition_name(ring->trouble));
	}
	if (r == 0 && trouble != CONDITION_FINE) {
		notice.kind = NOTICE_BEGAN;
		notice.wait_ns = 0;
		r = add_began(notices, machine, notice, trouble);
	}
	return r;
}

/* As many laps after which it is plain that a ring does not come to a first hop. */
enum { LATE_LAPS = 20 };

/* Told in the tick in which it has so many. */
static int look_at_laps(
	struct notices_of_tick *notices, const struct session_ring *ring, const struct tick_ring *seen)
{
	struct notice notice = {.kind = NOTICE_LATE_LAPS, .ring = ring, .member = -1};
	bool now = ring->laps < LATE_LAPS && ring->laps + seen->laps >= LATE_LAPS;

	if (!now || !ring->interval_ns || ring->figures[FIGURE_FIRST].hist.n ||
		seen->figures[FIGURE_FIRST].n_cells)
		return 0;
	return add(notices, notice,
		"no first hop: laps take longer than the interval: choose a longer one (-i), or another figure "
		"(--show)");
}

int notices_look(struct notices_of_tick *notices, const struct machine *machine, struct session_ring *ring,
	const struct tick_ring *seen, const struct tick *tick)
{
	int r = look_at_state(notices, ring, seen);

	if (r == 0)
		r = look_at_faults(notices, ring, seen);
	if (r == 0)
		r = look_at_condition(notices, machine, ring, seen);
	if (r == 0)
		r = look_at_laps(notices, ring, seen);
	if (r == 0)
		r = look_at_members(notices, ring, seen, tick->members + seen->first_member);
	return r;
}

const char *notices_change(const struct notices_of_tick *notices)
{
	for (size_t i = 0; i < notices->n; i++)
		if (notices->list[i].kind == NOTICE_CHANGED)
			return notices->list[i].what;
	return NULL;
}

void notices_of_tick_finish(struct notices_of_tick *notices)
{
	for (size_t i = 0; i < notices->n; i++)
		free(notices->list[i].what);
	free(notices->list);
	*notices = (struct notices_of_tick){0};
}
