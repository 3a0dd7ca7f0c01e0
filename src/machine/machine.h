/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine.h - the facts about a machine that a figure can't be read without. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A state of the kernel is a value, absent, or denied. */
enum machine_state { MACHINE_ABSENT, MACHINE_DENIED, MACHINE_VALUE };

struct machine {
	char host[65], kernel[65];
	char preemption[24]; /* "PREEMPT_RT", "full", "voluntary", "none", "lazy", "dynamic" where hidden; "?"
			      */
	char isolated[256];  /* kernel's list; "" where none */
	char nohz_full[256];
	char governor[24]; /* of all measured CPUs; "mixed"; "" where absent */
	char clock_source[24];
	int smt; /* 1, 0, or -1 where unknown */
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
