/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bpf_lane.h - the memory that BPF programs (switch.bpf.c) share with the front (bpf.c): a lane for each
 * recorded CPU, and the table of the members' tids.
 *
 * A context is what may interrupt another one on the same CPU. Each has a ring of its own, which so has one
 * writer. Both sides include this header: it needs nothing but fixed-size integers. */
#pragma once

#include <stdint.h>

/* What lasts: from an entry to its exit. */
enum bpf_span_kind { BPF_TIMER, BPF_IRQ, BPF_IPI, BPF_SOFTIRQ, BPF_NMI, N_BPF_SPAN_KINDS };

enum bpf_context { BPF_IN_TASK, BPF_IN_IRQ, BPF_IN_SOFTIRQ, BPF_IN_NMI, N_BPF_CONTEXTS };

struct bpf_switch {
	uint64_t at_ns;
	int32_t prev_tid, next_tid;
	int16_t prev_priority, next_priority;
	uint16_t prev_state; /* as the kernel has it; 0: preempted */
	uint8_t prev_policy, next_policy;
	char prev_name[16], next_name[16];
	uint16_t n_counted;        /* switches after the record before, which have none: see below */
	uint8_t are_members;       /* they were of members */
	uint8_t prev_is_throttled; /* the quota of its cgroup is spent */
	uint32_t ran_ns;           /* where there are some: since the last of them */
	/* Since when the task that goes had the CPU, and the one that comes waited for it. 0: not known. */
	uint64_t came_ns, queued_ns;
};

/* Two tasks that hand over to each other make no records, once each of them has run for less than the first
 * of these times, and gone to sleep then: their switches are only counted. Neither do members of different
 * rings that share a CPU, and have one priority, after so short runs. After the second time there is a
 * record. */
enum { BPF_SHORT_NS = 10000, BPF_COUNTED_NS = 1000000 };

/* The two tasks of the last record, and when the one that runs now came. */
struct bpf_pair {
	uint64_t recorded_ns, came_ns;
	int32_t tids[2];
	uint32_t n_counted; /* since the record */
	int16_t priority;
	uint8_t was_short;   /* the one that came had followed a short run */
	uint8_t are_members; /* the one that came since the record, and those since then */
};

/* The CPU was idle. */
struct bpf_idle {
	uint64_t at_ns, from_ns;
	uint64_t state; /* as cpuidle numbers them */
};

struct bpf_span {
	uint64_t at_ns, from_ns;
	uint32_t kind;
	uint32_t number; /* of the interrupt, or the vector */
	int32_t tid;     /* of the task that was interrupted; 0: idle, or a member */
	uint32_t unused;
};

/* Powers of two. Read 20 times a second, they hold 327,000 switches a second: two tasks that wake each other,
 * and run for 10 us or more, make up to 100,000. And 163,000 interrupts: 64 timers that expire in 200 us,
 * again and again, make 40,000. */
enum { BPF_SWITCHES = 16384, BPF_IRQS = 8192, BPF_SOFTIRQS = 2048, BPF_NMIS = 512 };

/* An interrupt that begins less than twice the length of another one after it, within these bounds, follows
 * it at once: the kernel had no time to switch tasks. */
enum { BPF_AT_ONCE_LEAST_NS = 10000, BPF_AT_ONCE_MOST_NS = 40000 };

/* Read where a spike needs one, which may have waited for half a second. Each lap of a paced ring makes two.
 */
enum { BPF_IDLES = 16384 };

/* 2.0 MiB. Record number i of a context is at i modulo the ring's size. */
struct bpf_lane {
	/* The front's: spans up to these lengths are not recorded. */
	uint64_t limit_ns[8]; /* by kind */
	/* The programs': records so far, by context, and when a span began; 0: it did not. */
	uint64_t n[N_BPF_CONTEXTS];
	uint64_t from_ns[N_BPF_SPAN_KINDS];
	/* Theirs, too: how many times the CPU was idle so far; since when it is now, 0: it is not; its state.
	 */
	uint64_t n_idles, idle_from_ns, idle_state;
	/* Theirs: until when another interrupt follows the last one at once; of the task that it interrupted
	 * the tid, and how often that had left its CPU. */
	uint64_t at_once_until_ns, irq_switches;
	int32_t irq_tid;
	uint32_t unused;
	struct bpf_pair pair; /* theirs */
	struct bpf_switch switches[BPF_SWITCHES];
	struct bpf_span irqs[BPF_IRQS];
	struct bpf_span softirqs[BPF_SOFTIRQS];
	struct bpf_span nmis[BPF_NMIS];
	struct bpf_idle idles[BPF_IDLES];
};

/* The number of the ring of each tid, 0: no member's. An element of the map has so many. To it the programs
 * add AWAY for a member that is recorded to have left its CPU without going to sleep: its return is recorded,
 * too.
 */
enum { BPF_TIDS = 32768, BPF_AWAY = 1 << 15 };

struct bpf_tids {
	uint16_t ring[BPF_TIDS];
};

/* The lane of each CPU, counted from 1; 0: not recorded. CPUS_MAX of machine/cpus.h. */
enum { BPF_CPUS = 8192 };
