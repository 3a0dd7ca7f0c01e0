/* SPDX-License-Identifier: GPL-2.0-or-later */
/* settings.c - how facts are read that are more than the first line of a file. */
#include "src/machine/settings.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/small_file.h"
#include "src/base/text.h"
#include "src/machine/cpu_quota.h"
#include "src/machine/kernel_audit.h"
#include "src/machine/kernel_config.h"
#include "src/machine/machine.h"
#include "src/machine/task.h"
#include "src/machine/tracing.h"

enum { TEXT_SIZE = 16384 };

/* --- parts of lines --- */

void settings_pick_bracketed(char *line)
{
	const char *open = strpbrk(line, "[("), *close = open ? strchr(open, *open == '[' ? ']' : ')') : NULL;

	if (!close)
		return;
	memmove(line, open + 1, (size_t)(close - open - 1));
	line[close - open - 1] = '\0';
}

void settings_pick_first(char *line)
{
	line[strcspn(line, " \t")] = '\0';
}

static const char blanks[] = " \n";
static const char parity[] = "RUN_TO_PARITY", no_parity[] = "NO_RUN_TO_PARITY";

const char *settings_run_to_parity(const char *features)
{
	return text_has_word(features, parity, blanks)      ? "on"
	       : text_has_word(features, no_parity, blanks) ? "off"
							    : "absent";
}

bool settings_pick_parity(char *line)
{
	bool is_on = text_has_word(line, parity, blanks), is_off = text_has_word(line, no_parity, blanks);

	strcpy(line, is_on ? parity : is_off ? no_parity : "");
	return is_on || is_off;
}

void settings_slow_tracers(const char *tracers, char *word, size_t size)
{
	static const char *const slow[] = {"irqsoff", "preemptoff", "preemptirqsoff"};

	*word = '\0';
	for (size_t i = 0; i < sizeof(slow) / sizeof(*slow); i++)
		if (text_has_word(tracers, slow[i], blanks))
			text_append(word, size, ",", slow[i]);
	if (!*word)
		snprintf(word, size, "none");
}

/* --- parts of files --- */

/* Moves to the value of a boot parameter; "" without one. Returns NULL if it is not given. */
static const char *find_parameter(const char *cmdline, const char *name)
{
	size_t length = strlen(name);
	const char *found = NULL;

	for (const char *at = cmdline; *at; at += strspn(at, " \n")) {
		if (strncmp(at, name, length) == 0 && strchr("= \n", at[length]))
			found = at + length + (at[length] == '='); /* the last one counts */
		at += strcspn(at, " \n");
	}
	return found;
}

void settings_boot_word(const char *cmdline, const char *name, char *word, size_t size)
{
	const char *value = find_parameter(cmdline, name);
	int length = value ? (int)strcspn(value, " \n") : 0;

	if (!value)
		snprintf(word, size, "none");
	else if (!length)
		snprintf(word, size, "on");
	else
		snprintf(word, size, "%.*s", length, value);
}

void settings_managed_irq(const char *cmdline, char *word, size_t size)
{
	const char *list = find_parameter(cmdline, "isolcpus"),
		   *end = list ? list + strcspn(list, " \n") : NULL;
	const char *flag = list ? strstr(list, "managed_irq") : NULL;

	snprintf(word, size, "%s", flag && flag < end ? "on" : "off");
}

bool settings_group_sched(const char *config, const char *cmdline)
{
	static const char *const options[] = {"RT_GROUP_SCHED", "RT_GROUP_SCHED_DEFAULT_DISABLED"};
	char set[64] = "", asked[16];

	kernel_config_list_set(config, options, sizeof(options) / sizeof(*options), set, sizeof(set));
	settings_boot_word(cmdline, "rt_group_sched", asked, sizeof(asked));
	return strcmp(set, options[0]) == 0 ? strcmp(asked, "0") != 0 : *set && strcmp(asked, "1") == 0;
}

void settings_debug_options(const char *path, char *word, size_t size)
{
	static const char *const slow[] = {"LOCKDEP", "PROVE_LOCKING", "DEBUG_LOCK_ALLOC", "KASAN", "KCSAN",
		"KMSAN", "DEBUG_PREEMPT", "SLUB_DEBUG_ON", "DEBUG_PAGEALLOC_ENABLE_DEFAULT", "DEBUG_OBJECTS"};

	*word = '\0';
	int r = kernel_config_list_set(path, slow, sizeof(slow) / sizeof(*slow), word, size);

	if (r < 0)
		snprintf(word, size, "%s", small_file_state_word(r));
	else if (!*word)
		snprintf(word, size, "none");
}

void settings_swap_areas(const char *swaps, char *word, size_t size)
{
	unsigned lines = 0;

	for (const char *at = swaps; (at = strchr(at, '\n')); at++)
		lines++;
	if (!lines)
		snprintf(word, size, "absent");
	else if (lines == 1)
		snprintf(word, size, "none");
	else
		snprintf(word, size, "%u area%s", lines - 1, lines == 2 ? "" : "s");
}

void settings_steal(const char *stat, uint64_t *steal, uint64_t *all, char *word, size_t size)
{
	unsigned long long ticks[8];
	uint64_t now = 0;
	int n = sscanf(stat, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1], &ticks[2],
		&ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7]);

	for (int i = 0; i < n; i++)
		now += ticks[i];
	if (n < 8 || !now) {
		snprintf(word, size, "absent");
		return;
	}
	double share =
		now > *all ? 100 * (double)(ticks[7] > *steal ? ticks[7] - *steal : 0) / (double)(now - *all)
			   : -1;

	if (share >= 0.05)
		snprintf(word, size, "%.1f %%", share);
	else if (share >= 0)
		snprintf(word, size, share > 0 ? "below 0.1 %%" : "none");
	if (!*all) {
		*steal = ticks[7];
		*all = now;
	}
}

void settings_preemption(const char *debug, const char *version, const char *cmdline, bool is_built_lazy,
	char *word, size_t size)
{
	const struct {
		const char *version, *word;
	} words[] = {
		{"PREEMPT_RT", "PREEMPT_RT"},
		{"PREEMPT_DYNAMIC", "dynamic"},
		{"PREEMPT", is_built_lazy ? "lazy" : "full"},
	};
	enum { N_WORDS = sizeof(words) / sizeof(*words) };
	const char *active = strchr(debug, '('), *asked = strstr(cmdline, "preempt=");
	size_t i = 0;

	while (i < N_WORDS && !text_has_word(version, words[i].version, " \n"))
		i++;
	const char *found = i < N_WORDS ? words[i].word : "?";

	if (active)
		snprintf(word, size, "%.*s", (int)strcspn(active + 1, ")"), active + 1);
	else if (asked && (asked == cmdline || asked[-1] == ' ') && strcmp(found, "dynamic") == 0)
		snprintf(word, size, "%.*s", (int)strcspn(asked + 8, " \n"), asked + 8);
	else
		snprintf(word, size, "%s", found);
}

/* --- rows --- */

/* Returns the number in a file, or a negative errno. */
static long long read_number_in(const char *folder, const char *file)
{
	char path[PATH_MAX], line[32];

	snprintf(path, sizeof(path), "%s/%s", folder, file);
	ssize_t length = small_file_read_line(path, line, sizeof(line));

	return length < 0 ? (long long)length : strtoll(line, NULL, 10);
}

ssize_t settings_read_idle_latency(const char *folder, char *value, size_t size)
{
	long long longest = -ENOENT;

	for (unsigned i = 0;; i++) {
		char file[64];

		snprintf(file, sizeof(file), "cpuidle/state%u/latency", i);
		long long us = read_number_in(folder, file);

		if (us < 0)
			break;
		longest = longest < 0 ? 0 : longest;
		snprintf(file, sizeof(file), "cpuidle/state%u/disable", i);
		if (us > longest && read_number_in(folder, file) <= 0)
			longest = us;
	}
	return longest < 0 ? (ssize_t)longest : (ssize_t)snprintf(value, size, "%lldus", longest);
}

ssize_t settings_read_frequency_range(const char *folder, char *value, size_t size)
{
	long long least = read_number_in(folder, "cpufreq/scaling_min_freq");
	long long most = read_number_in(folder, "cpufreq/scaling_max_freq");

	if (least < 0 || most < 0)
		return (ssize_t)(least < 0 ? least : most);
	return (ssize_t)snprintf(value, size, "%lld-%lldMHz", least / 1000, most / 1000);
}

/* The cgroup of version 2, or that of the cpu controller. */
ssize_t settings_read_cgroup(const char *folder, char *value, size_t size)
{
	char path[PATH_MAX], text[2048], cgroup[1024] = "";

	snprintf(path, sizeof(path), "%s/cgroup", folder);
	ssize_t length = small_file_read(path, text, sizeof(text));

	for (const char *line = text, *end; length > 0 && line; line = end ? end + 1 : NULL) {
		char controllers[256];

		end = strchr(line, '\n');
		if (sscanf(line, "0::%1023[^\n]", cgroup) == 1)
			break;
		if (sscanf(line, "%*u:%255[^:]:%1023[^\n]", controllers, cgroup) == 2 &&
			strncmp(controllers, "cpu", 3) == 0 && strchr(",", controllers[3]))
			break;
		cgroup[0] = '\0';
	}
	text_clean(cgroup);
	for (char *blank = cgroup; (blank = strchr(blank, ' '));)
		*blank = '_';
	snprintf(value, size, "%s", cgroup);
	return length < 0 ? length : (ssize_t)strlen(value);
}

static pid_t tid_of(const char *folder)
{
	const char *name = strrchr(folder, '/');

	return (pid_t)strtol(name ? name + 1 : folder, NULL, 10);
}

ssize_t settings_read_timer_slack(const char *folder, char *value, size_t size)
{
	struct task_policy policy;
	int r = task_get_policy(tid_of(folder), &policy);

	if (r < 0 || task_policy_is_realtime(policy.policy))
		return r < 0 ? r : -ENOENT;
	long long ns = read_number_in(folder, "timerslack_ns");

	return ns < 0 ? (ssize_t)ns : (ssize_t)snprintf(value, size, "%lldns", ns);
}

ssize_t settings_read_uclamp(const char *folder, char *value, size_t size)
{
	unsigned min, max;
	int r = task_get_uclamp(tid_of(folder), &min, &max);

	return r < 0 ? r : (ssize_t)snprintf(value, size, "%u-%u", min, max);
}

/* --- the machine as a whole --- */

void settings_read_boost(char *word, size_t size)
{
	static const char folder[] = "/sys/devices/system/cpu";
	long long off = read_number_in(folder, "intel_pstate/no_turbo"),
		  on = read_number_in(folder, "cpufreq/boost");

	snprintf(word, size, "%s",
		off >= 0  ? (off ? "off" : "on")
		: on >= 0 ? (on ? "on" : "off")
			  : small_file_state_word((ssize_t)on));
}

static void read_hypervisor(char *word, size_t size)
{
	char text[TEXT_SIZE];

	if (small_file_read_line("/sys/hypervisor/type", word, size) > 0)
		return;
	small_file_read("/proc/cpuinfo", text, sizeof(text));
	bool is_guest = text_has_word(text, "hypervisor", blanks) ||
			access("/proc/device-tree/hypervisor", F_OK) == 0;

	snprintf(word, size, "%s", is_guest ? "yes" : "none");
}

static void read_debug_options(char *word, size_t size, const char *config)
{
	settings_debug_options(config, word, size);
	if (strcmp(word, "absent") == 0 && access("/proc/lockdep_stats", F_OK) == 0)
		snprintf(word, size, "LOCKDEP");
}

void settings_mitigations(const char *folder, const char *cmdline, char *word, size_t size)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;
	unsigned n = 0, n_guarded = 0, n_open = 0;
	char path[PATH_MAX], line[256];

	while (directory && (entry = readdir(directory))) {
		snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
		if (entry->d_name[0] == '.' || small_file_read_line(path, line, sizeof(line)) <= 0)
			continue;
		n++;
		n_guarded += strncmp(line, "Mitigation", strlen("Mitigation")) == 0;
		n_open += strncmp(line, "Vulnerable", strlen("Vulnerable")) == 0;
	}
	if (directory)
		closedir(directory);
	if (n_open)
		snprintf(word, size, "%u of %u flaws guarded, %u open", n_guarded, n, n_open);
	else if (n)
		snprintf(word, size, "%u of %u flaws guarded, none open", n_guarded, n);
	else
		settings_boot_word(cmdline, "mitigations", word, size);
	if (!n && strcmp(word, "none") == 0)
		snprintf(word, size, "default");
}

/* PREEMPT_RT makes all of them threads. */
static void read_threadirqs(const char *cmdline, bool is_rt, char *word, size_t size)
{
	settings_boot_word(cmdline, "threadirqs", word, size);
	if (is_rt)
		snprintf(word, size, "all (PREEMPT_RT)");
	else if (strcmp(word, "none") == 0)
		snprintf(word, size, "off");
}

/* PREEMPT_RT does without them unless it is told otherwise. */
static void read_efi(const char *cmdline, bool is_rt, char *word, size_t size)
{
	char efi[64];

	settings_boot_word(cmdline, "efi", efi, sizeof(efi));
	snprintf(word, size, "%s",
		access("/sys/firmware/efi", F_OK) < 0                            ? "absent"
		: strstr(efi, "noruntime") || (is_rt && !strstr(efi, "runtime")) ? "off"
										 : "on");
}

static void read_tracers(char *word, size_t size)
{
	char path[PATH_MAX], line[256];

	snprintf(path, sizeof(path), "%s/available_tracers", tracing_folder());
	ssize_t length = small_file_read_line(path, line, sizeof(line));

	if (length > 0)
		settings_slow_tracers(line, word, size);
	else
		snprintf(word, size, "%s", small_file_state_word(length));
}

/* The coarse clock advances at each tick. */
static unsigned long long tick_hz(void)
{
	struct timespec tick = {.tv_sec = 1};

	clock_getres(CLOCK_MONOTONIC_COARSE, &tick);
	return (1000000000 + clock_ns(&tick) / 2) / clock_ns(&tick);
}

static bool read_zero_cgroup(void)
{
	static const char *const files[] = {"/proc/self/cgroup", "/proc/self/mounts"};
	char directory[2048], mount[2048], path[2112];
	char *texts = malloc(2 * TEXT_SIZE);
	int64_t us = -1;

	if (!texts)
		return false;
	for (size_t i = 0; i < 2; i++)
		small_file_read(files[i], texts + i * TEXT_SIZE, TEXT_SIZE);
	if (cpu_quota_old_cgroup(texts, texts + TEXT_SIZE, directory, mount, sizeof(directory))) {
		snprintf(path, sizeof(path), "%s/cpu.rt_runtime_us", directory);
		if (!small_file_read_number(path, &us)) {
			snprintf(path, sizeof(path), "%s/cpu.rt_runtime_us", mount);
			small_file_read_number(path, &us);
		}
	}
	free(texts);
	return us == 0;
}

/* The drivers of graphics that share the CPUs' last cache. */
static void read_graphics(char *word, size_t size)
{
	static const char *const drivers[] = {"i915", "xe"};

	snprintf(word, size, "none");
	for (size_t i = 0; i < sizeof(drivers) / sizeof(*drivers); i++) {
		char module[64], bind[64];

		snprintf(module, sizeof(module), "/sys/module/%s", drivers[i]);
		snprintf(bind, sizeof(bind), "/sys/bus/pci/drivers/%s/bind", drivers[i]);
		if (access(module, F_OK) == 0 && access(bind, F_OK) == 0)
			snprintf(word, size, "%s", drivers[i]);
	}
}

void settings_read_constant(struct machine *machine, const char *release)
{
	char cmdline[TEXT_SIZE], config[PATH_MAX];
	bool is_rt = strcmp(machine->preemption, "PREEMPT_RT") == 0;

	machine->rt_runtime_zero_cgroup = read_zero_cgroup();
	kernel_audit_read(machine->audit, sizeof(machine->audit));
	small_file_read_line("/proc/cmdline", cmdline, sizeof(cmdline));
	text_clean(cmdline);
	kernel_config_find(release, config, sizeof(config));
	machine->rt_group_sched = settings_group_sched(config, cmdline);
#define BOOT(member, name) settings_boot_word(cmdline, (name), machine->member, sizeof(machine->member))
	BOOT(rcu_nocbs, "rcu_nocbs");
	BOOT(skew_tick, "skew_tick");
#undef BOOT
	read_threadirqs(cmdline, is_rt, machine->threadirqs, sizeof(machine->threadirqs));
	settings_mitigations("/sys/devices/system/cpu/vulnerabilities", cmdline, machine->mitigations,
		sizeof(machine->mitigations));
	settings_managed_irq(cmdline, machine->managed_irq, sizeof(machine->managed_irq));
	read_efi(cmdline, is_rt, machine->efi_runtime, sizeof(machine->efi_runtime));
	read_hypervisor(machine->hypervisor, sizeof(machine->hypervisor));
	read_debug_options(machine->debug_options, sizeof(machine->debug_options), config);
	read_tracers(machine->slow_tracers, sizeof(machine->slow_tracers));
	snprintf(machine->cgroups, sizeof(machine->cgroups), "%s",
		access("/sys/fs/cgroup/cgroup.controllers", F_OK) == 0 ? "v2"
		: access("/sys/fs/cgroup/cpu", F_OK) == 0              ? "v1"
								       : "");
	snprintf(machine->tick_hz, sizeof(machine->tick_hz), "%llu", tick_hz());
	read_graphics(machine->gpu, sizeof(machine->gpu));
}
