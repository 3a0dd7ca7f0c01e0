/* SPDX-License-Identifier: GPL-2.0-or-later */
/* settings.h - parts of the readers of facts that are more than the first line of a file. A setting that
 * can't be read is "absent" or "not readable". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct machine;

/* Parts of a line, in place. */
void settings_pick_bracketed(char *line); /* "always [madvise] never": "madvise" */
void settings_pick_first(char *line);     /* "4	4	1	7": "4" */

/* "A NO_RUN_TO_PARITY B": "NO_RUN_TO_PARITY". Returns false if the line has no such word. */
bool settings_pick_parity(char *line);

/* Finds machine.preemption from debugfs' sched/preempt, uname -v and /proc/cmdline; "" where they can't be
 * read. @is_built_lazy: the kernel has PREEMPT_LAZY, which uname -v does not say. */
void settings_preemption(const char *debug, const char *version, const char *cmdline, bool is_built_lazy,
	char *word, size_t size);
/* Is the scheduler's feature on? "on", "off", or "absent". @features: of debugfs. */
const char *settings_run_to_parity(const char *features);
/* Lists the tracers that slow down each lock: "irqsoff,preemptoff", or "none". @tracers: of tracefs. */
void settings_slow_tracers(const char *tracers, char *word, size_t size);
/* Finds a boot parameter in /proc/cmdline: its value, "on" without one, "none" if it is not given. */
void settings_boot_word(const char *cmdline, const char *name, char *word, size_t size);
/* Counts the flaws of CPUs that the kernel guards against: "3 of 19 flaws guarded, 1 open". @folder: of
 * sysfs, with a file for each. Without it: the boot parameter, or "default". */
void settings_mitigations(const char *folder, const char *cmdline, char *word, size_t size);
/* Has the list of isolcpus the flag managed_irq? "on" or "off". */
void settings_managed_irq(const char *cmdline, char *word, size_t size);
/* Does the kernel limit the real-time tasks of each cgroup, those of the root, too? Then it throttles them as
 * sched_rt_runtime_us says, also where it has a fair server. @config: the path, see kernel_config.h. */
bool settings_group_sched(const char *config, const char *cmdline);
/* Lists the options of a kernel's configuration that slow it down: "PROVE_LOCKING,KASAN", "none". @path: see
 * kernel_config.h. */
void settings_debug_options(const char *path, char *word, size_t size);
/* Writes how much memory is swapped to: "none", "2 areas". @swaps: /proc/swaps. */
void settings_swap_areas(const char *swaps, char *word, size_t size);
/* Writes the share of time that the hypervisor took: "0.3 %". @stat: /proc/stat. It counts from *@steal and
 * *@all on, in ticks; from the machine's start where they are 0, and sets them. Leaves @word alone if no time
 * went by. */
void settings_steal(const char *stat, uint64_t *steal, uint64_t *all, char *word, size_t size);

/* Readers of rows, see fact_rows.h. */
ssize_t settings_read_idle_latency(const char *folder, char *value, size_t size); /* "133us", the longest */
ssize_t settings_read_frequency_range(const char *folder, char *value, size_t size); /* "800-4200MHz" */

/* Read the folder of a task, whose name is its tid. Tasks with a real-time policy have no timer slack. */
ssize_t settings_read_cgroup(const char *folder, char *value, size_t size);      /* "/user.slice" */
ssize_t settings_read_timer_slack(const char *folder, char *value, size_t size); /* "50000ns" */
ssize_t settings_read_uclamp(const char *folder, char *value, size_t size);      /* "0-1024" */

/* Do the CPUs boost their frequency? "on" or "off". */
void settings_read_boost(char *word, size_t size);

/* Reads those that stay the same until the next start of the machine, or that would always change. */
void settings_read_constant(struct machine *machine, const char *release);
