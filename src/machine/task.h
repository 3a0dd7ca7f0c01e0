/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task.h - sets and reads a task's scheduling: policy, priority and affinity. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct cpus;

struct task_policy {
	int32_t policy;   /* SCHED_OTHER, SCHED_FIFO, ... ; -1: not known (the task is gone) */
	int32_t priority; /* 1..99 for FIFO and RR, else 0 */
	int32_t nice;     /* -20..19 where the policy obeys it (OTHER, BATCH, EXT), else 0 */
};

/* @name is one of other, batch, idle, fifo, rr. Returns the policy, or -EINVAL. */
int task_policy_parse(const char *name);
const char *task_policy_word(unsigned i); /* returns such a name; NULL past the last one */
const char *task_policy_name(int policy); /* "fifo"; "?" where unknown */
char task_policy_option(int policy);      /* of chrt(1): 'f'; '?' where unknown */
bool task_policy_is_realtime(int policy); /* FIFO, RR, DEADLINE */
bool task_policy_equal(struct task_policy a, struct task_policy b);
bool task_policy_obeys_nice(int policy); /* OTHER, BATCH, EXT */
/* Writes "FF80", "RR5", "OTH", "OTH-5", "BAT19", "IDL", "DL" or "?". Returns @text. */
char *task_policy_format(struct task_policy policy, char text[8]);
/* Writes the same in words: "FIFO:80", "OTHER", "OTHER nice 19". Returns @text. */
enum { TASK_POLICY_SIZE = 32 };
char *task_policy_describe(struct task_policy policy, char text[TASK_POLICY_SIZE]);

/* @tid 0 is the calling thread. All but task_own_nice() return 0 or a negative errno. Setting a policy leaves
 * the nice value as it is. */
int task_set_policy(pid_t tid, struct task_policy policy);
int task_get_policy(pid_t tid, struct task_policy *policy);
/* Gives the calling thread a real-time policy, and its own one again. Returns 0 or a negative errno. */
int task_try_realtime(struct task_policy policy);
/* Returns the nice value of the calling thread, which its tasks inherit. */
int task_own_nice(void);
/* The clamps of the utilization by which the kernel chooses a frequency, 0..1024. -ENOENT: it has none. */
int task_get_uclamp(pid_t tid, unsigned *min, unsigned *max);
int task_set_affinity(pid_t tid, const struct cpus *cpus);
int task_get_affinity(pid_t tid, struct cpus *cpus);
/* Pins the task, and reads its affinity back: -EXDEV if the kernel has set another one. */
int task_pin(pid_t tid, unsigned cpu);

/* Returns the reason why no process could be started, with the limit to raise. @error: a negative errno. The
 * text may be strerror(3)'s. */
const char *task_no_more(int error);
/* The same of a thread, which can also lack memory for its stack. @stack_size in bytes; 0: the default. */
const char *task_no_thread(int error, size_t stack_size);

/* Flags of a task: PF_EXITING and PF_KTHREAD of the kernel's sched.h. */
enum { TASK_EXITING = 0x4, TASK_KERNEL_THREAD = 0x00200000 };

/* Fields of /proc/PID/task/TID/stat. */
struct task_stat {
	char name[16];
	char state;                    /* 'R', 'S', 'D', 'T', 't', 'Z', 'X' */
	unsigned flags;                /* TASK_EXITING, ... */
	unsigned long utime, stime;    /* clock ticks */
	unsigned long long start_time; /* clock ticks since boot */
	int cpu;                       /* the last one that it ran on */
	struct task_policy policy;     /* without its nice value */
};
int task_read_stat(pid_t pid, pid_t tid, struct task_stat *stat);
/* CPU time used so far, and time spent waiting for a CPU, from schedstat. Return 0 or a negative errno. */
int task_read_runtime(pid_t pid, pid_t tid, uint64_t *runtime_ns);
int task_read_wait(pid_t pid, pid_t tid, uint64_t *wait_ns);
