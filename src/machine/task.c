/* SPDX-License-Identifier: GPL-2.0-or-later */
/* task.c - sets and reads a task's scheduling: policy, priority and affinity. */
#include "src/machine/task.h"

#include <ctype.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/base/small_file.h"
#include "src/base/text.h"
#include "src/machine/cpus.h"
#include "src/machine/memory.h"

#ifndef SCHED_EXT
#define SCHED_EXT 7
#endif

static const struct policy {
	int policy;
	const char *name, *shown;
	char option; /* chrt's */
	bool can_be_asked, obeys_nice;
} policies[] = {
	{SCHED_OTHER, "other", "OTH", 'o', true, true},
	{SCHED_BATCH, "batch", "BAT", 'b', true, true},
	{SCHED_IDLE, "idle", "IDL", 'i', true, false},
	{SCHED_FIFO, "fifo", "FF", 'f', true, false},
	{SCHED_RR, "rr", "RR", 'r', true, false},
	{SCHED_DEADLINE, "deadline", "DL", 'd', false, false},
	{SCHED_EXT, "ext", "EXT", 'e', false, true},
};

enum { N_POLICIES = sizeof(policies) / sizeof(*policies) };

const char *task_no_more(int error)
{
	if (error == -EAGAIN)
		return "no more tasks are allowed: raise RLIMIT_NPROC (ulimit -u), or pids.max of the cgroup";
	return strerror(-error);
}

const char *task_no_thread(int error, size_t stack_size)
{
	const char *refused = NULL;
	pthread_attr_t attributes;
	size_t guard_size = 0;

	if (pthread_attr_init(&attributes) == 0) {
		if (!stack_size)
			pthread_attr_getstacksize(&attributes, &stack_size);
		pthread_attr_getguardsize(&attributes, &guard_size);
		pthread_attr_destroy(&attributes);
	}
	if (error == -EAGAIN && stack_size) /* the C library returns it for memory, too */
		refused = memory_refused(stack_size + guard_size, MAP_PRIVATE);
	return refused ? refused : task_no_more(error);
}

int task_policy_parse(const char *name)
{
	for (size_t i = 0; i < N_POLICIES; i++)
		if (policies[i].can_be_asked && !strcmp(name, policies[i].name))
			return policies[i].policy;
	return -EINVAL;
}

const char *task_policy_word(unsigned i)
{
	for (size_t at = 0; at < N_POLICIES; at++)
		if (policies[at].can_be_asked && i-- == 0)
			return policies[at].name;
	return NULL;
}

static const struct policy *find_policy(int policy)
{
	static const struct policy unknown = {.name = "?", .shown = "?", .option = '?'};

	for (size_t i = 0; i < N_POLICIES; i++)
		if (policies[i].policy == policy)
			return &policies[i];
	return &unknown;
}

const char *task_policy_name(int policy)
{
	return find_policy(policy)->name;
}

char task_policy_option(int policy)
{
	return find_policy(policy)->option;
}

bool task_policy_is_realtime(int policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR || policy == SCHED_DEADLINE;
}

bool task_policy_equal(struct task_policy a, struct task_policy b)
{
	return a.policy == b.policy && a.priority == b.priority && a.nice == b.nice;
}

bool task_policy_obeys_nice(int policy)
{
	return find_policy(policy)->obeys_nice;
}

char *task_policy_format(struct task_policy policy, char text[8])
{
	const struct policy *known = find_policy(policy.policy);

	if (policy.policy == SCHED_FIFO || policy.policy == SCHED_RR)
		snprintf(text, 8, "%s%d", known->shown, policy.priority % 1000);
	else if (policy.nice && known->policy == policy.policy)
		snprintf(text, 8, "%s%d", known->shown, policy.nice % 100);
	else
		snprintf(text, 8, "%s", known->shown);
	return text;
}

char *task_policy_describe(struct task_policy policy, char text[TASK_POLICY_SIZE])
{
	snprintf(text, TASK_POLICY_SIZE, "%s", task_policy_name(policy.policy));
	for (char *letter = text; *letter; letter++)
		*letter = (char)toupper((unsigned char)*letter);
	if (policy.priority > 0)
		text_print(text, TASK_POLICY_SIZE, ":%d", (int)policy.priority);
	else if (policy.nice)
		text_print(text, TASK_POLICY_SIZE, " nice %d", (int)policy.nice);
	return text;
}

int task_set_policy(pid_t tid, struct task_policy policy)
{
	struct sched_param param = {.sched_priority = policy.priority};

	return sched_setscheduler(tid, policy.policy, &param) < 0 ? -errno : 0;
}

/* struct sched_attr, which some C libraries lack. Its first version has no clamps. */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
	uint32_t util_min, util_max;
};

enum { ATTRIBUTES_FIRST_SIZE = offsetof(struct attributes, util_min) };

static int get_attributes(pid_t tid, struct attributes *attributes, unsigned size)
{
	return syscall(SYS_sched_getattr, tid, attributes, size, 0) < 0 ? -errno : 0;
}

int task_get_policy(pid_t tid, struct task_policy *policy)
{
	struct attributes attributes = {0};
	int r = get_attributes(tid, &attributes, ATTRIBUTES_FIRST_SIZE);

	if (r < 0) {
		*policy = (struct task_policy){.policy = -1};
		return r;
	}
	*policy = (struct task_policy){
		.policy = (int32_t)attributes.policy, .priority = (int32_t)attributes.priority};
	if (task_policy_obeys_nice(policy->policy))
		policy->nice = attributes.nice;
	return 0;
}

int task_try_realtime(struct task_policy policy)
{
	struct task_policy own;
	int r = task_get_policy(0, &own);

	if (r == 0)
		r = task_set_policy(0, policy);
	return r < 0 ? r : task_set_policy(0, own);
}

int task_get_uclamp(pid_t tid, unsigned *min, unsigned *max)
{
	struct attributes attributes = {0};
	int r = get_attributes(tid, &attributes, sizeof(attributes));

	if (r < 0)
		return r;
	*min = attributes.util_min;
	*max = attributes.util_max;
	return *max ? 0 : -ENOENT; /* kernels without clamps leave both 0 */
}

int task_own_nice(void)
{
	return getpriority(PRIO_PROCESS, 0); /* can't fail for oneself */
}

int task_set_affinity(pid_t tid, const struct cpus *cpus)
{
	return syscall(SYS_sched_setaffinity, tid, sizeof(*cpus), cpus) < 0 ? -errno : 0;
}

int task_get_affinity(pid_t tid, struct cpus *cpus)
{
	/* The kernel writes as many bytes as its own mask has. */
	*cpus = (struct cpus){0};
	return syscall(SYS_sched_getaffinity, tid, sizeof(*cpus), cpus) < 0 ? -errno : 0;
}

int task_pin(pid_t tid, unsigned cpu)
{
	struct cpus asked = {0}, got;

	cpus_add(&asked, cpu);
	int r = task_set_affinity(tid, &asked);

	if (r == 0)
		r = task_get_affinity(tid, &got);
	if (r < 0)
		return r;
	return cpus_equal(&asked, &got) ? 0 : -EXDEV;
}

static ssize_t read_task_file(pid_t pid, pid_t tid, const char *name, char *text, size_t size)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/%s", pid, tid, name);
	return small_file_read(path, text, size);
}

int task_read_stat(pid_t pid, pid_t tid, struct task_stat *stat)
{
	char text[1024];
	unsigned priority = 0, policy = 0;
	ssize_t n = read_task_file(pid, tid, "stat", text, sizeof(text));

	if (n < 0)
		return (int)n;
	/* The name is in parentheses, and may contain parentheses. */
	char *open = strchr(text, '('), *close = strrchr(text, ')');

	if (!open || !close || close < open)
		return -EPROTO;
	*stat = (struct task_stat){0};
	*close = '\0';
	snprintf(stat->name, sizeof(stat->name), "%s", open + 1);
	int got = sscanf(close + 1,
		" %c %*d %*d %*d %*d %*d %u %*u %*u %*u %*u %lu %lu %*d %*d %*d %*d %*d %*d %llu"
		" %*u %*d %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*u %*d %d %u %u",
		&stat->state, &stat->flags, &stat->utime, &stat->stime, &stat->start_time, &stat->cpu,
		&priority, &policy);

	if (got != 8)
		return -EPROTO;
	stat->policy = (struct task_policy){(int32_t)policy, (int32_t)priority};
	return 0;
}

static int read_schedstat(pid_t pid, pid_t tid, unsigned long long *runtime_ns, unsigned long long *wait_ns)
{
	char text[128];
	ssize_t n = read_task_file(pid, tid, "schedstat", text, sizeof(text));

	if (n < 0)
		return (int)n;
	return sscanf(text, "%llu %llu", runtime_ns, wait_ns) == 2 ? 0 : -EPROTO;
}

int task_read_runtime(pid_t pid, pid_t tid, uint64_t *runtime_ns)
{
	unsigned long long runtime, wait;
	int r = read_schedstat(pid, tid, &runtime, &wait);

	if (r == 0)
		*runtime_ns = runtime;
	return r;
}

int task_read_wait(pid_t pid, pid_t tid, uint64_t *wait_ns)
{
	unsigned long long runtime, wait;
	int r = read_schedstat(pid, tid, &runtime, &wait);

	if (r == 0)
		*wait_ns = wait;
	return r;
}
