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
#include "src/machine/memory.h"
#include "src/ring/breaktrace.h"
#include "src/ring/here.h"
#include "src/ring/lost_token.h"
#include "src/ring/member_loop.h"
#include "src/ring/origin.h"
#include "src/ring/ring_numa.h"

_Static_assert(MEMBER_WAKE == SIGURG, "member.h names the signal by number, so as not to include signal.h");

/* The sender keeps its memory policy: the kernel allocates for the sender with each token. */
static int attach(struct member_loop *l, enum hop_end end, unsigned member)
{
	struct hop *hop = end == HOP_RECEIVER ? &l->in : &l->out;

	ring_numa_prefer(l->arena, l->ring, end == HOP_RECEIVER ? arena_hop_before(l->ring, member) : member);
	int r = probe_attach(l->probe, hop, end);

	for (unsigned i = 0; i < l->n_others && r == 0; i++)
		r = attach(&l->others[i], end, i + 1);
	return r;
}

/* Finds the NUMA node of the hop from which this member receives. */
static void look(const struct member_loop *l, unsigned member)
{
	ring_numa_check_hop(l->arena, l->ring, arena_hop_before(l->ring, member), &l->in);
	for (unsigned i = 0; i < l->n_others; i++)
		look(&l->others[i], i + 1);
}

static void arrive(struct member_loop *l, enum member_stage stage)
{
	/* Release: pairs with the host's load. */
	atomic_store_explicit(&l->slot->stage, stage, memory_order_release);
	for (unsigned i = 0; i < l->n_others; i++)
		atomic_store_explicit(&l->others[i].slot->stage, stage, memory_order_release);
	atomic_fetch_add_explicit(&l->ring->arrivals, 1, memory_order_release);
	futex_wake_all(&l->ring->arrivals);
}

static int wait_for_all(struct member_loop *l, enum member_stage stage)
{
	uint32_t go;

	while ((go = atomic_load_explicit(&l->ring->go, memory_order_acquire)) < stage) {
		if (member_loop_must_stop(l))
			return -ECANCELED;
		futex_wait(&l->ring->go, go, NULL);
	}
	return 0;
}

/* All receiving ends, then all sending ends, then go. */
static int take_part(struct member_loop *l, unsigned index)
{
	int r = attach(l, HOP_RECEIVER, index);

	if (r < 0)
		return r;
	arrive(l, MEMBER_RECEIVES);
	r = wait_for_all(l, MEMBER_RECEIVES);
	if (r == 0)
		r = attach(l, HOP_SENDER, index);
	if (r < 0)
		return r;
	look(l, index);
	arrive(l, MEMBER_SENDS);
	r = wait_for_all(l, MEMBER_SENDS);
	if (r == 0 && index == 0)
		r = origin_wait_for_turn(l, RING_PAUSED);
	while (r == 0)
		r = index == 0 ? member_loop_start_lap(l) : member_loop_pass_on(l, index == 1);
	/* An error because a neighbour has ended is no failure of the mechanism. */
	if (member_loop_must_stop(l))
		return -ECANCELED;
	return r;
}

static void loop_init(struct member_loop *l, const struct member *member)
{
	const struct arena *arena = member->arena;
	struct ring_slot *ring = member->ring;
	unsigned in = arena_hop_before(ring, member->index);

	*l = (struct member_loop){
		.arena = arena,
		.ring = ring,
		.head = arena->head,
		.probe = member->probe,
		.slot = arena_member(arena, ring, member->index),
		.in_stamp = &arena_hop(arena, ring, in)->stamp,
		.out_stamp = &arena_hop(arena, ring, member->index)->stamp,
	};
	l->here = here_cpu();
	l->place = &l->slot->place;
	arena_open_handle(arena, ring, member->probe, in, &l->in);
	arena_open_handle(arena, ring, member->probe, member->index, &l->out);
	l->history.number = 1;
	l->rest = duty_cycle_kind(ring);
	if (member->index == 0 && member->probe->traits & PROBE_MAY_LOSE)
		l->patience_ns = LOST_TOKEN_NS;
	if (member->index == 0)
		l->timeout_ns = ring->timeout_ns;
	if (member->index == 1)
		l->hold_ns = ring->hold_ns;
	if (ring->has_member_laps)
		l->first_stamp = &arena_hop(arena, ring, 0)->stamp;
	if (member->index == 0 && ring->lap_log)
		l->lap_log = arena_at(arena, ring->lap_log);
	for (unsigned f = 0; f < N_LIVE_FIGURES; f++)
		l->live[f] = arena_live(arena, l->slot, (enum live_figure)f);
	breaktrace_arm(l);
	l->schedule = (struct lap_schedule){.interval_ns = ring->interval_ns, .burst = ring->burst};
}

static void fall_short(struct ring_slot *ring, enum shortcoming of)
{
	atomic_fetch_or_explicit(&ring->shortcomings, of, memory_order_relaxed);
}

/* The memory of tokens and of --work, present before the start. Only a small token is on the stack. */
struct buffers {
	void *start; /* NULL: none are needed */
	size_t size;
};

static int buffers_init(struct buffers *buffers, struct member_loop *l)
{
	size_t carried = l->probe->traits & PROBE_PAYLOAD ? l->ring->token_size : 0;
	size_t token = carried > sizeof(l->small_token) ? (token_room(carried) + PAGE - 1) / PAGE * PAGE : 0;
	int r;

	*buffers = (struct buffers){.size = token + l->ring->work_size};
	if (buffers->size) {
		r = memory_private(&buffers->start, buffers->size);
		if (r < 0)
			return r;
		if (r > 0)
			fall_short(l->ring, SHORT_OF_LOCKED_MEMORY);
	}
	token_init(&l->token, token ? buffers->start : l->small_token, carried);
	token_write(&l->token, l->history.number);
	l->in.token = l->out.token = l->token.words;
	if (buffers->start)
		l->work = (const uint64_t *)buffers->start + token / sizeof(uint64_t);
	l->work_words = l->ring->work_size / sizeof(uint64_t);
	return 0;
}

static void tell_neighbours(const struct member *member, struct hop_task task)
{
	const struct ring_slot *ring = member->ring;
	unsigned in = arena_hop_before(ring, member->index);

	arena_hop(member->arena, ring, member->index)->ends[HOP_SENDER] = task;
	arena_hop(member->arena, ring, in)->ends[HOP_RECEIVER] = task;
}

/* Writes pid, tid and name for neighbours, sampler and users. */
static void introduce(const struct member *member, struct member_slot *slot)
{
	struct ring_slot *ring = member->ring;
	struct hop_task task = {.pid = getpid(), .tid = gettid()};
	char name[32]; /* the kernel keeps 15 */

	tell_neighbours(member, task);
	atomic_store_explicit(&slot->tid, task.tid, memory_order_release);
	snprintf(name, sizeof(name), "%.8s:%u.%u", member->probe->name, ring->id, member->index);
	prctl(PR_SET_NAME, name);
}

/* Plays all other members too, with the same buffers for token and work. */
static int play_others(struct member_loop *l, const struct member *member)
{
	const struct hop_task task = {.pid = getpid(), .tid = gettid()};
	struct member other = *member;
	void *start;
	int r = memory_private(&start, (member->ring->n_members - 1) * sizeof(*l->others));

	if (r < 0)
		return r;
	l->others = start;
	while (++other.index < member->ring->n_members) {
		struct member_loop *loop = &l->others[l->n_others++];

		tell_neighbours(&other, task);
		loop_init(loop, &other);
		loop->place = l->place;
		loop->token = l->token;
		loop->in.token = loop->out.token = l->token.words;
		loop->work = l->work;
		loop->work_words = l->work_words;
	}
	return 0;
}

static enum shortcoming why_refused(const struct arena_head *head, int error)
{
	if (error != -EPERM)
		return SHORT_OF_POLICY;
	return head->rt_runtime_zero ? SHORT_OF_RT_RUNTIME : SHORT_OF_REALTIME;
}

static int prepare(struct member_loop *l, const struct member *member, struct buffers *buffers)
{
	struct ring_slot *ring = member->ring;
	int r = ring->has_policy ? task_set_policy(0, ring->policy) : 0;

	/* Before it is pinned: on a busy CPU an ordinary thread might never run to do this. */
	if (r < 0)
		fall_short(ring, why_refused(l->head, r)); /* it runs without, and the row says so */
	prctl(PR_SET_TIMERSLACK, 1);
	if (memory_lock_stack() != 0)
		fall_short(ring, SHORT_OF_LOCKED_MEMORY);
	r = ring->unpinned ? task_set_affinity(0, &l->head->unpinned) : task_pin(0, l->slot->cpu);
	if (r < 0 && member_loop_must_stop(l)) /* stop_wake() has moved it */
		return -ECANCELED;
	if (r < 0)
		arena_fail(member->arena, ring, "CPU %u refuses member %u: %s", l->slot->cpu, member->index,
			strerror(-r));
	if (r < 0)
		return r;
	r = buffers_init(buffers, l); /* after pinning, so that they are on its node */
	if (r < 0)
		arena_fail(member->arena, ring, "member %u lacks %zu KiB for payload and work: %s",
			member->index, buffers->size >> 10, strerror(-r));
	if (r == 0 && ring->alone && (r = play_others(l, member)) < 0)
		arena_fail(member->arena, ring, "no memory to play %u members: %s", ring->n_members,
			strerror(-r));
	return r;
}

/* Where another process of the ring was killed, the host reports that as the reason. */
static void report_failure(const struct member *member, int error)
{
	enum { HOST_LOOKS_US = 20000 };

	if (member->ring->fork)
		usleep(HOST_LOOKS_US);
	arena_fail(member->arena, member->ring, "member %u (tid %d): %s", member->index, gettid(),
		strerror(-error));
}

void member_run(const struct member *member)
{
	struct member_slot *slot = arena_member(member->arena, member->ring, member->index);
	struct buffers buffers = {0};
	struct member_loop l;

	introduce(member, slot);
	loop_init(&l, member);
	int r = prepare(&l, member, &buffers);

	if (r == 0) {
		r = take_part(&l, member->index);
		if (r < 0 && r != -ECANCELED)
			report_failure(member, r);
	}
	if (buffers.start)
		memory_release(buffers.start, buffers.size);
	arrive(&l, r == -ECANCELED ? MEMBER_ENDED : MEMBER_FAILED);
	if (l.n_others)
		memory_release(l.others, l.n_others * sizeof(*l.others));
}
