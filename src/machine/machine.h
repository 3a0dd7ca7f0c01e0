/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine.h - the facts about a machine that are needed to judge a figure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/field.h"
#include "src/machine/fact_rows.h"
#include "src/machine/rivals.h"
#include "src/machine/setting_file.h"

struct topology;

/* The outcome of reading a state of the kernel. */
enum machine_state { MACHINE_ABSENT, MACHINE_DENIED, MACHINE_VALUE };

/* Settings that are the first line of a file, in the order of events. Each has a member, whose text may say
 * why the file can't be read, and a fact: one more takes a line here. KNOB(member, size of the text, its name
 * in reports, its name in events, the file, further members of struct machine_fact) */
/* clang-format off */
#define MACHINE_KNOBS(KNOB)                                                                                  \
	KNOB(online, 256, "kernel_online_cpus", "online CPUs", "/sys/devices/system/cpu/online",             \
		.bears = true)                                                                               \
	KNOB(watchdog, 16, "kernel_watchdog", "kernel.watchdog", "/proc/sys/kernel/watchdog",                \
		.bears = true, .form = SETTING_NUMBER)                                                       \
	KNOB(nmi_watchdog, 16, "kernel_nmi_watchdog", "kernel.nmi_watchdog",                                 \
		"/proc/sys/kernel/nmi_watchdog", .bears = true, .form = SETTING_NUMBER)                      \
	KNOB(timer_migration, 16, "kernel_timer_migration", "kernel.timer_migration",                        \
		"/proc/sys/kernel/timer_migration", .bears = true, .form = SETTING_NUMBER)                   \
	KNOB(numa_balancing, 16, "kernel_numa_balancing", "kernel.numa_balancing",                           \
		"/proc/sys/kernel/numa_balancing", .bears = true, .form = SETTING_NUMBER)                    \
	KNOB(autogroup, 16, "kernel_sched_autogroup_enabled", "kernel.sched_autogroup_enabled",              \
		"/proc/sys/kernel/sched_autogroup_enabled", .bears = true, .form = SETTING_NUMBER)           \
	KNOB(hung_task_secs, 16, "kernel_hung_task_timeout_secs", "kernel.hung_task_timeout_secs",           \
		"/proc/sys/kernel/hung_task_timeout_secs", .form = SETTING_NUMBER)                           \
	KNOB(kptr_restrict, 16, "kernel_kptr_restrict", "kernel.kptr_restrict",                              \
		"/proc/sys/kernel/kptr_restrict", .form = SETTING_NUMBER)                                    \
	KNOB(console_level, 16, "kernel_printk", "console log level", "/proc/sys/kernel/printk",             \
		.pick = settings_pick_first, .form = SETTING_FIRST)                                          \
	KNOB(consoles, 64, "kernel_consoles", "consoles", "/sys/class/tty/console/active")                   \
	KNOB(stat_interval, 16, "vm_stat_interval", "vm.stat_interval", "/proc/sys/vm/stat_interval",        \
		.bears = true, .form = SETTING_NUMBER)                                                       \
	KNOB(swappiness, 16, "vm_swappiness", "vm.swappiness", "/proc/sys/vm/swappiness",                    \
		.form = SETTING_NUMBER)                                                                      \
	KNOB(compaction, 16, "vm_compaction_proactiveness", "vm.compaction_proactiveness",                   \
		"/proc/sys/vm/compaction_proactiveness", .form = SETTING_NUMBER)                             \
	KNOB(thp, 16, "vm_transparent_hugepage", "transparent huge pages",                                   \
		"/sys/kernel/mm/transparent_hugepage/enabled", .pick = settings_pick_bracketed,              \
		.bears = true, .form = SETTING_CHOICE)                                                       \
	KNOB(thp_defrag, 24, "vm_transparent_hugepage_defrag", "defragmentation for huge pages",             \
		"/sys/kernel/mm/transparent_hugepage/defrag", .pick = settings_pick_bracketed,               \
		.form = SETTING_CHOICE)                                                                      \
	KNOB(khugepaged_defrag, 16, "vm_khugepaged_defrag", "khugepaged",                                    \
		"/sys/kernel/mm/transparent_hugepage/khugepaged/defrag", .bears = true,                      \
		.form = SETTING_NUMBER)                                                                      \
	KNOB(ksm, 16, "vm_ksm_run", "ksm", "/sys/kernel/mm/ksm/run", .bears = true,                          \
		.form = SETTING_NUMBER)                                                                      \
	KNOB(workqueue_cpus, 300, "kernel_workqueue_cpumask", "CPUs of workqueues",                          \
		"/sys/devices/virtual/workqueue/cpumask", .bears = true, .form = SETTING_MASK)               \
	KNOB(writeback_cpus, 300, "kernel_writeback_cpumask", "CPUs of writeback",                           \
		"/sys/devices/virtual/workqueue/writeback/cpumask", .bears = true, .form = SETTING_MASK)     \
	KNOB(mce_ignore_ce, 16, "kernel_mce_ignore_ce", "machine check ignore_ce",                           \
		"/sys/devices/system/machinecheck/machinecheck0/ignore_ce", .form = SETTING_NUMBER)          \
	KNOB(mce_interval, 16, "kernel_mce_check_interval", "machine check interval",                        \
		"/sys/devices/system/machinecheck/machinecheck0/check_interval", .form = SETTING_NUMBER)     \
	KNOB(base_slice_ns, 24, "sched_base_slice_ns", "scheduler's base slice",                             \
		"/sys/kernel/debug/sched/base_slice_ns", .bears = true, .form = SETTING_NUMBER)
/* clang-format on */
#define MACHINE_KNOB_MEMBER(name, size, ...) char name[size];

/* machine_facts describes each member. Zeroed is valid. */
struct machine {
	char host[65], kernel[65];
	char preemption[24]; /* "PREEMPT_RT", "full", "voluntary", "none", "lazy", "dynamic" where hidden; "?"
			      */
	char isolated[256];  /* kernel's list; "" where none */
	char nohz_full[256];
	char clock_source[24];
	char tracing[64];               /* see tracing_read() */
	char recorder[16];              /* the flight recorder's tier, by this run; "": not known */
	char recorder_lacks[512];       /* what keeps it from the best tier, and the remedy; "": nothing */
	char loads[200];                /* this run's, as "fork:0-3:100%"; "none"; "": not known */
	struct fact_rows *governor;     /* owned, as are all rows; of CPUs; NULL: absent, or not known */
	struct fact_rows *idle_states;  /* of CPUs: those that are enabled, such as "POLL,C1" */
	struct fact_rows *irq_affinity; /* the CPUs of each interrupt */
	char irq_default[300];          /* the affinity of new interrupts, as a mask: "3"; "": not known */
	int32_t smt;                    /* 1, 0, or -1 where unknown */
	enum machine_state dma_latency_state;
	int32_t dma_latency_us;              /* the value of /dev/cpu_dma_latency; 2000000000: none */
	int32_t dma_latency_held_us;         /* by this run; -1: not held */
	int64_t rt_runtime_us, rt_period_us; /* -1: no throttling; INT64_MIN: not known */
	bool fair_server;                    /* the kernel gives SCHED_OTHER 50 ms in each second */
	bool rt_group_sched;                 /* the kernel limits the real-time tasks of each cgroup */
	bool rt_runtime_zero_cgroup;         /* a v1 cpu cgroup refuses real-time policies even to root */
	uint32_t clock_cost_ns;              /* of one clock read, median */
	int32_t clock_step_ns;               /* by which the clock advances; -1: by less than a read takes */
	MACHINE_KNOBS(MACHINE_KNOB_MEMBER)
	/* Settings whose value is in words, or "absent", or "not readable": see machine_facts. */
	char cpu_quota[48]; /* of the members' cgroups, and of those above */
	char cpuset[256];   /* the CPUs of this process's cpuset, of those that are online */
	char rivals[200], irqbalance[160], irq_threads[64]; /* see struct rivals_words */
	struct fact_rows *fair_runtime;                     /* ns in each second, of CPUs */
	struct fact_rows *irq_effective;
	struct fact_rows *idle_latency, *frequency_range, *energy_preference; /* of CPUs */
	struct fact_rows *member_cgroup, *member_slack, *member_uclamp;       /* of a run's members, by tid */
	char boost[16];                                                       /* "on" or "off" */
	char swap[16], memlock[32], run_to_parity[16];
	char rcu_nocbs[256], skew_tick[16];   /* boot parameters, or "none" */
	char threadirqs[24], mitigations[64]; /* see settings_mitigations() */
	char tick_hz[24], audit[16];
	char smis[24]; /* see smi_read() */
	char managed_irq[16], efi_runtime[16], hypervisor[32];
	char debug_options[128], slow_tracers[64], gpu[16];
	char cgroups[8];  /* "v1" or "v2": the version of the cpu controller; "": not known */
	char debugfs[16]; /* "mounted", "not mounted", or a state */
	char steal[16];   /* a share of all time: at first since the machine's start, then since that
			     reading */
	uint64_t steal_from, ticks_from; /* no facts: of /proc/stat, where steal begins */
	char own_cpus[64];               /* on which ipctop itself runs, as a list; "": not known */
	struct fact_rows *clock_skew;    /* of the members' CPUs, see clock_skew_read(); NULL: not known */
	struct fact_rows *cpu_parts;     /* the parts that contain each CPU, see cpu_parts.h; "": not known */
	size_t n_cpus, n_cores, n_packages, n_nodes;
};

/* How a member of struct machine is recorded, reported, and watched during a run. A watched knob of the
 * kernel, or of each CPU, is a member and a row. */
struct machine_fact {
	struct field field;  /* key: its name in recordings */
	const char *old_key; /* of rows: the same before it was renamed; NULL: it never was */
	const char *report; /* its name in the JSON report, "object.name" inside an object; NULL: not there */
	const char *title;  /* its name in events about its changes; NULL: there are none */
	bool bears;         /* a change bears on the members' latency, so it begins a phase */
	bool bears_on_cpus; /* the same of lists of CPUs that gain or lose one of a member */
	bool is_commanded;  /* a command of this run changes it: each change is an event of its own */
	bool drifts; /* changes by itself, to ever new values: soon after each other they are one event */
	/* machine_refresh() reads the first line of this file, which the folder of each CPU has if there are
	 * rows; NULL: see the next members. */
	const char *file;
	bool has_states;          /* a text: "absent" or "not readable" if the file can't be read */
	void (*pick)(char *line); /* leaves the part of the file's line that is the fact; NULL: all of it */
	void (*refresh)(struct machine *machine); /* reads it, and maybe others; NULL: nothing to read */
	/* How a value is shown, unless it is shown as it is. */
	int64_t unknown; /* a number that means "not known" and is left out of reports; 0: no such number */
	const char *unknown_word;       /* shown for it, and for an empty text; NULL: "unknown" */
	bool is_switch;                 /* shown as "on" or "off", reported as a boolean */
	const char *const *value_names; /* of an enum */
	/* Writes it, in place of the four above; NULL: they say how it is shown. */
	void (*word)(const struct machine *machine, char *word, size_t size);
	/* Set for members of the type struct fact_rows *. */
	const struct fact_rows_kind *rows;
	fact_row_reader *read_row; /* NULL: reads the file; without one they never change */
	size_t n_at_once;          /* rows that are read each time; 0: at the start alone */
	bool interrupts;           /* reading a CPU's row interrupts it: isolated CPUs are left out */
	const char *counted;       /* their name in comparisons */
	/* How `ipctop try` writes it: @file, or that of each row; SETTING_NONE: it does not. */
	enum setting_form form;
	/* Finds the file, where there is none in @file. Returns 0 or a negative errno, -ENXIO if the cgroup
	 * of this process has none. */
	int (*find_file)(char *path, size_t size);
	/* Returns the sentence for its errno; NULL: the usual one. May be NULL. */
	const char *(*why_none)(int error);
};

enum { MACHINE_FACTS_MAX = 96 };
extern const struct machine_fact machine_facts[];
extern const size_t machine_n_facts;

/* Returns the fact with a name in the JSON report; NULL if there is none. */
const struct machine_fact *machine_fact_reported(const char *name);

/* Returns the rows of a fact that has some; NULL: absent, or not known. */
struct fact_rows *machine_rows_of(const struct machine *machine, const struct machine_fact *fact);
/* Returns the value of a text, or of rows, as it is reported, or with all rows, as it is recorded; NULL if
 * the fact is a number. */
const char *machine_text(const struct machine *machine, const struct machine_fact *fact);
const char *machine_recorded_text(const struct machine *machine, const struct machine_fact *fact);
/* Reads a text, or rows, from the text that is recorded. */
void machine_set_text(struct machine *machine, const struct machine_fact *fact, const char *text);

/* Writes the fact as it is shown: "950000", "on", "none". Returns @word. */
enum { MACHINE_WORD_SIZE = 256 };
char *machine_word(
	const struct machine *machine, const struct machine_fact *fact, char word[MACHINE_WORD_SIZE]);

/* Returns a machine whose facts are all unknown. */
struct machine machine_unknown(void);

/* Returns a copy, which machine_finish() accepts as it does all others. */
struct machine machine_copy(const struct machine *machine);
bool machine_equal(const struct machine *a, const struct machine *b);
void machine_finish(struct machine *machine);

/* Reads all facts but the rows that have files, and measures the clock (1 ms). Takes the CPUs' parts and
 * counts from @topology. Leaves the dma latency as not held. */
void machine_read(struct machine *machine, const struct topology *topology);
/* Reads the facts that may change during a run. Leaves dma_latency_held_us and the rows alone. */
void machine_refresh(struct machine *machine);

/* Reads the rows, a part each time. Zeroed is at the start. */
struct machine_rows {
	struct fact_reader readers[MACHINE_FACTS_MAX]; /* owned; by fact */
	struct rivals rivals;                          /* its owner sets the session of its own tasks */
	const unsigned *members;                       /* their tids, ascending; the owner's */
	size_t n_members;
};

/* Reads all rows. */
void machine_read_rows(struct machine_rows *rows, struct machine *machine);
/* Reads a part of what may change, so that nobody waits for all of it. Part @part of MACHINE_PARTS has the
 * same facts each time, and of their rows the next ones. */
enum { MACHINE_PARTS = 5 };
void machine_refresh_part(struct machine_rows *rows, struct machine *machine, unsigned part);
/* Reads one fact, with all of its rows. */
void machine_refresh_fact(
	struct machine_rows *rows, struct machine *machine, const struct machine_fact *fact);
void machine_rows_finish(struct machine_rows *rows);

/* Returns machine.clock_step_ns: the least that two reads one after the other differ by, if others do not
 * differ at all. @elapsed_ns: the differences, ascending. */
int32_t machine_clock_step(const uint32_t *elapsed_ns, size_t n);
