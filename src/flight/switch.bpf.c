// SPDX-License-Identifier: GPL-2.0-or-later
/* switch.bpf.c - what the kernel runs at switches, interrupts and softirqs: records them for bpf.c.
 *
 * The programs share no code with the front but bpf_lane.h. A switch of the members themselves is the case
 * that must be fast: it costs two loads by tid. That of switches reads tasks, by the kernel's types (tp_btf).
 * The others read only numbers, some of the running task's: to look up the types of each would take most of
 * the time of a start. */
#include <stdbool.h>
#include <stdint.h>

typedef uint8_t __u8;
typedef uint16_t __u16;
typedef uint32_t __u32;
typedef unsigned long long __u64;
typedef int16_t __s16;
typedef int32_t __s32;
typedef long long __s64;
typedef __u16 __be16;
typedef __u32 __be32, __wsum;

enum { BPF_MAP_TYPE_ARRAY = 2, BPF_F_MMAPABLE = 1 << 10 };

#include <bpf/bpf_helpers.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_tracing.h>

#include "src/flight/bpf_lane.h"

/* --- what is read of the kernel's structs, wherever it has these members --- */

#define OF_THE_KERNEL __attribute__((preserve_access_index))

struct ns_common {
	unsigned int inum;
} OF_THE_KERNEL;

struct pid_namespace {
	struct ns_common ns;
} OF_THE_KERNEL;

struct upid {
	int nr;
	struct pid_namespace *ns;
} OF_THE_KERNEL;

struct pid {
	unsigned int level;
	struct upid numbers[1];
} OF_THE_KERNEL;

struct rq {
	__u64 clock;
} OF_THE_KERNEL;

struct cfs_rq {
	struct rq *rq;      /* with CONFIG_FAIR_GROUP_SCHED */
	int throttle_count; /* with CONFIG_CFS_BANDWIDTH */
} OF_THE_KERNEL;

/* Of any task, a real-time one, too. */
struct sched_entity {
	struct cfs_rq *cfs_rq;
} OF_THE_KERNEL;

struct sched_info {
	unsigned long long last_arrival, last_queued; /* by the clock of the CPU's run queue */
} OF_THE_KERNEL;

struct task_struct {
	unsigned int __state;
	int prio;
	unsigned int policy;
	int pid;
	unsigned long nvcsw, nivcsw;
	struct sched_info sched_info;
	struct sched_entity se;
	bool throttled; /* with CONFIG_CFS_BANDWIDTH, since 6.18 */
	struct pid *thread_pid;
	char comm[16];
} OF_THE_KERNEL;

/* Before Linux 5.14. */
struct task_struct___state {
	volatile long state;
} OF_THE_KERNEL;

/* --- shared with the front --- */

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* as many as CPUs are recorded: the front sets it */
	__type(key, uint32_t);
	__type(value, struct bpf_lane);
} lanes SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(map_flags, BPF_F_MMAPABLE);
	__uint(max_entries, 1); /* as many as pid_max needs: the front sets it */
	__type(key, uint32_t);
	__type(value, struct bpf_tids);
} tids SEC(".maps");

uint16_t lane_of_cpu[BPF_CPUS];
/* The front's PID namespace, if it is not the first one: then tids are those that the front sees. */
const volatile uint32_t namespace_number = 0;
uint32_t namespace_level = 0; /* set by find_level() */

/* --- lanes --- */

static __always_inline uint32_t lane_number(void)
{
	uint32_t cpu = bpf_get_smp_processor_id();

	return cpu < BPF_CPUS ? lane_of_cpu[cpu] : 0;
}

static __always_inline struct bpf_lane *lane_of_number(uint32_t number)
{
	uint32_t key = number - 1;

	return number ? bpf_map_lookup_elem(&lanes, &key) : NULL;
}

/* The front finds the record that was written before. A locked instruction with a full barrier: pairs with
 * the loads in copy_context() and find_idle(). */
static __always_inline void publish(uint64_t *n)
{
	uint64_t before = __sync_fetch_and_add(n, 1);

	asm volatile("" : : "r"(before)); /* else it would be an add without barrier */
}

/* --- switches --- */

enum { TASK_ASLEEP = 0x1, TASK_DEAD = 0x80, TASK_STOPPED_OR_DEAD = 0x4 | 0x8 | 0x10 | 0x20 | TASK_DEAD };
enum { TASK_STATE = 0xff }; /* above are flags, as of a sleep that may be frozen */

/* The tid of tasks that the front can't see. */
enum { TID_UNSEEN = -1 };

static __always_inline int32_t tid_in_namespace(struct task_struct *task)
{
	struct pid *pid = BPF_CORE_READ(task, thread_pid);
	uint32_t level = namespace_level;
	struct upid at_level = {0};

	if (!pid || BPF_CORE_READ(pid, level) < level)
		return TID_UNSEEN;
	const char *numbers = (const char *)pid + bpf_core_field_offset(struct pid, numbers);

	bpf_probe_read_kernel(&at_level, sizeof(at_level), numbers + level * sizeof(at_level));
	return BPF_CORE_READ(at_level.ns, ns.inum) == namespace_number ? at_level.nr : TID_UNSEEN;
}

/* Returns 0 for idle. */
static __always_inline int32_t tid_of(struct task_struct *task)
{
	int32_t tid = task->pid;

	return tid && namespace_number ? tid_in_namespace(task) : tid;
}

static __always_inline uint16_t *entry_of_tid(int32_t tid)
{
	uint32_t key = (uint32_t)tid / BPF_TIDS;
	struct bpf_tids *part = bpf_map_lookup_elem(&tids, &key);

	return part ? &part->ring[(uint32_t)tid % BPF_TIDS] : NULL;
}

/* Returns its number, and AWAY. */
static __always_inline uint16_t member_of_tid(int32_t tid)
{
	uint16_t *member = entry_of_tid(tid);

	return member ? *member : 0;
}

static __always_inline uint16_t ring_of_tid(int32_t tid)
{
	return member_of_tid(tid) & (BPF_AWAY - 1);
}

/* A member that has ended gives up its tid, which another task may get before the front knows. */
static __always_inline void forget_tid(int32_t tid)
{
	uint16_t *ring = entry_of_tid(tid);

	if (ring)
		*ring = 0;
}

struct change {
	int32_t prev_tid, next_tid;    /* 0: idle */
	uint16_t prev_ring, next_ring; /* 0: no member */
	bool prev_away, next_away;
	int16_t prev_priority, next_priority;
	uint32_t prev_state;
};

/* Whether a switch explains nothing: a member that goes to sleep, or wakes up, on a CPU that is idle else; or
 * one of the ring hands over to another one. */
static __always_inline bool is_routine(const struct change *change)
{
	if ((change->prev_tid && !change->prev_ring) || (change->next_tid && !change->next_ring))
		return false;
	if (change->prev_tid && change->next_tid)
		return change->prev_ring == change->next_ring && !(change->prev_state & TASK_STOPPED_OR_DEAD);
	return !change->prev_tid || change->prev_state & TASK_ASLEEP;
}

static __always_inline bool goes_to_sleep(const struct change *change)
{
	return (change->prev_state & TASK_STATE) == TASK_ASLEEP;
}

/* Whether two strangers go on with handing over to each other. */
static __always_inline bool is_turn_of_two(
	const struct bpf_pair *pair, const struct change *change, bool is_short)
{
	return is_short && pair->was_short && change->prev_tid > 0 && change->next_tid > 0 &&
	       !change->prev_ring && !change->next_ring;
}

/* Whether members go on with handing over to each other, and none of them was away. */
static __always_inline bool is_turn_of_members(
	const struct bpf_pair *pair, const struct change *change, uint64_t now_ns)
{
	return pair->are_members && change->prev_ring && change->next_ring && !change->prev_away &&
	       !change->next_away && now_ns - pair->came_ns < BPF_SHORT_NS && goes_to_sleep(change) &&
	       change->prev_priority == pair->priority && change->next_priority == pair->priority;
}

/* Counts a switch that is not to be recorded. */
static __always_inline bool is_counted(struct bpf_pair *pair, const struct change *change, uint64_t now_ns)
{
	bool is_same = (change->prev_tid == pair->tids[0] && change->next_tid == pair->tids[1]) ||
		       (change->prev_tid == pair->tids[1] && change->next_tid == pair->tids[0]);
	bool is_short = is_same && now_ns - pair->came_ns < BPF_SHORT_NS && goes_to_sleep(change);
	bool is_turn = is_turn_of_two(pair, change, is_short) || is_turn_of_members(pair, change, now_ns);

	pair->came_ns = now_ns;
	pair->was_short = is_short;
	if (is_turn && now_ns - pair->recorded_ns < BPF_COUNTED_NS) {
		pair->n_counted++;
		return true;
	}
	return false;
}

static __always_inline void begin_pair(struct bpf_pair *pair, const struct change *change, uint64_t now_ns)
{
	pair->recorded_ns = now_ns;
	pair->tids[0] = change->prev_tid;
	pair->tids[1] = change->next_tid;
	pair->n_counted = 0;
	pair->priority = change->next_priority;
	pair->are_members = change->next_ring != 0;
}

static __always_inline void set_away(int32_t tid, bool is_away)
{
	uint16_t *member = entry_of_tid(tid);

	if (member)
		*member = is_away ? *member | BPF_AWAY : *member & (BPF_AWAY - 1);
}

/* A member is away from when it leaves its CPU without going to sleep until it comes back, or goes to sleep.
 */
static __always_inline void note_away(const struct change *change)
{
	bool leaves = change->prev_ring && !goes_to_sleep(change);

	if (change->prev_away != leaves)
		set_away(change->prev_tid, leaves);
	if (change->next_away)
		set_away(change->next_tid, false);
}

/* Notes since when the task that goes had the CPU, at most for @ran_ns, and since when the one that comes
 * waits for it. A task that comes from idle, or after one of its ring, may have no record of that. The kernel
 * brought the clock up to date just before. */
static __always_inline void note_since(struct bpf_switch *at, struct task_struct *prev,
	struct task_struct *next, uint64_t now_ns, uint64_t ran_ns, uint64_t left_idle_ns)
{
	at->came_ns = at->queued_ns = 0;
	if (!bpf_core_field_exists(prev->sched_info.last_arrival) ||
		!bpf_core_field_exists(prev->se.cfs_rq) || !bpf_core_field_exists(prev->se.cfs_rq->rq))
		return;
	uint64_t clock = prev->se.cfs_rq->rq->clock, came = prev->sched_info.last_arrival,
		 queued = next->sched_info.last_queued;

	if (prev->pid && came && came <= clock) {
		at->came_ns = now_ns - (clock - came < ran_ns ? clock - came : ran_ns);
		if (at->came_ns < left_idle_ns)
			at->came_ns = left_idle_ns;
	}
	if (next->pid && queued && queued <= clock)
		at->queued_ns = now_ns - (clock - queued);
}

/* Returns whether the task goes as the quota of its cgroup, or of one above, is spent. */
static __always_inline bool is_throttled(struct task_struct *prev)
{
	enum { FAIR = 100 }; /* its priority, or above */

	if (bpf_core_field_exists(prev->throttled))
		return prev->throttled;
	return prev->prio >= FAIR && bpf_core_field_exists(prev->se.cfs_rq) &&
	       bpf_core_field_exists(prev->se.cfs_rq->throttle_count) && prev->se.cfs_rq->throttle_count;
}

static __always_inline int record_switch(
	struct task_struct *prev, struct task_struct *next, uint32_t prev_state)
{
	uint32_t number = lane_number();

	if (!number)
		return 0;
	struct change change = {.prev_tid = tid_of(prev), .next_tid = tid_of(next), .prev_state = prev_state};
	uint16_t prev_member = change.prev_tid ? member_of_tid(change.prev_tid) : 0;
	uint16_t next_member = change.next_tid ? member_of_tid(change.next_tid) : 0;

	change.prev_ring = prev_member & (BPF_AWAY - 1);
	change.next_ring = next_member & (BPF_AWAY - 1);
	if (is_routine(&change))
		return 0;
	struct bpf_lane *lane = lane_of_number(number);

	if (!lane)
		return 0;
	uint64_t now_ns = bpf_ktime_get_ns(), ran_ns = now_ns - lane->pair.came_ns;

	change.prev_away = prev_member & BPF_AWAY;
	change.next_away = next_member & BPF_AWAY;
	change.prev_priority = (int16_t)prev->prio;
	change.next_priority = (int16_t)next->prio;
	if (is_counted(&lane->pair, &change, now_ns))
		return 0;
	struct bpf_switch *at = &lane->switches[lane->n[BPF_IN_TASK] % BPF_SWITCHES];

	at->at_ns = now_ns;
	at->n_counted = (uint16_t)lane->pair.n_counted;
	at->are_members = lane->pair.are_members;
	at->ran_ns = ran_ns < UINT32_MAX ? (uint32_t)ran_ns : UINT32_MAX;
	at->prev_tid = change.prev_tid;
	at->next_tid = change.next_tid;
	at->prev_priority = change.prev_priority;
	at->next_priority = change.next_priority;
	at->prev_state = (uint16_t)prev_state;
	at->prev_policy = (uint8_t)prev->policy;
	at->next_policy = (uint8_t)next->policy;
	at->prev_is_throttled = change.prev_tid && is_throttled(prev);
	note_since(at, prev, next, now_ns, ran_ns,
		lane->n_idles ? lane->idles[(lane->n_idles - 1) % BPF_IDLES].at_ns : 0);
	__builtin_memcpy(at->prev_name, prev->comm, sizeof(at->prev_name));
	__builtin_memcpy(at->next_name, next->comm, sizeof(at->next_name));
	begin_pair(&lane->pair, &change, now_ns);
	publish(&lane->n[BPF_IN_TASK]);
	note_away(&change);
	if (prev_state & TASK_DEAD)
		forget_tid(change.prev_tid);
	return 0;
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, bool is_preempted, struct task_struct *prev, struct task_struct *next,
	unsigned int prev_state)
{
	return record_switch(prev, next, is_preempted ? 0 : prev_state);
}

/* Before Linux 5.18. The state is that of now, and a task that is just being woken has another one. */
SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch_without_state, bool is_preempted, struct task_struct *prev, struct task_struct *next)
{
	struct task_struct___state *older = (void *)prev;
	uint32_t prev_state = bpf_core_field_exists(prev->__state) ? prev->__state : (uint32_t)older->state;

	return record_switch(prev, next, is_preempted ? 0 : prev_state);
}

/* --- interrupts and softirqs --- */

static __always_inline int enter(enum bpf_span_kind kind)
{
	struct bpf_lane *lane = lane_of_number(lane_number());

	if (lane)
		lane->from_ns[kind] = bpf_ktime_get_ns();
	return 0;
}

/* Returns the tid of the task that runs, or is interrupted; 0: idle, or a member. */
static __always_inline int32_t current_other(void)
{
	int32_t tid = tid_of((struct task_struct *)bpf_get_current_task_btf());

	return tid && !ring_of_tid(tid) ? tid : 0;
}

/* Returns whether an interrupt follows another one at once, and the same task, or idle, ran between them:
 * each is short, but a flood of them is not. */
static __always_inline bool is_in_flood(struct bpf_lane *lane, uint64_t from_ns, uint64_t now_ns)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task_btf();
	uint64_t switches = task->nvcsw + task->nivcsw, room_ns = 2 * (now_ns - from_ns);
	int32_t tid = task->pid;
	bool is_next =
		from_ns < lane->at_once_until_ns && tid == lane->irq_tid && switches == lane->irq_switches;

	if (room_ns < BPF_AT_ONCE_LEAST_NS)
		room_ns = BPF_AT_ONCE_LEAST_NS;
	if (room_ns > BPF_AT_ONCE_MOST_NS)
		room_ns = BPF_AT_ONCE_MOST_NS;
	lane->at_once_until_ns = now_ns + room_ns;
	lane->irq_switches = switches;
	lane->irq_tid = tid;
	return is_next;
}

/* Returns when a span that ends @now_ns began, if it was longer than the limit; else 0. One that interrupts
 * another task tells that it was there, however short it is. */
static __always_inline uint64_t leave(
	struct bpf_lane *lane, enum bpf_span_kind kind, uint64_t now_ns, int32_t other)
{
	uint64_t from_ns = lane->from_ns[kind];

	lane->from_ns[kind] = 0; /* an exit without entry records nothing */
	if (!from_ns)
		return 0;
	bool is_told = (kind != BPF_SOFTIRQ && is_in_flood(lane, from_ns, now_ns)) || other;

	return is_told || now_ns - from_ns > lane->limit_ns[kind] ? from_ns : 0;
}

static __always_inline void write_span(struct bpf_span *at, enum bpf_span_kind kind, uint64_t from_ns,
	uint64_t now_ns, uint32_t number, int32_t other)
{
	at->at_ns = now_ns;
	at->from_ns = from_ns;
	at->kind = kind;
	at->number = number;
	at->tid = other;
}

static __always_inline int leave_irq(enum bpf_span_kind kind, uint32_t number)
{
	struct bpf_lane *lane = lane_of_number(lane_number());

	if (!lane)
		return 0;
	int32_t other = current_other();
	uint64_t now_ns = bpf_ktime_get_ns(), from_ns = leave(lane, kind, now_ns, other);

	if (!from_ns)
		return 0;
	write_span(&lane->irqs[lane->n[BPF_IN_IRQ] % BPF_IRQS], kind, from_ns, now_ns, number, other);
	publish(&lane->n[BPF_IN_IRQ]);
	return 0;
}

/* Two programs: of the tracepoints NAME_entry and NAME_exit, which have the vector's number. */
#define INTERRUPT(name, kind)                                                                                \
	SEC("raw_tp/" #name "_entry")                                                                        \
	int BPF_PROG(name##_began)                                                                           \
	{                                                                                                    \
		return enter(kind);                                                                          \
	}                                                                                                    \
	SEC("raw_tp/" #name "_exit")                                                                         \
	int BPF_PROG(name##_ended, int vector)                                                               \
	{                                                                                                    \
		return leave_irq(kind, (uint32_t)vector);                                                    \
	}

INTERRUPT(irq_handler, BPF_IRQ)
/* Interrupts of x86. Not `reschedule`: its handler does no work, each answer across CPUs has one, and whom it
 * brings onto the CPU is in the switch that follows. */
INTERRUPT(local_timer, BPF_TIMER)
INTERRUPT(call_function, BPF_IPI)
INTERRUPT(call_function_single, BPF_IPI)
INTERRUPT(irq_work, BPF_IPI)

/* Interrupts of ARM, whose argument is a text that may not be read under lockdown. */
SEC("raw_tp/ipi_entry")
int BPF_PROG(ipi_began)
{
	return enter(BPF_IPI);
}

SEC("raw_tp/ipi_exit")
int BPF_PROG(ipi_ended)
{
	return leave_irq(BPF_IPI, 0);
}

SEC("raw_tp/softirq_entry")
int BPF_PROG(softirq_began)
{
	return enter(BPF_SOFTIRQ);
}

SEC("raw_tp/softirq_exit")
int BPF_PROG(softirq_ended, unsigned int vector)
{
	struct bpf_lane *lane = lane_of_number(lane_number());

	if (!lane)
		return 0;
	int32_t other = current_other();
	uint64_t now_ns = bpf_ktime_get_ns(), from_ns = leave(lane, BPF_SOFTIRQ, now_ns, other);

	if (!from_ns)
		return 0;
	write_span(&lane->softirqs[lane->n[BPF_IN_SOFTIRQ] % BPF_SOFTIRQS], BPF_SOFTIRQ, from_ns, now_ns,
		vector, other);
	publish(&lane->n[BPF_IN_SOFTIRQ]);
	return 0;
}

/* Comes after each handler, with its length. */
SEC("raw_tp/nmi_handler")
int BPF_PROG(nmi_ended, void *handler, int64_t length_ns)
{
	struct bpf_lane *lane = lane_of_number(lane_number());

	if (!lane || length_ns <= (int64_t)lane->limit_ns[BPF_NMI])
		return 0;
	uint64_t now_ns = bpf_ktime_get_ns();

	write_span(&lane->nmis[lane->n[BPF_IN_NMI] % BPF_NMIS], BPF_NMI, now_ns - (uint64_t)length_ns, now_ns,
		0, 0);
	publish(&lane->n[BPF_IN_NMI]);
	return 0;
}

/* --- idle --- */

enum { LEAVES_IDLE = -1 };

/* Comes with the state before the CPU takes it, and with that number after it has left it. */
SEC("raw_tp/cpu_idle")
int BPF_PROG(on_idle, unsigned int state)
{
	struct bpf_lane *lane = lane_of_number(lane_number());

	if (!lane)
		return 0;
	if ((int32_t)state != LEAVES_IDLE) {
		lane->idle_state = state;
		lane->idle_from_ns = bpf_ktime_get_ns();
		return 0;
	}
	if (!lane->idle_from_ns)
		return 0;
	struct bpf_idle *at = &lane->idles[lane->n_idles % BPF_IDLES];

	at->at_ns = bpf_ktime_get_ns();
	at->from_ns = lane->idle_from_ns;
	at->state = lane->idle_state;
	lane->idle_from_ns = 0; /* an exit without entry records nothing */
	publish(&lane->n_idles);
	return 0;
}

/* --- once --- */

/* The front runs it to learn the level of its own PID namespace: /proc shows levels below that of the mount.
 */
SEC("raw_tp")
int find_level(void *context)
{
	struct task_struct *task = (void *)bpf_get_current_task();

	namespace_level = BPF_CORE_READ(task, thread_pid, level);
	return 0;
}

char licensed_as[] SEC("license") = "GPL";
