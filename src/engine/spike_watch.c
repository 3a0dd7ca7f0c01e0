/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike_watch.c - finds spikes, and asks the flight recorder what ran meanwhile. */
#include "src/engine/spike_watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/bytes.h"
#include "src/base/clock.h"
#include "src/base/sorted.h"
#include "src/engine/hint_watch.h"
#include "src/flight/flight.h"
#include "src/machine/all_tasks.h"
#include "src/machine/cpus.h"
#include "src/machine/topology.h"

enum { PER_SECOND = 20, FOUND_MAX = 4096, WAITING_MAX = 20 };
static const uint64_t second_ns = 1000000000, stuck_first_ns = 200000000;
/* How long a spike waits to be reported, where too many come at once: mostly the recorder still has its
 * records. */
static const uint64_t patience_ns = 500000000;

/* A ring, by its index in the arena. */
struct watched {
	uint32_t id;
	uint64_t n_read;     /* of its log */
	uint64_t stalled_ns; /* when the last spike of its log ended */
	struct spike_usual usual;
	uint64_t limit_before_ns;             /* what the last tick replaced; 0: nothing yet */
	uint64_t stuck_due_ns, stuck_next_ns; /* the slot that was reported; from which age on it is again */
	struct spike stuck;     /* as it was reported: what it hints at may be gone at its end */
	struct spike_end *ends; /* owned; the members at the last tick that found them: tid, policy */
	size_t n_ends;
	struct flight_member *companions; /* owned; a library's threads, in the processes of members */
	size_t n_companions;
	bool is_met; /* its members are among those that the recorder is to know */
	/* The ring's state and its first member, when its companions were looked for; tid 0: never. */
	enum ring_state searched_state;
	int32_t searched_tid, searched_cpu;
	/* The longest spike of the last round that had one. */
	uint64_t late_round, late_from_ns, late_to_ns;
};

struct spike_watch {
	struct arena *arena;   /* the caller's */
	struct flight *flight; /* the caller's */
	struct hint_watch *hints;
	bool proc_is_own;      /* else tids of /proc are not those of members */
	struct watched *rings; /* owned; by index */
	size_t n_rings;
	struct spike found[FOUND_MAX]; /* in this round, or left over from the one before */
	size_t n_found, n_told;
	bool in_round;
	uint64_t round; /* its number */
	uint32_t n_passed_over;
	uint64_t allowance_ns; /* of spikes that may be reported: each takes a part of a second */
	uint64_t read_ns;      /* the last round */
	/* What the flight recorder watches. */
	struct cpus cpus;
	struct flight_member *members; /* owned */
	size_t n_members, members_room;
	uint64_t watched_check; /* of the members that it is to watch */
	bool is_behind;         /* it does not yet */
	struct spike_report report;
	struct flight_record records[SPIKE_RECORDS_MAX];
};

int spike_watch_create(struct spike_watch **watch, struct arena *arena, struct flight *flight, bool is_guest)
{
	*watch = calloc(1, sizeof(**watch));
	if (!*watch)
		return -ENOMEM;
	(*watch)->arena = arena;
	(*watch)->flight = flight;
	(*watch)->proc_is_own = owner_proc_is_own();
	int r = hint_watch_create(&(*watch)->hints, is_guest);

	if (r < 0) {
		spike_watch_destroy(*watch);
		*watch = NULL;
	}
	return r;
}

static void free_lists(struct watched *watched)
{
	free(watched->ends);
	free(watched->companions);
}

void spike_watch_destroy(struct spike_watch *watch)
{
	if (!watch)
		return;
	hint_watch_destroy(watch->hints);
	for (size_t i = 0; i < watch->n_rings; i++)
		free_lists(&watch->rings[i]);
	free(watch->rings);
	free(watch->members);
	free(watch);
}

/* Returns NULL without memory: then the ring has no spikes yet. */
static struct watched *watched_of(struct spike_watch *watch, const struct arena_ring *ring)
{
	size_t i = (size_t)(ring - watch->arena->rings);

	if (i >= watch->n_rings) {
		size_t n = 2 * i + 16;
		struct watched *rings = realloc(watch->rings, n * sizeof(*rings));

		if (!rings)
			return NULL;
		for (size_t k = watch->n_rings; k < n; k++)
			rings[k] = (struct watched){.id = UINT32_MAX}; /* no ring's */
		watch->rings = rings;
		watch->n_rings = n;
	}
	if (watch->rings[i].id != ring->plan.id) {
		free_lists(&watch->rings[i]);
		watch->rings[i] = (struct watched){.id = ring->plan.id};
	}
	return &watch->rings[i];
}

static struct watched *find_watched(const struct spike_watch *watch, uint32_t ring)
{
	for (size_t i = 0; i < watch->n_rings; i++)
		if (watch->rings[i].id == ring)
			return &watch->rings[i];
	return NULL;
}

/* --- spikes --- */

static void note_late(const struct spike_watch *watch, struct watched *watched, const struct spike *spike)
{
	if (watched->late_round == watch->round &&
		watched->late_to_ns - watched->late_from_ns >= spike_length_ns(spike))
		return;
	watched->late_round = watch->round;
	watched->late_from_ns = spike_start_ns(spike);
	watched->late_to_ns = watched->late_from_ns + spike_length_ns(spike);
}

static void add_spike(struct spike_watch *watch, struct watched *watched, const struct spike *spike)
{
	note_late(watch, watched, spike);
	if (watch->n_found < FOUND_MAX)
		watch->found[watch->n_found++] = *spike;
	else
		watch->n_passed_over++;
}

/* Where a member was before it was moved is not known: its new CPU says nothing about that time. */
static struct spike_end end_of(const struct arena_member *member, const struct spike *spike)
{
	int32_t place = atomic_load_explicit(&member->place, memory_order_relaxed);

	return (struct spike_end){.tid = atomic_load_explicit(&member->tid, memory_order_relaxed),
		.cpu = place >= 0 && member->moved_ns < spike_end_ns(spike) ? place : -1,
		.policy.policy = -1,
		.moved_ns = member->moved_ns > spike_start_ns(spike) ? member->moved_ns : 0};
}

/* @hop: the one that was late. */
static void set_ends(const struct arena_ring *ring, unsigned hop, struct spike *spike)
{
	spike->hop = hop;
	spike->sender = end_of(&ring->members[hop], spike);
	spike->receiver = end_of(&ring->members[(hop + 1) % ring->n_members], spike);
}

/* Members write the log: of a hop that the ring does not have nothing is known. */
static void set_hop(const struct arena_ring *ring, const struct spike_log_entry *entry, struct spike *spike)
{
	bool is_known = entry->hop < ring->n_members;

	spike->hop_from_ns = is_known ? entry->hop_from_ns : 0;
	spike->hop_to_ns = is_known ? entry->hop_to_ns : 0;
	set_ends(ring, is_known ? entry->hop : 0, spike);
}

static struct spike spike_of(const struct arena_ring *ring, uint64_t now_ns)
{
	enum figure figure = arena_spike_figure(ring) == LIVE_SERVED ? FIGURE_RESPONSE : FIGURE_LAP;

	return (struct spike){.ring = ring->plan.id,
		.figure = figure,
		.seen_ns = now_ns,
		.limit_ns = atomic_load_explicit(&ring->spike_ns, memory_order_relaxed)};
}

/* A slot that was due while another spike lasted waited for that one's lap: it is no stall of its own, unless
 * it went on for long after that. */
static bool is_of_stall_before(
	const struct watched *watched, const struct spike_log_entry *entry, uint64_t limit_ns)
{
	return entry->due_ns && entry->due_ns < watched->stalled_ns &&
	       entry->received_ns <= watched->stalled_ns + limit_ns;
}

static void read_log(struct spike_watch *watch, const struct arena_ring *ring, uint64_t now_ns)
{
	struct watched *watched = watched_of(watch, ring);
	struct spike_log_entry entry;
	uint64_t n_lost = 0;

	while (watched && spike_log_read(ring->spike_log, &watched->n_read, &n_lost, &entry)) {
		struct spike spike = spike_of(ring, now_ns);
		bool is_told = is_of_stall_before(watched, &entry, spike.limit_ns);

		watched->stalled_ns = entry.received_ns;
		if (is_told)
			continue;
		spike.due_ns = entry.due_ns;
		spike.sent_ns = entry.sent_ns;
		spike.received_ns = entry.received_ns;
		spike.token = entry.token;
		/* A tick may have raised the limit since the member compared with it. */
		if (spike_length_ns(&spike) <= spike.limit_ns && watched->limit_before_ns &&
			spike_length_ns(&spike) > watched->limit_before_ns)
			spike.limit_ns = watched->limit_before_ns;
		if (spike_length_ns(&spike) <= spike.limit_ns && watch->arena->config->breaktrace_ns)
			spike.limit_ns = watch->arena->config->breaktrace_ns;
		set_hop(ring, &entry, &spike);
		add_spike(watch, watched, &spike);
	}
	watch->n_passed_over += (uint32_t)n_lost;
}

/* Finds where the token of an overdue slot is: with its sender, unless a stamp says that it was sent, or that
 * the lap before it is still on its way. */
static void find_token(const struct arena_ring *ring, struct spike *spike)
{
	uint64_t last_ns = 0;
	unsigned last = 0;

	if (arena_spike_figure(ring) != LIVE_SERVED)
		return;
	for (unsigned hop = 0; hop < ring->n_members; hop++) {
		uint64_t sent_ns =
			atomic_load_explicit(&arena_hop(ring, hop)->stamp.sent_ns, memory_order_relaxed);

		if (sent_ns > last_ns) {
			last_ns = sent_ns;
			last = hop;
		}
	}
	bool is_here = last == ring->n_members - 1 && last_ns <= spike->due_ns; /* the origin is to send it */

	if (!last_ns || is_here)
		return;
	set_ends(ring, last, spike);
	if (last == 0 && last_ns > spike->due_ns) {
		spike->sent_ns = last_ns;
	} else {
		spike->sent_ns = spike->due_ns;
		spike->hop_from_ns = larger_ns(last_ns, spike->due_ns);
	}
}

/* Reports an overdue slot when it is old, and again each time that its age has doubled. */
static void find_stuck(
	struct spike_watch *watch, const struct arena_ring *ring, uint64_t age_ns, uint64_t now_ns)
{
	struct watched *watched = watched_of(watch, ring);
	struct spike spike = spike_of(ring, now_ns);

	if (!watched || age_ns < stuck_first_ns || age_ns <= spike.limit_ns || !ring->interval_ns)
		return;
	spike.due_ns = now_ns - age_ns;
	if (watched->stuck_due_ns != spike.due_ns)
		watched->stuck_next_ns = 0;
	if (age_ns < watched->stuck_next_ns)
		return;
	watched->stuck_due_ns = spike.due_ns;
	watched->stuck_next_ns = 2 * age_ns;
	set_ends(ring, 0, &spike);
	find_token(ring, &spike);
	add_spike(watch, watched, &spike);
}

/* The longest come first; but before them what was under way: the report of its end replaces it. */
static int compare_reports(const void *left, const void *right)
{
	const struct spike *a = left, *b = right;
	uint64_t a_ns = spike_length_ns(a), b_ns = spike_length_ns(b);

	if (!a->received_ns != !b->received_ns)
		return a->received_ns ? 1 : -1;
	return (a_ns < b_ns) - (a_ns > b_ns);
}

/* Members write while the logs are read: all spikes of a round, from @first on, are seen once the last of
 * them was received. */
static void set_seen(struct spike_watch *watch, size_t first, uint64_t now_ns)
{
	for (size_t i = first; i < watch->n_found; i++)
		now_ns = larger_ns(now_ns, watch->found[i].received_ns);
	for (size_t i = first; i < watch->n_found; i++)
		watch->found[i].seen_ns = now_ns;
}

static void begin_round(struct spike_watch *watch, uint64_t now_ns)
{
	size_t n_before = watch->n_found;

	watch->allowance_ns += watch->read_ns ? now_ns - watch->read_ns : second_ns;
	if (watch->allowance_ns > second_ns)
		watch->allowance_ns = second_ns;
	watch->read_ns = now_ns;
	hint_watch_look(watch->hints, &watch->cpus, now_ns);
	for (struct arena_ring *ring = NULL; (ring = arena_next(watch->arena, ring));)
		read_log(watch, ring, now_ns);
	set_seen(watch, n_before, now_ns);
	qsort(watch->found, watch->n_found, sizeof(*watch->found), compare_reports);
	watch->in_round = true;
	watch->round++;
	watch->n_told = 0;
	/* After the logs: it has what happened until then. */
	flight_drain(watch->flight);
}

/* The longest of what could not be reported wait for the next round; what is under way will be found again.
 */
static void end_round(struct spike_watch *watch, uint64_t now_ns)
{
	size_t n = 0;

	for (size_t i = watch->n_told; i < watch->n_found; i++) {
		const struct spike *spike = &watch->found[i];

		bool is_late = spike->seen_ns + patience_ns <= now_ns;

		/* One of them stays: it tells of those that do not. */
		if (n < WAITING_MAX && spike->received_ns && (!is_late || n == 0))
			watch->found[n++] = *spike;
		else
			watch->n_passed_over++;
	}
	watch->n_found = n;
	watch->in_round = false;
}

/* --- hints --- */

/* Both lasted at the same time, for the most part. */
static bool is_late_with(const struct watched *watched, const struct spike *spike)
{
	uint64_t from_ns = spike_start_ns(spike), to_ns = spike_end_ns(spike),
		 longer_ns = watched->late_to_ns - watched->late_from_ns;

	if (longer_ns < to_ns - from_ns)
		longer_ns = to_ns - from_ns;
	if (from_ns < watched->late_from_ns)
		from_ns = watched->late_from_ns;
	if (to_ns > watched->late_to_ns)
		to_ns = watched->late_to_ns;
	return to_ns > from_ns && 2 * (to_ns - from_ns) >= longer_ns;
}

/* A ring whose interval is longer may have had no lap at that time. */
static bool had_lap(const struct arena_ring *ring, const struct spike *spike)
{
	return arena_state(ring) == RING_RUNNING && ring->interval_ns <= spike_length_ns(spike);
}

static void count_ring_on_cpu(const struct spike_watch *watch, const struct arena_ring *ring, bool is_late,
	int32_t cpu, struct cpu_hints *hints)
{
	const struct topology *topology = watch->arena->topology;
	const struct topology_cpu *at = cpu < 0 ? NULL : topology_find(topology, (unsigned)cpu), *other;
	bool is_on_cpu = false, is_on_core = false;

	for (uint32_t m = 0; m < ring->n_members && cpu >= 0; m++) {
		int32_t place = atomic_load_explicit(&ring->members[m].place, memory_order_relaxed);

		is_on_cpu |= place == cpu;
		if (!at || place < 0 || !(other = topology_find(topology, (unsigned)place)))
			continue;
		is_on_core |= topology_cpu_locality(at, other) <= LOCALITY_SMT;
	}
	hints->n_rings += is_on_cpu;
	hints->n_late += is_on_cpu && is_late;
	hints->n_core_rings += is_on_core;
	hints->n_core_late += is_on_core && is_late;
}

static void count_rings(const struct spike_watch *watch, struct spike *spike)
{
	for (struct arena_ring *ring = NULL; (ring = arena_next(watch->arena, ring));) {
		size_t i = (size_t)(ring - watch->arena->rings);
		const struct watched *watched = &watch->rings[i];
		bool is_late =
			i < watch->n_rings && watched->id == ring->plan.id && is_late_with(watched, spike);

		if (!is_late && !had_lap(ring, spike))
			continue;
		spike->n_rings++;
		spike->n_late += is_late;
		count_ring_on_cpu(watch, ring, is_late, spike->sender.cpu, &spike->sender_hints);
		count_ring_on_cpu(watch, ring, is_late, spike->receiver.cpu, &spike->receiver_hints);
	}
}

static void take_top(struct cpu_hints *hints, const struct cpu_hints *before)
{
	if (!before->top_tid || (hints->top_tid && hints->top_priority <= before->top_priority))
		return;
	hints->top_tid = before->top_tid;
	hints->top_priority = before->top_priority;
	hints->top_is_past = true;
	memcpy(hints->top_name, before->top_name, sizeof(hints->top_name));
}

static void take_from(struct spike_end *end, struct cpu_hints *hints, const struct spike_end *stuck,
	const struct cpu_hints *stuck_hints)
{
	if (end->tid == stuck->tid)
		end->policy = stuck->policy;
	if (end->cpu == stuck->cpu)
		take_top(hints, stuck_hints);
}

/* Keeps for the end of a stall what was known while it was under way: then the task that held the CPU may be
 * gone, and the member may have the other policy that ended the stall. */
static void join_reports(struct spike_watch *watch, struct spike *spike)
{
	struct watched *watched = find_watched(watch, spike->ring);

	if (!watched)
		return;
	if (!spike->received_ns) {
		watched->stuck = *spike;
	} else if (watched->stuck.seen_ns > spike->due_ns && watched->stuck.seen_ns <= spike->received_ns) {
		const struct spike *stuck = &watched->stuck;

		take_from(&spike->sender, &spike->sender_hints, &stuck->sender, &stuck->sender_hints);
		take_from(&spike->sender, &spike->sender_hints, &stuck->receiver, &stuck->receiver_hints);
		take_from(&spike->receiver, &spike->receiver_hints, &stuck->sender, &stuck->sender_hints);
		take_from(&spike->receiver, &spike->receiver_hints, &stuck->receiver, &stuck->receiver_hints);
	}
}

static void find_hints(struct spike_watch *watch, struct spike *spike)
{
	hint_watch_add_beside_records(watch->hints, spike);
	if (flight_is_recording(watch->flight))
		return;
	count_rings(watch, spike);
	hint_watch_add(watch->hints, watch->members, watch->n_members, spike);
}

static void read_policy(const struct watched *watched, struct spike_end *end)
{
	if (!end->tid || task_get_policy(end->tid, &end->policy) == 0 || !watched)
		return;
	for (size_t i = 0; i < watched->n_ends; i++)
		if (watched->ends[i].tid == end->tid)
			end->policy = watched->ends[i].policy;
}

/* A member that has ended has the policy of the last tick. */
static void read_policies(const struct spike_watch *watch, struct spike *spike)
{
	const struct watched *watched = find_watched(watch, spike->ring);

	read_policy(watched, &spike->sender);
	read_policy(watched, &spike->receiver);
}

const struct spike_report *spike_watch_next(struct spike_watch *watch, uint64_t now_ns)
{
	if (!watch->in_round)
		begin_round(watch, now_ns);
	if (watch->n_told == watch->n_found || watch->allowance_ns < second_ns / PER_SECOND) {
		end_round(watch, now_ns);
		return NULL;
	}
	struct spike *spike = &watch->found[watch->n_told++];

	watch->allowance_ns -= second_ns / PER_SECOND;
	read_policies(watch, spike);
	find_hints(watch, spike);
	join_reports(watch, spike);
	spike->n_passed_over = watch->n_passed_over;
	watch->n_passed_over = 0;
	watch->report = (struct spike_report){
		*spike, watch->records, flight_find(watch->flight, spike, watch->records, SPIKE_RECORDS_MAX)};
	return &watch->report;
}

/* --- what the recorder watches --- */

static int compare_tids(const void *left, const void *right)
{
	const struct flight_member *a = left, *b = right;

	return (a->tid > b->tid) - (a->tid < b->tid);
}

static bool has_members(const struct tick_ring *ring)
{
	return ring->state != RING_PLANNED && ring->state != RING_OPENING &&
	       !ring_state_has_ended(ring->state);
}

/* Without memory a member counts as a task of others. */
static void add_member(struct spike_watch *watch, struct flight_member member)
{
	if (watch->n_members == watch->members_room) {
		size_t room = 2 * watch->members_room + 16;
		struct flight_member *members = reallocarray(watch->members, room, sizeof(*watch->members));

		if (!members)
			return;
		watch->members = members;
		watch->members_room = room;
	}
	watch->members[watch->n_members++] = member;
}

struct search {
	struct spike_watch *watch;
	const struct tick_ring *ring;
	const struct tick_member *members; /* the ring's */
};

/* An all_tasks_visit_process() callback. The main thread of members that are threads is no library's. */
static void add_companion(void *data, pid_t pid, pid_t tid)
{
	const struct search *search = data;
	struct cpus cpus;

	if (tid == pid)
		return;
	for (uint32_t m = 0; m < search->ring->n_members; m++)
		if (search->members[m].tid == tid)
			return;
	if (task_get_affinity(tid, &cpus) == 0)
		add_member(search->watch, (struct flight_member){tid, search->ring->id,
						  cpus_count(&cpus) == 1 ? cpus_next(&cpus, -1) : -1});
}

/* Members that are threads have one process. */
static void find_companions(
	struct spike_watch *watch, const struct tick_ring *ring, const struct tick_member *members)
{
	struct search search = {watch, ring, members};

	for (uint32_t m = 0; m < ring->n_members; m++)
		if (members[m].pid && (m == 0 || members[m].pid != members[0].pid))
			all_tasks_visit_process(members[m].pid, add_companion, &search);
}

/* Those that were found are the list's last. Without memory they are looked for again. */
static void keep_companions(const struct spike_watch *watch, size_t n_before, struct watched *watched,
	const struct tick_ring *ring, const struct tick_member *first)
{
	size_t n = watch->n_members - n_before;
	struct flight_member *companions = reallocarray(watched->companions, n + 1, sizeof(*companions));

	if (!companions)
		return;
	if (n)
		memcpy(companions, &watch->members[n_before], n * sizeof(*companions));
	watched->companions = companions;
	watched->n_companions = n;
	watched->searched_state = ring->state;
	watched->searched_tid = first->tid;
	watched->searched_cpu = first->cpu;
}

/* A library starts its threads before the ring's first lap. To read the processes of many rings takes
 * milliseconds, so it is done again only where the ring's state, or its first member, is another one. */
static void collect_companions(struct spike_watch *watch, struct watched *watched,
	const struct tick_ring *ring, const struct tick_member *members)
{
	size_t n_before = watch->n_members;

	if (members->tid && watched->searched_tid == members->tid && watched->searched_cpu == members->cpu &&
		watched->searched_state == ring->state) {
		for (size_t i = 0; i < watched->n_companions; i++)
			add_member(watch, watched->companions[i]);
		return;
	}
	find_companions(watch, ring, members);
	keep_companions(watch, n_before, watched, ring, members);
}

static void collect_ring(struct spike_watch *watch, const struct arena_ring *ring,
	const struct tick_ring *ticked, const struct tick *tick)
{
	const struct tick_member *members = &tick->members[ticked->first_member];

	for (uint32_t m = 0; m < ticked->n_members; m++) {
		if (!members[m].tid)
			continue;
		add_member(watch, (struct flight_member){members[m].tid, ticked->id, members[m].cpu});
		if (members[m].cpu >= 0)
			cpus_add(&watch->cpus, (unsigned)members[m].cpu);
	}
	struct watched *watched = watched_of(watch, ring);

	if (watched && ring->probe->traits & PROBE_HAS_THREADS && watch->proc_is_own)
		collect_companions(watch, watched, ticked, members);
	if (watched)
		watched->is_met = true;
}

/* Returns NULL if the tick does not have it. Rings are not in the order of their ids. */
static const struct tick_ring *find_ticked(const struct tick *tick, const struct arena_ring *ring)
{
	size_t at = SORTED_INDEX(tick->rings, tick->n_rings, struct tick_ring, id, ring->plan.id);

	return at < tick->n_rings && tick->rings[at].id == ring->plan.id ? &tick->rings[at] : NULL;
}

static void collect_members(struct spike_watch *watch, const struct tick *tick)
{
	watch->n_members = 0;
	watch->cpus = (struct cpus){0};
	for (struct arena_ring *ring = NULL; (ring = arena_next(watch->arena, ring));) {
		const struct tick_ring *ticked = find_ticked(tick, ring);

		if (ticked && has_members(ticked))
			collect_ring(watch, ring, ticked, tick);
	}
}

bool spike_watch_is_behind(const struct spike_watch *watch)
{
	return watch->is_behind;
}

void spike_watch_restart(struct spike_watch *watch)
{
	watch->is_behind = false;
	flight_watch(watch->flight, &(struct flight_watch){&watch->cpus, watch->members, watch->n_members});
}

static void note_members(struct spike_watch *watch)
{
	/* A sweep has none. */
	if (watch->n_members)
		qsort(watch->members, watch->n_members, sizeof(*watch->members), compare_tids);
	uint64_t check = bytes_check(watch->members, watch->n_members * sizeof(*watch->members));

	if (check == watch->watched_check || !watch->n_members)
		return;
	watch->watched_check = check;
	watch->is_behind = true;
}

/* A spike names the two members of its hop by itself. The recorder takes further members, and the threads of
 * a library, for tasks of others until it knows them. Members pin themselves before their ring runs. */
static bool is_to_be_met(struct spike_watch *watch, struct arena_ring *ring)
{
	bool are_all_ends = ring->n_members == 2 && !(ring->probe->traits & PROBE_HAS_THREADS);
	const struct watched *watched = watched_of(watch, ring);

	return !are_all_ends && watched && !watched->is_met && arena_state(ring) == RING_RUNNING;
}

/* As the next tick will have it. Without memory, not before that. */
static void meet_ring(struct spike_watch *watch, struct arena_ring *ring)
{
	struct tick_member *members = calloc(ring->n_members, sizeof(*members));
	struct tick_ring ticked = {.id = ring->plan.id, .n_members = ring->n_members, .state = RING_RUNNING};

	for (uint32_t m = 0; members && m < ring->n_members; m++) {
		members[m].pid = atomic_load_explicit(&ring->members[m].pid, memory_order_relaxed);
		members[m].tid = atomic_load_explicit(&ring->members[m].tid, memory_order_acquire);
		members[m].cpu = ring->plan.unpinned ? -1 : (int32_t)ring->members[m].cpu;
	}
	if (members)
		collect_ring(watch, ring, &ticked, &(struct tick){.members = members});
	free(members);
}

void spike_watch_meet(struct spike_watch *watch)
{
	bool has_met = false;

	for (struct arena_ring *ring = NULL; (ring = arena_next(watch->arena, ring));)
		if (is_to_be_met(watch, ring)) {
			meet_ring(watch, ring);
			has_met = true;
		}
	if (has_met)
		note_members(watch);
}

static void set_limit(struct spike_watch *watch, struct arena_ring *ring, const struct tick_ring *ticked,
	const struct tick *tick)
{
	struct watched *watched = watched_of(watch, ring);
	bool serves = arena_spike_figure(ring) == LIVE_SERVED;
	const struct tick_figure *figure = &ticked->figures[serves ? FIGURE_SERVED : FIGURE_LAP];

	if (!watched || watch->arena->config->spike_ns)
		return;
	watched->limit_before_ns = ring->spike_ns;
	arena_set_spike_limit(ring, spike_limit(&watched->usual, &tick->cells[figure->first_cell],
					    figure->n_cells, tick->end_ns - tick->start_ns, ring->spike_ns));
}

static void note_ends(struct spike_watch *watch, const struct arena_ring *ring,
	const struct tick_ring *ticked, const struct tick *tick)
{
	struct watched *watched = watched_of(watch, ring);

	if (watched && !watched->ends) {
		watched->ends = calloc(ring->n_members, sizeof(*watched->ends));
		watched->n_ends = watched->ends ? ring->n_members : 0;
	}
	for (size_t i = 0; watched && i < watched->n_ends && i < ticked->n_members; i++) {
		const struct tick_member *member = &tick->members[ticked->first_member + i];

		if (member->tid && member->policy.policy >= 0)
			watched->ends[i] = (struct spike_end){.tid = member->tid, .policy = member->policy};
	}
}

void spike_watch_tick(struct spike_watch *watch, const struct tick *tick)
{
	collect_members(watch, tick);
	note_members(watch);
	if (!flight_is_recording(watch->flight))
		hint_watch_tick(watch->hints, &watch->cpus);
	for (struct arena_ring *ring = NULL; (ring = arena_next(watch->arena, ring));) {
		const struct tick_ring *ticked = find_ticked(tick, ring);

		if (!ticked)
			continue;
		set_limit(watch, ring, ticked, tick);
		note_ends(watch, ring, ticked, tick);
		find_stuck(watch, ring, ticked->age_ns, tick->end_ns);
	}
}

void spike_watch_finish(struct spike_watch *watch, uint64_t now_ns)
{
	begin_round(watch, now_ns);
	watch->allowance_ns = second_ns;
	if (watch->n_found > PER_SECOND) {
		watch->n_passed_over += (uint32_t)(watch->n_found - PER_SECOND);
		watch->n_found = PER_SECOND;
	}
}
