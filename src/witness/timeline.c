/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline.c - goes through the records of a spike, from change to change. */
#include "src/witness/timeline.h"

#include <stdlib.h>

#include "src/base/clock.h"

static const struct spike_end *spike_end_of(const struct spike *spike, enum timeline_end end)
{
	return end == TIMELINE_SENDER ? &spike->sender : &spike->receiver;
}

static bool is_own(const struct spike *spike, int32_t tid)
{
	return tid && (tid == spike->sender.tid || tid == spike->receiver.tid);
}

/* --- reading records --- */

/* A real-time task that wants to go on leaves its CPU to none, or to a task without a real-time policy, at
 * once or after others: the kernel throttles all real-time tasks of the CPU. Once that ends, one of them
 * comes. */
static void read_throttling(struct cpu_line *cpu, const struct flight_record *record, uint64_t start_ns)
{
	/* A deadline task has a budget of its own. */
	bool leaves = record->prev_tid && record->prev_priority >= 0 &&
		      record->prev_priority < PRIORITY_FAIR && !record->prev_state;
	bool comes = record->next_tid && record->next_priority < PRIORITY_FAIR;
	/* Before the spike another CPU may have taken it. */
	bool still_waits = record->at_ns >= start_ns || record->number == SWITCH_PINNED;

	if (leaves && record->number == SWITCH_PINNED)
		cpu->waiting = record->prev_tid;
	else if (record->next_tid == cpu->waiting)
		cpu->waiting = 0;
	if (comes)
		cpu->is_throttled = false;
	else if ((leaves && still_waits) || cpu->waiting)
		cpu->is_throttled = true;
}

static void read_cpu_switch(struct cpu_line *cpu, const struct flight_record *record, uint64_t start_ns)
{
	read_throttling(cpu, record, start_ns);
	cpu->came = record;
	cpu->interrupted = cpu->ended = NULL;
	cpu->had_gap = false;
}

/* From when on the member may have come back without a record: when its CPU became idle, or a peer came; if
 * it can't have been runnable, also when members of any ring came, as they go to sleep without one. */
static void read_absence(struct member_line *member, const struct flight_record *record)
{
	bool is_next_silent = !record->next_tid || record->next_role == ROLE_PEER ||
			      (member->left->prev_state && record->next_role == ROLE_MEMBER);

	if (record->cpu == member->left->cpu && is_next_silent && !member->unsure_ns)
		member->unsure_ns = record->at_ns;
}

static void read_member_switch(
	struct member_line *member, const struct spike_end *end, const struct flight_record *record)
{
	static const uint32_t asleep = FLIGHT_SLEEPS | FLIGHT_EXITS | FLIGHT_OTHERWISE;

	if (!end->tid)
		return;
	if (record->next_tid == end->tid || record->prev_tid == end->tid) {
		bool went = record->prev_tid == end->tid && !(record->prev_state & asleep);

		member->left = went ? record : NULL;
		member->unsure_ns = 0;
		member->ran_ns = record->at_ns;
		member->is_lost = false;
		member->has_come |= (int64_t)record->cpu == end->cpu;
	}
	if (member->left)
		read_absence(member, record);
}

/* Nothing from before a gap holds after it, but of a member none of whose switches is missing. */
static void read_gap(struct cpu_line *cpu, struct member_line *member, const struct flight_record *gap)
{
	if (gap->number == GAP_OF_HIDDEN)
		return;
	*cpu = (struct cpu_line){.had_gap = true,
		.timer_ns = cpu->timer_ns,
		.next_switch = cpu->next_switch,
		.next_gap = cpu->next_gap};
	if (gap->number == GAP_OF_OTHERS)
		return;
	member->left = NULL;
	member->is_lost = true;
}

static void read_record(struct timeline *timeline, const struct flight_record *record)
{
	for (unsigned end = 0; end < N_TIMELINE_ENDS; end++) {
		const struct spike_end *spike_end = spike_end_of(timeline->spike, end);
		bool is_on_cpu = (int64_t)spike_end->cpu == (int64_t)record->cpu;

		if (record->kind == FLIGHT_SWITCH) {
			if (is_on_cpu)
				read_cpu_switch(
					&timeline->cpus[end], record, spike_start_ns(timeline->spike));
			read_member_switch(&timeline->members[end], spike_end, record);
		} else if (record->kind == FLIGHT_GAP && is_on_cpu) {
			read_gap(&timeline->cpus[end], &timeline->members[end], record);
		}
	}
}

/* The task that an interrupt finds was on the CPU. */
static void read_interrupted(struct timeline *timeline, const struct flight_record *record)
{
	for (unsigned end = 0; end < N_TIMELINE_ENDS; end++) {
		const struct spike_end *spike_end = spike_end_of(timeline->spike, end);
		struct member_line *member = &timeline->members[end];

		if (!record->prev_tid)
			continue;
		if ((int64_t)spike_end->cpu == (int64_t)record->cpu)
			timeline->cpus[end].interrupted = record;
		if (spike_end->tid == record->prev_tid) {
			member->left = NULL;
			member->is_lost = false;
			member->ran_ns = record->from_ns;
			member->has_come |= (int64_t)record->cpu == spike_end->cpu;
		}
	}
}

/* It lets all timers fire that are due before it ends: the kernel looks at them again before that. */
static void read_timer(struct timeline *timeline, const struct flight_record *record)
{
	uint64_t due_ns = timeline->spike->due_ns;

	for (unsigned end = 0; end < N_TIMELINE_ENDS && due_ns && record->at_ns > due_ns; end++)
		if ((int64_t)spike_end_of(timeline->spike, end)->cpu == (int64_t)record->cpu &&
			!timeline->cpus[end].timer_ns)
			timeline->cpus[end].timer_ns = record->at_ns;
}

/* Then its CPU may have become idle, from where it may have come back. */
static void begin_gap(struct timeline *timeline, const struct flight_record *gap)
{
	for (unsigned end = 0; end < N_TIMELINE_ENDS; end++) {
		struct member_line *member = &timeline->members[end];

		if ((int64_t)spike_end_of(timeline->spike, end)->cpu == (int64_t)gap->cpu && member->left &&
			!member->unsure_ns)
			member->unsure_ns = gap->from_ns;
	}
}

static bool are_turns(const struct flight_record *record)
{
	return record->kind == FLIGHT_TURNS || record->kind == FLIGHT_MEMBERS;
}

static void open_begun(struct timeline *timeline)
{
	for (; timeline->n_begun < timeline->n_begins; timeline->n_begun++) {
		const struct flight_record *record = timeline->begins[timeline->n_begun];

		if (record->from_ns > timeline->now_ns)
			break;
		timeline->open[timeline->n_open++] = record;
		if (are_turns(record))
			continue;
		if (record->kind == FLIGHT_TIMER)
			read_timer(timeline, record);
		if (record->kind != FLIGHT_GAP)
			read_interrupted(timeline, record);
		else if (record->number == GAP_OF_OTHERS)
			begin_gap(timeline, record);
	}
}

static bool is_interrupt(const struct flight_record *record)
{
	return record->kind >= FLIGHT_TIMER && record->kind <= FLIGHT_NMI;
}

static void note_ended(struct timeline *timeline, const struct flight_record *record)
{
	for (unsigned end = 0; end < N_TIMELINE_ENDS; end++)
		if ((int64_t)spike_end_of(timeline->spike, end)->cpu == (int64_t)record->cpu)
			timeline->cpus[end].ended = record;
}

static void close_ended(struct timeline *timeline)
{
	size_t n = 0;

	for (size_t i = 0; i < timeline->n_open; i++)
		if (timeline->open[i]->at_ns > timeline->now_ns)
			timeline->open[n++] = timeline->open[i];
		else if (is_interrupt(timeline->open[i]))
			note_ended(timeline, timeline->open[i]);
	timeline->n_open = n;
}

/* With its stamp the sender ran. */
static void read_stamp(struct timeline *timeline)
{
	struct member_line *sender = &timeline->members[TIMELINE_SENDER];
	uint64_t sent_ns = timeline->spike->sent_ns;

	for (unsigned end = 0; end < N_TIMELINE_ENDS && sent_ns && timeline->now_ns == sent_ns; end++)
		if (spike_end_of(timeline->spike, end)->cpu == timeline->spike->sender.cpu) {
			timeline->cpus[end].is_throttled = false;
			timeline->cpus[end].waiting = 0;
		}
	if (sent_ns && timeline->now_ns >= sent_ns && sender->left && sender->left->at_ns <= sent_ns)
		sender->left = NULL;
	if (sent_ns && timeline->now_ns == sent_ns)
		sender->is_lost = false;
}

/* Returns the next switch of the CPU; NULL if there is none, or a gap begins before it. */
static const struct flight_record *next_switch(
	struct timeline *timeline, struct cpu_line *cpu, int32_t number)
{
	const struct flight_record *records = timeline->records, *gap = NULL;

	if (cpu->next_switch < timeline->n_read)
		cpu->next_switch = timeline->n_read;
	while (cpu->next_switch < timeline->n_records &&
		(records[cpu->next_switch].kind != FLIGHT_SWITCH ||
			(int64_t)records[cpu->next_switch].cpu != number))
		cpu->next_switch++;
	if (cpu->next_gap < timeline->n_begun)
		cpu->next_gap = timeline->n_begun;
	while (cpu->next_gap < timeline->n_begins &&
		(timeline->begins[cpu->next_gap]->kind != FLIGHT_GAP ||
			timeline->begins[cpu->next_gap]->number == GAP_OF_HIDDEN ||
			(int64_t)timeline->begins[cpu->next_gap]->cpu != number))
		cpu->next_gap++;
	if (cpu->next_switch == timeline->n_records)
		return NULL;
	if (cpu->next_gap < timeline->n_begins)
		gap = timeline->begins[cpu->next_gap];
	return gap && gap->from_ns < records[cpu->next_switch].at_ns ? NULL : &records[cpu->next_switch];
}

/* The next switch says since when the task that goes then has had the CPU. That it came may have no record.
 */
static void read_arrival(struct timeline *timeline, enum timeline_end on)
{
	struct cpu_line *cpu = &timeline->cpus[on];
	int32_t number = spike_end_of(timeline->spike, on)->cpu;
	const struct flight_record *next = next_switch(timeline, cpu, number);

	if (!next || !next->from_ns || next->from_ns > timeline->now_ns)
		return;
	if (next->prev_priority < PRIORITY_FAIR)
		cpu->is_throttled = false;
	if (next->prev_tid == cpu->waiting)
		cpu->waiting = 0;
	for (unsigned end = 0; end < N_TIMELINE_ENDS; end++) {
		const struct spike_end *spike_end = spike_end_of(timeline->spike, end);
		struct member_line *member = &timeline->members[end];

		if (!spike_end->tid || spike_end->tid != next->prev_tid)
			continue;
		member->left = NULL;
		member->is_lost = false;
		member->ran_ns = timeline->now_ns;
		member->has_come |= number == spike_end->cpu;
	}
}

static uint64_t next_change(struct timeline *timeline)
{
	uint64_t next_ns = spike_end_ns(timeline->spike), sent_ns = timeline->spike->sent_ns;

	if (timeline->n_read < timeline->n_records)
		next_ns = smaller_ns(next_ns, timeline->records[timeline->n_read].at_ns);
	if (timeline->n_begun < timeline->n_begins)
		next_ns = smaller_ns(next_ns, timeline->begins[timeline->n_begun]->from_ns);
	for (size_t i = 0; i < timeline->n_open; i++)
		if (timeline->open[i]->until_ns > timeline->now_ns)
			next_ns = smaller_ns(next_ns, timeline->open[i]->until_ns);
	if (sent_ns > timeline->now_ns)
		next_ns = smaller_ns(next_ns, sent_ns);
	for (unsigned end = 0; end < N_TIMELINE_ENDS; end++)
		if (spike_end_of(timeline->spike, end)->moved_ns > timeline->now_ns)
			next_ns = smaller_ns(next_ns, spike_end_of(timeline->spike, end)->moved_ns);
	for (unsigned end = 0; end < N_TIMELINE_ENDS; end++) {
		const struct flight_record *next =
			next_switch(timeline, &timeline->cpus[end], spike_end_of(timeline->spike, end)->cpu);

		if (next && next->from_ns > timeline->now_ns)
			next_ns = smaller_ns(next_ns, next->from_ns);
		if (next && next->queued_ns > timeline->now_ns)
			next_ns = smaller_ns(next_ns, next->queued_ns);
	}
	if (timeline->unseen_ns > timeline->now_ns)
		next_ns = smaller_ns(next_ns, timeline->unseen_ns);
	return next_ns;
}

/* Takes what happened until now, in its order. */
static void read_until_now(struct timeline *timeline)
{
	for (; timeline->n_read < timeline->n_records; timeline->n_read++) {
		const struct flight_record *record = &timeline->records[timeline->n_read];

		if (record->at_ns > timeline->now_ns)
			break;
		read_record(timeline, record);
	}
	open_begun(timeline);
	close_ended(timeline);
	read_stamp(timeline);
	for (unsigned end = 0; end < N_TIMELINE_ENDS; end++)
		read_arrival(timeline, end);
	timeline->next_ns = next_change(timeline);
}

static int compare_begins(const void *left, const void *right)
{
	const struct flight_record *a = *(const struct flight_record *const *)left,
				   *b = *(const struct flight_record *const *)right;

	if (a->from_ns != b->from_ns)
		return a->from_ns < b->from_ns ? -1 : 1;
	return (a->at_ns < b->at_ns) - (a->at_ns > b->at_ns); /* the inner one is shorter */
}

void timeline_start(struct timeline *timeline, const struct spike *spike, const struct flight_record *records,
	size_t n_records)
{
	bool is_cut = n_records > SPIKE_RECORDS_MAX;

	*timeline = (struct timeline){
		.spike = spike, .records = records, .n_records = is_cut ? SPIKE_RECORDS_MAX : n_records};
	timeline->unseen_ns = is_cut ? records[SPIKE_RECORDS_MAX - 1].at_ns : UINT64_MAX;
	for (size_t i = 0; i < timeline->n_records; i++)
		if (records[i].kind != FLIGHT_SWITCH && records[i].from_ns < records[i].at_ns)
			timeline->begins[timeline->n_begins++] = &records[i];
	qsort(timeline->begins, timeline->n_begins, sizeof(timeline->begins[0]), compare_begins);
	timeline->now_ns = spike_start_ns(spike);
	read_until_now(timeline);
}

bool timeline_next(struct timeline *timeline)
{
	if (timeline->next_ns >= spike_end_ns(timeline->spike))
		return false;
	timeline->now_ns = timeline->next_ns;
	read_until_now(timeline);
	return true;
}

/* --- the tasks of CPUs --- */

static struct occupant who_came(const struct flight_record *came)
{
	return came ? (struct occupant){came->next_tid, came->next_priority, came->next_policy,
			      came->next_role, came->next_name}
		    : (struct occupant){0};
}

/* Returns the task that a switch or an interrupt takes from the CPU. */
static struct occupant who_goes(const struct flight_record *goes)
{
	return goes ? (struct occupant){goes->prev_tid, goes->prev_priority, goes->prev_policy,
			      goes->prev_role, goes->prev_name}
		    : (struct occupant){0};
}

/* What the records around a moment say of its CPU. */
struct around {
	const struct timeline *timeline;
	const struct cpu_line *cpu;
	const struct flight_record *next;
	struct occupant came, goes, interrupted;
	struct occupant in_turn; /* the first of two that take turns, or members */
};

/* A task whose switches are all recorded, but for some from idle. */
static bool is_stranger(const struct around *around, const struct occupant *task)
{
	return task->tid && !is_own(around->timeline->spike, task->tid) && task->role != ROLE_MEMBER &&
	       task->role != ROLE_PEER;
}

/* A member of another ring, whose switches to this ring's members are recorded. */
static bool is_rival(const struct around *around, const struct occupant *task)
{
	return task->tid && !is_own(around->timeline->spike, task->tid) && task->role == ROLE_MEMBER;
}

/* Whether an interrupt before the next switch finds another task than the one that goes then. */
static bool finds_another(const struct around *around)
{
	const struct timeline *timeline = around->timeline;

	for (size_t i = timeline->n_begun; i < timeline->n_begins; i++) {
		const struct flight_record *record = timeline->begins[i];

		if (record->from_ns >= around->next->at_ns)
			break;
		if (record->kind != FLIGHT_GAP && !are_turns(record) && record->cpu == around->next->cpu &&
			record->prev_tid && record->prev_tid != around->goes.tid)
			return true;
	}
	return false;
}

/* A record says that the task that goes had come by now. */
static bool has_come(const struct around *around)
{
	return around->next && around->next->from_ns && around->next->from_ns <= around->timeline->now_ns;
}

/* It came later. */
static bool has_yet_to_come(const struct around *around)
{
	return around->next && around->next->from_ns > around->timeline->now_ns;
}

/* A stranger that goes was there since an interrupt found it; since the begin, if nothing speaks against it.
 */
static bool was_there(const struct around *around)
{
	if (has_yet_to_come(around))
		return false;
	if (around->interrupted.tid)
		return around->interrupted.tid == around->goes.tid;
	return !around->cpu->came && !around->cpu->had_gap && !finds_another(around);
}

/* The task that comes next waited for the CPU by now, and it had no time to be idle since then. */
static bool has_waited(const struct around *around)
{
	uint64_t queued_ns = around->next->queued_ns;

	return queued_ns && queued_ns <= around->timeline->now_ns &&
	       !(around->cpu->came && !around->came.tid && queued_ns <= around->cpu->came->at_ns);
}

/* Which of them ran when is not recorded. */
static const struct occupant *name_members(struct around *around, int32_t priority, uint32_t policy)
{
	around->in_turn = (struct occupant){.tid = TID_OF_MEMBERS,
		.priority = priority,
		.policy = policy,
		.role = ROLE_MEMBER,
		.name = "other rings"};
	return &around->in_turn;
}

/* While the member is runnable, a rival that came in its place can't go to sleep without a record, if only of
 * members' turns. Neither can one after which the member comes, and which it can't preempt. Where it is
 * recorded to have come later, only others of its ring can have been there before, while the member waited.
 */
static const struct occupant *find_rival(struct around *around, const struct member_moment *member)
{
	bool came_instead = is_rival(around, &around->came) && member->left && !member->left->prev_state;
	bool comes_before = is_rival(around, &around->goes) && around->next->next_tid == member->end->tid &&
			    around->goes.priority <= spike_end_priority(member->end);
	const struct occupant *rival = came_instead ? &around->came : comes_before ? &around->goes : NULL;

	if (!rival || !has_yet_to_come(around))
		return rival;
	return came_instead || has_waited(around) ? name_members(around, rival->priority, rival->policy)
						  : NULL;
}

/* The task that goes, if it is none of the spike's ring, and there for sure. */
static const struct occupant *find_arrived(const struct around *around)
{
	bool is_other_ring = is_stranger(around, &around->goes) || is_rival(around, &around->goes);

	return is_other_ring && has_come(around) ? &around->goes : NULL;
}

/* One of the tasks that are not recorded may go and come, unless the other task is another one. */
static const struct occupant *find_task_among_hidden(const struct around *around)
{
	if (is_stranger(around, &around->came) && around->goes.tid == around->came.tid)
		return &around->came;
	return is_stranger(around, &around->goes) && around->goes.tid == around->interrupted.tid
		       ? &around->goes
		       : NULL;
}

static struct occupant with_partner(const struct occupant *task, const struct occupant *partner)
{
	struct occupant named = *task;

	named.partner_tid = partner->tid;
	named.partner_name = partner->name;
	return named;
}

/* When each of them ran is not recorded: they are named together, the more urgent one first. */
static const struct occupant *find_first_of_two(struct around *around, const struct flight_record *turns)
{
	struct occupant one = who_goes(turns), other = who_came(turns);
	bool is_one = one.priority != other.priority ? one.priority < other.priority : one.tid < other.tid;

	if (!is_stranger(around, &one) || !is_stranger(around, &other))
		return NULL;
	if (around->timeline->now_ns >= turns->until_ns)
		return is_stranger(around, &around->goes) ? &around->goes : NULL;
	around->in_turn = is_one ? with_partner(&one, &other) : with_partner(&other, &one);
	return &around->in_turn;
}

/* The members of the spike are among them, but on a CPU for moments at most. Who ran after them was not the
 * one that came before them. */
static const struct occupant *find_members(
	struct around *around, const struct member_moment *member, const struct flight_record *turns)
{
	if (around->timeline->now_ns >= turns->until_ns) {
		around->came = (struct occupant){0};
		const struct occupant *arrived = find_arrived(around);

		return arrived || !around->next ? arrived : find_rival(around, member);
	}
	return name_members(around, turns->next_priority, turns->next_policy);
}

/* Returns the task that is there for sure; NULL if there is none. */
static const struct occupant *find_task(struct around *around, const struct member_moment *member)
{
	if (is_stranger(around, &around->came) && (!around->next || around->goes.tid == around->came.tid))
		return &around->came;
	if (find_arrived(around))
		return &around->goes;
	if (is_stranger(around, &around->came))
		return NULL;
	if (is_stranger(around, &around->goes))
		return was_there(around) ? &around->goes : NULL;
	if (is_stranger(around, &around->interrupted) && !around->next && *around->interrupted.name)
		return &around->interrupted;
	return find_rival(around, member);
}

static bool is_other(const struct around *around, const struct occupant *task)
{
	return task->tid && !is_own(around->timeline->spike, task->tid);
}

/* Whether the other end of the hop has the CPU for which the member waits: when it goes to sleep, the member
 * comes. */
static bool has_other_end(const struct around *around, const struct member_moment *member)
{
	const struct occupant *task = has_come(around) ? &around->goes : &around->came;

	return member->left && is_own(around->timeline->spike, task->tid) && task->tid != member->end->tid;
}

static void find_occupant(struct timeline *timeline, enum timeline_end end, struct moment *moment)
{
	struct cpu_line *cpu = &timeline->cpus[end];
	struct around around = {.timeline = timeline, .cpu = cpu};

	around.next = next_switch(timeline, cpu, spike_end_of(timeline->spike, end)->cpu);
	around.came = who_came(cpu->came);
	around.goes = who_goes(around.next);
	around.interrupted = who_goes(cpu->interrupted);
	/* chrt(1) makes a task more urgent while it runs. */
	if (around.came.tid == around.goes.tid && around.goes.priority < around.came.priority) {
		around.came.priority = around.goes.priority;
		around.came.policy = around.goes.policy;
	}
	const struct flight_record *turns = moment->cpu.turns;
	const struct occupant *task = turns && turns->kind == FLIGHT_MEMBERS
					      ? find_members(&around, &moment->member, turns)
				      : turns                   ? find_first_of_two(&around, turns)
				      : moment->cpu.hides_tasks ? find_task_among_hidden(&around)
								: find_task(&around, &moment->member);

	moment->cpu.task = task ? *task : (struct occupant){0};
	moment->cpu.is_doubtful =
		!task && (moment->cpu.hides_tasks || has_other_end(&around, &moment->member) ||
				 is_other(&around, &around.came) || is_other(&around, &around.goes) ||
				 is_other(&around, &around.interrupted));
}

/* --- moments --- */

static bool is_halted(const struct member_moment *member)
{
	return member->left && member->left->prev_state & (FLIGHT_STOPPED | FLIGHT_BLOCKED);
}

/* Finds what is open on the CPU. A gap of others hides nothing while the member is stopped or blocked. */
static void find_intervals(const struct timeline *timeline, int32_t number,
	const struct member_moment *member, struct cpu_moment *cpu)
{
	for (size_t i = 0; i < timeline->n_open; i++) {
		const struct flight_record *record = timeline->open[i];

		if ((int64_t)record->cpu != number)
			continue;
		if (record->kind == FLIGHT_IDLE)
			cpu->idle = record;
		else if (are_turns(record))
			cpu->turns = record;
		else if (record->kind != FLIGHT_GAP)
			cpu->interrupt = record;
		else if (record->number == GAP_OF_HIDDEN)
			cpu->hides_tasks = true;
		else if (record->number != GAP_OF_OTHERS || !is_halted(member))
			cpu->is_unseen = true;
	}
}

static const uint64_t at_once_least_ns = 10000, at_once_most_ns = 40000;

/* Returns whether an interrupt began so soon after another one that the kernel could not switch tasks between
 * them: within twice the length of the shorter one, as on a slow machine both take longer. */
static bool follows_at_once(const struct flight_record *next, const struct flight_record *ended)
{
	uint64_t shorter_ns = smaller_ns(next->at_ns - next->from_ns, ended->at_ns - ended->from_ns);
	uint64_t room_ns = smaller_ns(2 * shorter_ns, at_once_most_ns);

	if (room_ns < at_once_least_ns)
		room_ns = at_once_least_ns;
	return next->from_ns <= ended->at_ns + room_ns;
}

static const struct flight_record *find_next_interrupt(
	struct timeline *timeline, struct cpu_line *cpu, int32_t number)
{
	if (!cpu->ended)
		return NULL;
	for (size_t i = timeline->n_begun; i < timeline->n_begins; i++) {
		const struct flight_record *record = timeline->begins[i], *change;

		if (record->from_ns > cpu->ended->at_ns + at_once_most_ns)
			break;
		if ((int64_t)record->cpu != number || !is_interrupt(record))
			continue;
		if (!follows_at_once(record, cpu->ended))
			return NULL;
		change = next_switch(timeline, cpu, number);
		return change && change->at_ns <= record->from_ns ? NULL : record;
	}
	return NULL;
}

static uint64_t part_start_ns(const struct spike *spike, enum timeline_end end)
{
	return end == TIMELINE_RECEIVER && spike->sent_ns ? spike->sent_ns : spike_start_ns(spike);
}

/* A member's return from idle is not recorded. While it was to run, nothing else but being away can have kept
 * it. From before only an absence counts that can be the spike's, not one in a lap before. One that waits in
 * the kernel mostly does so for a short time; one that was stopped may have had some time until it was due.
 */
static bool is_still_away(const struct spike *spike, enum timeline_end end, const struct member_line *member)
{
	static const uint64_t blocked_before_ns = 10000, stopped_before_ns = 100000000;
	uint64_t before_ns = spike_length_ns(spike);

	if (!member->left || !member->unsure_ns)
		return member->left != NULL;
	if (member->left->prev_state & FLIGHT_BLOCKED)
		before_ns = smaller_ns(before_ns, blocked_before_ns);
	else if (member->left->prev_state & FLIGHT_STOPPED)
		before_ns += stopped_before_ns;
	return member->unsure_ns + before_ns >= part_start_ns(spike, end);
}

/* A member that was to be woken had gone to sleep, without a record: then the task that it had left waiting
 * would have come. */
static bool is_throttled(const struct cpu_line *cpu, const struct spike_end *end)
{
	return cpu->is_throttled || (cpu->waiting && cpu->came && cpu->came->next_tid == end->tid);
}

/* Returns the CPU to which the member comes next; -1: that is not recorded. */
static int32_t find_next_cpu(const struct timeline *timeline, int32_t tid)
{
	for (size_t i = timeline->n_read; i < timeline->n_records; i++)
		if (timeline->records[i].kind == FLIGHT_SWITCH && timeline->records[i].next_tid == tid)
			return (int32_t)timeline->records[i].cpu;
	return -1;
}

void timeline_look(struct timeline *timeline, enum timeline_end end, struct moment *moment)
{
	const struct spike *spike = timeline->spike;
	const struct spike_end *spike_end = spike_end_of(spike, end);
	const struct member_line *member = &timeline->members[end];

	*moment = (struct moment){.spike = spike,
		.from_ns = timeline->now_ns,
		.to_ns = timeline->next_ns,
		.is_sent = spike->sent_ns && timeline->now_ns >= spike->sent_ns,
		.is_sender = end == TIMELINE_SENDER};
	moment->member.end = spike_end;
	moment->member.left = is_still_away(spike, end, member) ? member->left : NULL;
	moment->member.comes_to = -1;
	if (!moment->member.left || !moment->member.left->prev_state)
		moment->member.comes_to = find_next_cpu(timeline, spike_end->tid);
	moment->member.has_run = member->ran_ns && member->ran_ns >= part_start_ns(spike, end);
	/* One that slept when it was moved may have its timer on the old CPU. */
	moment->member.is_lost = member->is_lost || (spike_end->moved_ns && !member->has_come);
	moment->cpu.cpu = spike_end->cpu < 0 ? 0 : (uint32_t)spike_end->cpu;
	moment->cpu.is_unseen = timeline->now_ns >= timeline->unseen_ns;
	moment->cpu.timer_fired =
		timeline->cpus[end].timer_ns && timeline->now_ns >= timeline->cpus[end].timer_ns;
	moment->cpu.is_throttled = is_throttled(&timeline->cpus[end], spike_end);
	find_intervals(timeline, spike_end->cpu, &moment->member, &moment->cpu);
	moment->cpu.next_interrupt = find_next_interrupt(timeline, &timeline->cpus[end], spike_end->cpu);
	find_occupant(timeline, end, moment);
	if (timeline->now_ns < spike_end->moved_ns && !member->has_come) /* it may have been elsewhere */
		moment->cpu =
			(struct cpu_moment){.cpu = moment->cpu.cpu, .is_unseen = !is_halted(&moment->member)};
	if (moment->cpu.idle) { /* that members go to sleep is not recorded */
		moment->cpu.is_doubtful = false;
		if (moment->cpu.task.role == ROLE_MEMBER)
			moment->cpu.task = (struct occupant){0};
	}
}
