/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spike.h - a sample above the ring's spike limit, and what ran on CPUs meanwhile. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/bytes.h"
#include "src/figures/hist.h"
#include "src/figures/tick.h"
#include "src/machine/task.h"

/* One end of a hop: the task that sends or receives, and where its laps count. */
struct spike_end {
	int32_t tid; /* 0: not known */
	int32_t cpu; /* -1: any of several, or it was moved after the spike */
	struct task_policy policy;
	/* The end of the tick that found it on this CPU, after another one. It may have come before the
	 * spike. 0: it was found there before the spike. */
	uint64_t moved_ns;
};

/* What may hint at a cause on a CPU, where the flight recorder records nothing; the frequency where it does,
 * too. Zeroed: nothing is known. */
struct cpu_hints {
	/* The rings that ran, with a member on this CPU, and those of them that had a spike at this time. */
	uint32_t n_rings, n_late;
	uint32_t n_core_rings, n_core_late; /* the same of its core, this CPU included */
	/* The task with the highest real-time priority there that is none of ipctop's; tid 0: none has one.
	 */
	int32_t top_tid, top_priority; /* the kernel's, see struct flight_record */
	char top_name[16];
	/* Of this tick so far, a second; and usually. The name: of the one that came most often. */
	uint32_t interrupts_hz, usual_interrupts_hz, softirqs_hz, usual_softirqs_hz; /* usual 0: not known */
	char interrupt_name[16], softirq_name[16];
	bool top_is_past;        /* that task was there while the spike was under way */
	uint32_t mhz, usual_mhz; /* when the spike was found, and usually; 0: not known */
};

/* A response, or in a flood a lap, above the limit of its ring. A stall is one spike, however many slots it
 * missed: that of the oldest one. All times are CLOCK_MONOTONIC. */
struct spike {
	uint32_t ring; /* its id */
	uint32_t token;
	enum figure figure;   /* FIGURE_RESPONSE: of the first hop; FIGURE_LAP: of all hops */
	uint64_t due_ns;      /* when the lap was to start; 0: it had no due */
	uint64_t sent_ns;     /* of the first hop; 0: it was not sent yet */
	uint64_t received_ns; /* of the first hop, of a lap the last; 0: it is under way */
	uint64_t seen_ns;     /* when it was reported: what is under way has lasted until then */
	uint64_t limit_ns;
	/* The number of the hop of the two ends below, and when it had the token: the hop that had it
	 * longest, or in a report while it is under way, that has it now. hop_from_ns 0: it is the first hop,
	 * or of a lap that is not known. hop_to_ns 0: it still has it. */
	uint32_t hop;
	uint64_t hop_from_ns, hop_to_ns;
	/* Shorter ones of this time, of any ring, that are counted alone: too many came at once. */
	uint32_t n_passed_over;
	/* The two ends of that hop, mostly the origin and member 1. In a report while a later hop is under
	 * way, or one of the lap before, sent_ns is due_ns. */
	struct spike_end sender, receiver;
	/* Without a record: the rings that ran, those of them that had a spike at this time, and the CPUs of
	 * the two ends. 0: not known. */
	uint32_t n_rings, n_late;
	struct cpu_hints sender_hints, receiver_hints;
	/* By how much the steal time of the two CPUs grew from the tick before the spike until it was found:
	 * the hypervisor ran others. 0: by nothing, or it is not known. */
	uint64_t sender_steal_ns, receiver_steal_ns;
	bool is_guest; /* the machine is a virtual one */
	/* How many system management interrupts there were, from up to 2 s before the spike until it was
	 * found. 0: none, or it is not known. */
	uint32_t n_smis;
};

static inline uint64_t spike_start_ns(const struct spike *spike)
{
	return spike->due_ns ? spike->due_ns : spike->sent_ns;
}

/* Whether the hop of its two ends was sent before the lap was due: by the lap before. */
static inline bool spike_hop_was_sent_before(const struct spike *spike)
{
	return spike->due_ns && spike->hop_from_ns && spike->hop_from_ns <= spike->due_ns;
}

/* When the hop of its two ends was sent. 0: not yet, or before the lap was due. */
static inline uint64_t spike_hop_sent_ns(const struct spike *spike)
{
	if (spike_hop_was_sent_before(spike))
		return 0;
	return spike->hop_from_ns ? spike->hop_from_ns : spike->sent_ns;
}

static inline uint64_t spike_end_ns(const struct spike *spike)
{
	return spike->received_ns ? spike->received_ns : spike->seen_ns;
}

/* Whether its end is not when the token was received, but when the receiver passed it on. */
static inline bool spike_hop_is_passed_on(const struct spike *spike)
{
	return spike->hop_from_ns && spike->hop_to_ns != spike_end_ns(spike);
}

/* When that hop was over. 0: not yet. */
static inline uint64_t spike_hop_end_ns(const struct spike *spike)
{
	return spike->hop_from_ns ? spike->hop_to_ns : spike->received_ns;
}

static inline uint64_t spike_length_ns(const struct spike *spike)
{
	uint64_t start_ns = spike_start_ns(spike), end_ns = spike_end_ns(spike);

	return end_ns > start_ns ? end_ns - start_ns : 0;
}

/* The owner of a task. */
enum flight_role {
	ROLE_OTHER,
	ROLE_MEMBER, /* of any ring */
	ROLE_OWN,    /* front or keeper */
	/* A member of the spike's ring, or of any where the tier does not tell rings apart. Others that come
	 * after it are recorded, but not that it hands over to a member. */
	ROLE_PEER,
	N_FLIGHT_ROLES,
};

/* The number of a switch tells why the task that goes has to wait. PINNED: it may run on this CPU alone, so
 * it waits there; only of those that real-time throttling may keep away. THROTTLED: the quota of its cgroup
 * is spent.
 */
enum { SWITCH_PINNED = 1, SWITCH_THROTTLED = 2 };

/* Kinds of gaps. OTHERS: it lacks only switches that have no member of the spike. HIDDEN: some tasks are not
 * recorded when they follow idle or a member, or are followed by one. */
enum { GAP_OF_OTHERS = 2, GAP_OF_HIDDEN = 3 };

enum flight_kind {
	FLIGHT_SWITCH,  /* the CPU switched from one task to another */
	FLIGHT_TIMER,   /* the CPU's own timer interrupt */
	FLIGHT_IRQ,     /* a device's interrupt: number and name */
	FLIGHT_IPI,     /* an interrupt by another CPU: its vector's name */
	FLIGHT_SOFTIRQ, /* number and name of the vector */
	FLIGHT_NMI,
	FLIGHT_GAP, /* what happened between from_ns and at_ns is not known: records were lost, or not made */
	FLIGHT_IDLE, /* the CPU was idle when the lap was due, or sent: number and name of the state */
	/* Two tasks, prev and next, handed over to each other, and no other task ran: number is how often.
	 * Each ran so briefly that these switches are not recorded. From until_ns on prev ran alone. */
	FLIGHT_TURNS,
	/* Members of several rings, all of next's priority, handed over to each other, and no other task ran:
	 * number is how often, after less than 10 us each, in which also members of one ring may have handed
	 * over, or the CPU was idle. Who ran when is not recorded, and from until_ns on not who ran. */
	FLIGHT_MEMBERS,
	N_FLIGHT_KINDS,
};

/* What the flight recorder saw. It leaves out switches between a ring's own members, and between them and
 * idle, if the member went to sleep. */
struct flight_record {
	enum flight_kind kind;
	uint32_t cpu;
	uint64_t at_ns; /* when it happened; of what lasts, its end */
	/* Of what lasts, its begin; of a switch, since when prev had the CPU. 0: not known. */
	uint64_t from_ns;
	/* Of an interrupt, softirq or idle state; of a switch or a gap 0, or one of the above; of turns and
	 * members how many. */
	uint32_t number;
	/* Of a switch, or of turns; prev_tid also of an interrupt: who was interrupted. A tid of 0 is idle.
	 * Priorities are the kernel's: below 0 deadline, 0..99 real-time (99 is FIFO 0, so 9 is FIFO 90),
	 * 100..139 fair. */
	int32_t prev_tid, next_tid;
	int32_t prev_priority, next_priority;
	uint32_t prev_policy, next_policy;     /* SCHED_FIFO; 0: SCHED_OTHER, or not known */
	uint32_t prev_state;                   /* see enum flight_state */
	enum flight_role prev_role, next_role; /* set by flight.c */
	char prev_name[16];
	char next_name[16]; /* or the name of the interrupt, softirq or idle state */
	uint64_t until_ns;  /* of turns and members; else 0 */
	uint64_t queued_ns; /* of a switch: since when next waited for the CPU; 0: not known */
};

/* Why the task before a switch no longer runs. 0: it is runnable, and was preempted or throttled. */
enum flight_state {
	FLIGHT_SLEEPS = 1 << 0,   /* S: waits for an event */
	FLIGHT_BLOCKED = 1 << 1,  /* D: waits for the disk, a page or a lock of the kernel */
	FLIGHT_STOPPED = 1 << 2,  /* T or t: by a signal or a debugger */
	FLIGHT_EXITS = 1 << 3,    /* X or Z */
	FLIGHT_OTHERWISE = 1 << 4 /* sleeps in a way that has none of these letters */
};

extern const char *const flight_kind_names[N_FLIGHT_KINDS]; /* "switch": JSON */

/* A spike with the records of its CPUs, from its start to its end. */
struct spike_report {
	struct spike spike;
	const struct flight_record *records; /* the maker's, in the order of at_ns */
	size_t n_records;
};

enum { SPIKE_RECORDS_MAX = 512 };

void spike_encode(struct bytes *bytes, const struct spike_report *report);
/* Decodes to @report, whose records are the caller's @records. The scan becomes bad if they are more, or not
 * in order. */
void spike_decode(
	struct scan *scan, struct spike_report *report, struct flight_record records[SPIKE_RECORDS_MAX]);

/* From which length on a ring's samples are spikes: the limit is the largest of 20 us, three times the usual
 * sample, and what at most 20 samples a second reach. It is no percentile of all samples: with 30 stalls of
 * 20 ms in a second, p99.9 is a stall. */

/* The usual samples of a ring. Zeroed: they are not known. */
struct spike_usual {
	uint64_t median_ns; /* grows by at most a quarter a tick: a tick may have stalls alone */
};

/* Returns the limit after a tick of @length_ns with these samples, of one member, by their buckets. Returns
 * @before_ns where it has none. */
uint64_t spike_limit(struct spike_usual *usual, const struct hist_cell *cells, size_t n_cells,
	uint64_t length_ns, uint64_t before_ns);
