/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine.h - the facts about a machine that a figure can't be read without. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/field.h"

/* A state of the kernel is a value, absent, or denied. */
enum machine_state { MACHINE_ABSENT, MACHINE_DENIED, MACHINE_VALUE };

/* machine_facts describes each member. */
struct machine {
	char host[65], kernel[65];
	char preemption[24]; /* "PREEMPT_RT", "full", "voluntary", "none", "lazy", "dynamic" where hidden; "?"
			      */
	char isolated[256];  /* kernel's list; "" where none */
	char nohz_full[256];
	char governor[24]; /* of all measured CPUs; "mixed"; "" where absent */
	char clock_source[24];
	int32_t smt; /* 1, 0, or -1 where unknown */
	enum machine_state dma_latency_state;
	int32_t dma_latency_us; /* what all holders of /dev/cpu_dma_latency together ask for; 2000000000: none
				 */
	int32_t dma_latency_held_us;         /* by this run; -1: not held */
	int64_t rt_runtime_us, rt_period_us; /* -1: no throttling; INT64_MIN: not known */
	bool fair_server;            /* the kernel gives 50 ms in each second to SCHED_OTHER, whoever runs */
	bool rt_runtime_zero_cgroup; /* a v1 cpu cgroup refuses real-time policies even to root */
	uint32_t clock_cost_ns;      /* of one clock read, median */
	char own_cpus[64];           /* where ipctop itself runs, as a list; "" where not known */
	size_t n_cpus, n_cores, n_packages, n_nodes;
};

/* A member of struct machine: how it is read while a run lasts, and how it is recorded, reported and watched.
 * A knob of the kernel that is to be watched is a member and a row. */
struct machine_fact {
	struct field field; /* key: its name in recordings */
	const char *report; /* its name in the JSON report, "object.name" inside an object; NULL: not there */
	const char *title;  /* its name in the events of its changes; NULL: they are no events */
	const char *file;   /* of which machine_refresh() reads the first line; NULL: */
	void (*refresh)(struct machine *machine); /* reads it, and maybe others; NULL: it does not change */
	/* How a value is shown, where it is not as it is. */
	int64_t unknown; /* the number that stands for an unknown one, which is not reported; 0: none */
	const char *unknown_word;       /* shown for it, and for an empty text */
	bool is_switch;                 /* shown as "on" or "off", reported as a boolean */
	const char *const *value_names; /* of an enum */
	void (*word)(const struct machine *machine, char *word, size_t size); /* or this shows it */
};

extern const struct machine_fact machine_facts[];
extern const size_t machine_n_facts;

/* The fact as it is shown: "950000", "on", "none". Returns @word. */
enum { MACHINE_WORD_SIZE = 256 };
char *machine_word(
	const struct machine *machine, const struct machine_fact *fact, char word[MACHINE_WORD_SIZE]);

/* All facts unknown. */
struct machine machine_unknown(void);

/* Reads all of it but the CPU counts, which the topology knows: they are left 0, and the dma latency is
 * noted as not held. The clock's cost is measured (1 ms). */
void machine_read(struct machine *machine);
/* The part that changes while a run lasts, cheap enough for each tick. Leaves dma_latency_held_us alone. */
void machine_refresh(struct machine *machine);
/* The line of /proc/loadavg without its newline; "" where it can't be read. */
void machine_loadavg(char *line, size_t size);

/* Pure parts of the above. Texts are whole files; NULL where they can't be read. */

/* The preemption model, as machine.preemption has it, from debugfs' sched/preempt, uname -v and
 * /proc/cmdline. */
void machine_preemption(const char *debug, const char *version, const char *cmdline, char *word, size_t size);
/* The directory of the v1 cpu cgroup that /proc/self/{cgroup,mounts} name, and where it is mounted; both may
 * hold the files, for a container sees its own as the root. False where there is none. */
bool machine_cpu_cgroup(const char *cgroup, const char *mounts, char *directory, char *mount, size_t size);
