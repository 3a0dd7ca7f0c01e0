/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_spike_watch.c - on which CPUs a spike is looked for: after members were moved, and by the hop that
 * took most of it; its limit, the policy of a member that has ended, and when the threads of a library are
 * looked for. */
#include "src/engine/spike_watch.h"

#include <pthread.h>
#include <sched.h>
#include <unistd.h>

#include "src/engine/pinning.h"
#include "src/figures/tick.h"
#include "src/flight/flight.h"
#include "src/ring/slow_hop.h"
#include "tests/unit/plan_rows.h"
#include "tests/unit/tap.h"

enum { MS = 1000000, LASTS = 300 * MS, MEMBERS = 8, NONE = -1, ELSEWHERE = 9, GONE = 0x7ffffff0 };

/* The tick of the move ends here. */
static const uint64_t moved_ns = UINT64_C(5000) * MS;

/* A spike of a ring of 8 members, each of which is on the CPU of its number. */
struct moved {
	const char *what;
	unsigned member; /* comes to CPU 9 */
	uint64_t due_ns;
	unsigned hop;         /* which is late; hops after the first only while the spike is under way */
	int sender, receiver; /* the CPUs that are expected */
	bool is_under_way;
	uint64_t sender_moved_ns, receiver_moved_ns; /* expected */
};

static void finds_cpus(struct spike_watch *watch, struct arena_ring *ring, const struct moved *row)
{
	uint64_t end_ns = row->due_ns + LASTS;
	struct tick_ring ticked = {.id = ring->plan.id, .state = RING_PLANNED, .age_ns = LASTS};
	struct tick tick = {.end_ns = end_ns, .rings = &ticked, .n_rings = 1};

	if (row->is_under_way) {
		atomic_store(&arena_hop(ring, row->hop)->stamp.sent_ns, row->due_ns);
		spike_watch_tick(watch, &tick);
	} else {
		spike_log_add(ring->spike_log, &(struct spike_log_entry){.due_ns = row->due_ns,
						       .sent_ns = row->due_ns + MS,
						       .received_ns = end_ns,
						       .token = 1});
	}
	const struct spike_report *report = spike_watch_next(watch, end_ns);

	CHECK(report != NULL, "%s", row->what);
	if (report)
		CHECK(report->spike.sender.cpu == row->sender &&
				report->spike.receiver.cpu == row->receiver &&
				(row->sender == NONE ||
					report->spike.sender.moved_ns == row->sender_moved_ns) &&
				(row->receiver == NONE ||
					report->spike.receiver.moved_ns == row->receiver_moved_ns),
			"%s: on CPUs %d and %d, moved %llu and %llu", row->what, report->spike.sender.cpu,
			report->spike.receiver.cpu, (unsigned long long)report->spike.sender.moved_ns,
			(unsigned long long)report->spike.receiver.moved_ns);
	if (report && row->is_under_way)
		CHECK(report->spike.hop == row->hop && report->spike.sent_ns == row->due_ns &&
				report->spike.hop_from_ns == row->due_ns && !report->spike.hop_to_ns,
			"%s: when its hop was sent", row->what);
}

/* A spike of 100 us, and then a tick whose usual sample of 50 us makes the limit 150 us. After the tick its
 * members end: no task has their tids. */
static void has_the_limit_it_exceeded(struct spike_watch *watch, struct arena_ring *ring)
{
	struct tick_member members[] = {{.tid = GONE, .policy = {SCHED_FIFO, 80, 0}, .cpu = 0},
		{.tid = GONE + 1, .policy = {SCHED_RR, 70, 0}, .cpu = 1}};
	struct hist_cell cells[] = {{hist_bucket(50000), 1000}};
	struct tick_ring ticked = {.id = ring->plan.id, .state = RING_RUNNING, .n_members = 2};
	struct tick tick = {.start_ns = moved_ns - 500 * MS,
		.members = members,
		.n_members = 2,
		.end_ns = moved_ns,
		.rings = &ticked,
		.n_rings = 1,
		.cells = cells};

	atomic_store(&ring->members[0].tid, GONE);
	atomic_store(&ring->members[1].tid, GONE + 1);
	ticked.figures[FIGURE_SERVED].n_cells = 1;
	arena_set_spike_limit(ring, 60000);
	spike_log_add(ring->spike_log, &(struct spike_log_entry){.due_ns = moved_ns - 100000,
					       .sent_ns = moved_ns - 90000,
					       .received_ns = moved_ns,
					       .token = 1});
	spike_watch_tick(watch, &tick);
	CHECK(ring->spike_ns > 100000, "%llu", (unsigned long long)ring->spike_ns);
	const struct spike_report *report = spike_watch_next(watch, moved_ns + MS);

	CHECK(report && report->spike.limit_ns == 60000, "%llu",
		report ? (unsigned long long)report->spike.limit_ns : 0);
	if (report)
		CHECK(task_policy_equal(report->spike.sender.policy, members[0].policy) &&
				task_policy_equal(report->spike.receiver.policy, members[1].policy),
			"policies %d and %d", report->spike.sender.policy.policy,
			report->spike.receiver.policy.policy);
}

/* When each hop was sent, in ms after the sample's start; of a response the last one is the first hop of its
 * own lap, and the others are of the lap before. */
struct stamped {
	const char *what;
	bool is_lap;
	int64_t sent_ms[MEMBERS];
	uint64_t length_ms;
	unsigned hop;
	uint64_t from_ms, to_ms; /* 0, 0: not known */
};

static void finds_the_slow_hop(struct spike_watch *watch, struct arena_ring *ring)
{
	static const struct stamped rows[] = {
		{"a slow hop of a lap", true, {0, 1, 2, 3, 10, 11, 12, 13}, 14, 3, 3, 10},
		{"the first hop", true, {0, 7, 8, 9, 10, 11, 12, 13}, 14, 0, 0, 7},
		{"the last hop", true, {0, 1, 2, 3, 4, 5, 6, 7}, 14, 7, 7, 14},
		{"a token that was parked", true, {-1, 1, 2, 3, 10, 11, 12, 13}, 14, 0, 0, 0},
		{"a token that was lost", true, {0, 1, 2, 3, -20, 11, 12, 13}, 14, 0, 0, 0},
		{"a response to a lap alone", false, {9, -7, -6, -5, -4, -3, -2, -1}, 10, 0, 0, 0},
		{"a hop of the lap before", false, {9, -2, -1, 6, 7, 7, 8, 8}, 10, 2, 0, 6},
		{"the first hop of the lap before", false, {9, 6, 7, 7, 8, 8, 8, 8}, 10, 0, 0, 6},
		{"the origin, which did not get the lap before", false, {9, -6, -5, -4, -3, -2, -1, 1}, 10, 7,
			1, 9},
		{"the own first hop", false, {2, -6, -5, -4, -3, -2, -1, 1}, 10, 0, 2, 10},
		{"a lap before that had lost its token", false, {9, -2, -1, 6, -7, 7, 8, 8}, 10, 0, 0, 0},
	};
	const uint64_t from_ns = moved_ns;

	for (size_t i = 0; i < COUNT(rows); i++) {
		const struct stamped *row = &rows[i];
		uint64_t to_ns = from_ns + row->length_ms * MS;

		for (unsigned h = 0; h < MEMBERS; h++)
			atomic_store(&arena_hop(ring, h)->stamp.sent_ns,
				from_ns + (uint64_t)(row->sent_ms[h] * MS));
		struct slow_hop slow = row->is_lap ? slow_hop_of_lap(ring, from_ns, to_ns)
						   : slow_hop_of_response(ring, from_ns, to_ns);

		CHECK(row->to_ms ? slow.hop == row->hop && slow.from_ns == from_ns + row->from_ms * MS &&
					   slow.to_ns == from_ns + row->to_ms * MS
				 : !slow.from_ns,
			"%s: hop %u, %lld to %lld", row->what, slow.hop, (long long)(slow.from_ns - from_ns),
			(long long)(slow.to_ns - from_ns));
	}
	spike_log_add(ring->spike_log, &(struct spike_log_entry){.due_ns = from_ns,
					       .sent_ns = from_ns + 9 * MS,
					       .received_ns = from_ns + 10 * MS,
					       .hop = MEMBERS - 1,
					       .hop_from_ns = from_ns + MS,
					       .hop_to_ns = from_ns + 9 * MS});
	const struct spike_report *report = spike_watch_next(watch, from_ns + 11 * MS);

	CHECK(report && report->spike.hop == MEMBERS - 1 && report->spike.sender.cpu == MEMBERS - 1 &&
			report->spike.receiver.cpu == 0 && report->spike.hop_to_ns == from_ns + 9 * MS,
		"the ends are not those of the hop");
	spike_log_add(ring->spike_log, &(struct spike_log_entry){.due_ns = from_ns + 20 * MS,
					       .sent_ns = from_ns + 29 * MS,
					       .received_ns = from_ns + 30 * MS,
					       .hop = MEMBERS,
					       .hop_from_ns = from_ns + 21 * MS,
					       .hop_to_ns = from_ns + 29 * MS});
	CHECK(!spike_watch_next(watch, from_ns + 11 * MS), "the round is not over");
	report = spike_watch_next(watch, from_ns + 31 * MS);
	CHECK(report && report->spike.due_ns == from_ns + 20 * MS && report->spike.hop == 0 &&
			report->spike.sender.cpu == 0 && report->spike.receiver.cpu == 1 &&
			!report->spike.hop_from_ns && !report->spike.hop_to_ns,
		"a hop that the ring does not have is one");
}

/* The round began 2 ms before the second spike was received. */
static void sees_no_spike_before_it_was_received(struct spike_watch *watch, struct arena_ring *ring)
{
	const struct spike_report *report;
	unsigned n = 0;

	for (unsigned i = 0; i < 2; i++)
		spike_log_add(
			ring->spike_log, &(struct spike_log_entry){.due_ns = moved_ns + i * 20 * MS + MS,
						 .sent_ns = moved_ns + i * 20 * MS + 9 * MS,
						 .received_ns = moved_ns + i * 20 * MS + 10 * MS});
	for (; (report = spike_watch_next(watch, moved_ns + 28 * MS)); n++)
		CHECK(report->spike.seen_ns == moved_ns + 30 * MS, "%lld ms after the start",
			(long long)(report->spike.seen_ns - moved_ns) / MS);
	CHECK(n == 2, "%u spikes", n);
}

static struct tick tick_without_samples(struct tick_member members[MEMBERS], struct tick_ring *ring)
{
	static struct hist_cell none[1];

	return (struct tick){.end_ns = moved_ns,
		.members = members,
		.n_members = MEMBERS,
		.rings = ring,
		.n_rings = 1,
		.cells = none};
}

/* All members end after the first tick, and the token is on its way over a later hop. */
static void has_the_policies_of_members_that_ended(struct spike_watch *watch, struct arena_ring *ring)
{
	enum { HOP = 4 };
	struct tick_member members[MEMBERS] = {{0}};
	struct tick_ring ticked = {.id = ring->plan.id, .state = RING_RUNNING, .n_members = MEMBERS};
	struct tick tick = tick_without_samples(members, &ticked);

	for (int m = 0; m < MEMBERS; m++) {
		members[m] =
			(struct tick_member){.tid = GONE + m, .policy = {SCHED_FIFO, 10 + m, 0}, .cpu = m};
		atomic_store(&ring->members[m].tid, GONE + m);
	}
	spike_watch_tick(watch, &tick);
	tick.end_ns = moved_ns + LASTS;
	ticked.state = RING_DONE;
	ticked.age_ns = LASTS;
	atomic_store(&arena_hop(ring, HOP)->stamp.sent_ns, moved_ns);
	spike_watch_tick(watch, &tick);
	const struct spike_report *report = spike_watch_next(watch, tick.end_ns);

	CHECK(report && report->spike.sender.policy.priority == 10 + HOP &&
			report->spike.receiver.policy.priority == 11 + HOP,
		"priorities %d and %d", report ? report->spike.sender.policy.priority : 0,
		report ? report->spike.receiver.policy.priority : 0);
}

static void *sleep_on(void *lock)
{
	pthread_mutex_lock(lock);
	pthread_mutex_unlock(lock);
	return NULL;
}

/* Returns whether the recorder is to know others than after the tick before. */
static bool brings_others(struct spike_watch *watch, struct tick *tick)
{
	spike_watch_tick(watch, tick);
	bool is_behind = spike_watch_is_behind(watch);

	spike_watch_restart(watch);
	return is_behind;
}

/* The processes of members are this one, which has a main thread, and then another one. */
static void looks_for_threads_of_a_library_where_its_ring_changed(
	struct spike_watch *watch, struct arena_ring *ring)
{
	struct probe with_threads = *ring->probe;
	struct tick_member members[MEMBERS] = {{0}};
	struct tick_ring ticked = {.id = ring->plan.id, .state = RING_RUNNING, .n_members = MEMBERS};
	struct tick tick = tick_without_samples(members, &ticked);
	pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	pthread_t thread;

	if (!owner_proc_is_own())
		return;
	with_threads.traits |= PROBE_HAS_THREADS;
	ring->probe = &with_threads;
	for (int m = 0; m < MEMBERS; m++) {
		members[m] = (struct tick_member){.tid = GONE + m, .policy.policy = -1, .cpu = m};
		ring->members[m].tid = GONE + m;
	}
	spike_watch_meet(watch);
	CHECK(!spike_watch_is_behind(watch), "it does not run yet");
	arena_set_state(ring, RING_RUNNING);
	spike_watch_meet(watch);
	CHECK(spike_watch_is_behind(watch), "it is known before a tick");
	spike_watch_restart(watch);
	CHECK(!brings_others(watch, &tick), "the tick has the same members");
	for (int m = 0; m < MEMBERS; m++)
		members[m].pid = getpid();
	ticked.state = RING_PAUSED;
	CHECK(!brings_others(watch, &tick), "the main thread is no library's");
	pthread_mutex_lock(&lock);
	CHECK(pthread_create(&thread, NULL, sleep_on, &lock) == 0);
	CHECK(!brings_others(watch, &tick), "it was looked for again");
	ticked.state = RING_RUNNING;
	CHECK(brings_others(watch, &tick));
	pthread_mutex_unlock(&lock);
	pthread_join(thread, NULL);
	CHECK(!brings_others(watch, &tick), "it was looked for again");
}

typedef void check_watch(struct spike_watch *watch, struct arena_ring *ring);

/* @row: NULL: no member is moved, each ring finds its own limit, and @check looks. */
static void check_spike(const struct moved *row, check_watch *check)
{
	static const struct row planned_as = {"core:10 pu:1", .members = MEMBERS, .n_rings = 1};
	struct pinned members[MEMBERS] = {{0}};
	const struct pinned_ring pinned = {.members = members};
	struct planned planned;
	struct arena *arena = NULL;
	struct flight *flight = NULL;
	struct spike_watch *watch = NULL;

	if (!planned_init(&planned, &planned_as))
		return;
	planned.config.spike_ns = row ? MS : 0;
	int r = arena_create(
		&arena, &planned.plan, &planned.config, &planned.topology, 4096, &planned.reason);

	if (r == 0)
		r = flight_create(&flight, FLIGHT_OFF, 0);
	if (r == 0)
		r = spike_watch_create(&watch, arena, flight, false);
	CHECK(r == 0, "%s", planned.reason.text);
	if (r == 0 && !row)
		check(watch, &arena->rings[0]);
	if (r == 0 && row) {
		pinning_publish(&pinned, &arena->rings[0], moved_ns - 1000 * MS);
		members[row->member].moved_to = ELSEWHERE + 1;
		pinning_publish(&pinned, &arena->rings[0], moved_ns);
		pinning_publish(&pinned, &arena->rings[0], moved_ns + 1000 * MS);
		finds_cpus(watch, &arena->rings[0], row);
	}
	spike_watch_destroy(watch);
	flight_destroy(flight);
	arena_destroy(arena);
	planned_finish(&planned);
}

static void an_end_that_was_moved_has_its_new_cpu_from_then_on(void)
{
	const uint64_t before = moved_ns - 100 * MS, long_before = moved_ns - LASTS, after = moved_ns + MS;
	const struct moved rows[] = {
		{"the receiver is moved", 1, before, 0, 0, ELSEWHERE, false, 0, moved_ns},
		{"the sender is moved", 0, before, 0, ELSEWHERE, 1, false, moved_ns, 0},
		{"another member is moved", 7, before, 0, 0, 1, false, 0, 0},
		{"the receiver was moved before", 1, after, 0, 0, ELSEWHERE, false, 0, 0},
		{"the sender was moved before", 0, after, 0, ELSEWHERE, 1, false, 0, 0},
		{"the receiver is moved at the end", 1, long_before, 0, 0, NONE, false, 0, 0},
		{"the receiver of a later hop is moved", 4, before, 3, 3, ELSEWHERE, true, 0, moved_ns},
		{"the sender of a later hop is moved", 3, before, 3, ELSEWHERE, 4, true, moved_ns, 0},
		{"the origin is moved, and the lap is on its way", 0, before, 3, 3, 4, true, 0, 0},
		{"the sender of a later hop was moved before", 3, after, 3, ELSEWHERE, 4, true, 0, 0},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		check_spike(&rows[i], NULL);
}

static void a_spike_has_the_limit_that_it_exceeded_and_the_policy_of_members_that_ended(void)
{
	check_spike(NULL, has_the_limit_it_exceeded);
	check_spike(NULL, has_the_policies_of_members_that_ended);
}

static void the_hop_that_took_most_has_the_ends_that_are_judged(void)
{
	check_spike(NULL, finds_the_slow_hop);
}

static void no_spike_is_seen_before_it_was_received(void)
{
	check_spike(NULL, sees_no_spike_before_it_was_received);
}

static void threads_of_a_library_are_looked_for_where_their_ring_changed(void)
{
	check_spike(NULL, looks_for_threads_of_a_library_where_its_ring_changed);
}

int main(void)
{
	TEST(an_end_that_was_moved_has_its_new_cpu_from_then_on);
	TEST(a_spike_has_the_limit_that_it_exceeded_and_the_policy_of_members_that_ended);
	TEST(the_hop_that_took_most_has_the_ends_that_are_judged);
	TEST(no_spike_is_seen_before_it_was_received);
	TEST(threads_of_a_library_are_looked_for_where_their_ring_changed);
	return tap_done();
}
