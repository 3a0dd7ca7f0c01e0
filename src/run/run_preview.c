/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_preview.c - what an action would do beyond what was typed. */
#include "src/run/run_preview.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/text.h"
#include "src/machine/fact_files.h"
#include "src/model/session.h"
#include "src/model/session_turns.h"
#include "src/plan/plan.h"
#include "src/plan/plan_refuse.h"
#include "src/probe/hop_trial.h"
#include "src/probe/probe.h"
#include "src/run/run_acts.h"
#include "src/run/run_reopen.h"
#include "src/run/run_rings.h"

enum { SAID_MAX = 4 }; /* members whose new CPUs are named */

/* The ring as it will be opened anew. Its cpus are the caller's to free. Returns 0 or -ENOMEM. */
static int plan_anew(const struct session_ring *ring, uint64_t interval_ns, struct plan_ring *plan)
{
	*plan = (struct plan_ring){.n_members = ring->n_members,
		.interval_ns = interval_ns,
		.cpus = malloc(ring->n_members * sizeof(*plan->cpus))};
	for (unsigned m = 0; plan->cpus && m < ring->n_members; m++) {
		int64_t place = session_member_place(ring, m);

		plan->cpus[m] = place >= 0 ? (unsigned)place : ring->cpus[m];
	}
	return plan->cpus ? 0 : -ENOMEM;
}

/* Says whether turns become longer or shorter if the rings are removed, or opened anew with an interval.
 * @interval_ns: NULL: they are removed. */
static void preview_turns(const struct run *run, const struct run_rings *rings, const uint64_t *interval_ns,
	char text[RUN_SAY_SIZE])
{
	const struct session *session = &run->source.session;
	struct turn_change *changes = calloc(rings->n + 1, sizeof(*changes));
	struct plan_ring *plans = calloc(rings->n + 1, sizeof(*plans));
	struct turns_foreseen turns;
	int r = changes && plans ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < rings->n; i++) {
		changes[i].goes = session_find_ring(session, rings->ids[i]);
		if (interval_ns) {
			r = plan_anew(changes[i].goes, *interval_ns, &plans[i]);
			changes[i].comes = &plans[i];
		}
	}
	if (r == 0)
		r = session_turns_foresee(session, run->plan, run->source.config, changes, rings->n, &turns);
	if (r == 0)
		run_rings_say_turns(session, &turns, text);
	for (size_t i = 0; plans && i < rings->n; i++)
		free(plans[i].cpus);
	free(plans);
	free(changes);
}

/* A size that a mechanism refuses costs only rings whose hops were not tried. */
static void say_not_tried(size_t n_hops, size_t bytes, char text[RUN_SAY_SIZE])
{
	size_t n_tried = hop_trial_room(n_hops, bytes);
	char sentence[128];

	snprintf(sentence, sizeof(sentence),
		"%zu of the %zu hops are tried first. If others fail, U undoes the change.", n_tried, n_hops);
	if (n_tried < n_hops)
		text_append(text, RUN_SAY_SIZE, " ", sentence);
}

/* Copies why the run will refuse the value. Returns @r. */
static int say_refusal(int r, const struct error_text *why, char text[RUN_SAY_SIZE])
{
	snprintf(text, RUN_SAY_SIZE, "%.*s", RUN_SAY_SIZE - 1, why->text);
	return r;
}

/* Checks that floods at real-time priority leave a CPU once these rings flood, too. */
static int check_new_floods(const struct run *run, const struct run_rings *rings, struct error_text *why)
{
	struct cpus all = run_rings_shown_flooded(run, rings);
	bool any = false;

	for (size_t i = 0; i < rings->n; i++) {
		const struct session_ring *ring = session_find_ring(&run->source.session, rings->ids[i]);

		if (!ring || !run_rings_are_shown_realtime(ring))
			continue;
		const struct cpus cpus = run_rings_shown_cpus(ring);

		cpus_unite(&all, &cpus);
		any = true;
	}
	return any ? run_rings_check_flooded(run, &all, why) : 0;
}

static int preview_interval(
	const struct run *run, const struct run_rings *rings, const char *value, char text[RUN_SAY_SIZE])
{
	struct error_text why;
	uint64_t interval_ns;
	int r = run_reopen_read_interval(value, &interval_ns, &why);

	if (r == 0 && !interval_ns)
		r = check_new_floods(run, rings, &why);
	if (r < 0)
		return say_refusal(r, &why, text);
	preview_turns(run, rings, &interval_ns, text);
	return 0;
}

static int preview_size(
	const struct run *run, const struct run_rings *rings, const char *value, char text[RUN_SAY_SIZE])
{
	size_t n_hops = 0;
	struct error_text why;
	uint64_t bytes;
	int r = run_reopen_read_size(value, &bytes, &why);

	if (r < 0)
		return say_refusal(r, &why, text);
	for (size_t i = 0; i < rings->n; i++) {
		const struct session_ring *ring = session_find_ring(&run->source.session, rings->ids[i]);
		const struct probe *probe = ring ? run_rings_probe(run, ring) : NULL;

		n_hops += probe ? ring->n_members : 0;
		if (probe && !*text)
			run_rings_say_size(probe, bytes, text);
	}
	say_not_tried(n_hops, bytes, text);
	return 0;
}

/* Returns false if the value has no CPUs for this ring. A ring that is not chosen stays where it is. */
static bool find_cpus(const struct session_ring *ring, bool chosen, const char *value, struct cpus *all)
{
	struct cpus cpus;

	*all = (struct cpus){0};
	for (unsigned m = 0; m < ring->n_members; m++) {
		int64_t place = session_member_place(ring, m);

		if (chosen && run_acts_read_cpus(value, m, ring->n_members, &cpus) < 0)
			return false;
		if (chosen)
			cpus_unite(all, &cpus);
		else if (place >= 0)
			cpus_add(all, (unsigned)place);
	}
	return true;
}

/* Which rings get CPUs of the value. Owned; NULL without memory. */
static bool *find_chosen(const struct session *session, const struct run_rings *rings)
{
	bool *chosen = calloc(session->n_rings + 1, sizeof(*chosen));

	for (size_t i = 0; chosen && i < rings->n; i++)
		for (size_t k = 0; k < session->n_rings; k++)
			chosen[k] |= session->rings[k].id == rings->ids[i] && !session->rings[k].ended_ns;
	return chosen;
}

/* Two rings of a turn that would be on one CPU, by their indices in the session. */
struct meeting {
	size_t ring, other;
};

/* Puts the chosen rings of a turn on their CPUs, and then finds the others there. @owners: by CPU, the index
 * of a ring, and 1. */
static bool meet_in_turn(const struct session *session, const bool *chosen, unsigned turn, const char *value,
	uint32_t owners[CPUS_MAX], struct meeting *meeting)
{
	struct cpus cpus;

	memset(owners, 0, CPUS_MAX * sizeof(*owners));
	for (size_t i = 0; i < 2 * session->n_rings; i++) {
		size_t k = i % session->n_rings;
		const struct session_ring *ring = &session->rings[k];
		bool is_chosen = i < session->n_rings;

		if (chosen[k] != is_chosen || ring->turn != turn || ring->ended_ns ||
			!find_cpus(ring, is_chosen, value, &cpus))
			continue;
		for (int cpu = cpus_next(&cpus, -1); cpu >= 0; cpu = cpus_next(&cpus, cpu)) {
			if (owners[cpu]) {
				*meeting = (struct meeting){owners[cpu] - 1, k};
				return true;
			}
			if (is_chosen)
				owners[cpu] = (uint32_t)k + 1;
		}
	}
	return false;
}

static void describe_meeting(const struct session *session, const bool *chosen, const struct meeting *meeting,
	const char *value, char text[RUN_SAY_SIZE])
{
	const struct session_ring *other = &session->rings[meeting->other];
	struct cpus cpus, of_other;
	char list[64], name[SESSION_NAME_SIZE];

	find_cpus(&session->rings[meeting->ring], true, value, &cpus);
	find_cpus(other, chosen[meeting->other], value, &of_other);
	cpus_intersect(&of_other, &cpus);
	snprintf(text, RUN_SAY_SIZE, "Shares CPU%s %s with %s, which runs in the same turn.",
		cpus_count(&of_other) > 1 ? "s" : "", cpus_format(&of_other, list, sizeof(list)),
		session_ring_name(other, name));
}

/* Returns the CPUs of all rings that flood at real-time priority once these have moved. @floods: whether one
 * of these does. */
static struct cpus moved_flooded(
	const struct run *run, const struct run_rings *rings, const char *value, bool *floods)
{
	struct cpus all = run_rings_shown_flooded(run, rings), cpus;

	*floods = false;
	for (size_t i = 0; i < rings->n; i++) {
		const struct session_ring *ring = session_find_ring(&run->source.session, rings->ids[i]);

		if (!ring || ring->interval_ns || !run_rings_are_shown_realtime(ring) ||
			!find_cpus(ring, true, value, &cpus))
			continue;
		cpus_unite(&all, &cpus);
		*floods = true;
	}
	return all;
}

/* Returns whether any ring, moved or not, lets no other one run on its CPUs. */
static bool any_must_be_alone(const struct run *run)
{
	const struct session *session = &run->source.session;

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct plan_ring plan = run_rings_shown_plan(run, &session->rings[i]);

		if (!session->rings[i].ended_ns && plan.probe && plan_refuse_beside(&plan))
			return true;
	}
	return false;
}

/* Checks a ring that is moved against those that are on its CPUs then. */
static int check_beside(const struct run *run, const struct run_rings *rings, const char *value,
	const struct session_ring *ring, struct error_text *why)
{
	const struct session *session = &run->source.session;
	const struct plan_ring moved = run_rings_shown_plan(run, ring);
	struct cpus cpus, shared;
	int r = 0;

	for (size_t i = 0; r == 0 && i < session->n_rings; i++) {
		const struct session_ring *other = &session->rings[i];
		const struct plan_ring there = run_rings_shown_plan(run, other);

		if (other == ring || other->ended_ns || !moved.probe || !there.probe)
			continue;
		if (!run_rings_have(rings, other->id) || !find_cpus(other, true, value, &shared))
			shared = run_rings_shown_cpus(other);
		find_cpus(ring, true, value, &cpus);
		cpus_intersect(&shared, &cpus);
		if (cpus_count(&shared))
			r = run_rings_check_beside(&moved, &there, why);
	}
	return r;
}

/* Says why a ring can't get these CPUs, as the command will. Returns 0 or -EINVAL. */
static int check_cpus(
	const struct run *run, const struct run_rings *rings, const char *value, char text[RUN_SAY_SIZE])
{
	struct error_text why;
	struct cpus all;
	bool floods, must_check_beside = run->source.config->side_by_side && any_must_be_alone(run);
	int r = 0;

	for (size_t i = 0; r == 0 && i < rings->n; i++) {
		const struct session_ring *ring = session_find_ring(&run->source.session, rings->ids[i]);
		const struct probe *probe = ring ? run_rings_probe(run, ring) : NULL;

		if (!ring || !find_cpus(ring, true, value, &all))
			continue;
		const char *unfit = probe ? run_acts_why_unfit(probe, ring->n_members, &all) : NULL;

		r = run_acts_check_cpus(run, &all, &why);
		if (r == 0 && unfit)
			r = error_text_set(&why, -EINVAL, "%s", unfit);
		if (r == 0 && must_check_beside)
			r = check_beside(run, rings, value, ring, &why);
	}
	const struct cpus flooded = moved_flooded(run, rings, value, &floods);

	if (r == 0 && floods)
		r = run_rings_check_flooded(run, &flooded, &why);
	return r < 0 ? say_refusal(r, &why, text) : 0;
}

/* Says where the members of a ring go that has a CPU for each: "Member 0 goes to CPU 2, member 1 to CPU 10."
 */
static void say_each(unsigned n_members, const char *value, char text[RUN_SAY_SIZE])
{
	char to[64];
	struct cpus cpus;

	for (unsigned m = 0; m < n_members && m < SAID_MAX; m++) {
		run_acts_read_cpus(value, m, n_members, &cpus);
		snprintf(to, sizeof(to), "%s %u %sto CPU %d", m ? "member" : "Member", m, m ? "" : "goes ",
			cpus_next(&cpus, -1));
		text_append(text, RUN_SAY_SIZE, ", ", to);
	}
	text_append(text, RUN_SAY_SIZE, "", n_members > SAID_MAX ? " and so on." : ".");
}

/* Says which members go where, once the value is complete. */
static void say_moves(const struct session *session, const struct run_rings *rings, const char *value,
	char text[RUN_SAY_SIZE])
{
	struct cpus cpus = {0};
	unsigned n_members = 0;
	size_t n = 0;
	char list[64];

	for (size_t i = 0; i < rings->n; i++) {
		const struct session_ring *ring = session_find_ring(session, rings->ids[i]);

		if (ring && !find_cpus(ring, true, value, &cpus))
			return;
		n_members = ring ? ring->n_members : n_members;
		n += ring ? ring->n_members : 0;
	}
	if (!n)
		return;
	cpus_format(&cpus, list, sizeof(list));
	if (run_acts_have_one_each(value))
		say_each(n_members, value, text);
	else if (cpus_count(&cpus) == 1 && n == 2)
		snprintf(text, RUN_SAY_SIZE, "Both members go to CPU %s.", list);
	else if (cpus_count(&cpus) == 1)
		snprintf(text, RUN_SAY_SIZE, "All %zu members go to CPU %s.", n, list);
	else
		snprintf(text, RUN_SAY_SIZE, "Each of the %zu members may run on all of CPUs %s.", n, list);
}

/* Returns whether a move begins a phase, as session_events.c finds it. Until the value is complete, none. */
static bool move_begins_phase(const struct session *session, const struct run_rings *rings, const char *value)
{
	struct cpus cpus;
	bool moves = false;

	for (size_t i = 0; i < rings->n; i++) {
		const struct session_ring *ring = session_find_ring(session, rings->ids[i]);

		for (unsigned m = 0; ring && m < ring->n_members; m++) {
			const struct tick_member *is = &ring->members[m];

			if (run_acts_read_cpus(value, m, ring->n_members, &cpus) < 0)
				return false;
			uint32_t n = (uint32_t)cpus_count(&cpus);

			moves |= is->tid && (is->n_cpus != n || (n == 1 && is->cpu != cpus_next(&cpus, -1)));
		}
	}
	return moves && session->auto_phase;
}

/* Rings of one turn run at the same time: members stay in their turn when they move. */
static void preview_cpus(const struct session *session, const struct run_rings *rings, const char *value,
	char text[RUN_SAY_SIZE])
{
	uint32_t *owners = calloc(CPUS_MAX, sizeof(*owners));
	bool *chosen = find_chosen(session, rings), is_found = false;
	unsigned n_turns = session->n_turns ? session->n_turns : 1;
	struct meeting meeting;

	for (unsigned turn = 0; owners && chosen && turn < n_turns && !is_found; turn++)
		is_found = meet_in_turn(session, chosen, turn, value, owners, &meeting);
	if (is_found)
		describe_meeting(session, chosen, &meeting, value, text);
	free(owners);
	free(chosen);
}

/* "Leaves isolated CPUs 2-3."; nothing if there is none. */
static void say_isolated(const char *verb, const struct cpus *cpus, char text[RUN_SAY_SIZE])
{
	char list[64], sentence[96];

	snprintf(sentence, sizeof(sentence), "%s isolated CPU%s %s.", verb, cpus_count(cpus) > 1 ? "s" : "",
		cpus_format(cpus, list, sizeof(list)));
	if (cpus_count(cpus))
		text_append(text, RUN_SAY_SIZE, " ", sentence);
}

/* Isolation is why somebody measures there, and other work does not run there: leaving it changes figures. */
static void preview_isolation(const struct session *session, const struct run_rings *rings, const char *value,
	char text[RUN_SAY_SIZE])
{
	struct cpus isolated = {0}, left = {0}, may_leave = {0}, entered = {0}, may_enter = {0}, cpus;

	if (cpus_parse(&isolated, session->machine.isolated) < 0)
		return;
	for (size_t i = 0; i < rings->n; i++) {
		const struct session_ring *ring = session_find_ring(session, rings->ids[i]);

		for (unsigned m = 0; ring && m < ring->n_members; m++) {
			int64_t place = session_member_place(ring, m);
			bool was = place >= 0 && cpus_has(&isolated, (unsigned)place);

			if (run_acts_read_cpus(value, m, ring->n_members, &cpus) < 0)
				return;
			bool all = cpus_subset(&cpus, &isolated);

			if (was && !all)
				cpus_add(cpus_has(&cpus, (unsigned)place) ? &may_leave : &left,
					(unsigned)place);
			cpus_intersect(&cpus, &isolated);
			if (!was)
				cpus_unite(all ? &entered : &may_enter, &cpus);
		}
	}
	say_isolated("Leaves", &left, text);
	say_isolated("May leave", &may_leave, text);
	say_isolated("Enters", &entered, text);
	say_isolated("May enter", &may_enter, text);
}

/* --- policy --- */

/* "FIFO:80", or "several policies" if the members of the rings do not have the same; their number is 0 if
 * none runs. */
static size_t read_policies(
	const struct session *session, const struct run_rings *rings, struct task_policy *first, bool *is_one)
{
	size_t n = 0;

	*is_one = true;
	for (size_t i = 0; i < rings->n; i++) {
		const struct session_ring *ring = session_find_ring(session, rings->ids[i]);

		for (unsigned m = 0; ring && m < ring->n_members; m++) {
			if (!ring->members[m].tid || ring->members[m].policy.policy < 0)
				continue;
			if (n++ == 0)
				*first = ring->members[m].policy;
			*is_one &= task_policy_equal(*first, ring->members[m].policy);
		}
	}
	return n;
}

/* Returns the CPUs of all rings that flood at real-time priority once these do, too. */
static struct cpus future_flooded(const struct run *run, const struct run_rings *rings)
{
	struct cpus all = run_rings_shown_flooded(run, rings);

	for (size_t i = 0; i < rings->n; i++) {
		const struct session_ring *ring = session_find_ring(&run->source.session, rings->ids[i]);

		if (!ring || ring->interval_ns)
			continue;
		const struct cpus cpus = run_rings_shown_cpus(ring);

		cpus_unite(&all, &cpus);
	}
	return all;
}

/* Says why the run will refuse the policy. Returns 0 or a negative errno. */
static int check_policy(const struct run *run, const struct run_rings *rings, struct task_policy policy,
	struct error_text *why)
{
	const struct plan_ring planned = {.has_policy = true, .policy = policy};
	const struct cpus flooded = future_flooded(run, rings);
	int r = run_rings_check_right(run, &planned, why);

	for (size_t i = 0; i < rings->n && r == 0 && plan_ring_is_realtime(&planned); i++) {
		const struct session_ring *ring = session_find_ring(&run->source.session, rings->ids[i]);
		const struct probe *probe = ring ? run_rings_probe(run, ring) : NULL;

		if (probe && !task_policy_is_realtime(ring->members[0].policy.policy))
			r = run_acts_check_realtime(run, probe, task_policy_is_realtime(ring->asked.policy),
				ring->interval_ns, &flooded, why);
	}
	return r;
}

/* "4 members: OTHER -> FIFO:80. This begins a phase." */
static int preview_policy(
	const struct run *run, const struct run_rings *rings, const char *value, char text[RUN_SAY_SIZE])
{
	const struct session *session = &run->source.session;
	struct task_policy policy, now = {.policy = -1};
	char was[TASK_POLICY_SIZE] = "several policies", becomes[TASK_POLICY_SIZE];
	struct error_text why;
	bool is_one;
	size_t n = read_policies(session, rings, &now, &is_one);
	const char *members = n == 1 ? "member" : "members";

	if (!n)
		return 0;
	if (is_one)
		task_policy_describe(now, was);
	if (run_acts_read_policy(value, &policy) < 0) {
		snprintf(text, RUN_SAY_SIZE, "Now %zu %s with %s.", n, members, was);
		return 0;
	}
	int r = check_policy(run, rings, policy, &why);

	if (task_policy_obeys_nice(policy.policy)) /* it stays */
		policy.nice = now.nice;
	task_policy_describe(policy, becomes);
	if (r < 0)
		say_refusal(r, &why, text);
	else if (is_one && task_policy_equal(now, policy))
		snprintf(text, RUN_SAY_SIZE, "%zu %s with %s already: nothing changes.", n, members, was);
	else
		snprintf(text, RUN_SAY_SIZE, "%zu %s: %s -> %s.%s", n, members, was, becomes,
			session->auto_phase ? " This begins a phase." : "");
	return r;
}

/* --- what the rings have now --- */

/* "every 1000 us", "4096 bytes", "0>3"; "" where there is nothing to say. */
static void describe_value(const struct session_ring *ring, enum command_kind kind, char text[RUN_SAY_SIZE])
{
	*text = '\0';
	if (kind == COMMAND_INTERVAL && !ring->interval_ns)
		snprintf(text, RUN_SAY_SIZE, "a flood");
	else if (kind == COMMAND_INTERVAL)
		snprintf(text, RUN_SAY_SIZE, "every %.15g us", (double)ring->interval_ns / 1000);
	else if (kind == COMMAND_SIZE && ring->token_bytes)
		snprintf(text, RUN_SAY_SIZE, "%llu byte%s", (unsigned long long)ring->token_bytes,
			ring->token_bytes == 1 ? "" : "s");
	else if (kind == COMMAND_CPUS)
		snprintf(text, RUN_SAY_SIZE, "%s", ring->label);
}

/* "Now every 1000 us." Until a value is typed. */
static void preview_now(const struct session *session, const struct run_rings *rings, enum command_kind kind,
	char text[RUN_SAY_SIZE])
{
	char value[RUN_SAY_SIZE], first[RUN_SAY_SIZE] = "";
	bool has_first = false, is_one = true;

	for (size_t i = 0; i < rings->n; i++) {
		const struct session_ring *ring = session_find_ring(session, rings->ids[i]);

		if (!ring)
			continue;
		describe_value(ring, kind, value);
		if (!has_first)
			strcpy(first, value);
		has_first = true;
		is_one &= strcmp(value, first) == 0;
	}
	if (!is_one)
		strcpy(first, "not the same for all");
	if (*first)
		text_print(text, RUN_SAY_SIZE, "Now %s.", first);
}

/* A ring that is opened anew has one CPU for each member, and one policy. */
static void say_places(const struct session *session, const struct run_rings *rings, char text[RUN_SAY_SIZE])
{
	static const char *const sentences[2][2] = {
		{"", "Members with several policies go back to the ring's first policy."},
		{"Members on several CPUs go back to one each.",
			"Members on several CPUs go back to one each, and to the ring's first policy."},
	};
	bool have_cpus = false, have_policies = false;

	for (size_t i = 0; i < rings->n; i++) {
		const struct session_ring *ring = session_find_ring(session, rings->ids[i]);
		const struct run_rings alone = {&rings->ids[i], 1};
		struct task_policy first;
		bool is_one;

		for (unsigned m = 0; ring && m < ring->n_members; m++)
			have_cpus |= session_member_place(ring, m) < 0;
		read_policies(session, &alone, &first, &is_one);
		have_policies |= !is_one;
	}
	if (have_cpus || have_policies)
		text_append(text, RUN_SAY_SIZE, " ", sentences[have_cpus][have_policies]);
}

/* --- dma latency --- */

/* Returns the latency of the slowest state that is enabled on a CPU, in us; -1: none is known. */
static int64_t slowest_state_us(const struct machine *machine)
{
	const struct fact_rows *latencies = machine->idle_latency;
	int64_t slowest_us = -1;

	for (size_t i = 0; latencies && i < latencies->n; i++) {
		int64_t us = strtoll(latencies->rows[i].value, NULL, 10);

		slowest_us = us > slowest_us ? us : slowest_us;
	}
	return slowest_us;
}

/* Says why the value will be refused. Returns 0 or a negative errno. */
static int check_dma_latency(const struct machine *machine, int32_t us, char text[RUN_SAY_SIZE])
{
	if (us < 0 && machine->dma_latency_held_us < 0) {
		snprintf(text, RUN_SAY_SIZE, "It is not held.");
		return -ENOENT;
	}
	if (us < 0 || machine->dma_latency_held_us >= 0 ||
		faccessat(AT_FDCWD, "/dev/cpu_dma_latency", W_OK, AT_EACCESS) == 0)
		return 0;
	int error = errno;

	snprintf(text, RUN_SAY_SIZE, "/dev/cpu_dma_latency: %s%s", strerror(error),
		error == EACCES ? " (run as root, or give this user write access to it)" : "");
	return -error;
}

/* What the value does to idle CPUs, beside the slowest of their states. */
static int preview_dma_latency(const struct session *session, const char *value, char text[RUN_SAY_SIZE])
{
	const struct machine *machine = &session->machine;
	const char *begins = "";
	int64_t slowest_us = slowest_state_us(machine);
	char held[64] = "not held by ipctop", states[64] = "";
	int32_t us;

	if (machine->dma_latency_held_us >= 0)
		snprintf(held, sizeof(held), "held at %d us", (int)machine->dma_latency_held_us);
	if (slowest_us >= 0)
		snprintf(states, sizeof(states), " The slowest idle state wakes in %lld us.",
			(long long)slowest_us);
	if (!run_reopen_read_dma_latency(value, &us)) {
		snprintf(text, RUN_SAY_SIZE, "Now %s.%s", held, states);
		return 0;
	}
	int r = check_dma_latency(machine, us, text);

	if (r < 0)
		return r;
	if (session->auto_phase && us != machine->dma_latency_held_us)
		begins = " This begins a phase.";
	if (us < 0)
		snprintf(text, RUN_SAY_SIZE, "Idle CPUs may use all of their states again.%s%s", states,
			begins);
	else if (us == 0)
		snprintf(text, RUN_SAY_SIZE, "All idle CPUs poll, and never sleep.%s", begins);
	else if (slowest_us >= 0 && us >= slowest_us)
		snprintf(text, RUN_SAY_SIZE, "No idle state takes longer, so CPUs use all of them.%s%s",
			states, begins);
	else
		snprintf(text, RUN_SAY_SIZE, "All idle CPUs use only states that wake within %d us.%s%s",
			(int)us, states, begins);
	return 0;
}

/* --- a knob --- */

/* Returns the fact of a key that can be tried. */
static const struct machine_fact *find_fact(const char *key)
{
	for (size_t i = 0; i < machine_n_facts; i++)
		if (machine_facts[i].form && strcmp(machine_facts[i].field.key, key) == 0)
			return &machine_facts[i];
	return NULL;
}

static void read_word(struct source *source, const struct machine_fact *fact, char word[MACHINE_WORD_SIZE])
{
	pthread_mutex_lock(&source->lock);
	machine_word(&source->session.machine, fact, word);
	pthread_mutex_unlock(&source->lock);
}

/* A lockdown logs each try to read debugfs. Without the session's lock, as a file of sysfs may wait. */
static void list_choices(const struct machine_fact *fact, const char *word, char words[FACT_CHOICES_SIZE])
{
	words[0] = '\0';
	if (strcmp(word, "not readable") != 0)
		fact_choices(fact, words);
}

/* "Now madvise. Choose from: always madvise never." Takes the session's lock. */
static void preview_try(struct source *source, const char *key, char text[RUN_SAY_SIZE])
{
	static const char *const forms[] = {
		[SETTING_NUMBER] = " It takes a number.",
		[SETTING_CPUS] = " It takes a list of CPUs, such as 0-3,8.",
		[SETTING_MASK] = " It takes a mask of CPUs, in hexadecimal.",
		[SETTING_HELD] = " It takes a number of microseconds.",
	};
	const struct machine_fact *fact = find_fact(key);
	char word[MACHINE_WORD_SIZE], choices[FACT_CHOICES_SIZE];

	if (!fact)
		return;
	read_word(source, fact, word);
	list_choices(fact, word, choices);
	snprintf(text, RUN_SAY_SIZE, "Now %.80s.", word);
	if (*choices)
		text_print(text, RUN_SAY_SIZE, " Choose from: %s.", choices);
	else if (forms[fact->form])
		text_append(text, RUN_SAY_SIZE, "", forms[fact->form]);
}

/* Writes the values that a knob takes; "" for a number. */
static void list_values_of_knob(struct source *source, const char *key, char choices[FACT_CHOICES_SIZE])
{
	const struct machine_fact *fact = find_fact(key);
	char word[MACHINE_WORD_SIZE];

	choices[0] = '\0';
	if (!fact)
		return;
	read_word(source, fact, word);
	list_choices(fact, word, choices);
}

void run_preview_complete(struct source *source, const struct command *command, char *line, size_t line_size,
	char *found, size_t found_size)
{
	char choices[FACT_CHOICES_SIZE] = "";

	if (command->kind == COMMAND_TRY)
		list_values_of_knob(source, command->words, choices);
	else if (command->kind == COMMAND_POLICY)
		strcpy(choices, islower((unsigned char)*line) ? "other batch idle fifo: rr:"
							      : "OTHER BATCH IDLE FIFO: RR:");
	else if (command->kind == COMMAND_DMA_LATENCY)
		strcpy(choices, "off");
	text_complete(line, line_size, choices, found, found_size);
}

int run_preview_value(struct source *source, const struct command *command, struct error_text *text)
{
	const struct run *run = (const struct run *)source;
	const struct session *session = &source->session;
	struct run_rings rings = {0};
	struct error_text refusal;
	char moves[RUN_SAY_SIZE] = "", sentence[RUN_SAY_SIZE] = "", isolation[RUN_SAY_SIZE] = "";
	bool begins_phase = false;
	int r = 0;

	if (command->kind == COMMAND_TRY) {
		preview_try(source, command->words, sentence);
		return error_text_set(text, 0, "%s", sentence);
	}
	pthread_mutex_lock(&source->lock);
	if (command->kind == COMMAND_DMA_LATENCY) {
		r = preview_dma_latency(session, command->name, sentence);
	} else if (run_rings_choose_shown(&rings, source, command, &refusal) == 0) {
		if (command->kind == COMMAND_REMOVE)
			preview_turns(run, &rings, NULL, sentence);
		else if (!*command->name && command->kind != COMMAND_POLICY)
			preview_now(session, &rings, command->kind, sentence);
		else if (command->kind == COMMAND_INTERVAL)
			r = preview_interval(run, &rings, command->name, sentence);
		else if (command->kind == COMMAND_SIZE)
			r = preview_size(run, &rings, command->name, sentence);
		else if (command->kind == COMMAND_POLICY)
			r = preview_policy(run, &rings, command->name, sentence);
		else if (command->kind == COMMAND_CPUS &&
			 (r = check_cpus(run, &rings, command->name, sentence)) == 0) {
			say_moves(session, &rings, command->name, moves);
			preview_cpus(session, &rings, command->name, sentence);
			preview_isolation(session, &rings, command->name, isolation);
			begins_phase = move_begins_phase(session, &rings, command->name);
		}
	}
	if (r == 0 && (command->kind == COMMAND_INTERVAL || command->kind == COMMAND_SIZE))
		say_places(session, &rings, sentence);
	pthread_mutex_unlock(&source->lock);
	free(rings.ids);
	return error_text_set(text, r, "%s%s%s%s%s%s", moves, *moves && *sentence ? " " : "", sentence,
		*isolation && (*moves || *sentence) ? " " : "", isolation,
		begins_phase ? " This begins a phase." : "");
}
