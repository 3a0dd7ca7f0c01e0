/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine_facts.c - the facts about a machine, a row each. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "src/base/small_file.h"
#include "src/base/text.h"
#include "src/machine/cpu_quota.h"
#include "src/machine/cpus.h"
#include "src/machine/cpuset.h"
#include "src/machine/kernel_config.h"
#include "src/machine/machine.h"
#include "src/machine/settings.h"
#include "src/machine/smi.h"
#include "src/machine/task.h"
#include "src/machine/tracing.h"

#define FEATURES "/sys/kernel/debug/sched/features" /* of the scheduler */

enum { TEXT_SIZE = 16384 };

static void read_swap(struct machine *machine)
{
	char text[TEXT_SIZE];

	small_file_read("/proc/swaps", text, sizeof(text));
	settings_swap_areas(text, machine->swap, sizeof(machine->swap));
}

/* Reads the limit of ipctop, which its members inherit. The superuser may lock all memory. */
static void read_memlock(struct machine *machine)
{
	struct rlimit limit = {0};
	bool is_known = getrlimit(RLIMIT_MEMLOCK, &limit) == 0;

	if (is_known && limit.rlim_cur != RLIM_INFINITY && geteuid() != 0)
		snprintf(machine->memlock, sizeof(machine->memlock), "%llu KiB",
			(unsigned long long)limit.rlim_cur / 1024);
	else
		snprintf(machine->memlock, sizeof(machine->memlock), "unlimited");
}

static void read_features(struct machine *machine)
{
	char text[TEXT_SIZE], *word = machine->run_to_parity;
	size_t size = sizeof(machine->run_to_parity);

	if (strcmp(word, "not readable") == 0)
		return;
	ssize_t length = small_file_read(FEATURES, text, sizeof(text));

	snprintf(word, size, "%s", length > 0 ? settings_run_to_parity(text) : small_file_state_word(length));
}

/* Only its owner may look into it, but each may see that it is mounted. */
static void read_debugfs(struct machine *machine)
{
	char *word = machine->debugfs;
	size_t size = sizeof(machine->debugfs);
	struct statfs status;

	if (strcmp(word, "not readable") == 0)
		return;
	if (statfs("/sys/kernel/debug", &status) < 0)
		snprintf(word, size, "%s", small_file_state_word(-errno));
	else if (status.f_type != DEBUGFS_MAGIC)
		snprintf(word, size, "not mounted");
	else
		snprintf(word, size, access("/sys/kernel/debug/.", X_OK) < 0 ? "not readable" : "mounted");
}

/* Reads the first line of a file of debugfs, as small_file_read_line(). What may not be read is not tried
 * again: a lockdown logs each try. */
static ssize_t read_debug(struct machine *machine, const char *file, char *line, size_t size)
{
	char path[PATH_MAX];

	*line = '\0';
	if (strcmp(machine->debugfs, "mounted") != 0)
		return strcmp(machine->debugfs, "not readable") == 0 ? -EACCES : -ENOENT;
	snprintf(path, sizeof(path), "/sys/kernel/debug/%s", file);
	ssize_t length = small_file_read_line(path, line, size);

	if (length == -EACCES || length == -EPERM)
		snprintf(machine->debugfs, sizeof(machine->debugfs), "not readable");
	return length;
}

/* Only a guest has steal. */
static void read_steal(struct machine *machine)
{
	char stat[512];

	if (strcmp(machine->hypervisor, "none") == 0)
		return;
	small_file_read("/proc/stat", stat, sizeof(stat));
	settings_steal(
		stat, &machine->steal_from, &machine->ticks_from, machine->steal, sizeof(machine->steal));
}

/* The driver of Intel has a file of its own. */
static int find_boost(char *path, size_t size)
{
	static const char *const files[] = {"intel_pstate/no_turbo", "cpufreq/boost"};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, size, "/sys/devices/system/cpu/%s", files[i]);
		if (access(path, F_OK) == 0)
			return 0;
	}
	return -ENOENT;
}

static void read_boost(struct machine *machine)
{
	settings_read_boost(machine->boost, sizeof(machine->boost));
}

static bool is_built_lazy(const char *release)
{
	static const char *const option[] = {"PREEMPT_LAZY"};
	char path[PATH_MAX], word[32] = "";

	kernel_config_find(release, path, sizeof(path));
	kernel_config_list_set(path, option, 1, word, sizeof(word));
	return *word;
}

/* Where debugfs can't be read, the model of the start is kept: nothing tells whether it has changed. */
static void read_preemption(struct machine *machine)
{
	char debug[128], cmdline[4096];
	struct utsname name = {0};
	int64_t realtime = 0;

	small_file_read_number("/sys/kernel/realtime", &realtime);
	if (realtime == 1) {
		strcpy(machine->preemption, "PREEMPT_RT");
		return;
	}
	if (read_debug(machine, "sched/preempt", debug, sizeof(debug)) <= 0 && *machine->preemption)
		return;
	uname(&name);
	small_file_read("/proc/cmdline", cmdline, sizeof(cmdline));
	settings_preemption(debug, name.version, cmdline, !*debug && is_built_lazy(name.release),
		machine->preemption, sizeof(machine->preemption));
}

static void read_fair_server(struct machine *machine)
{
	unsigned major = 0, minor = 0;
	char runtime_ns[32];

	if (read_debug(machine, "sched/fair_server/cpu0/runtime", runtime_ns, sizeof(runtime_ns)) > 0)
		machine->fair_server = strtoll(runtime_ns, NULL, 10) != 0;
	else
		machine->fair_server = sscanf(machine->kernel, "%u.%u", &major, &minor) == 2 &&
				       (major > 6 || (major == 6 && minor >= 12));
}

static void read_isolation(struct machine *machine)
{
	struct cpus isolated = cpus_isolated(), nohz_full = {0};

	cpus_read(&nohz_full, "/sys/devices/system/cpu/nohz_full");
	cpus_format(&isolated, machine->isolated, sizeof(machine->isolated));
	cpus_format(&nohz_full, machine->nohz_full, sizeof(machine->nohz_full));
}

/* Lists the idle states of a CPU that are enabled: "POLL,C1,C6", or "none". */
static ssize_t read_idle_states(const char *folder, char *value, size_t size)
{
	char path[PATH_MAX], name[32];
	unsigned i = 0;

	for (*value = '\0';; i++) {
		int64_t disabled = 0;

		snprintf(path, sizeof(path), "%s/cpuidle/state%u/name", folder, i);
		if (small_file_read_line(path, name, sizeof(name)) < 0)
			break;
		snprintf(path, sizeof(path), "%s/cpuidle/state%u/disable", folder, i);
		small_file_read_number(path, &disabled);
		for (char *blank = name; (blank = strchr(blank, ' '));)
			*blank = '_';
		if (!disabled)
			text_append(value, size, ",", name);
	}
	if (!*value)
		snprintf(value, size, "none");
	return i ? (ssize_t)strlen(value) : -ENOENT;
}

/* Opening the file makes a request, but of the default latency, which has no effect. */
static void read_dma_latency(struct machine *machine)
{
	int fd = open("/dev/cpu_dma_latency", O_RDONLY | O_CLOEXEC);
	int32_t us;

	bool denied = fd < 0 && (errno == EACCES || errno == EPERM);
	bool read_it = fd >= 0 && read(fd, &us, sizeof(us)) == (ssize_t)sizeof(us);

	machine->dma_latency_state = read_it ? MACHINE_VALUE : denied ? MACHINE_DENIED : MACHINE_ABSENT;
	machine->dma_latency_us = read_it ? us : -1;
	if (fd >= 0)
		close(fd);
}

/* Rights are not gained during a run, and a lockdown logs each try. */
static void read_tracing(struct machine *machine)
{
	if (strcmp(machine->tracing, "not readable") != 0)
		tracing_read(tracing_folder(), machine->tracing, sizeof(machine->tracing));
}

static void read_own_cpus(struct machine *machine)
{
	struct cpus own = {0};

	if (task_get_affinity(0, &own) == 0)
		cpus_format(&own, machine->own_cpus, sizeof(machine->own_cpus));
}

static void read_cpuset(struct machine *machine)
{
	char cpuset[CPUSET_PATH_MAX];
	struct cpus cpus = {0};

	cpuset_of(0, cpuset);
	if (cpuset_read(cpuset, &cpus))
		cpus_format(&cpus, machine->cpuset, sizeof(machine->cpuset));
	else
		snprintf(machine->cpuset, sizeof(machine->cpuset), "absent");
}

static void read_smis(struct machine *machine)
{
	smi_read(machine->smis, sizeof(machine->smis));
}

static int find_preemption(char *path, size_t size)
{
	snprintf(path, size, "/sys/kernel/debug/sched/preempt");
	return 0;
}

static int find_cpuset(char *path, size_t size)
{
	char cpuset[CPUSET_PATH_MAX];

	cpuset_of(0, cpuset);
	return cpuset_find_file(cpuset, path, size);
}

static int find_partition(char *path, size_t size)
{
	char cpuset[CPUSET_PATH_MAX];

	cpuset_of(0, cpuset);
	return cpuset_find_partition(cpuset, path, size);
}

/* "absent", "not readable", "none", "20 us" */
static void dma_latency_word(const struct machine *machine, char *word, size_t size)
{
	if (machine->dma_latency_state == MACHINE_ABSENT)
		snprintf(word, size, "absent");
	else if (machine->dma_latency_state == MACHINE_DENIED)
		snprintf(word, size, "not readable");
	else if (machine->dma_latency_us == 2000000000)
		snprintf(word, size, "none");
	else
		snprintf(word, size, "%d us", (int)machine->dma_latency_us);
}

static void read_cpu_quota(struct machine *machine)
{
	cpu_quota_read(machine->member_cgroup, machine->cpu_quota, sizeof(machine->cpu_quota));
}

/* --- the table --- */

static const char *const state_names[] = {
	[MACHINE_ABSENT] = "absent", [MACHINE_DENIED] = "denied", [MACHINE_VALUE] = "value"};

#define FACT(name, ...)                                                                                      \
	{                                                                                                    \
		.field = FIELD_OF(struct machine, name), __VA_ARGS__                                         \
	}
/* A watched number or text that is the first line of a file. */
#define SETTING(name, report_name, event_title, path, ...)                                                   \
	FACT(name, .report = (report_name), .title = (event_title), .file = (path), .unknown = INT64_MIN,    \
		.unknown_word = "unknown", __VA_ARGS__)

#define ROWS(name, ...)                                                                                      \
	{                                                                                                    \
		.field = {.key = #name, .offset = offsetof(struct machine, name)}, __VA_ARGS__               \
	}

#define KNOB(name, text_size, report_name, event_title, path, ...)                                           \
	FACT(name, .report = (report_name), .title = (event_title), .file = (path), .has_states = true,      \
		.unknown_word = "unknown", __VA_ARGS__),
/* A text that stays the same until the next start of the machine. */
#define CONSTANT(name, report_name, event_title, ...)                                                        \
	FACT(name, .report = (report_name), .title = (event_title), .unknown_word = "unknown", __VA_ARGS__)

/* In the order of events. */
const struct machine_fact machine_facts[] = {
	FACT(host, .report = "name"),
	FACT(kernel, .report = "kernel"),
	FACT(cgroups),
	FACT(debugfs, .refresh = read_debugfs), /* before what is read from it */
	FACT(preemption, .report = "preemption", .title = "preemption", .bears = true,
		.unknown_word = "unknown", .refresh = read_preemption, .form = SETTING_CHOICE,
		.find_file = find_preemption),
	FACT(dma_latency_state, .field.below = MACHINE_VALUE + 1, .report = "dma_latency.state",
		.value_names = state_names),
	FACT(dma_latency_us, .report = "dma_latency.us", .title = "dma latency", .bears = true, .unknown = -1,
		.refresh = read_dma_latency, .word = dma_latency_word, .form = SETTING_HELD),
	FACT(dma_latency_held_us, .report = "dma_latency.held_us", .unknown = -1, .unknown_word = "none"),
	ROWS(governor, .report = "governor", .title = "governor", .bears = true, .unknown_word = "none",
		.rows = &fact_rows_of_cpus, .file = "cpufreq/scaling_governor", .n_at_once = 64,
		.counted = "governors", .form = SETTING_TEXT),
	ROWS(idle_states, .report = "idle_states", .title = "idle states", .bears = true,
		.unknown_word = "none", .rows = &fact_rows_of_cpus, .read_row = read_idle_states,
		.n_at_once = 8, .counted = "CPUs' idle states"),
	FACT(isolated, .report = "isolated", .title = "isolated CPUs", .bears = true, .unknown_word = "none",
		.refresh = read_isolation, .form = SETTING_PARTITION, .find_file = find_partition),
	FACT(nohz_full, .report = "nohz_full", .unknown_word = "none"), /* read with the isolated CPUs */
	FACT(smt, .report = "smt", .title = "SMT", .bears = true,
		.file = "/sys/devices/system/cpu/smt/active", .unknown = -1, .unknown_word = "unknown",
		.is_switch = true),
	SETTING(clock_source, "clock_source", "clock source",
		"/sys/devices/system/clocksource/clocksource0/current_clocksource", .bears = true,
		.form = SETTING_TEXT),
	FACT(tracing, .report = "tracing", .title = "tracing", .unknown_word = "unknown",
		.refresh = read_tracing),
	ROWS(irq_affinity, .report = "irq_affinity.irqs", .title = "irq affinity", .bears_on_cpus = true,
		.unknown_word = "unknown", .rows = &fact_rows_of_irqs, .file = "smp_affinity_list",
		.n_at_once = 64, .counted = "irqs", .form = SETTING_CPUS),
	SETTING(irq_default, "irq_affinity.default", "default irq affinity", "/proc/irq/default_smp_affinity",
		.form = SETTING_MASK),
	SETTING(rt_runtime_us, "rt_throttling.runtime_us", "sched_rt_runtime_us",
		"/proc/sys/kernel/sched_rt_runtime_us", .bears = true, .form = SETTING_NUMBER),
	SETTING(rt_period_us, "rt_throttling.period_us", "sched_rt_period_us",
		"/proc/sys/kernel/sched_rt_period_us", .bears = true),
	FACT(fair_server, .report = "rt_throttling.fair_server", .is_switch = true,
		.refresh = read_fair_server), /* events have fair_runtime */
	FACT(rt_group_sched, .report = "rt_throttling.group_sched", .is_switch = true),
	FACT(rt_runtime_zero_cgroup, .report = "rt_throttling.cgroup_refuses", .is_switch = true),
	FACT(loads, .report = "loads", .title = "load", .bears = true, .is_commanded = true,
		.unknown_word = "unknown"),
	FACT(recorder, .report = "recorder", .title = "flight recorder", .unknown_word = "unknown"),
	FACT(recorder_lacks), /* reported beside its cost */
	FACT(cpu_quota, .report = "sched_cpu_quota", .title = "CPU quota of the cgroup", .bears = true,
		.unknown_word = "unknown", .refresh = read_cpu_quota, .form = SETTING_FIRST,
		.find_file = cpu_quota_find_file, .why_none = cpu_quota_why_none),
	FACT(cpuset, .report = "kernel_cpuset", .title = "cpuset", .bears = true, .unknown_word = "unknown",
		.refresh = read_cpuset, .form = SETTING_CPUS, .find_file = find_cpuset),
	CONSTANT(rivals, "sched_rivals", "real-time tasks of others", .drifts = true),
	CONSTANT(irqbalance, "kernel_irqbalance", "irqbalance"),
	CONSTANT(irq_threads, "kernel_irq_threads", "threads of interrupts", .drifts = true),
	ROWS(fair_runtime, .report = "sched_fair_server_runtime_ns", .title = "fair server runtime",
		.bears = true, .unknown_word = "unknown", .rows = &fact_rows_of_fair_servers,
		.file = "runtime", .n_at_once = 16, .counted = "fair servers", .form = SETTING_NUMBER),
	ROWS(irq_effective, .drifts = true, .title = "effective irq affinity", .unknown_word = "unknown",
		.rows = &fact_rows_of_irqs, .file = "effective_affinity_list", .n_at_once = 64,
		.counted = "irqs' effective CPUs"),
	ROWS(idle_latency, .report = "kernel_idle_latency", /* events have idle_states */
		.unknown_word = "none", .rows = &fact_rows_of_cpus, .read_row = settings_read_idle_latency,
		.n_at_once = 8, .counted = "CPUs' idle latencies"),
	ROWS(frequency_range, .report = "kernel_frequency_range", .title = "frequency range", .bears = true,
		.unknown_word = "none", .rows = &fact_rows_of_cpus, .read_row = settings_read_frequency_range,
		.file = "cpufreq/scaling_min_freq", .n_at_once = 16, .counted = "CPUs' frequency ranges",
		.form = SETTING_NUMBER),
	ROWS(member_cgroup, .title = "cgroup", .bears = true, .unknown_word = "unknown",
		.rows = &fact_rows_of_members, .read_row = settings_read_cgroup, .n_at_once = 64,
		.counted = "tasks' cgroups"),
	ROWS(member_slack, .title = "timer slack", .bears = true, .unknown_word = "unknown",
		.rows = &fact_rows_of_members, .read_row = settings_read_timer_slack, .file = "timerslack_ns",
		.n_at_once = 64, .counted = "tasks' timer slacks", .form = SETTING_NUMBER),
	ROWS(member_uclamp, .title = "uclamp", .bears = true, .unknown_word = "unknown",
		.rows = &fact_rows_of_members, .read_row = settings_read_uclamp, .n_at_once = 64,
		.counted = "tasks' clamps"),
	ROWS(energy_preference, .report = "kernel_energy_preference", .unknown_word = "none",
		.rows = &fact_rows_of_cpus, .file = "cpufreq/energy_performance_preference",
		.interrupts = true, .counted = "CPUs' energy preferences", .form = SETTING_TEXT),
	FACT(boost, .report = "kernel_boost", .title = "turbo", .bears = true, .unknown_word = "unknown",
		.refresh = read_boost, .form = SETTING_SWITCH, .find_file = find_boost),
	MACHINE_KNOBS(KNOB) /* with their commas */
	FACT(swap, .report = "vm_swap", .title = "swap", .unknown_word = "unknown", .refresh = read_swap),
	FACT(memlock, .report = "vm_memlock", .title = "limit of locked memory", .unknown_word = "unknown",
		.refresh = read_memlock),
	FACT(run_to_parity, .report = "sched_run_to_parity", .title = "RUN_TO_PARITY", .bears = true,
		.unknown_word = "unknown", .refresh = read_features, .file = FEATURES,
		.form = SETTING_PARITY),
	CONSTANT(rcu_nocbs, "kernel_rcu_nocbs", NULL),
	CONSTANT(skew_tick, "kernel_skew_tick", NULL),
	CONSTANT(threadirqs, "kernel_threadirqs", NULL),
	CONSTANT(mitigations, "kernel_mitigations", NULL),
	CONSTANT(managed_irq, "kernel_managed_irq", NULL),
	CONSTANT(efi_runtime, "kernel_efi_runtime", NULL),
	CONSTANT(hypervisor, "kernel_hypervisor", NULL),
	CONSTANT(debug_options, "kernel_debug_options", NULL),
	CONSTANT(slow_tracers, "kernel_slow_tracers", NULL),
	CONSTANT(gpu, "kernel_gpu", NULL),
	CONSTANT(tick_hz, "kernel_tick_hz", NULL),
	CONSTANT(audit, "kernel_audit", NULL),
	FACT(smis, .title = "SMIs", .drifts = true, .unknown_word = "unknown", .refresh = read_smis),
	FACT(steal, .unknown_word = "unknown", .refresh = read_steal),
	FACT(clock_cost_ns),
	FACT(clock_step_ns, .report = "clock_step_ns", .unknown = -1,
		.unknown_word = "less than a read takes"),
	FACT(own_cpus, .refresh = read_own_cpus),
	ROWS(clock_skew, .unknown_word = "unknown", .rows = &fact_rows_of_cpus), /* once by a run */
	/* From the topology. */
	ROWS(cpu_parts, .old_key = "cpu_places", .unknown_word = "unknown", .rows = &fact_rows_of_cpus),
	FACT(n_cpus),
	FACT(n_cores),
	FACT(n_packages),
	FACT(n_nodes),
};

const size_t machine_n_facts = sizeof(machine_facts) / sizeof(*machine_facts);

_Static_assert(
	sizeof(machine_facts) / sizeof(*machine_facts) <= MACHINE_FACTS_MAX, "each fact has its reader");
