/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf.c - the best tier: BPF programs (switch.bpf.c) leave out what is not needed before it costs a record.
 *
 * The programs write into memory that is mapped here: reading it needs no system call. All of it, the
 * programs too, lives as long as descriptors of this process. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/capability.h>
#include <linux/membarrier.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/small_file.h"
#include "src/base/text.h"
#include "src/flight/bpf_lane.h"
#include "src/flight/idle_search.h"
#include "src/flight/tier.h"
#include "src/flight/trace_format.h"
#include "src/machine/cpus.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Woverlength-strings" /* the programs are one */
#include "src/flight/switch.skel.h"
#pragma GCC diagnostic pop

_Static_assert((int)BPF_CPUS == (int)CPUS_MAX, "each CPU has a word that says whether it is recorded");

static const uint64_t second_ns = 1000000000;

/* A program takes the time, and then publishes its record: the youngest ones wait for the next drain, so that
 * each CPU's stay in order. */
static const uint64_t under_way_ns = 50000;

/* Lengths above which interrupts and softirqs are recorded. Each timer interrupt of a paced ring takes some
 * microseconds: the limit rises until at most so many are left. What is longer than MOST is always recorded,
 * and so is what follows another interrupt at once. */
static const uint64_t limit_least_ns = 2000, limit_first_ns = 10000, limit_most_ns = 30000;
enum { SPANS_PER_S = 100 };

enum { PROGRAMS_MOST = 32, NUMBERS = 8192, IRQ_NAMES = 32 };

/* How far a lane was read. */
struct lane_reader {
	int cpu;                          /* -1: free */
	uint64_t n[N_BPF_CONTEXTS];       /* records that were read */
	uint64_t read_ns[N_BPF_CONTEXTS]; /* when the last of them happened */
	uint64_t last_ns;                 /* of what was handed over */
	struct bpf_switch last_switch;    /* that was read; at_ns 0: none since the begin, or a loss */
	bool has_turns;                   /* what was counted after the last record was handed over */
	/* While two tasks still take turns: until when that was handed over, 0: it was not yet, and how many
	 * switches. */
	uint64_t turned_ns;
	uint32_t n_turned;
	/* What happened between is not known. Until the gap is handed over, all records are after it. */
	uint64_t gap_from_ns, begin_ns;
	bool has_begun; /* that gap was handed over */
	/* Since then the spans are counted. */
	uint64_t counted_from_ns;
	uint32_t n_spans[N_BPF_SPAN_KINDS];
};

/* Records of lanes that were given up between two drains. */
struct backlog {
	struct flight_record *records; /* owned */
	size_t n, size;
};

struct irq_name {
	uint32_t number;
	char name[16];
};

struct bpf_flight {
	struct switch_bpf *programs; /* owned */
	struct bpf_link *links[PROGRAMS_MOST];
	size_t n_links;
	struct bpf_lane *lanes; /* mapped */
	size_t n_lanes;
	struct bpf_tids *tids;       /* mapped */
	size_t n_tids;               /* in parts of BPF_TIDS */
	struct lane_reader *readers; /* owned; n_lanes */
	struct bpf_lane *copy;       /* owned; of the lane that is read */
	/* The ring of each number, which is its id modulo NUMBERS, or the next one that is free. */
	struct {
		uint32_t ring;
		bool is_taken;
	} * numbers;      /* owned */
	int32_t *members; /* owned: tids that are in the table, ascending */
	size_t n_members;
	struct backlog backlog;
	struct irq_name irq_names[IRQ_NAMES];
	size_t n_irq_names;
};

/* --- what the programs wrote --- */

/* Each ring's records begin with at_ns. */
static const struct {
	size_t offset, size;
	uint64_t n;
} contexts[N_BPF_CONTEXTS] = {
	[BPF_IN_TASK] = {offsetof(struct bpf_lane, switches), sizeof(struct bpf_switch), BPF_SWITCHES},
	[BPF_IN_IRQ] = {offsetof(struct bpf_lane, irqs), sizeof(struct bpf_span), BPF_IRQS},
	[BPF_IN_SOFTIRQ] = {offsetof(struct bpf_lane, softirqs), sizeof(struct bpf_span), BPF_SOFTIRQS},
	[BPF_IN_NMI] = {offsetof(struct bpf_lane, nmis), sizeof(struct bpf_span), BPF_NMIS},
};

/* Records of a context that were copied, and are still to be handed over. */
struct fresh {
	uint64_t next, end;
	bool is_lost; /* some before them */
};

static void *record_at(struct bpf_lane *lane, unsigned context, uint64_t i)
{
	return (char *)lane + contexts[context].offset + i % contexts[context].n * contexts[context].size;
}

static uint64_t time_at(struct bpf_lane *lane, unsigned context, uint64_t i)
{
	return *(const uint64_t *)record_at(lane, context, i);
}

/* Copies a context's records from number @next on, which are less than the ring has. */
static struct fresh copy_context(
	struct bpf_lane *copy, struct bpf_lane *lane, unsigned context, uint64_t next)
{
	uint64_t size = contexts[context].n;
	/* Acquire: pairs with publish() in switch.bpf.c. */
	uint64_t end = __atomic_load_n(&lane->n[context], __ATOMIC_ACQUIRE);
	struct fresh fresh = {.next = end - next < size ? next : end - size + 1, .end = end};

	for (uint64_t i = fresh.next; i != end; i++)
		memcpy(record_at(copy, context, i), record_at(lane, context, i), contexts[context].size);
	atomic_thread_fence(memory_order_acquire);
	/* The program may be writing the record after the last one, in the place of the oldest. */
	uint64_t oldest = __atomic_load_n(&lane->n[context], __ATOMIC_RELAXED) + 1 - size;

	if ((int64_t)(oldest - fresh.next) > 0)
		fresh.next = (int64_t)(oldest - end) > 0 ? end : oldest;
	fresh.is_lost = fresh.next != next;
	return fresh;
}

/* --- a record's words --- */

enum { KERNEL_SLEEPS = 0x1 };

static uint32_t state_of(uint32_t kernels)
{
	enum {
		INTERRUPTIBLE = KERNEL_SLEEPS,
		UNINTERRUPTIBLE = 0x2,
		STOPPED = 0x4 | 0x8,
		EXITS = 0x10 | 0x20 | 0x80,
		NO_LOAD = 0x400,
		LOCK_WAIT = 0x1000,
		FROZEN = 0x8000, /* by its cgroup of version 1, or a suspend */
	};

	if (kernels & EXITS)
		return FLIGHT_EXITS;
	if (kernels & STOPPED)
		return FLIGHT_STOPPED;
	if (kernels & INTERRUPTIBLE)
		return FLIGHT_SLEEPS;
	if (kernels & UNINTERRUPTIBLE) /* I: a kernel thread waits for work */
		return kernels & NO_LOAD ? FLIGHT_SLEEPS : FLIGHT_BLOCKED;
	if (kernels & (LOCK_WAIT | FROZEN)) /* as the kernel's own trace says */
		return FLIGHT_BLOCKED;
	return kernels ? FLIGHT_OTHERWISE : 0;
}

static void set_name(char name[16], const char *text)
{
	size_t length = strnlen(text, 15);

	memcpy(name, text, length);
	name[length] = '\0';
	text_clean(name);
}

/* Returns the name in /sys; "" if the interrupt has no handler any more. */
static const char *name_irq(struct bpf_flight *flight, uint32_t number)
{
	char path[64], line[64];

	for (size_t i = 0; i < flight->n_irq_names && i < IRQ_NAMES; i++)
		if (flight->irq_names[i].number == number)
			return flight->irq_names[i].name;
	struct irq_name *name = &flight->irq_names[flight->n_irq_names++ % IRQ_NAMES];

	snprintf(path, sizeof(path), "/sys/kernel/irq/%u/actions", number);
	small_file_read_line(path, line, sizeof(line));
	name->number = number;
	set_name(name->name, line);
	return name->name;
}

static void describe_span(
	struct bpf_flight *flight, const struct bpf_span *span, struct flight_record *record)
{
	static const enum flight_kind kinds[N_BPF_SPAN_KINDS] = {
		[BPF_TIMER] = FLIGHT_TIMER,
		[BPF_IRQ] = FLIGHT_IRQ,
		[BPF_IPI] = FLIGHT_IPI,
		[BPF_SOFTIRQ] = FLIGHT_SOFTIRQ,
		[BPF_NMI] = FLIGHT_NMI,
	};

	record->kind = kinds[span->kind];
	record->from_ns = span->from_ns;
	record->number = span->number;
	record->prev_tid = span->tid;
	set_name(record->next_name, span->kind == BPF_IRQ       ? name_irq(flight, span->number)
				    : span->kind == BPF_IPI     ? trace_ipi_name(span->number)
				    : span->kind == BPF_SOFTIRQ ? trace_softirq_name(span->number)
								: "");
}

static void describe_switch(const struct bpf_switch *change, struct flight_record *record)
{
	*record = (struct flight_record){.kind = FLIGHT_SWITCH,
		.at_ns = change->at_ns,
		.number = change->prev_is_throttled ? SWITCH_THROTTLED : 0,
		.from_ns = change->came_ns,
		.queued_ns = change->queued_ns};
	record->prev_tid = change->prev_tid;
	record->next_tid = change->next_tid;
	record->prev_priority = change->prev_priority;
	record->next_priority = change->next_priority;
	record->prev_policy = change->prev_policy;
	record->next_policy = change->next_policy;
	record->prev_state = state_of(change->prev_state);
	set_name(record->prev_name, change->prev_name);
	set_name(record->next_name, change->next_name);
}

/* --- from lanes to records --- */

/* The function that takes records, and until when. */
struct taker {
	flight_take *take;
	void *data;
	uint64_t until_ns; /* later ones wait for the next time */
};

static void hand_over(struct lane_reader *reader, const struct taker *taker, struct flight_record *record)
{
	record->cpu = (uint32_t)reader->cpu;
	if (record->at_ns < reader->last_ns) /* its program was held up before it published it */
		record->at_ns = reader->last_ns;
	reader->last_ns = record->at_ns;
	taker->take(taker->data, record);
}

/* Hands over a gap for records that were overwritten before they were read. */
static void hand_over_loss(
	struct lane_reader *reader, const struct taker *taker, uint64_t from_ns, uint64_t until_ns)
{
	hand_over(reader, taker,
		&(struct flight_record){.kind = FLIGHT_GAP,
			.from_ns = from_ns,
			.at_ns = until_ns,
			.number = GAP_OVERWRITTEN});
	reader->last_switch = (struct bpf_switch){0};
	reader->turned_ns = reader->n_turned = 0;
}

/* Returns the context whose next record is the oldest, or N_BPF_CONTEXTS. */
static unsigned oldest_context(
	struct bpf_lane *copy, const struct fresh fresh[N_BPF_CONTEXTS], uint64_t until_ns)
{
	unsigned oldest = N_BPF_CONTEXTS;

	for (unsigned c = 0; c < N_BPF_CONTEXTS; c++)
		if (fresh[c].next != fresh[c].end && time_at(copy, c, fresh[c].next) <= until_ns) {
			until_ns = time_at(copy, c, fresh[c].next);
			oldest = c;
		}
	return oldest;
}

/* Returns the switch back. */
static struct bpf_switch switch_back(const struct bpf_switch *change)
{
	struct bpf_switch back = *change;

	back.prev_tid = change->next_tid;
	back.prev_priority = change->next_priority;
	back.prev_policy = change->next_policy;
	memcpy(back.prev_name, change->next_name, sizeof(back.prev_name));
	back.next_tid = change->prev_tid;
	back.next_priority = change->prev_priority;
	back.next_policy = change->prev_policy;
	memcpy(back.next_name, change->prev_name, sizeof(back.next_name));
	return back;
}

static uint64_t turns_begin_ns(const struct lane_reader *reader)
{
	return reader->turned_ns ? reader->turned_ns : reader->last_switch.at_ns;
}

/* Returns for how long the one that goes ran alone after turns; at most since they began. */
static uint64_t alone_ns(const struct lane_reader *reader, const struct bpf_switch *change)
{
	uint64_t most_ns = change->at_ns - turns_begin_ns(reader);

	if (change->ran_ns < BPF_SHORT_NS)
		return 0;
	return change->ran_ns == UINT32_MAX || change->ran_ns > most_ns ? most_ns : change->ran_ns;
}

static struct flight_record describe_turns(const struct bpf_switch *two, bool are_members)
{
	struct flight_record turns;

	describe_switch(two, &turns);
	turns.queued_ns = 0;
	turns.kind = are_members ? FLIGHT_MEMBERS : FLIGHT_TURNS;
	if (are_members) {
		turns.prev_tid = turns.next_tid = 0;
		turns.prev_priority = turns.next_priority;
		turns.prev_policy = turns.next_policy;
		turns.prev_name[0] = turns.next_name[0] = '\0';
	}
	return turns;
}

/* Two tasks, or members, took turns, so many times, since the last switch, or since what was handed over of
 * it. The one that @two names first may have run alone from @until_ns on. */
static void hand_over_turns_of(struct lane_reader *reader, const struct taker *taker,
	const struct bpf_switch *two, bool are_members, uint64_t until_ns, uint64_t at_ns, uint32_t n)
{
	struct flight_record turns = describe_turns(two, are_members);

	turns.from_ns = turns_begin_ns(reader);
	turns.at_ns = at_ns;
	turns.until_ns = until_ns;
	turns.number = n - reader->n_turned;
	turns.prev_state = 0;
	hand_over(reader, taker, &turns);
}

/* The two tasks of the switch before, or members, took turns until this one, or until the one that goes now
 * ran for longer. Where they were handed over as far as they were known, the rest follows, however short it
 * is. */
static void hand_over_turns(
	struct lane_reader *reader, const struct taker *taker, const struct bpf_switch *change)
{
	const struct bpf_switch *before = &reader->last_switch;
	bool is_rest = reader->turned_ns > 0;

	if ((change->n_counted > reader->n_turned || is_rest) && !reader->has_turns && before->at_ns) {
		bool is_back = !change->are_members && before->prev_tid != change->prev_tid;
		struct bpf_switch two = is_back ? switch_back(before) : *before;

		hand_over_turns_of(reader, taker, &two, change->are_members,
			change->at_ns - alone_ns(reader, change), change->at_ns, change->n_counted + 1);
	}
	reader->last_switch = *change;
	reader->has_turns = false;
	reader->turned_ns = reader->n_turned = 0;
}

/* What is counted on a lane since the last record, while it goes on. */
struct count {
	uint64_t came_ns; /* who runs now; 0: not known, as it was read while it changed */
	uint32_t n;
	bool are_members;
};

static struct count read_count(const struct bpf_lane *lane)
{
	uint64_t recorded_ns = __atomic_load_n(&lane->pair.recorded_ns, __ATOMIC_ACQUIRE);
	uint64_t came_ns = __atomic_load_n(&lane->pair.came_ns, __ATOMIC_ACQUIRE);
	uint32_t n = __atomic_load_n(&lane->pair.n_counted, __ATOMIC_ACQUIRE);
	bool are_members = __atomic_load_n(&lane->pair.are_members, __ATOMIC_ACQUIRE);

	if (__atomic_load_n(&lane->pair.came_ns, __ATOMIC_RELAXED) != came_ns ||
		__atomic_load_n(&lane->pair.recorded_ns, __ATOMIC_RELAXED) != recorded_ns)
		came_ns = 0;
	return (struct count){came_ns, n, are_members};
}

/* Tasks take turns, and go on: the next record of it comes up to 1 ms later, too late for a spike that is
 * under way. The last switch was handed over; who runs now came at @until_ns, or later: then the last of the
 * switches may be later, too. */
static void hand_over_turns_so_far(
	struct lane_reader *reader, const struct taker *taker, const struct count *count, uint64_t until_ns)
{
	uint64_t begin_ns = reader->last_switch.at_ns;
	bool is_all = count->came_ns == until_ns;
	uint32_t n = is_all ? count->n : count->n - 1;

	if (!begin_ns || begin_ns >= until_ns || count->came_ns <= begin_ns || reader->has_turns ||
		n < reader->n_turned + (is_all ? 1 : 2))
		return;
	hand_over_turns_of(reader, taker, &reader->last_switch, count->are_members, until_ns, until_ns, n);
	reader->turned_ns = until_ns;
	reader->n_turned = n;
}

/* Hands over the counted switch by which that task came. */
static void hand_over_alone(
	struct lane_reader *reader, const struct taker *taker, uint64_t came_ns, uint32_t n_counted)
{
	const struct bpf_switch *last = &reader->last_switch;
	struct bpf_switch came = n_counted % 2 ? switch_back(last) : *last;
	struct flight_record record;

	if (!last->at_ns || reader->has_turns)
		return;
	came.at_ns = came_ns;
	came.prev_state = KERNEL_SLEEPS;
	came.n_counted = n_counted - 1;
	came.ran_ns = 0;
	came.came_ns = came.queued_ns = 0;
	came.prev_is_throttled = 0;
	hand_over_turns(reader, taker, &came);
	reader->has_turns = true;
	describe_switch(&came, &record);
	hand_over(reader, taker, &record);
}

/* The clock by which a task came is not that of the records: a little after the switch that brought it is the
 * same moment. */
static bool came_then(const struct bpf_switch *before, const struct bpf_switch *change)
{
	static const uint64_t same_ns = 5000;

	return before->at_ns && !change->n_counted && before->next_tid == change->prev_tid &&
	       change->came_ns > before->at_ns && change->came_ns - before->at_ns < same_ns;
}

static void describe_next_switch(
	const struct lane_reader *reader, const struct bpf_switch *change, struct flight_record *record)
{
	describe_switch(change, record);
	if (came_then(&reader->last_switch, change))
		record->from_ns = reader->last_switch.at_ns;
}

static void hand_over_oldest(struct bpf_flight *flight, struct lane_reader *reader, const struct taker *taker,
	unsigned context, uint64_t i)
{
	struct flight_record record = {.at_ns = time_at(flight->copy, context, i)};

	reader->read_ns[context] = record.at_ns;
	if (record.at_ns < reader->begin_ns)
		return; /* it is in the gap */
	if (context == BPF_IN_TASK) {
		describe_next_switch(reader, record_at(flight->copy, context, i), &record);
		hand_over_turns(reader, taker, record_at(flight->copy, context, i));
	} else {
		const struct bpf_span *span = record_at(flight->copy, context, i);

		/* A higher limit would keep those out; others are recorded for what they interrupt or follow.
		 */
		reader->n_spans[span->kind] +=
			span->at_ns - span->from_ns > flight->copy->limit_ns[span->kind];
		describe_span(flight, span, &record);
	}
	hand_over(reader, taker, &record);
}

/* Moves the limits of a lane so that as many spans of each kind are recorded as are wanted. */
static void adapt_limits(struct bpf_lane *lane, struct lane_reader *reader, uint64_t now_ns)
{
	uint64_t elapsed_ns = now_ns - reader->counted_from_ns;

	if (elapsed_ns < second_ns / SPANS_PER_S)
		return;
	for (unsigned kind = 0; kind < N_BPF_SPAN_KINDS; kind++) {
		uint64_t limit_ns = lane->limit_ns[kind],
			 per_s = reader->n_spans[kind] * second_ns / elapsed_ns;

		if (per_s > SPANS_PER_S)
			limit_ns += limit_ns / (per_s > 3 * SPANS_PER_S ? 4 : 32);
		else
			limit_ns -= limit_ns / 32;
		if (limit_ns < limit_least_ns)
			limit_ns = limit_least_ns;
		if (limit_ns > limit_most_ns)
			limit_ns = limit_most_ns;
		__atomic_store_n(&lane->limit_ns[kind], limit_ns, __ATOMIC_RELAXED);
		reader->n_spans[kind] = 0;
	}
	reader->counted_from_ns = now_ns;
}

static void hand_over_fresh(struct bpf_flight *flight, struct lane_reader *reader, const struct taker *taker,
	struct fresh fresh[N_BPF_CONTEXTS], uint64_t until_ns)
{
	unsigned c;

	while ((c = oldest_context(flight->copy, fresh, until_ns)) < N_BPF_CONTEXTS) {
		if (fresh[c].is_lost)
			hand_over_loss(
				reader, taker, reader->read_ns[c], time_at(flight->copy, c, fresh[c].next));
		fresh[c].is_lost = false;
		hand_over_oldest(flight, reader, taker, c, fresh[c].next++);
	}
}

static void read_lane(struct bpf_flight *flight, struct lane_reader *reader, const struct taker *taker)
{
	struct bpf_lane *lane = &flight->lanes[reader - flight->readers];
	struct fresh fresh[N_BPF_CONTEXTS], *switches = &fresh[BPF_IN_TASK];
	uint64_t now_ns = clock_now_ns();
	const struct count count = read_count(lane);
	/* One of those that took turns has run alone since then, for too long to be counted. There is no
	 * record of it until it goes. */
	bool is_alone = count.n && count.came_ns && count.came_ns <= taker->until_ns;
	uint64_t turns_until_ns = is_alone ? count.came_ns : taker->until_ns;
	unsigned c;

	for (c = 0; c < N_BPF_CONTEXTS; c++)
		fresh[c] = copy_context(flight->copy, lane, c, reader->n[c]);
	if (!reader->has_begun)
		hand_over(reader, taker,
			&(struct flight_record){.kind = FLIGHT_GAP,
				.from_ns = reader->gap_from_ns,
				.at_ns = reader->begin_ns});
	reader->has_begun = true;
	hand_over_fresh(flight, reader, taker, fresh, turns_until_ns);
	if (count.n && switches->next == switches->end && !switches->is_lost) {
		if (is_alone && !count.are_members)
			hand_over_alone(reader, taker, count.came_ns, count.n);
		else
			hand_over_turns_so_far(reader, taker, &count, turns_until_ns);
	}
	hand_over_fresh(flight, reader, taker, fresh, taker->until_ns);
	for (c = 0; c < N_BPF_CONTEXTS; c++) {
		if (fresh[c].is_lost && fresh[c].next == fresh[c].end) {
			hand_over_loss(reader, taker, reader->read_ns[c], now_ns);
			reader->read_ns[c] = now_ns;
			fresh[c].is_lost = false;
		}
		/* A gap that ends with a record which has to wait is found again the next time. */
		if (!fresh[c].is_lost)
			reader->n[c] = fresh[c].next;
	}
	adapt_limits(lane, reader, now_ns);
}

static void read_lanes(struct bpf_flight *flight, const struct taker *taker)
{
	for (size_t i = 0; i < flight->n_lanes; i++)
		if (flight->readers[i].cpu >= 0)
			read_lane(flight, &flight->readers[i], taker);
}

/* A flight_take. Where there is no memory the record is lost, and no gap says so. */
static void keep_for_drain(void *data, const struct flight_record *record)
{
	struct backlog *backlog = data;

	if (backlog->n == backlog->size) {
		size_t size = backlog->size ? backlog->size * 2 : 64;
		struct flight_record *grown = reallocarray(backlog->records, size, sizeof(*grown));

		if (!grown)
			return;
		backlog->records = grown;
		backlog->size = size;
	}
	backlog->records[backlog->n++] = *record;
}

static void bpf_drain(void *state, flight_take *take, void *data)
{
	struct bpf_flight *flight = state;

	for (size_t i = 0; i < flight->backlog.n; i++)
		take(data, &flight->backlog.records[i]);
	flight->backlog.n = 0;
	read_lanes(flight, &(struct taker){take, data, clock_now_ns() - under_way_ns});
}

/* --- idle CPUs --- */

static const struct bpf_lane *lane_of_cpu(const struct bpf_flight *flight, uint32_t cpu)
{
	for (size_t i = 0; i < flight->n_lanes; i++)
		if (flight->readers[i].cpu == (int)cpu)
			return &flight->lanes[i];
	return NULL;
}

/* Searches from number *next back, and leaves there the number of the one that it looked at last. */
static bool search_idles(
	const struct bpf_lane *lane, struct idle_search *search, uint64_t *next, struct bpf_idle *idle)
{
	enum idle_found found = IDLE_IS_EARLIER;
	uint64_t end = *next;

	while (found == IDLE_IS_EARLIER && *next > 0 && end - *next < BPF_IDLES - 1) {
		memcpy(idle, &lane->idles[--*next % BPF_IDLES], sizeof(*idle));
		found = idle_search_look(search, idle->from_ns, idle->at_ns);
	}
	return found == IDLE_IS_THIS;
}

static bool bpf_find_idle(
	const void *state, uint32_t cpu, uint64_t at_ns, uint64_t until_ns, struct flight_record *record)
{
	const struct bpf_lane *lane = lane_of_cpu(state, cpu);
	struct idle_search search = {at_ns, until_ns, UINT64_MAX};
	struct bpf_idle idle;

	if (!lane)
		return false;
	/* Acquire: pairs with publish() in switch.bpf.c. */
	uint64_t next = __atomic_load_n(&lane->n_idles, __ATOMIC_ACQUIRE),
		 now_from_ns = __atomic_load_n(&lane->idle_from_ns, __ATOMIC_RELAXED);

	if (now_from_ns)
		search.later_from_ns = now_from_ns;
	bool is_found = search_idles(lane, &search, &next, &idle);

	atomic_thread_fence(memory_order_acquire);
	/* The program may be writing over the oldest one. */
	if (!is_found || __atomic_load_n(&lane->n_idles, __ATOMIC_RELAXED) - next >= BPF_IDLES)
		return false;
	*record = (struct flight_record){.kind = FLIGHT_IDLE,
		.cpu = cpu,
		.at_ns = idle.at_ns,
		.from_ns = idle.from_ns,
		.number = (uint32_t)idle.state};
	trace_idle_name(cpu, record->number, record->next_name, sizeof(record->next_name));
	return true;
}

/* --- rights --- */

/* What the kernel asks for, or would ask for, of tracing programs. */
static bool has_rights(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct sets[2] = {0};

	if (syscall(SYS_capget, &header, sets) < 0)
		return true; /* the kernel will say so */
	uint64_t effective = (uint64_t)sets[1].effective << 32 | sets[0].effective;

	return effective >> CAP_SYS_ADMIN & 1 || (effective >> CAP_BPF & 1 && effective >> CAP_PERFMON & 1);
}

static bool is_locked_down(void)
{
	char modes[128];

	return small_file_read_line("/sys/kernel/security/lockdown", modes, sizeof(modes)) > 0 &&
	       strstr(modes, "[confidentiality]");
}

/* The number by which programs know the front's PID namespace; 0: it is the first one, where all have it. */
static uint32_t own_namespace(void)
{
	const ino_t first = 0xeffffffc; /* PROC_PID_INIT_INO */
	struct stat stat_;

	return stat("/proc/self/ns/pid", &stat_) == 0 && stat_.st_ino != first ? (uint32_t)stat_.st_ino : 0;
}

/* Programs that read the kernel's memory are refused: those that find a tid in a PID namespace. */
static int refuse_locked(int error, struct error_text *reason)
{
	return error_text_set(reason, error, "the kernel's lockdown (confidentiality) forbids BPF%s",
		own_namespace() ? " in a PID namespace: run it outside of this one"
				: ": start the kernel without lockdown=confidentiality");
}

static int refuse(int error, struct error_text *reason)
{
	switch (error) {
	case -EPERM:
	case -EACCES:
		if (!has_rights())
			return error_text_set(reason, -EPERM,
				"BPF needs root, or CAP_BPF and CAP_PERFMON (setcap cap_bpf,cap_perfmon=ep)");
		if (is_locked_down())
			return refuse_locked(error, reason);
		return error_text_set(reason, error,
			"the kernel refuses BPF, though this process has the rights: a container has to be started "
			"with CAP_BPF and CAP_PERFMON, in the host's user namespace");
	case -ENOENT:
	case -ESRCH:
		return error_text_set(reason, -ENOENT,
			"this kernel does not describe its types to BPF (/sys/kernel/btf/vmlinux): it has to be built "
			"with CONFIG_DEBUG_INFO_BTF");
	case -ENOMEM:
		return error_text_set(reason, error, "no memory for the records of BPF");
	case -EMFILE:
		return error_text_set(
			reason, error, "BPF could not be loaded: %s", error_text_of_errno(error));
	default:
		if (is_locked_down())
			return refuse_locked(error, reason);
		return error_text_set(reason, error,
			"this kernel does not run the recorder's BPF programs (%s): they need Linux 5.12, and "
			"CONFIG_BPF_EVENTS",
			error_text_of_errno(error));
	}
}

/* --- the programs --- */

static const char *tracepoint_of(const struct bpf_program *program)
{
	const char *section = bpf_program__section_name(program), *slash = strchr(section, '/');

	return slash ? slash + 1 : NULL;
}

static int find_own_level(const struct switch_bpf *programs)
{
	struct bpf_test_run_opts options = {.sz = sizeof(options)};

	if (!programs->rodata->namespace_number)
		return 0;
	int r = bpf_prog_test_run_opts(bpf_program__fd(programs->progs.find_level), &options);

	return r < 0 ? r : 0;
}

static void *map_memory(const struct bpf_map *map, size_t size)
{
	void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, bpf_map__fd(map), 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static size_t lanes_size(const struct bpf_flight *flight)
{
	return flight->n_lanes * sizeof(*flight->lanes);
}

static size_t tids_size(const struct bpf_flight *flight)
{
	return flight->n_tids * sizeof(*flight->tids);
}

static void detach(struct bpf_flight *flight)
{
	while (flight->n_links > 0)
		bpf_link__destroy(flight->links[--flight->n_links]);
}

static void unload(struct bpf_flight *flight)
{
	detach(flight);
	if (flight->lanes)
		munmap(flight->lanes, lanes_size(flight));
	if (flight->tids)
		munmap(flight->tids, tids_size(flight));
	switch_bpf__destroy(flight->programs);
	free(flight->readers);
	flight->programs = NULL;
	flight->lanes = NULL;
	flight->tids = NULL;
	flight->readers = NULL;
	flight->n_lanes = flight->n_tids = 0;
}

/* @has_state: the tracepoint sched_switch passes the state of the task that goes. Returns 0 or a negative
 * errno. */
static int load_programs(struct bpf_flight *flight, size_t n_lanes, size_t n_tids, bool has_state)
{
	struct switch_bpf *programs = flight->programs = switch_bpf__open();

	if (!programs)
		return -errno;
	programs->rodata->namespace_number = own_namespace();
	bpf_program__set_autoload(programs->progs.on_switch, has_state);
	bpf_program__set_autoload(programs->progs.on_switch_without_state, !has_state);
	bpf_program__set_autoload(programs->progs.find_level, programs->rodata->namespace_number != 0);
	int r = bpf_map__set_max_entries(programs->maps.lanes, (uint32_t)n_lanes);

	if (r == 0)
		r = bpf_map__set_max_entries(programs->maps.tids, (uint32_t)n_tids);
	return r == 0 ? switch_bpf__load(programs) : r;
}

/* Returns 0 or a negative errno; unload() undoes what was done. */
static int load(struct bpf_flight *flight, size_t n_lanes, size_t n_tids)
{
	int r = load_programs(flight, n_lanes, n_tids, true);

	if (r == -EACCES) { /* the kernel has no such argument */
		switch_bpf__destroy(flight->programs);
		r = load_programs(flight, n_lanes, n_tids, false);
	}
	const struct switch_bpf *programs = flight->programs;

	if (r == 0)
		r = find_own_level(programs);
	if (r < 0)
		return r;
	flight->n_lanes = n_lanes;
	flight->n_tids = n_tids;
	flight->readers = calloc(n_lanes, sizeof(*flight->readers));
	flight->lanes = map_memory(programs->maps.lanes, lanes_size(flight));
	flight->tids = map_memory(programs->maps.tids, tids_size(flight));
	if (!flight->readers || !flight->lanes || !flight->tids)
		return -ENOMEM;
	for (size_t i = 0; i < n_lanes; i++)
		flight->readers[i].cpu = -1;
	return 0;
}

/* The program of switches must run; others may fail: this kernel may lack their tracepoints. */
static int attach(struct bpf_flight *flight)
{
	struct bpf_program *program;

	bpf_object__for_each_program(program, flight->programs->obj)
	{
		if (!bpf_program__autoload(program) || !tracepoint_of(program))
			continue;
		struct bpf_link *link = bpf_program__attach(program);

		if (link)
			flight->links[flight->n_links++] = link;
		else if (strcmp(tracepoint_of(program), "sched_switch") == 0)
			return -errno;
	}
	return 0;
}

/* --- who is a member --- */

static uint16_t *ring_of_tid(struct bpf_flight *flight, int32_t tid)
{
	return &flight->tids[(uint32_t)tid / BPF_TIDS].ring[(uint32_t)tid % BPF_TIDS];
}

/* Returns the number of a ring, which it has alone; 0 if there is none left: then its members are recorded as
 * others' tasks are. */
static uint16_t number_ring(struct bpf_flight *flight, uint32_t ring)
{
	for (uint32_t i = 0; i < NUMBERS; i++) {
		uint32_t number = (ring + i) % NUMBERS;

		if (number == 0 || (flight->numbers[number].is_taken && flight->numbers[number].ring != ring))
			continue;
		flight->numbers[number].is_taken = true;
		flight->numbers[number].ring = ring;
		return (uint16_t)number;
	}
	return 0;
}

/* Only the programs set AWAY, and take it away. */
static void set_ring(uint16_t *ring, uint16_t number)
{
	if ((__atomic_load_n(ring, __ATOMIC_RELAXED) & (BPF_AWAY - 1)) != number)
		__atomic_store_n(ring, number, __ATOMIC_RELAXED);
}

static int follow_members(struct bpf_flight *flight, const struct flight_watch *watch)
{
	int32_t *tids = calloc(watch->n_members + 1, sizeof(*tids));

	if (!tids)
		return -ENOMEM;
	memset(flight->numbers, 0, NUMBERS * sizeof(*flight->numbers));
	size_t n = 0;

	for (size_t i = 0; i < watch->n_members; i++) {
		if (watch->members[i].tid <= 0) /* it has not started */
			continue;
		tids[n++] = watch->members[i].tid;
		set_ring(ring_of_tid(flight, watch->members[i].tid),
			number_ring(flight, watch->members[i].ring));
	}
	for (size_t i = 0, kept = 0; i < flight->n_members; i++) {
		while (kept < n && tids[kept] < flight->members[i])
			kept++;
		if (kept == n || tids[kept] != flight->members[i])
			__atomic_store_n(ring_of_tid(flight, flight->members[i]), 0, __ATOMIC_RELAXED);
	}
	free(flight->members);
	flight->members = tids;
	flight->n_members = n;
	return 0;
}

/* --- which CPUs are recorded --- */

static void set_lane(struct bpf_flight *flight, int cpu, uint16_t number)
{
	__atomic_store_n(&flight->programs->bss->lane_of_cpu[cpu], number, __ATOMIC_RELEASE);
}

/* Waits until no program runs any more that has read a word before this. */
static void wait_for_programs(void)
{
	const struct timespec delay = {.tv_nsec = 20000000};

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) < 0) /* of a kernel with nohz_full */
		nanosleep(&delay, NULL);
}

static void leave_cpus(struct bpf_flight *flight, const struct flight_watch *watch)
{
	const struct taker later = {keep_for_drain, &flight->backlog, UINT64_MAX};
	size_t n = 0;

	for (size_t i = 0; i < flight->n_lanes; i++)
		if (flight->readers[i].cpu >= 0 && !cpus_has(watch->cpus, (unsigned)flight->readers[i].cpu)) {
			set_lane(flight, flight->readers[i].cpu, 0);
			n++;
		}
	if (n == 0)
		return;
	wait_for_programs();
	for (size_t i = 0; i < flight->n_lanes; i++)
		if (flight->readers[i].cpu >= 0 && !cpus_has(watch->cpus, (unsigned)flight->readers[i].cpu)) {
			read_lane(flight, &flight->readers[i], &later);
			flight->readers[i].cpu = -1;
		}
}

static bool is_recorded(const struct bpf_flight *flight, int cpu)
{
	for (size_t i = 0; i < flight->n_lanes; i++)
		if (flight->readers[i].cpu == cpu)
			return true;
	return false;
}

static void enter_cpu(struct bpf_flight *flight, int cpu, uint64_t gap_from_ns)
{
	size_t i = 0;

	while (flight->readers[i].cpu >= 0)
		i++;
	struct bpf_lane *lane = &flight->lanes[i];
	struct lane_reader *reader = &flight->readers[i];

	*reader = (struct lane_reader){.cpu = cpu, .gap_from_ns = gap_from_ns};
	memcpy(reader->n, lane->n, sizeof(reader->n));
	memset(lane->from_ns, 0, sizeof(lane->from_ns));
	lane->idle_from_ns = lane->at_once_until_ns = 0;
	lane->pair = (struct bpf_pair){0};
	for (unsigned kind = 0; kind < N_BPF_SPAN_KINDS; kind++)
		lane->limit_ns[kind] = limit_first_ns;
	set_lane(flight, cpu, (uint16_t)(i + 1));
}

/* All that happens on the new CPUs from now on is recorded. */
static void begin_cpus(struct bpf_flight *flight)
{
	uint64_t now_ns = clock_now_ns();

	for (size_t i = 0; i < flight->n_lanes; i++) {
		struct lane_reader *reader = &flight->readers[i];

		if (reader->cpu < 0 || reader->begin_ns)
			continue;
		reader->begin_ns = reader->counted_from_ns = now_ns;
		for (unsigned c = 0; c < N_BPF_CONTEXTS; c++)
			reader->read_ns[c] = now_ns;
	}
}

/* --- the tier --- */

/* Returns how many tids there may be. */
static uint32_t tids_in_use(const struct flight_watch *watch)
{
	char line[32];
	int32_t last = watch->n_members ? watch->members[watch->n_members - 1].tid : 0;
	uint32_t n = 4194304; /* the kernel's largest */

	if (small_file_read_line("/proc/sys/kernel/pid_max", line, sizeof(line)) > 0)
		n = (uint32_t)strtoul(line, NULL, 10);
	return last >= 0 && (uint32_t)last >= n ? (uint32_t)last + 1 : n;
}

static bool has_room(const struct bpf_flight *flight, const struct flight_watch *watch)
{
	int32_t last = watch->n_members ? watch->members[watch->n_members - 1].tid : 0;

	return flight->programs && cpus_count(watch->cpus) <= flight->n_lanes &&
	       last < (int32_t)(flight->n_tids * BPF_TIDS);
}

/* Maps can't grow. So programs and maps are made anew where there are more CPUs, which is rare: those of
 * rings that have ended are used again. */
static int reload(struct bpf_flight *flight, const struct flight_watch *watch)
{
	size_t n_lanes = cpus_count(watch->cpus), most = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	size_t ahead = flight->n_lanes * 2 < most ? flight->n_lanes * 2 : most;
	struct cpus before = {0};

	if (flight->programs && ahead > n_lanes)
		n_lanes = ahead;
	detach(flight);
	uint64_t gap_from_ns = clock_now_ns();

	if (flight->programs)
		wait_for_programs();
	for (size_t i = 0; i < flight->n_lanes; i++)
		if (flight->readers[i].cpu >= 0)
			cpus_add(&before, (unsigned)flight->readers[i].cpu);
	read_lanes(flight, &(struct taker){keep_for_drain, &flight->backlog, UINT64_MAX});
	unload(flight);
	flight->n_members = 0;
	int r = load(flight, n_lanes ? n_lanes : 1, (tids_in_use(watch) - 1) / BPF_TIDS + 1);

	if (r < 0) {
		unload(flight);
		return r;
	}
	for (int cpu = -1; (cpu = cpus_next(&before, cpu)) >= 0;)
		if (cpus_has(watch->cpus, (unsigned)cpu))
			enter_cpu(flight, cpu, gap_from_ns);
	return 0;
}

static int bpf_follow(void *state, const struct flight_watch *watch, struct error_text *reason)
{
	struct bpf_flight *flight = state;
	int r = has_room(flight, watch) ? 0 : reload(flight, watch);

	if (r == 0)
		r = follow_members(flight, watch);
	if (r < 0)
		return refuse(r, reason);
	leave_cpus(flight, watch);
	for (int cpu = -1; (cpu = cpus_next(watch->cpus, cpu)) >= 0;)
		if (!is_recorded(flight, cpu))
			enter_cpu(flight, cpu, 0);
	if (flight->n_links == 0)
		r = attach(flight);
	begin_cpus(flight);
	return r < 0 ? refuse(r, reason) : 0;
}

static void bpf_close(void *state)
{
	struct bpf_flight *flight = state;

	unload(flight);
	free(flight->copy);
	free(flight->numbers);
	free(flight->members);
	free(flight->backlog.records);
	free(flight);
}

static int bpf_open(void **state, const struct flight_watch *watch, struct error_text *reason)
{
	if (!has_rights())
		return refuse(-EPERM, reason);
	struct bpf_flight *flight = calloc(1, sizeof(*flight));

	if (!flight)
		return refuse(-ENOMEM, reason);
	flight->copy = malloc(sizeof(*flight->copy));
	flight->numbers = calloc(NUMBERS, sizeof(*flight->numbers));
	libbpf_set_print(NULL); /* refuse() says what there is to say */
	int r = flight->copy && flight->numbers ? bpf_follow(flight, watch, reason) : refuse(-ENOMEM, reason);

	if (r < 0)
		bpf_close(flight);
	else
		*state = flight;
	return r;
}

static size_t bpf_memory(const void *state)
{
	const struct bpf_flight *flight = state;

	return lanes_size(flight) + tids_size(flight) + sizeof(*flight->copy) +
	       NUMBERS * sizeof(*flight->numbers) + flight->backlog.size * sizeof(*flight->backlog.records);
}

const struct flight_tier flight_bpf = {
	.name = "bpf",
	.tells_rings_apart = true,
	.open = bpf_open,
	.follow = bpf_follow,
	.drain = bpf_drain,
	.find_idle = bpf_find_idle,
	.memory = bpf_memory,
	.close = bpf_close,
};
