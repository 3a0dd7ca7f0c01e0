/* SPDX-License-Identifier: GPL-2.0-or-later */
/* member.c - runs one member of a ring, from pinning it to its end. */
#include "src/ring/member.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "src/base/futex.h"
#include "src/base/process_words.h"
#include "src/machine/memory.h"
#include "src/ring/breaktrace.h"
#include "src/ring/here.h"
#include "src/ring/member_loop.h"
#include "src/ring/origin.h"
#include "src/ring/ring_numa.h"

_Static_assert(MEMBER_WAKE == SIGURG, "member.h names the signal by number, so as not to include signal.h");

/* The sender keeps its memory policy: the kernel allocates for the sender with each token. */
static int attach_ends(struct member_loop *l, enum hop_end end)
{
	struct hop *hop = end == HOP_RECEIVER ? &l->in : &l->out;
	unsigned index = arena_member_index(l->shared);

	ring_numa_prefer(l->ring, end == HOP_RECEIVER ? arena_hop_before(l->ring, index) : index);
	int r = probe_attach(l->probe, hop, end);

	for (unsigned i = 0; i < l->n_others && r == 0; i++)
		r = attach_ends(&l->others[i], end);
	return r;
}

/* Finds the NUMA node of each hop from which this task receives: by now the pages exist. */
static void find_nodes(const struct member_loop *l)
{
	ring_numa_check_hop(l->ring, arena_hop_before(l->ring, arena_member_index(l->shared)), &l->in);
	for (unsigned i = 0; i < l->n_others; i++)
		find_nodes(&l->others[i]);
}

static void publish_stage(struct member_loop *l, enum member_stage stage)
{
	/* Release: pairs with the host's load. */
	atomic_store_explicit(&l->shared->stage, stage, memory_order_release);
	for (unsigned i = 0; i < l->n_others; i++)
		atomic_store_explicit(&l->others[i].shared->stage, stage, memory_order_release);
	atomic_fetch_add_explicit(&l->ring->arrivals, 1, memory_order_release);
	futex_wake_all(&l->ring->arrivals);
}

/* Attaches this task's ends of one side, and waits until all members have done so. */
static int reach_stage(struct member_loop *l, enum hop_end end, enum member_stage stage)
{
	int r = attach_ends(l, end);
	uint32_t go;

	if (r < 0)
		return r;
	if (stage == MEMBER_SENDS)
		find_nodes(l);
	publish_stage(l, stage);
	while ((go = atomic_load_explicit(&l->ring->go, memory_order_acquire)) < stage) {
		if (member_loop_must_stop(l))
			return -ECANCELED;
		futex_wait(&l->ring->go, go, NULL);
	}
	return 0;
}

/* All receiving ends attach before any sending end, and all sending ends before the first lap. */
static int pass_tokens(struct member_loop *l)
{
	unsigned index = arena_member_index(l->shared);
	int r = reach_stage(l, HOP_RECEIVER, MEMBER_RECEIVES);

	if (r == 0)
		r = reach_stage(l, HOP_SENDER, MEMBER_SENDS);
	if (r == 0 && index == 0)
		r = origin_wait_for_turn(l, RING_PAUSED);
	while (r == 0)
		r = index == 0 ? member_loop_start_lap(l) : member_loop_pass_on(l, index == 1);
	/* An error because a neighbour has ended is no failure of the mechanism. */
	return member_loop_must_stop(l) ? -ECANCELED : r;
}

static void watch_limits(struct member_loop *l)
{
	breaktrace_arm(l);
	for (unsigned f = 0; f < N_LIVE_FIGURES; f++)
		l->limit_ns[f] = f == arena_spike_figure(l->ring) ? &l->ring->slow_ns : &l->breach_ns[f];
}

static void loop_init(struct member_loop *l, struct arena_member *shared)
{
	struct arena_ring *ring = shared->ring;
	const struct config *config = ring->arena->config;
	unsigned index = arena_member_index(shared), in = arena_hop_before(ring, index);

	*l = (struct member_loop){
		.ring = ring,
		.shared = shared,
		.arena = ring->arena,
		.probe = ring->probe,
		.in = arena_hop_handle(ring, in),
		.out = arena_hop_handle(ring, index),
		.in_stamp = &arena_hop(ring, in)->stamp,
		.out_stamp = &arena_hop(ring, index)->stamp,
		.here = here_cpu(),
		.place = &shared->place,
		.first_stamp = config->tool.member_laps ? &arena_hop(ring, 0)->stamp : NULL,
		.hold_ns = index == 1 ? config->tool.hold_ns : 0,
		.stamps = config->stamps,
		.rest = duty_cycle_kind(ring),
		.park_from_ns = duty_cycle_may_park(ring) ? 0 : UINT64_MAX,
		.history.number = 1,
		.schedule = {.interval_ns = ring->interval_ns,
			.burst = config->tool.burst ? config->tool.burst : 1},
	};
	if (ring->n_members == 2) {
		l->in.back = &l->out;
		l->out.back = &l->in;
	}
	if (index == 0) {
		l->patience_ns = ring->probe->traits & PROBE_MAY_LOSE ? LOST_TOKEN_NS : 0;
		l->timeout_ns = config->tool.timeout_ns;
		l->lap_log = ring->lap_log;
		l->loops = config->loops;
		l->batch_laps_max = config->batch_laps;
		l->batch_laps = 1;
	}
	memcpy(l->live, shared->live, sizeof(l->live));
	watch_limits(l);
}

static void note_shortcoming(struct arena_ring *ring, enum shortcoming shortcoming)
{
	atomic_fetch_or_explicit(&ring->shortcomings, shortcoming, memory_order_relaxed);
}

/* The memory of tokens and of --work, present before the start. Only a small token is on the stack. */
static int make_buffers(struct member_loop *l)
{
	size_t carried = l->probe->traits & PROBE_PAYLOAD ? l->ring->token_size : 0;
	size_t page = memory_page_size();
	size_t token = carried > sizeof(l->small_token) ? (token_room(carried) + page - 1) / page * page : 0;
	uint64_t work_size = l->arena->config->work_size;

	l->buffers_size = token + work_size;
	if (l->buffers_size) {
		int r = memory_private(&l->buffers, l->buffers_size);

		if (r < 0)
			return r;
		if (r > 0)
			note_shortcoming(l->ring, SHORT_OF_LOCKED_MEMORY);
	}
	token_init(&l->token, token ? l->buffers : l->small_token, carried);
	token_write(&l->token, l->history.number);
	l->in.token = l->out.token = l->token.words;
	if (l->buffers)
		l->work = (const uint64_t *)l->buffers + token / sizeof(uint64_t);
	l->work_words = work_size / sizeof(uint64_t);
	return 0;
}

/* The probes at both ends of a hop may need the tasks there. */
static void publish_task(const struct arena_member *member, struct hop_task task)
{
	unsigned index = arena_member_index(member), in = arena_hop_before(member->ring, index);

	arena_hop(member->ring, index)->ends[HOP_SENDER] = task;
	arena_hop(member->ring, in)->ends[HOP_RECEIVER] = task;
}

/* Plays all other members too, with the same buffers for token and work. */
static int play_others(struct member_loop *l)
{
	const struct hop_task task = {.pid = getpid(), .tid = gettid()};
	unsigned n_others = l->ring->n_members - 1;
	void *start;
	int r = memory_private(&start, n_others * sizeof(*l->others));

	if (r < 0)
		return r;
	l->others = start;
	for (; l->n_others < n_others; l->n_others++) {
		struct arena_member *shared = &l->ring->members[l->n_others + 1];
		struct member_loop *other = &l->others[l->n_others];

		publish_task(shared, task);
		loop_init(other, shared);
		other->place = l->place;
		other->token = l->token;
		other->in.token = other->out.token = l->token.words;
		other->work = l->work;
		other->work_words = l->work_words;
	}
	return 0;
}

static enum shortcoming policy_shortcoming(const struct arena *arena, int error)
{
	if (error != -EPERM)
		return SHORT_OF_POLICY;
	return arena->rt_runtime_zero ? SHORT_OF_RT_RUNTIME : SHORT_OF_REALTIME;
}

/* Sets policy and place. Without the policy the member runs all the same, and the row shows the shortcoming.
 */
static int schedule_member(const struct member_loop *l)
{
	const struct plan_ring *plan = &l->ring->plan;
	int r = plan->has_policy ? task_set_policy(0, plan->policy) : 0;

	/* Before it is pinned: on a busy CPU an ordinary thread might never run to do this. */
	if (r < 0)
		note_shortcoming(l->ring, policy_shortcoming(l->arena, r));
	prctl(PR_SET_TIMERSLACK, 1);
	if (memory_lock_stack() != 0)
		note_shortcoming(l->ring, SHORT_OF_LOCKED_MEMORY);
	r = plan->unpinned ? task_set_affinity(0, &l->arena->plan->unpinned) : task_pin(0, l->shared->cpu);
	if (r < 0 && member_loop_must_stop(l)) /* stop_wake() has moved it */
		return -ECANCELED;
	if (r < 0)
		arena_fail(l->ring, "CPU %u refuses member %u: %s", l->shared->cpu,
			arena_member_index(l->shared), strerror(-r));
	return r;
}

/* After pinning, so that the memory is on the member's node. */
static int allocate_memory(struct member_loop *l)
{
	int r = make_buffers(l);

	if (r < 0)
		arena_fail(l->ring, "member %u lacks %zu KiB for payload and work: %s",
			arena_member_index(l->shared), l->buffers_size >> 10, strerror(-r));
	if (r == 0 && l->arena->config->tool.alone && (r = play_others(l)) < 0)
		arena_fail(l->ring, "no memory to play %u members: %s", l->ring->n_members, strerror(-r));
	return r;
}

/* Where another process of the ring was killed, the host reports that as the reason. */
static void report_failure(const struct member_loop *l, int error)
{
	enum { HOST_LOOKS_US = 20000 };

	if (l->arena->config->fork)
		usleep(HOST_LOOKS_US);
	arena_fail(l->ring, "member %u (tid %d): %s", arena_member_index(l->shared), gettid(),
		probe_explain(l->ring->probe, error));
}

char *member_name(char name[MEMBER_NAME_SIZE], const char *mechanism, uint32_t ring, unsigned member)
{
	int left = 15 - snprintf(NULL, 0, ":%u.%u", ring, member);

	left = left < 1 ? 1 : left < 8 ? left : 8;
	snprintf(name, MEMBER_NAME_SIZE, "%.*s:%u.%u", left, mechanism, ring, member);
	return name;
}

void member_run(struct arena_member *member)
{
	const struct hop_task task = {.pid = getpid(), .tid = gettid()};
	const struct arena_ring *ring = member->ring;
	const struct process_words *words = ring->arena->config->tool.words;
	struct member_loop l;
	char name[MEMBER_NAME_SIZE];

	publish_task(member, task);
	atomic_store_explicit(&member->tid, task.tid, memory_order_release);
	member_name(name, ring->probe->name, ring->plan.id, arena_member_index(member));
	prctl(PR_SET_NAME, words ? words->tool : name);
	loop_init(&l, member);
	int r = schedule_member(&l);

	if (r == 0)
		r = allocate_memory(&l);
	if (r == 0) {
		r = pass_tokens(&l);
		if (r < 0 && r != -ECANCELED)
			report_failure(&l, r);
	}
	if (l.buffers)
		memory_release(l.buffers, l.buffers_size);
	publish_stage(&l, MEMBER_ENDED);
	if (l.n_others)
		memory_release(l.others, l.n_others * sizeof(*l.others));
}
