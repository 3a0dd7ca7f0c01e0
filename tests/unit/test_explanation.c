/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_explanation.c - why a spike happened, by records that are made up. */
#include "src/witness/explanation.h"

#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/recorded_spike.h"
#include "tests/unit/tap.h"

enum {
	US = 1000,
	DUE = 500000000,
	ORIGIN = 100,
	OTHER = 101,
	PEER = 102,
	RIVAL = 200,
	HOG = 4711,
	STOPPER = 4800,
	FIFO_90 = 9,
	FIFO_80 = 19,
	FAIR = 120
};
enum { MAX = 8 };

/* The origin is due at 0 us, sends at @sent_us, and member 1 receives at @received_us. Both are FIFO 80. */
static struct spike spike_of(uint64_t sent_us, uint64_t received_us)
{
	return (struct spike){.figure = FIGURE_RESPONSE,
		.due_ns = DUE,
		.sent_ns = DUE + sent_us * US,
		.received_ns = DUE + received_us * US,
		.seen_ns = DUE + received_us * US + 1,
		.sender = {ORIGIN, 0, {SCHED_FIFO, 80, 0}},
		.receiver = {OTHER, 1, {SCHED_FIFO, 80, 0}}};
}

static void name_task(char name[16], int32_t tid)
{
	snprintf(name, 16, "%s",
		tid == HOG       ? "hog"
		: tid == STOPPER ? "migration/1"
		: tid == RIVAL   ? "shm:1.0"
		: tid == 0       ? "swapper"
		: tid < HOG      ? "mq:0.0"
				 : "other");
}

static enum flight_role role_of(int32_t tid)
{
	return tid && tid < HOG ? ROLE_MEMBER : ROLE_OTHER;
}

/* A switch at so many us after due. */
static struct flight_record switch_at(
	int64_t us, uint32_t cpu, int32_t prev, int32_t next, uint32_t prev_state, int32_t priority)
{
	struct flight_record record = {.kind = FLIGHT_SWITCH,
		.cpu = cpu,
		.at_ns = (uint64_t)(DUE + us * US),
		.prev_tid = prev,
		.next_tid = next,
		.prev_state = prev_state,
		.prev_priority = priority,
		.next_priority = priority};

	name_task(record.prev_name, prev);
	name_task(record.next_name, next);
	record.prev_role = role_of(prev);
	record.next_role = role_of(next);
	return record;
}

static struct flight_record of_policy(struct flight_record record, uint32_t policy)
{
	record.next_policy = policy;
	return record;
}

/* The task that goes has another priority than the one that comes. */
static struct flight_record of_prev_priority(struct flight_record record, int32_t priority)
{
	record.prev_priority = priority;
	return record;
}

/* The task that goes had the CPU since @came_us, and the one that comes waited since @queued_us. */
static struct flight_record since(struct flight_record record, int64_t came_us, int64_t queued_us)
{
	record.from_ns = (uint64_t)(DUE + came_us * US);
	record.queued_ns = (uint64_t)(DUE + queued_us * US);
	return record;
}

/* The task that goes may run nowhere else. */
static struct flight_record pinned(struct flight_record record)
{
	record.number = SWITCH_PINNED;
	return record;
}

/* The task that goes has no quota left. */
static struct flight_record throttled(struct flight_record record)
{
	record.number = SWITCH_THROTTLED;
	return record;
}

static struct flight_record lasting(enum flight_kind kind, int64_t from_us, int64_t to_us, uint32_t cpu,
	uint32_t number, const char *name)
{
	struct flight_record record = {.kind = kind,
		.cpu = cpu,
		.from_ns = (uint64_t)(DUE + from_us * US),
		.at_ns = (uint64_t)(DUE + to_us * US),
		.number = number};

	snprintf(record.next_name, sizeof(record.next_name), "%s", name);
	return record;
}

static struct flight_record of_others(int64_t from_us, int64_t to_us, uint32_t cpu)
{
	return lasting(FLIGHT_GAP, from_us, to_us, cpu, GAP_OF_OTHERS, "");
}

/* Of the two tasks of a switch, until that, or until the task that goes then ran alone. */
static struct flight_record turns_of(struct flight_record record, int64_t from_us, int64_t until_us)
{
	record.kind = FLIGHT_TURNS;
	record.from_ns = (uint64_t)(DUE + from_us * US);
	record.until_ns = (uint64_t)(DUE + until_us * US);
	record.prev_state = 0;
	record.number = 90;
	return record;
}

/* Members of several rings took turns, as above. */
static struct flight_record members(int64_t from_us, int64_t until_us, int64_t to_us, int32_t priority)
{
	struct flight_record record = turns_of(switch_at(to_us, 0, 0, 0, 0, priority), from_us, until_us);

	record.kind = FLIGHT_MEMBERS;
	return record;
}

/* An interrupt that found @task on the CPU. */
static struct flight_record interrupted(int64_t from_us, int64_t to_us, uint32_t cpu, int32_t task)
{
	struct flight_record record = lasting(FLIGHT_TIMER, from_us, to_us, cpu, 0, "");

	record.prev_tid = task;
	record.prev_role = role_of(task);
	return record;
}

#define HELD(from, to, cpu, priority)                                                                        \
	switch_at(from, cpu, 0, HOG, 0, priority), switch_at(to, cpu, HOG, ORIGIN, FLIGHT_SLEEPS, priority)

struct story {
	const char *what;
	struct spike spike;
	struct flight_record records[MAX]; /* up to the first that is at 0 */
	const char *expected;
};

static void check_story(const struct story *story)
{
	struct explanation explanation;
	char text[EXPLANATION_TEXT_SIZE];
	size_t n = 0;

	while (n < MAX && story->records[n].at_ns)
		n++;
	explain_recorded(&explanation, &story->spike, story->records, n);
	CHECK(strcmp(explanation_text(&explanation, text), story->expected) == 0, "%s: %s, not %s",
		story->what, text, story->expected);
}

#define CHECK_STORIES(stories)                                                                               \
	for (size_t i = 0; i < sizeof(stories) / sizeof(*(stories)); i++)                                    \
	check_story(&(stories)[i])

static struct spike with_policy(struct spike spike, int policy, int priority)
{
	spike.sender.policy = spike.receiver.policy = (struct task_policy){policy, priority, 0};
	return spike;
}

/* A lap of @us, without due. */
static struct spike flood_of(uint64_t us)
{
	struct spike spike = spike_of(0, us);

	spike.figure = FIGURE_LAP;
	spike.due_ns = 0;
	return spike;
}

static struct spike on_one_cpu(struct spike spike)
{
	spike.receiver.cpu = spike.sender.cpu;
	return spike;
}

/* Its hop from the origin to member 1, which are those of @spike, had the token in this time. */
static struct spike in_hop(struct spike spike, uint64_t from_us, uint64_t to_us)
{
	spike.hop_from_ns = DUE + from_us * US;
	spike.hop_to_ns = to_us ? DUE + to_us * US : 0;
	return spike;
}

/* It was not received yet. */
static struct spike under_way(struct spike spike, uint64_t seen_us)
{
	spike.received_ns = 0;
	spike.seen_ns = DUE + seen_us * US;
	return spike;
}

static void each_cause_is_named(void)
{
	const struct story stories[] = {
		{"a hog before the lap", spike_of(210, 215), {HELD(-5, 205, 0, FIFO_90)},
			"hog 4711 (RT90) held CPU 0 for 205 us"},
		{"a hog of FIFO", spike_of(210, 215),
			{of_policy(switch_at(-5, 0, 0, HOG, 0, FIFO_90), SCHED_FIFO),
				switch_at(205, 0, HOG, ORIGIN, 0, FIFO_90)},
			"hog 4711 (FF90) held CPU 0 for 205 us"},
		{"a hog of RR, and another one", spike_of(210, 215),
			{of_policy(switch_at(-5, 0, 0, HOG, 0, FIFO_90), SCHED_RR),
				of_policy(switch_at(110, 0, HOG, HOG + 1, 0, FIFO_90), SCHED_FIFO),
				switch_at(205, 0, HOG + 1, ORIGIN, 0, FIFO_90)},
			"hog 4711 (RR90) held CPU 0 for 110 us; other (FF90) 95 us"},
		{"a hog that was there before the first record", spike_of(210, 215),
			{switch_at(205, 0, HOG, ORIGIN, 0, FIFO_90)},
			"hog 4711 (RT90) held CPU 0 for 205 us"},
		{"a hog at the receiver", spike_of(5, 305), {HELD(0, 300, 1, FIFO_90)},
			"hog 4711 (RT90) held CPU 1 for 295 us"},
		{"a deadline task", spike_of(210, 215), {HELD(-5, 205, 0, -1)},
			"hog 4711 (DL) held CPU 0 for 205 us"},
		{"a task that became real-time while it ran", spike_of(210, 215),
			{switch_at(-5, 0, 0, HOG, 0, FAIR),
				switch_at(205, 0, HOG, ORIGIN, FLIGHT_SLEEPS, FIFO_90)},
			"hog 4711 (RT90) held CPU 0 for 205 us"},
		{"an ordinary task beside an ordinary member",
			with_policy(spike_of(210, 215), SCHED_OTHER, 0), {HELD(-5, 205, 0, FAIR)},
			"hog 4711 held CPU 0 for 205 us"},
		{"a nice task beside an ordinary member", with_policy(spike_of(210, 215), SCHED_OTHER, 0),
			{HELD(-5, 205, 0, FAIR + 5)}, "hog 4711 (nice 5) held CPU 0 for 205 us"},
		{"an ordinary task beside a real-time member that was not woken", spike_of(210, 215),
			{HELD(-5, 205, 0, FAIR)}, "timer late by 205 us, while hog 4711 ran on CPU 0"},
		{"a task of a lower priority", spike_of(210, 215), {HELD(-5, 205, 0, 49)},
			"timer late by 205 us, while hog 4711 (RT50) ran on CPU 0"},
		{"an ordinary task beside a real-time receiver", spike_of(5, 215), {HELD(-5, 205, 1, FAIR)},
			"woken late by 200 us, while hog 4711 ran on CPU 1"},
		{"an ordinary task while a real-time member is runnable", spike_of(5, 50005),
			{switch_at(6, 1, OTHER, HOG, 0, FAIR), switch_at(50000, 1, HOG, OTHER, 0, FAIR)},
			"throttled (fair server or RT limit) for 50 ms: the kernel gave CPU 1 to hog"},
		{"nobody while a member is runnable", spike_of(5, 50005),
			{switch_at(6, 1, OTHER, 0, 0, FAIR)},
			"throttled (RT limit) for 50 ms: the kernel gave CPU 1 to nobody"},
		{"a CPU whose real-time tasks are throttled", spike_of(5, 50005),
			{pinned(switch_at(-100, 1, HOG, 0, 0, FIFO_90))},
			"throttled (RT limit) for 50 ms: the kernel gave CPU 1 to nobody"},
		{"a hog that was throttled, and may be elsewhere since", spike_of(5, 50005),
			{switch_at(-100, 1, HOG, 0, 0, FIFO_90)}, "unexplained 50 of 50 ms"},
		{"a hog that is throttled meanwhile", spike_of(5, 50005),
			{switch_at(-5, 1, 0, HOG, 0, FIFO_90), switch_at(10005, 1, HOG, 0, 0, FIFO_90)},
			"throttled (RT limit) for 40 ms: the kernel gave CPU 1 to nobody"},
		{"such a CPU, before the timer", spike_of(50000, 50005),
			{pinned(switch_at(-100, 0, HOG, 0, 0, FIFO_90))},
			"throttled (RT limit) for 50 ms: the kernel gave CPU 0 to nobody"},
		{"until the hog is back", spike_of(5, 50005),
			{pinned(switch_at(-100, 1, HOG, 0, 0, FIFO_90)),
				switch_at(20005, 1, 0, HOG, 0, FIFO_90),
				switch_at(50000, 1, HOG, OTHER, 0, FIFO_90)},
			"hog 4711 (RT90) held CPU 1 for 30 ms; throttled (RT limit) 20 ms"},
		{"a hog that the member left waiting", spike_of(5, 50005),
			{pinned(switch_at(-20, 1, HOG, OTHER, 0, FIFO_90))},
			"throttled (RT limit) for 50 ms: the kernel gave CPU 1 to nobody"},
		{"a task of a lower priority that waits while the member runs", spike_of(300, 305),
			{pinned(switch_at(100, 0, HOG, ORIGIN, 0, 49))},
			"unexplained 205 of 305 us; timer late (hog ran) 100 us"},
		{"a hog that may have gone to another CPU", spike_of(5, 50005),
			{switch_at(-20, 1, HOG, OTHER, 0, FIFO_90)}, "unexplained 50 of 50 ms"},
		{"a hog that was back meanwhile", spike_of(5, 50005),
			{pinned(switch_at(-20, 1, HOG, OTHER, 0, FIFO_90)),
				switch_at(-10, 1, OTHER, HOG, FLIGHT_SLEEPS, FIFO_90),
				switch_at(-5, 1, HOG, 0, FLIGHT_SLEEPS, FIFO_90)},
			"unexplained 50 of 50 ms"},
		{"a hog that went to sleep", spike_of(5, 50005),
			{switch_at(-100, 1, HOG, 0, FLIGHT_SLEEPS, FIFO_90)}, "unexplained 50 of 50 ms"},
		{"a deadline task whose budget is spent", spike_of(5, 50005),
			{switch_at(-100, 1, HOG, 0, 0, -1)}, "unexplained 50 of 50 ms"},
		{"an ordinary member where real-time tasks are throttled",
			with_policy(spike_of(5, 50005), SCHED_OTHER, 0),
			{switch_at(-100, 1, HOG, 0, 0, FIFO_90)}, "unexplained 50 of 50 ms"},
		{"a deadline member whose budget is spent",
			with_policy(spike_of(5, 50005), SCHED_DEADLINE, 0),
			{switch_at(6, 1, OTHER, 0, 0, -1)},
			"throttled (deadline budget) for 50 ms: the kernel gave CPU 1 to nobody"},
		{"a quota", with_policy(spike_of(5, 50005), SCHED_OTHER, 0),
			{switch_at(6, 1, OTHER, 0, 0, FAIR)},
			"throttled (quota) for 50 ms: the kernel gave CPU 1 to nobody"},
		{"a quota, while another one runs", with_policy(spike_of(5, 50005), SCHED_OTHER, 0),
			{throttled(switch_at(6, 1, OTHER, HOG, 0, FAIR)),
				switch_at(50000, 1, HOG, OTHER, 0, FAIR)},
			"throttled (quota) for 50 ms: the kernel gave CPU 1 to hog"},
		{"a quota that was spent before the member ran again",
			with_policy(spike_of(5, 50005), SCHED_OTHER, 0),
			{throttled(switch_at(-90, 1, OTHER, HOG, 0, FAIR)),
				switch_at(-20, 1, HOG, OTHER, 0, FAIR), switch_at(6, 1, OTHER, HOG, 0, FAIR),
				switch_at(50000, 1, HOG, OTHER, 0, FAIR)},
			"hog 4711 held CPU 1 for 50 ms"},
		{"an ordinary member that another one follows",
			with_policy(spike_of(5, 5005), SCHED_OTHER, 0),
			{switch_at(6, 1, OTHER, HOG, 0, FAIR), switch_at(5000, 1, HOG, OTHER, 0, FAIR)},
			"hog 4711 held CPU 1 for 5.0 ms"},
		{"a member that is stopped", spike_of(5, 50005),
			{switch_at(6, 1, OTHER, 0, FLIGHT_STOPPED, FAIR)}, "stopped for 50 ms"},
		{"a member that is stopped, while there is no room for what others do", spike_of(5, 50005),
			{switch_at(6, 1, OTHER, HOG, FLIGHT_STOPPED, FAIR), of_others(7, 45000, 1),
				switch_at(45001, 1, HOG, OTHER, FLIGHT_SLEEPS, FAIR)},
			"stopped for 45 ms"},
		{"a member that is not away, while there is no room for what others do", spike_of(5, 50005),
			{switch_at(4, 1, OTHER, HOG, FLIGHT_SLEEPS, FAIR), of_others(6, 45000, 1),
				switch_at(45001, 1, HOG, OTHER, FLIGHT_SLEEPS, FAIR)},
			"not recorded 45 of 50 ms; woken late (hog ran) 1.0 us"},
		{"a member that is stopped when a gap begins", spike_of(5, 50005),
			{switch_at(6, 1, OTHER, HOG, FLIGHT_STOPPED, FAIR),
				lasting(FLIGHT_GAP, 7, 45000, 1, 0, ""),
				switch_at(45001, 1, HOG, OTHER, FLIGHT_SLEEPS, FAIR)},
			"not recorded 45 of 50 ms; stopped 1.0 us"},
		{"a member that waits for a page", spike_of(5, 5005),
			{switch_at(4, 1, OTHER, 0, FLIGHT_BLOCKED, FAIR)}, "waited in the kernel for 5.0 ms"},
		{"a member that comes back before the end", spike_of(5, 5005),
			{switch_at(6, 1, OTHER, HOG, FLIGHT_BLOCKED, FAIR),
				switch_at(4500, 1, HOG, OTHER, 0, FAIR)},
			"waited in the kernel for 4.5 ms"},
		{"a timer's interrupt", spike_of(210, 215), {lasting(FLIGHT_TIMER, 0, 205, 0, 0, "")},
			"timer interrupt took 205 us of CPU 0"},
		{"an interrupt", spike_of(210, 215), {lasting(FLIGHT_IRQ, 0, 205, 0, 24, "virtio0")},
			"irq 24 virtio0 took 205 us of CPU 0"},
		{"an interrupt without a name", spike_of(210, 215), {lasting(FLIGHT_IRQ, 0, 205, 0, 24, "")},
			"irq 24 took 205 us of CPU 0"},
		{"an interrupt by another CPU", spike_of(210, 215),
			{lasting(FLIGHT_IPI, 0, 205, 0, 1, "call_function")},
			"ipi call_function took 205 us of CPU 0"},
		{"a softirq", spike_of(210, 215), {lasting(FLIGHT_SOFTIRQ, 0, 205, 0, 3, "net_rx")},
			"softirq net_rx took 205 us of CPU 0"},
		{"an NMI", spike_of(210, 215), {lasting(FLIGHT_NMI, 0, 205, 0, 0, "")},
			"NMI took 205 us of CPU 0"},
		{"an idle CPU that leaves a deep state", spike_of(140, 145),
			{lasting(FLIGHT_IDLE, -700, 133, 0, 3, "C6")},
			"CPU 0 took 133 us to leave idle (C6)"},
		{"an idle CPU without cpuidle", spike_of(140, 145),
			{lasting(FLIGHT_IDLE, -700, 133, 0, 1, "")}, "CPU 0 took 133 us to leave idle"},
		{"an idle CPU of the receiver", spike_of(5, 145),
			{lasting(FLIGHT_IDLE, -700, 138, 1, 3, "C6")},
			"CPU 1 took 133 us to leave idle (C6)"},
		{"a shallow state", spike_of(140, 145), {lasting(FLIGHT_IDLE, -700, 3, 0, 1, "C1")},
			"not woken for 137 us: CPU 0 had no other task"},
		{"a task that makes its CPU idle", spike_of(210, 215),
			{switch_at(-5, 0, 0, HOG, 0, FIFO_90), lasting(FLIGHT_IDLE, -4, 204, 0, 3, "C6"),
				switch_at(205, 0, HOG, ORIGIN, 0, FIFO_90)},
			"hog 4711 (RT90) held CPU 0 for 205 us"},
		{"a member of another ring that has gone to sleep without a record", spike_of(140, 145),
			{switch_at(-900, 0, HOG, RIVAL, FLIGHT_SLEEPS, FIFO_90),
				lasting(FLIGHT_IDLE, -700, 133, 0, 3, "C6")},
			"CPU 0 took 133 us to leave idle (C6)"},
		{"an interrupt in idle", spike_of(140, 145),
			{lasting(FLIGHT_TIMER, 20, 120, 0, 0, ""),
				lasting(FLIGHT_IDLE, -700, 133, 0, 3, "C6")},
			"timer interrupt took 100 us of CPU 0; leaving idle (C6) 33 us"},
		{"interrupts in idle that follow each other at once", spike_of(140, 145),
			{lasting(FLIGHT_TIMER, 10, 20, 0, 0, ""), lasting(FLIGHT_TIMER, 25, 35, 0, 0, ""),
				lasting(FLIGHT_TIMER, 40, 120, 0, 0, ""),
				lasting(FLIGHT_IDLE, -700, 133, 0, 3, "C6")},
			"timer interrupt took 100 us of CPU 0, and 10 us between interrupts"},
		{"the same, in a state that polls", spike_of(140, 145),
			{lasting(FLIGHT_TIMER, 10, 20, 0, 0, ""), lasting(FLIGHT_TIMER, 25, 35, 0, 0, ""),
				lasting(FLIGHT_TIMER, 40, 90, 0, 0, ""),
				lasting(FLIGHT_IDLE, -700, 133, 0, 0, "POLL")},
			"timer interrupt took 70 us of CPU 0; leaving idle (POLL) 63 us"},
		{"interrupts in idle that leave it time", spike_of(140, 145),
			{lasting(FLIGHT_TIMER, 10, 20, 0, 0, ""), lasting(FLIGHT_TIMER, 60, 70, 0, 0, ""),
				lasting(FLIGHT_IDLE, -700, 133, 0, 3, "C6")},
			"CPU 0 took 113 us to leave idle (C6)"},
		{"a sender that is interrupted before it wakes an idle CPU", spike_of(5, 145),
			{lasting(FLIGHT_IRQ, 6, 130, 0, 24, "virtio0"),
				lasting(FLIGHT_IDLE, -700, 138, 1, 3, "C6")},
			"irq 24 virtio0 took 124 us of CPU 0"},
		{"a CPU that became idle when the lap was due already", spike_of(140, 145),
			{lasting(FLIGHT_IDLE, 10, 133, 0, 3, "C6")},
			"not woken for 140 us: CPU 0 had no other task"},
		{"an idle CPU for longer than any state takes", spike_of(1500, 1505),
			{lasting(FLIGHT_IDLE, -700, 1499, 0, 3, "C6")},
			"not woken for 1.5 ms: CPU 0 had no other task"},
		{"an idle CPU", spike_of(710, 715), {{0}}, "not woken for 710 us: CPU 0 had no other task"},
		{"a short time on an idle CPU", spike_of(45, 50), {{0}}, "unexplained 50 of 50 us"},
		{"a part on an idle CPU", spike_of(100, 250), {{0}}, "unexplained 250 of 250 us"},
		{"too little", spike_of(50, 52), {lasting(FLIGHT_TIMER, 40, 49, 0, 0, "")},
			"unexplained 43 of 52 us; timer interrupt 9.0 us"},
		{"a gap", spike_of(210, 215),
			{lasting(FLIGHT_GAP, 0, 215, 0, 0, ""), lasting(FLIGHT_GAP, 0, 215, 1, 0, "")},
			"hint: late start on CPU 0, 210 of 215 us"},
		{"a gap in a part", spike_of(400, 400),
			{HELD(0, 100, 0, FIFO_90), lasting(FLIGHT_GAP, 100, 400, 0, 0, "")},
			"not recorded 300 of 400 us; hog (RT90) 100 us"},
		{"two tasks in turn", spike_of(210, 215),
			{switch_at(-5, 0, 0, HOG, 0, FIFO_90), switch_at(100, 0, HOG, HOG + 1, 0, FIFO_90),
				switch_at(205, 0, HOG + 1, ORIGIN, 0, FIFO_90)},
			"other 4712 (RT90) held CPU 0 for 105 us; hog (RT90) 100 us"},
	};

	CHECK_STORIES(stories);
}

static struct spike on_guest(struct spike spike, uint64_t steal_us)
{
	spike.is_guest = true;
	spike.receiver_steal_ns = steal_us * US;
	return spike;
}

static struct spike after_smis(struct spike spike, uint32_t n)
{
	spike.n_smis = n;
	return spike;
}

static void what_stops_cpus_from_below_the_kernel_is_a_hint(void)
{
	const struct story stories[] = {
		{"an idle CPU", on_guest(spike_of(710, 715), 0), {{0}},
			"not woken for 710 us: CPU 0 had no other task, in a virtual machine"},
		{"an idle CPU that leaves its state", on_guest(spike_of(140, 145), 0),
			{lasting(FLIGHT_IDLE, -700, 133, 0, 1, "haltpoll idle")},
			"CPU 0 took 133 us to leave idle (haltpoll idle), in a virtual machine"},
		{"an idle CPU, and steal", on_guest(spike_of(710, 715), 10000), {{0}},
			"not woken for 710 us: CPU 0 had no other task; the hypervisor took 10 ms in those seconds"},
		{"a task that should have given way", on_guest(spike_of(210, 215), 0),
			{switch_at(-5, 0, 0, HOG, 0, FAIR), interrupted(1, 5, 0, HOG),
				switch_at(205, 0, HOG, ORIGIN, 0, FAIR)},
			"hog 4711 ran on CPU 0 for 200 us, and was not preempted, in a virtual machine"},
		{"the same, before the timer", on_guest(spike_of(210, 215), 0), {HELD(-5, 205, 0, FAIR)},
			"timer late by 205 us, while hog 4711 ran on CPU 0, in a virtual machine"},
		{"the same, at the receiver", on_guest(spike_of(5, 215), 0), {HELD(-5, 205, 1, FAIR)},
			"woken late by 200 us, while hog 4711 ran on CPU 1, in a virtual machine"},
		{"a hog", on_guest(spike_of(210, 215), 0), {HELD(-5, 205, 0, FIFO_90)},
			"hog 4711 (RT90) held CPU 0 for 205 us"},
		{"a hog, and steal", on_guest(spike_of(210, 215), 20000), {HELD(-5, 205, 0, FIFO_90)},
			"hog 4711 (RT90) held CPU 0 for 205 us; the hypervisor took 20 ms in those seconds"},
		{"an idle CPU, and the firmware", after_smis(spike_of(710, 715), 1), {{0}},
			"not woken for 710 us: CPU 0 had no other task; the firmware took all CPUs 1 time in those seconds (SMI)"},
		{"a gap, and the firmware", after_smis(spike_of(210, 215), 3),
			{lasting(FLIGHT_GAP, 0, 215, 0, 0, ""), lasting(FLIGHT_GAP, 0, 215, 1, 0, "")},
			"hint: late start on CPU 0, 210 of 215 us; the firmware took all CPUs 3 times in those seconds (SMI)"},
	};

	CHECK_STORIES(stories);
}

static void only_the_cpu_that_is_waited_for_counts(void)
{
	const struct story stories[] = {
		{"a task on a third CPU", spike_of(40, 45),
			{switch_at(0, 2, 0, HOG, 0, FIFO_90),
				switch_at(45, 2, HOG, 0, FLIGHT_SLEEPS, FIFO_90)},
			"unexplained 45 of 45 us"},
		{"a task on the receiver's CPU before the lap", spike_of(40, 45),
			{switch_at(0, 1, 0, HOG, 0, FIFO_90),
				switch_at(38, 1, HOG, 0, FLIGHT_SLEEPS, FIFO_90)},
			"unexplained 45 of 45 us"},
		{"a task on the sender's CPU once the token has left", spike_of(5, 305),
			{HELD(20, 300, 0, FIFO_90)}, "unexplained 305 of 305 us"},
		{"a hog that takes the sender's CPU after its stamp", spike_of(5, 305),
			{switch_at(6, 0, ORIGIN, HOG, 0, FIFO_90),
				switch_at(300, 0, HOG, ORIGIN, 0, FIFO_90)},
			"hog 4711 (RT90) held CPU 0 for 294 us"},
		{"a hog that takes it long after", spike_of(5, 305),
			{switch_at(60, 0, ORIGIN, HOG, 0, FIFO_90),
				switch_at(300, 0, HOG, ORIGIN, 0, FIFO_90)},
			"unexplained 305 of 305 us"},
		{"a hog that takes it once the sender sleeps", spike_of(5, 305),
			{switch_at(6, 0, ORIGIN, HOG, FLIGHT_SLEEPS, FIFO_90),
				switch_at(300, 0, HOG, ORIGIN, 0, FIFO_90)},
			"unexplained 305 of 305 us"},
		{"an interrupt of the sender after its stamp", spike_of(5, 305),
			{lasting(FLIGHT_IRQ, 6, 300, 0, 24, "eth0")}, "irq 24 eth0 took 294 us of CPU 0"},
		{"an interrupt of its CPU long after", spike_of(5, 305),
			{lasting(FLIGHT_IRQ, 60, 300, 0, 24, "eth0")}, "unexplained 305 of 305 us"},
		{"an ordinary task on the receiver's CPU, while a hog keeps the sender from sending",
			spike_of(5, 305),
			{switch_at(-50, 1, 0, HOG + 1, 0, FAIR), switch_at(6, 0, ORIGIN, HOG, 0, FIFO_90),
				switch_at(300, 0, HOG, ORIGIN, 0, FIFO_90),
				switch_at(302, 1, HOG + 1, OTHER, 0, FAIR)},
			"hog 4711 (RT90) held CPU 0 for 294 us"},
		{"a hog on each CPU", spike_of(5, 305),
			{switch_at(-50, 1, 0, HOG + 1, 0, FIFO_90), switch_at(6, 0, ORIGIN, HOG, 0, FIFO_90),
				switch_at(290, 0, HOG, ORIGIN, 0, FIFO_90),
				switch_at(300, 1, HOG + 1, OTHER, 0, FIFO_90)},
			"other 4712 (RT90) held CPU 1 for 295 us"},
		{"a sender that waited before its stamp", spike_of(100, 400),
			{switch_at(10, 0, ORIGIN, 0, FLIGHT_BLOCKED, 19)},
			"unexplained 310 of 400 us; waited in the kernel 90 us"},
	};

	CHECK_STORIES(stories);
}

static void nothing_is_said_for_which_there_is_no_record(void)
{
	const struct story stories[] = {
		{"the CPU is idle after the hog", spike_of(300, 305),
			{switch_at(-5, 0, 0, HOG, 0, FIFO_90),
				switch_at(100, 0, HOG, 0, FLIGHT_SLEEPS, FIFO_90)},
			"not woken for 200 us: CPU 0 had no other task; hog (RT90) 100 us"},
		{"the origin runs after the hog", spike_of(300, 305), {HELD(-5, 100, 0, FIFO_90)},
			"unexplained 205 of 305 us; hog (RT90) 100 us"},
		{"an interrupt found the origin running", spike_of(300, 305),
			{interrupted(10, 20, 0, ORIGIN)}, "unexplained 295 of 305 us; timer interrupt 10 us"},
		{"the hog's coming was not recorded", spike_of(210, 215),
			{switch_at(-50, 0, HOG + 1, 0, FLIGHT_SLEEPS, FAIR),
				switch_at(205, 0, HOG, ORIGIN, 0, FIFO_90)},
			"unexplained 215 of 215 us"},
		{"an interrupt found it", spike_of(210, 215),
			{switch_at(-50, 0, HOG + 1, 0, FLIGHT_SLEEPS, FAIR), interrupted(20, 25, 0, HOG),
				switch_at(205, 0, HOG, ORIGIN, 0, FIFO_90)},
			"hog 4711 (RT90) held CPU 0 for 180 us"},
		{"an interrupt found another one", spike_of(210, 215),
			{interrupted(100, 105, 0, HOG + 1), switch_at(205, 0, HOG, ORIGIN, 0, FIFO_90)},
			"unexplained 210 of 215 us; timer interrupt 5.0 us"},
		{"records contradict each other", spike_of(210, 215),
			{switch_at(-5, 0, 0, HOG, 0, FIFO_90),
				switch_at(205, 0, HOG + 1, ORIGIN, 0, FIFO_90)},
			"unexplained 215 of 215 us"},
		{"the hog was there before a gap", spike_of(400, 405),
			{switch_at(-5, 0, 0, HOG, 0, FIFO_90), lasting(FLIGHT_GAP, 50, 60, 0, 0, ""),
				switch_at(395, 0, HOG, ORIGIN, 0, FIFO_90)},
			"unexplained 355 of 405 us; hog (RT90) 50 us"},
		{"a task from which a member after a gap would take the CPU, if it wanted it",
			spike_of(5, 405),
			{lasting(FLIGHT_GAP, 5, 50, 1, 0, ""), switch_at(60, 1, 0, HOG, 0, FAIR),
				switch_at(400, 1, HOG, OTHER, FLIGHT_SLEEPS, FAIR)},
			"not recorded 385 of 405 us"},
		{"the same, once the member was seen again", spike_of(5, 405),
			{lasting(FLIGHT_GAP, 5, 50, 1, 0, ""),
				switch_at(60, 1, OTHER, HOG, FLIGHT_SLEEPS, FAIR),
				switch_at(400, 1, HOG, OTHER, FLIGHT_SLEEPS, FAIR)},
			"woken late by 340 us, while hog 4711 ran on CPU 1"},
		{"a hog after a gap keeps the CPU from the member wherever that is", spike_of(5, 405),
			{lasting(FLIGHT_GAP, 5, 50, 1, 0, ""), HELD(60, 400, 1, FIFO_90)},
			"hog 4711 (RT90) held CPU 1 for 340 us"},
		{"an idle CPU where some tasks are not recorded", spike_of(400, 405),
			{lasting(FLIGHT_GAP, 0, 405, 0, GAP_OF_HIDDEN, "")},
			"hint: late start on CPU 0, 400 of 405 us"},
		{"a hog beside them, which is recorded", spike_of(210, 215),
			{HELD(-5, 205, 0, FIFO_90), lasting(FLIGHT_GAP, 0, 215, 0, GAP_OF_HIDDEN, "")},
			"hog 4711 (RT90) held CPU 0 for 205 us"},
		{"a task that may be one of them, and may have gone", spike_of(210, 215),
			{switch_at(-5, 0, HOG + 1, HOG, FLIGHT_SLEEPS, FIFO_90),
				lasting(FLIGHT_GAP, 0, 215, 0, GAP_OF_HIDDEN, "")},
			"hint: late start on CPU 0, 210 of 215 us"},
		{"nobody seen where real-time tasks may not run, but some are hidden", spike_of(5, 50005),
			{switch_at(6, 1, OTHER, 0, 0, FAIR),
				lasting(FLIGHT_GAP, 0, 50005, 1, GAP_OF_HIDDEN, "")},
			"not recorded 50 of 50 ms"},
		{"an idle CPU after a gap", spike_of(400, 405), {lasting(FLIGHT_GAP, 0, 50, 0, 0, "")},
			"not recorded 400 of 405 us"},
		{"the hog goes after a gap", spike_of(400, 405),
			{lasting(FLIGHT_GAP, 50, 300, 0, 0, ""), switch_at(395, 0, HOG, ORIGIN, 0, FIFO_90)},
			"not recorded 250 of 405 us"},
		{"the member was throttled in a lap before", spike_of(5, 305),
			{switch_at(-900, 1, OTHER, 0, 0, FAIR)}, "unexplained 305 of 305 us"},
		{"it waited in the kernel in a lap before", spike_of(5, 305),
			{switch_at(-100, 1, OTHER, 0, FLIGHT_BLOCKED, FAIR)}, "unexplained 305 of 305 us"},
		{"it was stopped between two laps", spike_of(5, 50005),
			{switch_at(-900, 1, OTHER, 0, FLIGHT_STOPPED, FAIR)}, "stopped for 50 ms"},
		{"it was stopped long before", spike_of(5, 305),
			{switch_at(-100900, 1, OTHER, 0, FLIGHT_STOPPED, FAIR)}, "unexplained 305 of 305 us"},
		{"it was found again", spike_of(5, 50005),
			{switch_at(-900, 1, OTHER, 0, FLIGHT_STOPPED, FAIR),
				interrupted(-500, -490, 1, OTHER)},
			"unexplained 50 of 50 ms"},
		{"the member was away before a gap", spike_of(5, 405),
			{switch_at(6, 1, OTHER, 0, FLIGHT_STOPPED, FAIR),
				lasting(FLIGHT_GAP, 50, 60, 1, 0, "")},
			"unexplained 361 of 405 us; stopped 44 us"},
		{"it sleeps in another way", spike_of(5, 305),
			{switch_at(6, 1, OTHER, HOG, FLIGHT_OTHERWISE, FAIR)},
			"woken late by 299 us, while hog 4711 ran on CPU 1"},
		{"it is runnable, and it is not known who had its CPU", spike_of(5, 305),
			{switch_at(6, 1, OTHER, 0, 0, FAIR), switch_at(300, 1, HOG, OTHER, 0, FAIR)},
			"unexplained 305 of 305 us"},
		{"the CPU of the member is not known",
			(struct spike){.due_ns = DUE,
				.seen_ns = DUE + 100 * US,
				.sender = {ORIGIN, -1, {SCHED_FIFO, 80, 0}},
				.receiver = {OTHER, -1, {SCHED_FIFO, 80, 0}}},
			{HELD(0, 100, 0, FIFO_90)},
			"hint: sender and receiver may have run on several CPUs, or were moved"},
	};

	CHECK_STORIES(stories);
}

/* The receiver is moved to CPU 1: a tick finds it there after so many us. */
static struct spike moved_after(struct spike spike, uint64_t us)
{
	spike.receiver.moved_ns = DUE + us * US;
	return spike;
}

static void a_member_that_was_moved_meanwhile_is_on_its_new_cpu_since_then(void)
{
	static const char hint[] = "; hint: the receiver may have come to CPU 1 meanwhile";
	const struct story stories[] = {
		{"a hog on the new CPU", moved_after(spike_of(5, 1005), 205),
			{switch_at(-900, 1, 0, HOG, 0, FIFO_90), switch_at(1000, 1, HOG, OTHER, 0, FIFO_90)},
			"hog 4711 (RT90) held CPU 1 for 795 us"},
		{"most of it was before", moved_after(spike_of(5, 1005), 805),
			{switch_at(-900, 1, 0, HOG, 0, FIFO_90), switch_at(1000, 1, HOG, OTHER, 0, FIFO_90)},
			"not recorded 800 us of 1.0 ms; hog (RT90) 195 us"},
		{"it was recorded there before the tick", moved_after(spike_of(5, 1005), 805),
			{switch_at(100, 1, OTHER, HOG, 0, FIFO_90),
				switch_at(1000, 1, HOG, OTHER, 0, FIFO_90)},
			"hog 4711 (RT90) held CPU 1 for 900 us"},
		{"its old CPU was recorded, not the new one", moved_after(spike_of(5, 1005), 805),
			{switch_at(100, 0, OTHER, HOG, 0, FIFO_90),
				switch_at(1000, 1, HOG, OTHER, 0, FIFO_90)},
			"not recorded 800 us of 1.0 ms; hog (RT90) 195 us"},
		{"an ordinary task on the new CPU: its wake-up may have gone to the old one",
			moved_after(spike_of(5, 1005), 205),
			{switch_at(-900, 1, 0, HOG, 0, FAIR),
				switch_at(1000, 1, HOG, OTHER, FLIGHT_SLEEPS, FAIR)},
			"not recorded 995 us of 1.0 ms"},
		{"it was stopped on its old CPU, and moved after that", moved_after(spike_of(5, 1005), 205),
			{switch_at(-900, 1, 0, HOG, 0, FIFO_90),
				switch_at(-30, 0, OTHER, 0, FLIGHT_STOPPED, FIFO_80),
				switch_at(1000, 1, HOG, OTHER, 0, FIFO_90)},
			"stopped for 995 us"},
		{"it is stopped there meanwhile", moved_after(spike_of(5, 1005), 205),
			{switch_at(-900, 1, 0, HOG, 0, FIFO_90),
				switch_at(105, 0, OTHER, 0, FLIGHT_STOPPED, FIFO_80),
				switch_at(1000, 1, HOG, OTHER, 0, FIFO_90)},
			"stopped for 895 us"},
		{"it was stopped, and came to the new CPU before its hog",
			moved_after(spike_of(5, 1005), 205),
			{switch_at(-30, 0, OTHER, 0, FLIGHT_STOPPED, FIFO_80),
				switch_at(100, 1, HOG + 1, OTHER, 0, FIFO_80),
				switch_at(120, 1, OTHER, HOG, 0, FIFO_90),
				switch_at(1000, 1, HOG, OTHER, 0, FIFO_90)},
			"hog 4711 (RT90) held CPU 1 for 880 us"},
	};

	for (size_t i = 0; i < sizeof(stories) / sizeof(*stories); i++) {
		struct story story = stories[i];
		char expected[EXPLANATION_TEXT_SIZE];

		snprintf(expected, sizeof(expected), "%s%s", story.expected, hint);
		story.expected = expected;
		check_story(&story);
	}
}

/* They share a CPU: one of them waits for it, and has no quota that is spent. */
static void the_other_end_of_the_hop_is_no_throttling(void)
{
	const struct spike fair = on_one_cpu(with_policy(spike_of(10, 154), SCHED_OTHER, 0));
	const struct story stories[] = {
		{"the receiver comes, and the sender waits", fair,
			{switch_at(23, 0, ORIGIN, HOG, 0, FAIR),
				switch_at(79, 0, HOG, OTHER, FLIGHT_SLEEPS, FAIR)},
			"unexplained 98 of 154 us; hog 56 us"},
		{"the sender comes, and the receiver waits", fair,
			{switch_at(15, 0, OTHER, HOG, 0, FAIR),
				switch_at(71, 0, HOG, ORIGIN, FLIGHT_SLEEPS, FAIR)},
			"unexplained 98 of 154 us; hog 56 us"},
		{"real-time ones", on_one_cpu(spike_of(10, 154)),
			{switch_at(23, 0, ORIGIN, HOG, 0, FIFO_90),
				switch_at(79, 0, HOG, OTHER, FLIGHT_SLEEPS, FIFO_90)},
			"unexplained 98 of 154 us; hog (RT90) 56 us"},
		{"the sender comes from idle", fair,
			{switch_at(15, 0, OTHER, 0, 0, FAIR),
				since(switch_at(153, 0, ORIGIN, HOG, 0, FAIR), 73, 150)},
			"unexplained 95 of 154 us; throttled (quota) 58 us, hog 1.0 us"},
	};

	CHECK_STORIES(stories);
}

static void a_task_is_there_since_it_is_recorded_to_have_come(void)
{
	const struct spike fair = with_policy(spike_of(210, 215), SCHED_OTHER, 0);
	const struct story stories[] = {
		{"a member of another ring, from idle", fair,
			{since(switch_at(205, 0, RIVAL, ORIGIN, FLIGHT_SLEEPS, FAIR), 50, 60)},
			"shm:1.0 200 held CPU 0 for 155 us"},
		{"which was there when the lap was due", fair,
			{since(switch_at(205, 0, RIVAL, ORIGIN, FLIGHT_SLEEPS, FAIR), -50, 60)},
			"shm:1.0 200 held CPU 0 for 205 us"},
		{"and is followed by another task", fair,
			{since(switch_at(155, 0, RIVAL, HOG, FLIGHT_SLEEPS, FAIR), 2, 30),
				since(switch_at(205, 0, HOG, ORIGIN, FLIGHT_SLEEPS, FAIR), 155, 3)},
			"shm:1.0 200 held CPU 0 for 153 us"},
		{"or by idle", fair, {since(switch_at(155, 0, RIVAL, 0, FLIGHT_BLOCKED, FAIR), 2, 0)},
			"shm:1.0 200 held CPU 0 for 153 us"},
		{"less urgent than the member", spike_of(210, 215),
			{since(switch_at(205, 0, RIVAL, ORIGIN, 0, FAIR), 2, 203)},
			"timer late by 203 us, while shm:1.0 200 ran on CPU 0"},
		{"after one of its ring, while the member waited", fair,
			{since(switch_at(205, 0, RIVAL, ORIGIN, FLIGHT_SLEEPS, FAIR), 190, 30)},
			"other rings held CPU 0 for 160 us"},
		{"in the member's place, and after one of its ring", spike_of(5, 305),
			{switch_at(6, 1, OTHER, RIVAL, 0, FIFO_90),
				since(switch_at(300, 1, RIVAL + 1, OTHER, FLIGHT_SLEEPS, FIFO_90), 280, 6)},
			"other rings (RT90) held CPU 1 for 274 us"},
		{"while the member waited on a CPU that had become idle", fair,
			{switch_at(-5, 0, HOG, 0, FLIGHT_SLEEPS, FAIR),
				since(switch_at(205, 0, RIVAL, ORIGIN, FLIGHT_SLEEPS, FAIR), 190, -10)},
			"unexplained 200 of 215 us; shm:1.0 15 us"},
		{"after the member, which had slept", fair,
			{since(switch_at(205, 0, RIVAL, ORIGIN, FLIGHT_SLEEPS, FAIR), 190, 195)},
			"unexplained 200 of 215 us; shm:1.0 15 us"},
		{"another task, whose coming is not recorded", fair,
			{since(switch_at(205, 0, HOG, ORIGIN, FLIGHT_SLEEPS, FAIR), 190, 195)},
			"unexplained 200 of 215 us; hog 15 us"},
		{"after turns of members", fair,
			{members(-3, 20, 205, FAIR),
				since(switch_at(205, 0, RIVAL, HOG, FLIGHT_SLEEPS, FAIR), 20, 195)},
			"shm:1.0 200 held CPU 0 for 185 us"},
		{"the receiver, which was blocked before", spike_of(5, 305),
			{switch_at(4, 1, OTHER, 0, FLIGHT_BLOCKED, FIFO_80),
				since(switch_at(290, 1, OTHER, HOG, 0, FIFO_90), 250, 289)},
			"waited in the kernel for 245 us"},
	};

	CHECK_STORIES(stories);
}

/* That they go to sleep is not recorded. */
static void members_of_other_rings_are_named_while_they_can_not_have_slept(void)
{
	const struct story stories[] = {
		{"it came in the member's place", spike_of(5, 305),
			{switch_at(6, 1, OTHER, RIVAL, 0, FIFO_90)},
			"shm:1.0 200 (RT90) held CPU 1 for 299 us"},
		{"the member came after it", spike_of(210, 215),
			{switch_at(-50, 0, HOG, RIVAL, 0, FIFO_90),
				switch_at(205, 0, RIVAL, ORIGIN, FLIGHT_SLEEPS, FIFO_90)},
			"shm:1.0 200 (RT90) held CPU 0 for 205 us"},
		{"the member would have taken its place", spike_of(210, 215),
			{switch_at(205, 0, RIVAL, ORIGIN, 0, FAIR)}, "unexplained 215 of 215 us"},
		{"it may sleep since then", spike_of(210, 215), {switch_at(-50, 0, HOG, RIVAL, 0, FIFO_90)},
			"unexplained 215 of 215 us"},
		{"the member was away before it came", spike_of(5, 305),
			{switch_at(-200, 1, OTHER, RIVAL, FLIGHT_BLOCKED, FIFO_90)},
			"unexplained 305 of 305 us"},
		{"it may have come a moment ago", spike_of(210, 215),
			{switch_at(205, 0, RIVAL, 0, FLIGHT_BLOCKED, FIFO_90)}, "unexplained 215 of 215 us"},
	};

	CHECK_STORIES(stories);
}

static struct flight_record with_peer(struct flight_record record)
{
	if (record.prev_tid == PEER)
		record.prev_role = ROLE_PEER;
	if (record.next_tid == PEER)
		record.next_role = ROLE_PEER;
	return record;
}

/* It may hand over to the member without a record. */
static void another_member_of_the_ring_is_not_said_to_hold_the_cpu(void)
{
	const struct story stories[] = {
		{"it came after the task that took the member's place", spike_of(5, 305),
			{switch_at(6, 1, OTHER, HOG, 0, FIFO_80),
				with_peer(switch_at(20, 1, HOG, PEER, FLIGHT_SLEEPS, FIFO_80))},
			"unexplained 291 of 305 us; hog (RT80) 14 us"},
		{"nor is the CPU said to be throttled", spike_of(5, 305),
			{switch_at(6, 1, OTHER, HOG, 0, FAIR),
				with_peer(switch_at(20, 1, HOG, PEER, FLIGHT_SLEEPS, FAIR))},
			"unexplained 291 of 305 us; throttled (fair server or RT limit) 14 us"},
		{"a task after it held the CPU", spike_of(5, 305),
			{switch_at(6, 1, OTHER, HOG, 0, FIFO_80),
				with_peer(switch_at(20, 1, HOG, PEER, FLIGHT_SLEEPS, FIFO_80)),
				with_peer(switch_at(30, 1, PEER, HOG, 0, FIFO_90)),
				switch_at(304, 1, HOG, OTHER, FLIGHT_SLEEPS, FIFO_90)},
			"hog 4711 (RT80) held CPU 1 for 288 us"},
		{"it went after others had taken turns", spike_of(210, 215),
			{switch_at(-3, 0, HOG, HOG + 1, FLIGHT_SLEEPS, FIFO_90),
				turns_of(switch_at(205, 0, HOG, HOG + 1, 0, FIFO_90), -3, 80),
				with_peer(switch_at(205, 0, PEER, ORIGIN, FLIGHT_SLEEPS, FIFO_90))},
			"unexplained 135 of 215 us; hog and other (RT90) 80 us"},
	};
	struct explanation explanation;

	CHECK_STORIES(stories);
	explain_recorded(&explanation, &stories[3].spike, stories[3].records, 3);
	for (size_t i = 0; i < explanation.n_segments; i++)
		CHECK(explanation.segments[i].cause.tid != PEER, "segment %zu names it", i);
}

/* The hog and another task. */
static struct flight_record turns(int64_t from_us, int64_t until_us, int64_t to_us, int32_t priority)
{
	return turns_of(switch_at(to_us, 0, HOG, HOG + 1, 0, priority), from_us, until_us);
}

static void members_that_take_turns_are_named_together(void)
{
	const struct spike spike = spike_of(210, 215), fair = with_policy(spike, SCHED_OTHER, 0);
	const struct story stories[] = {
		{"all the time", fair,
			{switch_at(-3, 0, HOG, RIVAL, FLIGHT_SLEEPS, FAIR), members(-3, 205, 205, FAIR),
				switch_at(205, 0, RIVAL, ORIGIN, FLIGHT_SLEEPS, FAIR)},
			"other rings held CPU 0 for 205 us"},
		{"longer than the spike", fair, {members(-3, 400, 400, FAIR)},
			"other rings held CPU 0 for 210 us"},
		{"then it is not known who ran", fair,
			{switch_at(-3, 0, HOG, RIVAL, FLIGHT_SLEEPS, FAIR), members(-3, 20, 205, FAIR),
				switch_at(205, 0, HOG, ORIGIN, FLIGHT_SLEEPS, FAIR)},
			"unexplained 195 of 215 us; other rings 20 us"},
		{"then a ring held it", fair,
			{members(-3, 20, 205, FAIR), switch_at(205, 0, RIVAL, ORIGIN, FLIGHT_SLEEPS, FAIR)},
			"shm:1.0 200 held CPU 0 for 185 us"},
		{"real-time ones", with_policy(spike, SCHED_FIFO, 80), {members(-3, 205, 205, FIFO_90)},
			"other rings (RT90) held CPU 0 for 205 us"},
		{"less urgent than the member", with_policy(spike, SCHED_FIFO, 80),
			{members(-3, 205, 205, FAIR)},
			"timer late by 205 us, while other rings ran on CPU 0"},
	};

	CHECK_STORIES(stories);
}

static void two_tasks_that_take_turns_are_named_together(void)
{
	const struct story stories[] = {
		{"all the time", spike_of(210, 215),
			{switch_at(-3, 0, HOG, HOG + 1, FLIGHT_SLEEPS, FIFO_90), turns(-3, 205, 205, FIFO_90),
				switch_at(205, 0, HOG, ORIGIN, FLIGHT_SLEEPS, FIFO_90)},
			"hog 4711 and other 4712 (RT90), in turn, held CPU 0 for 205 us"},
		{"until one of them computes", spike_of(210, 215),
			{switch_at(-3, 0, HOG, HOG + 1, FLIGHT_SLEEPS, FIFO_90), turns(-3, 20, 205, FIFO_90),
				switch_at(205, 0, HOG, ORIGIN, FLIGHT_SLEEPS, FIFO_90)},
			"hog 4711 (RT90) held CPU 0 for 185 us"},
		{"with an interrupt of one of them", spike_of(210, 215),
			{switch_at(-3, 0, HOG, HOG + 1, FLIGHT_SLEEPS, FIFO_90),
				interrupted(100, 150, 0, HOG), turns(-3, 205, 205, FIFO_90),
				switch_at(205, 0, HOG, ORIGIN, FLIGHT_SLEEPS, FIFO_90)},
			"hog 4711 and other 4712 (RT90), in turn, held CPU 0 for 155 us"},
		{"longer than the spike", spike_of(300, 300),
			{switch_at(-3, 0, HOG, HOG + 1, FLIGHT_SLEEPS, FIFO_90),
				turns(-3, 400, 400, FIFO_90)},
			"hog 4711 and other 4712 (RT90), in turn, held CPU 0 for 300 us"},
		{"less urgent than the member", spike_of(210, 215),
			{switch_at(-3, 0, HOG, HOG + 1, FLIGHT_SLEEPS, FAIR), turns(-3, 205, 205, FAIR),
				switch_at(205, 0, HOG, ORIGIN, FLIGHT_SLEEPS, FAIR)},
			"timer late by 205 us, while hog 4711 and other 4712, in turn, ran on CPU 0"},
		{"alone before, and less urgent", spike_of(210, 215),
			{switch_at(-3, 0, 0, HOG, 0, FAIR),
				switch_at(100, 0, HOG, HOG + 1, FLIGHT_SLEEPS, FAIR),
				turns(100, 205, 205, FAIR),
				switch_at(205, 0, HOG, ORIGIN, FLIGHT_SLEEPS, FAIR)},
			"timer late by 105 us, while hog 4711 and other 4712, in turn, ran on CPU 0; "
			"timer late (hog ran) 100 us"},
		{"with two of one name", spike_of(210, 215),
			{switch_at(-3, 0, HOG, HOG + 1, FLIGHT_SLEEPS, FIFO_90), turns(-3, 100, 100, FIFO_90),
				switch_at(100, 0, HOG, HOG + 2, FLIGHT_SLEEPS, FIFO_90),
				turns_of(switch_at(205, 0, HOG, HOG + 2, 0, FIFO_90), 100, 205),
				switch_at(205, 0, HOG, ORIGIN, FLIGHT_SLEEPS, FIFO_90)},
			"hog and other (RT90), in turn, held CPU 0 for 205 us"},
	};

	CHECK_STORIES(stories);
	struct explanation explanation;
	char text[CAUSE_TEXT_SIZE];

	explain_recorded(&explanation, &stories[0].spike, stories[0].records, 3);
	CHECK(strcmp(cause_text(explanation_cause(&explanation), text), "hog and other (RT90)") == 0, "%s",
		text);
}

/* The softirq interrupts the hog, and a device the softirq. */
static void nested_intervals_give_net_time(void)
{
	const struct flight_record records[] = {switch_at(0, 0, 0, HOG, 0, FIFO_90),
		lasting(FLIGHT_IRQ, 200, 300, 0, 24, "eth0"),
		lasting(FLIGHT_SOFTIRQ, 100, 500, 0, 3, "net_rx"),
		switch_at(1000, 0, HOG, ORIGIN, 0, FIFO_90)};
	static const struct {
		enum cause_kind kind;
		uint64_t us;
		uint32_t n;
	} expected[] = {{CAUSE_TASK, 600, 2}, {CAUSE_SOFTIRQ, 300, 2}, {CAUSE_IRQ, 100, 1}};
	struct spike spike = spike_of(1000, 1000);
	struct explanation explanation;

	explain_recorded(&explanation, &spike, records, 4);
	CHECK(explanation.n_blames == 3 && explanation.n_segments == 5 && explanation.is_complete);
	CHECK(explanation.explained_ns == explanation.length_ns);
	for (size_t i = 0; i < 3; i++) {
		const struct blame *blame = &explanation.blames[i];

		CHECK(blame->cause.kind == expected[i].kind && blame->n == expected[i].n, "%zu", i);
		CHECK(blame->ns == expected[i].us * US, "%zu: %" PRIu64 " ns", i, blame->ns);
	}
}

/* Both begin at the same time: the shorter one is the inner one, in whichever order they are. */
static void of_two_that_begin_together_the_shorter_is_the_inner_one(void)
{
	const struct flight_record records[] = {
		lasting(FLIGHT_IRQ, 0, 100, 0, 24, "eth0"), lasting(FLIGHT_SOFTIRQ, 0, 300, 0, 3, "net_rx")};
	struct spike spike = spike_of(300, 300);
	struct explanation explanation;

	explain_recorded(&explanation, &spike, records, 2);
	CHECK(explanation.n_segments == 2 && explanation.segments[0].cause.kind == CAUSE_IRQ &&
		explanation.segments[1].cause.kind == CAUSE_SOFTIRQ);
}

static void a_spike_that_goes_on_ends_when_it_was_seen(void)
{
	struct spike not_sent = under_way(spike_of(0, 0), 200000);
	struct flight_record found_hog = interrupted(20, 25, 0, HOG);

	not_sent.sent_ns = 0;
	found_hog.prev_priority = FIFO_90;
	name_task(found_hog.prev_name, HOG);
	const struct story stories[] = {
		{"not sent", not_sent, {switch_at(0, 0, 0, HOG, 0, FIFO_90)},
			"hog 4711 (RT90) held CPU 0 for 200 ms"},
		{"not received", under_way(spike_of(5, 0), 200000), {switch_at(0, 1, 0, HOG, 0, FIFO_90)},
			"hog 4711 (RT90) held CPU 1 for 200 ms"},
		{"its coming was not recorded, but an interrupt found it", not_sent, {found_hog},
			"hog 4711 (RT90) held CPU 0 for 200 ms"},
		{"a stopped origin", not_sent, {switch_at(-10, 0, ORIGIN, 0, FLIGHT_STOPPED, FIFO_90)},
			"stopped for 200 ms"},
		{"seen before it was due", under_way(spike_of(5, 0), 0),
			{switch_at(0, 1, 0, HOG, 0, FIFO_90)}, "nothing was recorded"},
	};

	CHECK_STORIES(stories);
}

/* It is not known who has the token. */
static void in_a_flood_both_cpus_count(void)
{
	const struct story stories[] = {
		{"a hog on the origin's CPU", flood_of(310), {HELD(10, 300, 0, FIFO_90)},
			"hog 4711 (RT90) held CPU 0 for 290 us"},
		{"a hog on the other one", flood_of(310), {HELD(10, 300, 1, FIFO_90)},
			"hog 4711 (RT90) held CPU 1 for 290 us"},
		{"a task that would give way", flood_of(310),
			{switch_at(10, 0, 0, HOG, 0, FAIR), switch_at(10, 1, 0, HOG, 0, FAIR),
				switch_at(300, 0, HOG, ORIGIN, 0, FAIR),
				switch_at(300, 1, HOG, OTHER, 0, FAIR)},
			"unexplained 310 of 310 us"},
		{"a task on one CPU, and one that took the other from the member",
			with_policy(flood_of(310), SCHED_OTHER, 0),
			{switch_at(0, 0, 0, HOG + 1, 0, FAIR), switch_at(10, 1, OTHER, HOG, 0, FAIR),
				switch_at(300, 1, HOG, OTHER, 0, FAIR)},
			"hog 4711 held CPU 1 for 290 us"},
		{"an idle CPU", flood_of(310), {{0}}, "unexplained 310 of 310 us"},
	};

	CHECK_STORIES(stories);
}

/* An interrupt of a task that has to give way wakes the member. */
static void only_the_ends_of_the_hop_that_took_most_are_judged(void)
{
	struct spike lap = spike_of(5, 310), before = in_hop(on_one_cpu(spike_of(50000, 50010)), 0, 50000);

	struct spike late_lap = spike_of(300, 310);

	lap.figure = late_lap.figure = FIGURE_LAP;
	const struct story stories[] = {
		{"a hog at its receiver", in_hop(flood_of(310), 10, 305), {HELD(12, 300, 1, FIFO_90)},
			"hog 4711 (RT90) held CPU 1 for 288 us"},
		{"a hog at its sender, which has sent", in_hop(flood_of(310), 10, 305),
			{HELD(50, 300, 0, FIFO_90)}, "unexplained 310 of 310 us"},
		{"a hog at its sender, which was about to send", in_hop(flood_of(310), 10, 305),
			{switch_at(15, 0, ORIGIN, HOG, 0, FIFO_90),
				switch_at(300, 0, HOG, ORIGIN, 0, FIFO_90)},
			"hog 4711 (RT90) held CPU 0 for 285 us"},
		{"a hog before it", in_hop(flood_of(310), 200, 310), {HELD(0, 200, 1, FIFO_90)},
			"unexplained 310 of 310 us"},
		{"a hog that is there until after it", in_hop(flood_of(310), 10, 110),
			{HELD(12, 300, 1, FIFO_90)}, "unexplained 212 of 310 us; hog (RT90) 98 us"},
		{"a task that would give way to its receiver", in_hop(flood_of(310), 10, 305),
			{switch_at(15, 1, 0, HOG, 0, FAIR), switch_at(300, 1, HOG, OTHER, 0, FAIR)},
			"woken late by 285 us, while hog 4711 ran on CPU 1"},
		{"the lap before had an idle CPU when this one was due", in_hop(spike_of(290, 310), 20, 290),
			{switch_at(-5, 0, ORIGIN, 0, FLIGHT_SLEEPS, FIFO_80)}, "unexplained 310 of 310 us"},
		{"the lap before had a receiver that was stopped", in_hop(spike_of(290, 310), 20, 290),
			{switch_at(15, 1, OTHER, 0, FLIGHT_STOPPED, FIFO_80)}, "stopped for 270 us"},
		{"the lap before had sent when a task of lower priority got the CPU", before,
			{pinned(of_prev_priority(switch_at(-500, 0, ORIGIN, HOG, 0, FAIR), FIFO_80))},
			"throttled (fair server or RT limit) for 50 ms: the kernel gave CPU 0 to hog"},
		{"the lap before had sent when the CPU became idle", before,
			{pinned(switch_at(-500, 0, PEER, 0, 0, FIFO_80))},
			"throttled (RT limit) for 50 ms: the kernel gave CPU 0 to nobody"},
		{"the lap before had sent when a hog came to its sender", in_hop(spike_of(290, 310), 0, 290),
			{switch_at(15, 0, ORIGIN, HOG, 0, FIFO_90),
				switch_at(285, 0, HOG, ORIGIN, 0, FIFO_90)},
			"unexplained 310 of 310 us"},
		{"under way", in_hop(under_way(spike_of(0, 0), 310), 20, 0), {HELD(25, 400, 1, FIFO_90)},
			"hog 4711 (RT90) held CPU 1 for 285 us"},
		{"nothing recorded", in_hop(flood_of(310), 10, 305),
			{lasting(FLIGHT_GAP, 0, 310, 0, 0, ""), lasting(FLIGHT_GAP, 0, 310, 1, 0, "")},
			"hint: slow hop from CPU 0 to CPU 1, 295 of 310 us"},
		{"times that are none of the spike's", in_hop(flood_of(310), 400, 500),
			{HELD(10, 300, 0, FIFO_90)}, "hog 4711 (RT90) held CPU 0 for 290 us"},
		{"a lap with a due whose hops are not known", lap,
			{switch_at(10, 1, 0, HOG, 0, FAIR), switch_at(300, 1, HOG, OTHER, 0, FAIR)},
			"unexplained 310 of 310 us"},
		{"such a lap, with nothing recorded", lap,
			{lasting(FLIGHT_GAP, 0, 310, 0, 0, ""), lasting(FLIGHT_GAP, 0, 310, 1, 0, "")},
			"nothing was recorded"},
		{"such a lap that was sent late", late_lap,
			{lasting(FLIGHT_GAP, 0, 310, 0, 0, ""), lasting(FLIGHT_GAP, 0, 310, 1, 0, "")},
			"hint: late start on CPU 0, 300 of 310 us"},
		{"a hog at the origin in such a lap", lap, {HELD(10, 300, 0, FIFO_90)},
			"hog 4711 (RT90) held CPU 0 for 290 us"},
	};

	CHECK_STORIES(stories);
}

static void a_task_that_runs_on_once_the_timer_has_fired_was_not_preempted(void)
{
	const struct spike spike = spike_of(210, 215);
	const struct story stories[] = {
		{"it ran on", spike,
			{switch_at(-5, 0, 0, HOG, 0, FAIR), interrupted(1, 5, 0, HOG),
				switch_at(205, 0, HOG, ORIGIN, 0, FAIR)},
			"hog 4711 ran on CPU 0 for 200 us, and was not preempted"},
		{"the timer was late, too", spike,
			{switch_at(-5, 0, 0, HOG, 0, FAIR), interrupted(120, 125, 0, HOG),
				switch_at(205, 0, HOG, ORIGIN, 0, FAIR)},
			"timer late by 120 us, while hog 4711 ran on CPU 0; not preempted (hog ran) 80 us"},
		{"another's timer fired first, and the interrupt let this one fire, too", spike,
			{switch_at(-5, 0, 0, HOG, 0, FAIR), interrupted(-3, 5, 0, HOG),
				switch_at(205, 0, HOG, ORIGIN, 0, FAIR)},
			"hog 4711 ran on CPU 0 for 200 us, and was not preempted"},
		{"the same, and a tick after that", spike,
			{switch_at(-5, 0, 0, HOG, 0, FAIR), interrupted(-3, 5, 0, HOG),
				interrupted(120, 125, 0, HOG), switch_at(205, 0, HOG, ORIGIN, 0, FAIR)},
			"hog 4711 ran on CPU 0 for 195 us, and was not preempted"},
		{"the timer's interrupt follows that of a device", spike,
			{switch_at(-5, 0, 0, HOG, 0, FAIR), lasting(FLIGHT_IRQ, -3, 60, 0, 9, "eth0"),
				interrupted(60, 65, 0, HOG), switch_at(205, 0, HOG, ORIGIN, 0, FAIR)},
			"hog 4711 ran on CPU 0 for 140 us, and was not preempted; irq 9 eth0 60 us"},
		{"an interrupt that ended before it was due", spike,
			{switch_at(-9, 0, 0, HOG, 0, FAIR), interrupted(-5, -1, 0, HOG),
				switch_at(205, 0, HOG, ORIGIN, 0, FAIR)},
			"timer late by 205 us, while hog 4711 ran on CPU 0"},
		{"one that ended when it was due", spike,
			{switch_at(-9, 0, 0, HOG, 0, FAIR), interrupted(-5, 0, 0, HOG),
				switch_at(205, 0, HOG, ORIGIN, 0, FAIR)},
			"timer late by 205 us, while hog 4711 ran on CPU 0"},
		{"others follow before it could be", spike,
			{switch_at(-5, 0, 0, HOG, 0, FAIR), interrupted(1, 5, 0, HOG),
				interrupted(9, 15, 0, HOG), interrupted(20, 150, 0, HOG),
				switch_at(205, 0, HOG, ORIGIN, 0, FAIR)},
			"timer interrupt took 140 us of CPU 0, and 9.0 us between interrupts; "
			"not preempted (hog ran) 55 us"},
		{"others follow before it could be, on a slow machine", spike,
			{switch_at(-5, 0, 0, HOG, 0, FAIR), interrupted(1, 9, 0, HOG),
				interrupted(25, 35, 0, HOG), interrupted(55, 200, 0, HOG),
				switch_at(205, 0, HOG, ORIGIN, 0, FAIR)},
			"timer interrupt took 163 us of CPU 0, and 36 us between interrupts"},
		{"so it is where the task ran on for longer", spike,
			{switch_at(-5, 0, 0, HOG, 0, FAIR), interrupted(1, 11, 0, HOG),
				interrupted(26, 36, 0, HOG), interrupted(51, 61, 0, HOG),
				switch_at(205, 0, HOG, ORIGIN, 0, FAIR)},
			"hog 4711 ran on CPU 0 for 144 us, and was not preempted; "
			"timer interrupt 30 us and 30 us between interrupts"},
		{"one follows a long one later", spike,
			{switch_at(-5, 0, 0, HOG, 0, FAIR), interrupted(1, 61, 0, HOG),
				interrupted(102, 110, 0, HOG), switch_at(205, 0, HOG, ORIGIN, 0, FAIR)},
			"hog 4711 ran on CPU 0 for 136 us, and was not preempted; timer interrupt 68 us"},
		{"another follows later", spike,
			{switch_at(-5, 0, 0, HOG, 0, FAIR), interrupted(1, 5, 0, HOG),
				interrupted(150, 155, 0, HOG), switch_at(205, 0, HOG, ORIGIN, 0, FAIR)},
			"hog 4711 ran on CPU 0 for 195 us, and was not preempted"},
		{"another task came before the next one", spike,
			{switch_at(-5, 0, 0, HOG, 0, FAIR), interrupted(1, 5, 0, HOG),
				switch_at(7, 0, HOG, HOG + 1, 0, FAIR), interrupted(9, 150, 0, HOG + 1),
				switch_at(205, 0, HOG + 1, ORIGIN, 0, FAIR)},
			"timer interrupt took 145 us of CPU 0; not preempted (other ran) 57 us"},
		{"one of another CPU", spike,
			{switch_at(-5, 0, 0, HOG, 0, FAIR), interrupted(1, 5, 1, 0),
				switch_at(205, 0, HOG, ORIGIN, 0, FAIR)},
			"timer late by 205 us, while hog 4711 ran on CPU 0"},
		{"a task that need not give way", spike,
			{switch_at(-5, 0, 0, HOG, 0, FIFO_90), interrupted(1, 5, 0, HOG),
				switch_at(205, 0, HOG, ORIGIN, 0, FIFO_90)},
			"hog 4711 (RT90) held CPU 0 for 201 us"},
	};

	CHECK_STORIES(stories);
}

static void our_own_tasks_are_named_as_ours(void)
{
	static const struct {
		enum flight_role role;
		enum cause_kind kind;
	} cases[] = {{ROLE_OTHER, CAUSE_TASK}, {ROLE_MEMBER, CAUSE_RING}, {ROLE_OWN, CAUSE_OWN}};

	for (size_t i = 0; i < 3; i++) {
		struct flight_record records[] = {HELD(0, 205, 0, FIFO_90)};
		struct spike spike = spike_of(210, 215);
		struct explanation explanation;

		records[0].next_role = records[1].prev_role = cases[i].role;
		explain_recorded(&explanation, &spike, records, 2);
		CHECK(explanation.blames[0].cause.kind == cases[i].kind, "%zu: %d", i,
			explanation.blames[0].cause.kind);
	}
}

/* Both are on one CPU. */
static void the_time_when_the_hop_was_sent_remains_a_cut(void)
{
	const struct flight_record records[] = {HELD(0, 300, 0, FIFO_90)};
	struct spike spike = spike_of(100, 305);
	struct explanation explanation;

	spike.receiver.cpu = 0;
	explain_recorded(&explanation, &spike, records, 2);
	CHECK(explanation.n_segments == 3 && explanation.segments[1].from_ns == spike.sent_ns);
	CHECK(explanation.segments[0].cause.tid == HOG && explanation.segments[1].cause.tid == HOG);
}

static void when_members_came_to_their_cpus_is_known_by_records(void)
{
	const struct flight_record records[] = {switch_at(-10, 0, HOG, ORIGIN, 0, FIFO_90),
		switch_at(50, 0, HOG, ORIGIN, 0, FIFO_90), switch_at(120, 1, 0, HOG, 0, FIFO_90),
		switch_at(205, 0, HOG, ORIGIN, 0, FIFO_90), switch_at(290, 1, HOG, OTHER, 0, FIFO_90)};
	struct spike spike = spike_of(210, 300);
	struct explanation explanation;

	explain_recorded(&explanation, &spike, records, 5);
	CHECK(explanation.sender_ran_ns == DUE + 205 * US && explanation.receiver_ran_ns == DUE + 290 * US);
	explain_recorded(&explanation, &spike, records, 1);
	CHECK(!explanation.sender_ran_ns && !explanation.receiver_ran_ns, "it ran before it was due");
	spike.figure = FIGURE_LAP;
	explain_recorded(&explanation, &spike, records, 5);
	CHECK(explanation.sender_ran_ns == DUE + 205 * US && !explanation.receiver_ran_ns, "of a lap");
	spike.figure = FIGURE_RESPONSE;
	spike = under_way(spike, 250);
	explain_recorded(&explanation, &spike, records, 5);
	CHECK(explanation.sender_ran_ns == DUE + 205 * US && !explanation.receiver_ran_ns);
	spike = flood_of(300);
	explain_recorded(&explanation, &spike, records, 5);
	CHECK(!explanation.sender_ran_ns && !explanation.receiver_ran_ns, "in a flood");
}

/* Their texts are equal; what differs is not said. */
static void causes_of_one_text_are_one_blame(void)
{
	const struct story stories[] = {
		{"two tasks of one name", spike_of(210, 215),
			{switch_at(0, 0, 0, HOG + 1, 0, FIFO_90),
				switch_at(100, 0, HOG + 1, HOG + 2, 0, FIFO_90),
				switch_at(205, 0, HOG + 2, ORIGIN, 0, FIFO_90)},
			"other (RT90) held CPU 0 for 205 us"},
		{"one task on both CPUs", spike_of(105, 215),
			{HELD(0, 104, 0, FIFO_90), switch_at(105, 1, 0, HOG, 0, FIFO_90),
				switch_at(210, 1, HOG, OTHER, 0, FIFO_90)},
			"hog 4711 (RT90) held both CPUs for 209 us"},
	};

	CHECK_STORIES(stories);
}

/* The receiver is moved: the kernel's stopper (FIFO 99) takes it from its CPU. */
static void a_member_that_was_moved_is_not_throttled(void)
{
	const struct spike spike = spike_of(5, 5005), fair = with_policy(spike, SCHED_OTHER, 0);
	const struct story stories[] = {
		{"it comes to another CPU", spike,
			{switch_at(6, 1, OTHER, STOPPER, 0, 0),
				switch_at(10, 1, STOPPER, 0, FLIGHT_SLEEPS, 0),
				switch_at(5000, 0, HOG, OTHER, 0, FAIR)},
			"migrated from CPU 1 to 0, which took 5.0 ms"},
		{"it is not seen to come", spike,
			{switch_at(6, 1, OTHER, STOPPER, 0, 0),
				switch_at(10, 1, STOPPER, 0, FLIGHT_SLEEPS, 0)},
			"migrated from CPU 1, which took 5.0 ms"},
		{"a task of a lower priority follows", spike,
			{switch_at(6, 1, OTHER, STOPPER, 0, 0),
				switch_at(10, 1, STOPPER, HOG, FLIGHT_SLEEPS, FAIR)},
			"migrated from CPU 1, which took 5.0 ms"},
		{"a task of its priority follows, before which it would have come", spike,
			{switch_at(6, 1, OTHER, STOPPER, 0, 0),
				switch_at(10, 1, STOPPER, HOG, FLIGHT_SLEEPS, FIFO_80)},
			"migrated from CPU 1, which took 5.0 ms"},
		{"such a task, where members take turns", with_policy(spike, SCHED_RR, 80),
			{switch_at(6, 1, OTHER, STOPPER, 0, 0),
				switch_at(10, 1, STOPPER, HOG, FLIGHT_SLEEPS, FIFO_80)},
			"hog 4711 (RT80) held CPU 1 for 5.0 ms"},
		{"one of a higher priority follows", spike,
			{switch_at(6, 1, OTHER, STOPPER, 0, 0),
				switch_at(10, 1, STOPPER, HOG, FLIGHT_SLEEPS, FIFO_90)},
			"hog 4711 (RT90) held CPU 1 for 5.0 ms"},
		{"an ordinary member", fair,
			{switch_at(6, 1, OTHER, STOPPER, 0, 0),
				switch_at(10, 1, STOPPER, 0, FLIGHT_SLEEPS, 0)},
			"migrated from CPU 1, which took 5.0 ms"},
		{"it was taken by a hog, and pulled after that", spike,
			{switch_at(6, 1, OTHER, HOG, 0, FIFO_90),
				switch_at(3006, 1, HOG, 0, FLIGHT_SLEEPS, FIFO_90),
				switch_at(5000, 0, HOG + 1, OTHER, 0, FAIR)},
			"hog 4711 (RT90) held CPU 1 for 3.0 ms; migrated 2.0 ms"},
		{"the stopper does other work", spike,
			{switch_at(6, 1, OTHER, STOPPER, 0, 0), switch_at(5000, 1, STOPPER, OTHER, 0, 0)},
			"migration/1 4800 (RT99) held CPU 1 for 5.0 ms"},
		{"an ordinary member may wait for its turn", fair,
			{switch_at(6, 1, OTHER, STOPPER, 0, 0), switch_at(10, 1, STOPPER, HOG, 0, FAIR),
				switch_at(5000, 1, HOG, OTHER, 0, FAIR)},
			"hog 4711 held CPU 1 for 5.0 ms"},
		{"it comes back to its own CPU", spike,
			{switch_at(6, 1, OTHER, HOG, 0, FAIR), switch_at(5000, 1, HOG, OTHER, 0, FAIR)},
			"throttled (fair server or RT limit) for 5.0 ms: the kernel gave CPU 1 to hog"},
		{"it is throttled, and moved after that", spike,
			{switch_at(6, 1, OTHER, 0, 0, FIFO_80), switch_at(5000, 0, HOG, OTHER, 0, FAIR)},
			"throttled (RT limit) for 5.0 ms: the kernel gave CPU 1 to nobody"},
		{"so is an ordinary member", fair,
			{switch_at(6, 1, OTHER, 0, 0, FAIR), switch_at(5000, 0, HOG, OTHER, 0, FAIR)},
			"throttled (quota) for 5.0 ms: the kernel gave CPU 1 to nobody"},
	};

	CHECK_STORIES(stories);
}

/* There is no record of it until the member comes. */
static void a_member_that_was_moved_while_it_slept_is_known_by_where_it_comes(void)
{
	const struct spike spike = spike_of(5, 5005), late = spike_of(5005, 5010);
	const struct story stories[] = {
		{"the receiver", spike, {switch_at(5000, 0, HOG, OTHER, FLIGHT_SLEEPS, FIFO_90)},
			"migrated from CPU 1 to 0, which took 5.0 ms"},
		{"the origin", late, {switch_at(5000, 1, HOG, ORIGIN, FLIGHT_SLEEPS, FIFO_90)},
			"migrated from CPU 0 to 1, which took 5.0 ms"},
		{"its own CPU is held", spike,
			{HELD(0, 5000, 1, FIFO_90),
				switch_at(5002, 0, HOG + 1, OTHER, FLIGHT_SLEEPS, FIFO_90)},
			"hog 4711 (RT90) held CPU 1 for 5.0 ms"},
		{"it ran on its own CPU before", spike,
			{switch_at(10, 1, HOG, OTHER, FLIGHT_SLEEPS, FIFO_90),
				switch_at(5000, 0, HOG, OTHER, FLIGHT_SLEEPS, FIFO_90)},
			"unexplained 5.0 of 5.0 ms; hog (RT90) 10 us"},
		{"the sender lost its CPU before it could send", spike,
			{switch_at(6, 0, ORIGIN, HOG, 0, FIFO_90),
				switch_at(4990, 0, HOG, ORIGIN, 0, FIFO_90),
				switch_at(5000, 0, HOG + 1, OTHER, FLIGHT_SLEEPS, FIFO_90)},
			"hog 4711 (RT90) held CPU 0 for 5.0 ms"},
		{"in a flood", flood_of(5000), {switch_at(4990, 0, HOG, OTHER, FLIGHT_SLEEPS, FIFO_90)},
			"hog 4711 (RT90) held CPU 0 for 5.0 ms"},
	};

	CHECK_STORIES(stories);
}

static void causes_that_are_moves_between_several_cpus_are_one(void)
{
	const struct flight_record records[] = {switch_at(6, 0, ORIGIN, STOPPER, 0, 0),
		switch_at(10, 0, STOPPER, 0, FLIGHT_SLEEPS, 0), switch_at(1000, 1, HOG, ORIGIN, 0, FAIR),
		switch_at(1010, 1, ORIGIN, STOPPER, 0, 0), switch_at(1014, 1, STOPPER, 0, FLIGHT_SLEEPS, 0),
		switch_at(2010, 0, 0, ORIGIN, 0, FAIR)};
	const struct spike spike = spike_of(2020, 2025);
	struct explanation explanation;
	char text[EXPLANATION_TEXT_SIZE];

	explain_recorded(&explanation, &spike, records, 6);
	CHECK(strcmp(explanation_text(&explanation, text), "migrated from both CPUs, which took 2.0 ms") == 0,
		"%s", text);
}

static void each_cause_has_a_name_and_a_text(void)
{
	for (unsigned kind = 0; kind < N_CAUSES; kind++) {
		struct cause cause = {.kind = (enum cause_kind)kind, .priority = FAIR};
		char text[CAUSE_TEXT_SIZE];

		CHECK(cause_names[kind] && *cause_names[kind], "%u", kind);
		cause_text(&cause, text);
		CHECK(*text && text[strlen(text) - 1] != ' ', "%s: \"%s\"", cause_names[kind], text);
	}
	struct cause longest = {.kind = CAUSE_TIMER_LATE, .name = "123456789012345"};
	char text[CAUSE_TEXT_SIZE];

	CHECK(strcmp(cause_text(&longest, text), "timer late (123456789012345 ran)") == 0, "%s", text);
}

/* --- many records --- */

static struct flight_record many[2 * SPIKE_RECORDS_MAX];

/* An interrupt of 1 to 3 us in each 10 us of CPU 0; each has its own number if @are_different. */
static void make_interrupts(size_t n, bool are_different)
{
	for (size_t i = 0; i < n; i++)
		many[i] = lasting(FLIGHT_IRQ, 10 * (int64_t)i + 1, 10 * (int64_t)i + 2 + (int64_t)i % 3, 0,
			are_different ? (uint32_t)i : 24, "eth0");
}

static uint64_t sum_blames(const struct explanation *explanation)
{
	uint64_t sum_ns = 0;

	for (size_t i = 0; i < explanation->n_blames; i++)
		sum_ns += explanation->blames[i].ns;
	return sum_ns;
}

/* 100 interrupts of 199 us together. */
static void the_shortest_segments_are_merged_but_the_blames_are_exact(void)
{
	struct spike spike = spike_of(1000, 1000);
	struct explanation explanation;

	make_interrupts(100, false);
	explain_recorded(&explanation, &spike, many, 100);
	CHECK(explanation.n_segments <= SEGMENTS_MAX && explanation.n_blames == 2);
	CHECK(explanation.blames[1].ns == 199 * US && explanation.blames[1].n == 100, "%" PRIu64 ", %" PRIu32,
		explanation.blames[1].ns, explanation.blames[1].n);
	CHECK(sum_blames(&explanation) == explanation.length_ns);
	for (size_t i = 1; i < explanation.n_segments; i++)
		CHECK(explanation.segments[i].cause.kind != explanation.segments[i - 1].cause.kind, "%zu", i);
}

static void causes_without_a_place_are_unexplained(void)
{
	struct spike spike = flood_of(1000);
	struct explanation explanation;

	make_interrupts(100, true);
	explain_recorded(&explanation, &spike, many, 100);
	CHECK(explanation.n_blames == BLAMES_MAX && sum_blames(&explanation) == explanation.length_ns);
	CHECK(explanation.blames[1].ns == 3 * US && explanation.blames[BLAMES_MAX - 1].ns == 3 * US);
	CHECK(explanation.explained_ns == 3 * US * (BLAMES_MAX - 1));
}

static void what_has_no_place_among_the_records_was_not_seen(void)
{
	struct spike spike = spike_of(20000, 20000);
	struct explanation explanation;

	make_interrupts(2 * SPIKE_RECORDS_MAX, false);
	explain(&explanation, &spike, many, 2 * SPIKE_RECORDS_MAX);
	CHECK(!explanation.is_complete && explanation.blames[0].cause.kind == CAUSE_UNSEEN);
	CHECK(explanation.segments[explanation.n_segments - 1].cause.kind == CAUSE_UNSEEN);
	CHECK(sum_blames(&explanation) == explanation.length_ns);
}

/* Each record has three times of its own, at which something may change. */
static void all_times_of_all_records_have_room(void)
{
	struct spike spike = with_policy(spike_of(6000, 6005), SCHED_OTHER, 0);
	struct explanation explanation;

	for (int64_t i = 0; i < SPIKE_RECORDS_MAX; i++)
		many[i] = since(switch_at(10 * i + 10, 0, i % 2 ? RIVAL : HOG, i % 2 ? HOG : RIVAL,
					FLIGHT_SLEEPS, FAIR),
			10 * i + 3, 10 * i + 6);
	explain(&explanation, &spike, many, SPIKE_RECORDS_MAX);
	CHECK(sum_blames(&explanation) == explanation.length_ns);
	for (int64_t i = 0; i < SPIKE_RECORDS_MAX; i++)
		many[i] = turns_of(switch_at(10 * i + 10, 0, HOG, RIVAL, 0, FAIR), 10 * i + 3, 10 * i + 6);
	explain(&explanation, &spike, many, SPIKE_RECORDS_MAX);
	CHECK(sum_blames(&explanation) == explanation.length_ns);
}

/* --- whatever is recorded --- */

static struct flight_record any_record(void)
{
	int64_t at_us = rand() % 1200 - 100, from_us = at_us - rand() % 200;
	static const int32_t tids[] = {0, ORIGIN, OTHER, HOG, HOG};
	static const uint32_t states[] = {0, FLIGHT_SLEEPS, FLIGHT_BLOCKED, FLIGHT_STOPPED};

	if (rand() % 2)
		return switch_at(at_us, (uint32_t)(rand() % 3), tids[rand() % 5], tids[rand() % 5],
			states[rand() % 4], rand() % 140);
	return lasting((enum flight_kind)(FLIGHT_TIMER + rand() % (N_FLIGHT_KINDS - FLIGHT_TIMER)), from_us,
		at_us, (uint32_t)(rand() % 3), 1, "x");
}

static int compare_ends(const void *left, const void *right)
{
	const struct flight_record *a = left, *b = right;

	return (a->at_ns > b->at_ns) - (a->at_ns < b->at_ns);
}

static bool is_hog_recorded(const struct flight_record *records, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (records[i].prev_tid == HOG || records[i].next_tid == HOG)
			return true;
	return false;
}

static void check_any(const struct spike *spike, const struct flight_record *records, size_t n)
{
	struct explanation explanation;
	uint64_t at_ns = spike_start_ns(spike), sum_ns = 0;
	bool names_hog = false;

	explain_recorded(&explanation, spike, records, n);
	for (size_t i = 0; i < explanation.n_segments; i++) {
		CHECK(explanation.segments[i].from_ns == at_ns && explanation.segments[i].to_ns > at_ns);
		at_ns = explanation.segments[i].to_ns;
		names_hog |= explanation.segments[i].cause.tid == HOG;
	}
	CHECK(at_ns == spike_end_ns(spike) && explanation.n_segments <= SEGMENTS_MAX);
	for (size_t i = 0; i < explanation.n_blames; i++)
		sum_ns += explanation.blames[i].ns;
	CHECK(sum_ns == explanation.length_ns && explanation.explained_ns <= explanation.length_ns);
	CHECK(!names_hog || is_hog_recorded(records, n));
}

static void whatever_is_recorded_the_segments_are_the_spike(void)
{
	struct flight_record *records = many;

	srand(1);
	for (unsigned round = 0; round < 300; round++) {
		size_t n = (size_t)rand() % (round % 50 ? 20 : SPIKE_RECORDS_MAX);
		uint64_t sent_us = (uint64_t)rand() % 500;
		struct spike spike = spike_of(sent_us, sent_us + 1 + (uint64_t)rand() % 500);

		for (size_t i = 0; i < n; i++)
			records[i] = any_record();
		qsort(records, n, sizeof(*records), compare_ends);
		spike.due_ns = rand() % 3 ? spike.due_ns : 0;
		check_any(&spike, records, n);
	}
}

/* --- a world that is recorded as the recorder does it --- */

/* Which task a CPU has, since when. */
struct world {
	struct {
		uint64_t at_ns;
		int32_t tid;
	} tasks[2][64];
	size_t n[2];
	bool knows_since; /* since when the task that goes had the CPU */
	struct flight_record records[2 * 2 * 64];
	size_t n_records;
};

static bool is_member(int32_t tid)
{
	return tid == ORIGIN || tid == OTHER || tid == RIVAL;
}

static bool is_recorded(int32_t prev, int32_t next, uint32_t prev_state)
{
	bool is_same_ring = is_member(prev) && is_member(next) && (prev == RIVAL) == (next == RIVAL);

	if ((prev && !is_member(prev)) || (next && !is_member(next)))
		return true;
	return !is_same_ring && is_member(prev) && (is_member(next) || prev_state != FLIGHT_SLEEPS);
}

static void add_task(struct world *world, uint32_t cpu, int64_t us, int32_t tid)
{
	world->tasks[cpu][world->n[cpu]].at_ns = (uint64_t)(DUE + us * US);
	world->tasks[cpu][world->n[cpu]++].tid = tid;
}

/* The two tasks of the last switch take turns, until one of them goes on alone: who is returned. */
static int32_t make_turns(struct world *world, uint32_t cpu, int64_t *us, struct flight_record *turns)
{
	const struct flight_record *last = &world->records[world->n_records - 1];
	int64_t from_us = *us;
	int32_t one = last->prev_tid, other = last->next_tid;

	for (int n = 2 + rand() % 8; n > 0; n--) {
		int32_t next = one;

		one = other;
		other = next;
		add_task(world, cpu, ++*us, other);
	}
	*turns = turns_of(switch_at(*us, cpu, other, one, 0, last->next_priority), from_us, *us);
	return other;
}

/* Turns are recorded when they are over, and the task that went on alone goes. */
static void add_turns(struct world *world, struct flight_record *turns, int64_t us)
{
	turns->at_ns = (uint64_t)(DUE + us * US);
	if (turns->from_ns)
		world->records[world->n_records++] = *turns;
	turns->from_ns = 0;
}

static void make_cpu(struct world *world, uint32_t cpu)
{
	static const int32_t tids[2][8] = {{0, 0, ORIGIN, ORIGIN, RIVAL, HOG, HOG + 1, HOG + 2},
		{0, 0, OTHER, OTHER, RIVAL, HOG, HOG + 1, HOG + 2}};
	static const uint32_t states[] = {0, FLIGHT_SLEEPS, FLIGHT_SLEEPS, FLIGHT_BLOCKED, FLIGHT_STOPPED};
	static const int32_t priorities[] = {FIFO_90, FAIR, 49};
	struct flight_record turns = {0};
	int64_t us = -300, came_us = us;
	int32_t prev = 0;

	world->n[cpu] = 0;
	while (us < 1000 && world->n[cpu] < 50) {
		int32_t next = tids[cpu][rand() % 8];
		uint32_t state = states[rand() % 5];

		if (world->knows_since && is_member(prev) &&
			!state) /* a rival that follows one may be judged */
			state = FLIGHT_SLEEPS;
		us += 1 + rand() % (rand() % 2 ? 20 : 200);
		add_task(world, cpu, us, next);
		if (next != prev)
			add_turns(world, &turns, us);
		if (next != prev && is_recorded(prev, next, state))
			world->records[world->n_records++] =
				switch_at(us, cpu, prev, next, state, priorities[rand() % 3]);
		if (next != prev && is_recorded(prev, next, state) && world->knows_since && prev)
			world->records[world->n_records - 1].from_ns = (uint64_t)(DUE + came_us * US);
		if (next != prev)
			came_us = us;
		if (prev >= HOG && next >= HOG && next != prev && rand() % 3 == 0) {
			next = make_turns(world, cpu, &us, &turns);
			came_us = us;
		}
		prev = next;
	}
	add_turns(world, &turns, 2000);
}

/* Returns whether the CPU has no other task than @tid and its @partner from @from_ns to @to_ns; with 0, no
 * stranger. */
static bool is_true(const struct world *world, uint32_t cpu, int32_t tid, int32_t partner, uint64_t from_ns,
	uint64_t to_ns)
{
	for (size_t i = 0; i < world->n[cpu]; i++) {
		uint64_t end_ns = i + 1 < world->n[cpu] ? world->tasks[cpu][i + 1].at_ns : UINT64_MAX;
		int32_t is = world->tasks[cpu][i].tid;

		if (world->tasks[cpu][i].at_ns < to_ns && end_ns > from_ns &&
			(tid ? is != tid && is != partner : is >= HOG))
			return false;
	}
	return true;
}

/* Members of other rings can be judged only where it is known since when they had the CPU: this world has no
 * scheduler. */
static unsigned check_world(const struct world *world, const struct explanation *explanation)
{
	unsigned n_named = 0;

	for (size_t i = 0; i < explanation->n_segments; i++) {
		const struct segment *segment = &explanation->segments[i];
		const struct cause *cause = &segment->cause;

		bool is_judged = cause->tid >= HOG || (cause->tid && world->knows_since);

		if (!is_judged && cause->kind != CAUSE_NOT_WOKEN)
			continue;
		CHECK(is_true(world, cause->cpu, cause->tid, cause->partner_tid, segment->from_ns,
			      segment->to_ns),
			"%s %d from %" PRIu64 " to %" PRIu64, cause_names[cause->kind], cause->tid,
			segment->from_ns - DUE, segment->to_ns - DUE);
		n_named += cause->tid != 0;
	}
	return n_named;
}

static void no_task_is_named_that_was_not_there(void)
{
	static struct world world;
	unsigned n_named = 0, n_complete = 0;

	srand(2);
	for (unsigned round = 0; round < 2000; round++) {
		uint64_t sent_us = 10 + (uint64_t)rand() % 400;
		struct spike spike = rand() % 4 ? spike_of(sent_us, sent_us + 1 + (uint64_t)rand() % 500)
						: flood_of(1 + (uint64_t)rand() % 900);
		struct explanation explanation;

		world.n_records = 0;
		world.knows_since = round % 2;
		make_cpu(&world, 0);
		make_cpu(&world, 1);
		qsort(world.records, world.n_records, sizeof(world.records[0]), compare_ends);
		explain_recorded(&explanation, &spike, world.records, world.n_records);
		if (explanation.n_segments < SEGMENTS_MAX) /* else some may have been merged */
			n_named += check_world(&world, &explanation);
		n_complete += explanation.is_complete;
	}
	CHECK(n_named > 2000 && n_complete == 2000, "%u, %u", n_named, n_complete);
}

int main(void)
{
	TEST(each_cause_is_named);
	TEST(what_stops_cpus_from_below_the_kernel_is_a_hint);
	TEST(only_the_cpu_that_is_waited_for_counts);
	TEST(nothing_is_said_for_which_there_is_no_record);
	TEST(a_member_that_was_moved_meanwhile_is_on_its_new_cpu_since_then);
	TEST(another_member_of_the_ring_is_not_said_to_hold_the_cpu);
	TEST(the_other_end_of_the_hop_is_no_throttling);
	TEST(a_task_is_there_since_it_is_recorded_to_have_come);
	TEST(members_of_other_rings_are_named_while_they_can_not_have_slept);
	TEST(two_tasks_that_take_turns_are_named_together);
	TEST(members_that_take_turns_are_named_together);
	TEST(a_member_that_was_moved_is_not_throttled);
	TEST(a_member_that_was_moved_while_it_slept_is_known_by_where_it_comes);
	TEST(causes_that_are_moves_between_several_cpus_are_one);
	TEST(nested_intervals_give_net_time);
	TEST(of_two_that_begin_together_the_shorter_is_the_inner_one);
	TEST(a_spike_that_goes_on_ends_when_it_was_seen);
	TEST(in_a_flood_both_cpus_count);
	TEST(only_the_ends_of_the_hop_that_took_most_are_judged);
	TEST(a_task_that_runs_on_once_the_timer_has_fired_was_not_preempted);
	TEST(our_own_tasks_are_named_as_ours);
	TEST(the_time_when_the_hop_was_sent_remains_a_cut);
	TEST(when_members_came_to_their_cpus_is_known_by_records);
	TEST(causes_of_one_text_are_one_blame);
	TEST(each_cause_has_a_name_and_a_text);
	TEST(the_shortest_segments_are_merged_but_the_blames_are_exact);
	TEST(causes_without_a_place_are_unexplained);
	TEST(what_has_no_place_among_the_records_was_not_seen);
	TEST(all_times_of_all_records_have_room);
	TEST(whatever_is_recorded_the_segments_are_the_spike);
	TEST(no_task_is_named_that_was_not_there);
	return tap_done();
}
