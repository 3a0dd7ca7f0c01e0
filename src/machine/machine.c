/* SPDX-License-Identifier: GPL-2.0-or-later */
/* machine.c - reads the facts about a machine that are needed to judge a figure. */
#include "src/machine/machine.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/small_file.h"
#include "src/base/text.h"
#include "src/machine/cpu_places.h"
#include "src/machine/cpu_quota.h"
#include "src/machine/cpus.h"
#include "src/machine/cpuset.h"
#include "src/machine/kernel_audit.h"
#include "src/machine/settings.h"
#include "src/machine/smi.h"
#include "src/machine/task.h"
#include "src/machine/topology.h"
#include "src/machine/tracing.h"

enum { CLOCK_READS = 4001, TEXT_SIZE = 16384 };

/* Reads the number at the start of a file. Returns false, with *@number untouched, if there is none. */
static bool read_number(const char *path, int64_t *number)
{
	char line[32], *end;
	bool read = small_file_read(path, line, sizeof(line)) >= 0;
	long long value = strtoll(line, &end, 10);

	if (read && end != line)
		*number = value;
	return read && end != line;
}

/* Where debugfs can't be read, the model of the start is kept: nothing tells whether it has changed. */
static void read_preemption(struct machine *machine)
{
	char debug[128], cmdline[4096];
	struct utsname name = {0};
	int64_t realtime = 0;

	read_number("/sys/kernel/realtime", &realtime);
	if (realtime == 1) {
		strcpy(machine->preemption, "PREEMPT_RT");
		return;
	}
	if (settings_read_debug(machine, "sched/preempt", debug, sizeof(debug)) <= 0 && *machine->preemption)
		return;
	uname(&name);
	small_file_read("/proc/cmdline", cmdline, sizeof(cmdline));
	machine_preemption(debug, name.version, cmdline, machine->preemption, sizeof(machine->preemption));
}

static void read_fair_server(struct machine *machine)
{
	unsigned major = 0, minor = 0;
	char runtime_ns[32];

	if (settings_read_debug(machine, "sched/fair_server/cpu0/runtime", runtime_ns, sizeof(runtime_ns)) >
		0)
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
		read_number(path, &disabled);
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

static void refresh_smis(struct machine *machine)
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

void machine_dma_latency_word(const struct machine *machine, char *word, size_t size)
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
	FACT(debugfs, .refresh = settings_refresh_debugfs), /* before what is read from it */
	FACT(preemption, .report = "preemption", .title = "preemption", .bears = true,
		.unknown_word = "unknown", .refresh = read_preemption, .form = SETTING_CHOICE,
		.find_file = find_preemption),
	FACT(dma_latency_state, .field.below = MACHINE_VALUE + 1, .report = "dma_latency.state",
		.value_names = state_names),
	FACT(dma_latency_us, .report = "dma_latency.us", .title = "dma latency", .bears = true, .unknown = -1,
		.refresh = read_dma_latency, .word = machine_dma_latency_word, .form = SETTING_HELD),
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
	FACT(rt_runtime_zero_cgroup, .report = "rt_throttling.cgroup_refuses", .is_switch = true),
	FACT(loads, .report = "loads", .title = "load", .bears = true, .is_commanded = true,
		.unknown_word = "unknown"),
	FACT(recorder, .report = "recorder", .title = "flight recorder", .unknown_word = "unknown"),
	FACT(recorder_lacks), /* reported beside its cost */
	FACT(cpu_quota, .report = "sched_cpu_quota", .title = "CPU quota of the cgroup", .bears = true,
		.unknown_word = "unknown", .refresh = read_cpu_quota, .form = SETTING_FIRST,
		.find_file = cpu_quota_find_file),
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
		.refresh = settings_refresh_boost, .form = SETTING_SWITCH, .find_file = settings_find_boost),
	MACHINE_KNOBS(KNOB) /* with their commas */
	FACT(swap, .report = "vm_swap", .title = "swap", .unknown_word = "unknown",
		.refresh = settings_refresh_swap),
	FACT(memlock, .report = "vm_memlock", .title = "limit of locked memory", .unknown_word = "unknown",
		.refresh = settings_refresh_memlock),
	FACT(run_to_parity, .report = "sched_run_to_parity", .title = "RUN_TO_PARITY", .bears = true,
		.unknown_word = "unknown", .refresh = settings_refresh_features, .file = SETTINGS_FEATURES,
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
	FACT(smis, .title = "SMIs", .drifts = true, .unknown_word = "unknown", .refresh = refresh_smis),
	FACT(steal, .unknown_word = "unknown", .refresh = settings_refresh_steal),
	FACT(clock_cost_ns),
	FACT(clock_step_ns, .report = "clock_step_ns", .unknown = -1,
		.unknown_word = "less than a read takes"),
	FACT(own_cpus, .refresh = read_own_cpus),
	ROWS(clock_skew, .unknown_word = "unknown", .rows = &fact_rows_of_cpus), /* once by a run */
	ROWS(cpu_places, .unknown_word = "unknown", .rows = &fact_rows_of_cpus), /* from the topology */
	FACT(n_cpus),
	FACT(n_cores),
	FACT(n_packages),
	FACT(n_nodes),
};

const size_t machine_n_facts = sizeof(machine_facts) / sizeof(*machine_facts);
_Static_assert(sizeof(machine_facts) / sizeof(*machine_facts) <=
		       sizeof(((struct machine_rows *)0)->readers) / sizeof(struct fact_reader),
	"each fact has its reader");

static struct fact_rows **rows_of(struct machine *machine, const struct machine_fact *fact)
{
	return (struct fact_rows **)((char *)machine + fact->field.offset);
}

struct fact_rows *machine_rows_of(const struct machine *machine, const struct machine_fact *fact)
{
	return *(struct fact_rows *const *)((const char *)machine + fact->field.offset);
}

const struct machine_fact *machine_fact_reported(const char *name)
{
	for (size_t i = 0; i < machine_n_facts; i++)
		if (machine_facts[i].report && strcmp(machine_facts[i].report, name) == 0)
			return &machine_facts[i];
	return NULL;
}

void machine_preemption(const char *debug, const char *version, const char *cmdline, char *word, size_t size)
{
	static const struct {
		const char *version, *word;
	} words[] = {
		{"PREEMPT_RT", "PREEMPT_RT"},
		{"PREEMPT_DYNAMIC", "dynamic"},
		{"PREEMPT_LAZY", "lazy"},
		{"PREEMPT", "full"},
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
		if (!read_number(path, &us)) {
			snprintf(path, sizeof(path), "%s/cpu.rt_runtime_us", mount);
			read_number(path, &us);
		}
	}
	free(texts);
	return us == 0;
}

static int compare_times(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

int32_t machine_clock_step(const uint32_t *elapsed_ns, size_t n)
{
	size_t i = 0;

	while (i < n && elapsed_ns[i] == 0)
		i++;
	return i > 0 && i < n ? (int32_t)elapsed_ns[i] : -1;
}

static void measure_clock(struct machine *machine)
{
	uint32_t times[CLOCK_READS];
	uint64_t before = clock_now_ns();

	for (size_t i = 0; i < CLOCK_READS; i++) {
		uint64_t now = clock_now_ns();

		times[i] = (uint32_t)(now - before);
		before = now;
	}
	qsort(times, CLOCK_READS, sizeof(*times), compare_times);
	machine->clock_cost_ns = times[CLOCK_READS / 2];
	machine->clock_step_ns = machine_clock_step(times, CLOCK_READS);
}

/* What may not be read is not tried again: rights are not gained, and a lockdown logs each try. */
static void read_text(const struct machine_fact *fact, char *text)
{
	char line[512];

	if (strcmp(text, "not readable") == 0)
		return;
	ssize_t length = small_file_read_line(fact->file, line, sizeof(line));

	if (length > 0 && fact->pick)
		fact->pick(line);
	text_clean(line);
	snprintf(text, fact->field.size, "%.*s", (int)fact->field.size - 1,
		length > 0 ? line : settings_state_word(length));
}

static void refresh_fact(const struct machine_fact *fact, struct machine *machine)
{
	int64_t number = fact->unknown;
	char *text = (char *)machine + fact->field.offset;

	if (fact->rows) {
		return;
	} else if (fact->refresh) {
		fact->refresh(machine);
	} else if (fact->file && fact->has_states) {
		read_text(fact, text);
	} else if (fact->file && field_is_text(&fact->field)) {
		small_file_read_line(fact->file, text, fact->field.size);
	} else if (fact->file) {
		read_number(fact->file, &number);
		field_set_number(&fact->field, machine, number);
	}
}

void machine_refresh(struct machine *machine)
{
	for (size_t i = 0; i < machine_n_facts; i++)
		refresh_fact(&machine_facts[i], machine);
}

static bool has_rows_to_read(const struct machine_fact *fact)
{
	return fact->rows && (fact->file || fact->read_row);
}

static void read_rows(struct machine_rows *rows, struct machine *machine, const struct machine_fact *fact,
	size_t n_at_once, const struct cpus *isolated)
{
	struct fact_reader *reader = &rows->readers[fact - machine_facts];
	const struct fact_rows *known = machine_rows_of(machine, fact);

	if (known && !known->n && !fact->rows->is_given && strcmp(known->text, "not readable") == 0)
		return; /* as in read_text() */
	reader->without = fact->interrupts ? isolated : NULL;
	reader->given = rows->members;
	reader->n_given = rows->n_members;
	fact_reader_read(reader, fact->rows, fact->rows->folder, fact->file, fact->read_row, n_at_once,
		rows_of(machine, fact));
}

void machine_refresh_fact(struct machine_rows *rows, struct machine *machine, const struct machine_fact *fact)
{
	struct cpus isolated = cpus_isolated();

	refresh_fact(fact, machine);
	if (!has_rows_to_read(fact))
		return;
	fact_reader_finish(&rows->readers[fact - machine_facts]); /* its part may be of before */
	read_rows(rows, machine, fact, SIZE_MAX, &isolated);
}

static void read_rivals(struct machine_rows *rows, struct machine *machine, size_t n_at_once)
{
	struct rivals_words words;

	if (!rivals_read(&rows->rivals, &words, n_at_once))
		return;
	memcpy(machine->rivals, words.tasks, sizeof(machine->rivals));
	memcpy(machine->irqbalance, words.irqbalance, sizeof(machine->irqbalance));
	memcpy(machine->irq_threads, words.irq_threads, sizeof(machine->irq_threads));
}

void machine_read_rows(struct machine_rows *rows, struct machine *machine)
{
	struct cpus isolated = cpus_isolated();

	for (size_t i = 0; i < machine_n_facts; i++)
		if (has_rows_to_read(&machine_facts[i]))
			read_rows(rows, machine, &machine_facts[i], SIZE_MAX, &isolated);
	read_rivals(rows, machine, SIZE_MAX);
}

void machine_refresh_part(struct machine_rows *rows, struct machine *machine, unsigned part)
{
	for (size_t i = part; i < machine_n_facts; i += MACHINE_PARTS) {
		const struct machine_fact *fact = &machine_facts[i];

		refresh_fact(fact, machine);
		if (has_rows_to_read(fact) && fact->n_at_once)
			read_rows(rows, machine, fact, fact->n_at_once, NULL);
	}
	read_rivals(rows, machine, RIVALS_AT_ONCE);
}

void machine_rows_finish(struct machine_rows *rows)
{
	for (size_t i = 0; i < machine_n_facts; i++)
		fact_reader_finish(&rows->readers[i]);
	rivals_finish(&rows->rivals);
}

struct machine machine_copy(const struct machine *machine)
{
	for (size_t i = 0; i < machine_n_facts; i++)
		if (machine_facts[i].rows)
			fact_rows_share(machine_rows_of(machine, &machine_facts[i]));
	return *machine;
}

void machine_finish(struct machine *machine)
{
	for (size_t i = 0; i < machine_n_facts; i++)
		if (machine_facts[i].rows)
			fact_rows_release(machine_rows_of(machine, &machine_facts[i]));
	*machine = (struct machine){0};
}

const char *machine_text(const struct machine *machine, const struct machine_fact *fact)
{
	if (fact->rows)
		return fact_rows_text(fact->rows, machine_rows_of(machine, fact));
	return field_is_text(&fact->field) ? field_text(&fact->field, machine) : NULL;
}

const char *machine_recorded_text(const struct machine *machine, const struct machine_fact *fact)
{
	const struct fact_rows *rows = fact->rows ? machine_rows_of(machine, fact) : NULL;

	return rows ? rows->text : machine_text(machine, fact);
}

void machine_set_text(struct machine *machine, const struct machine_fact *fact, const char *text)
{
	if (!fact->rows) {
		snprintf((char *)machine + fact->field.offset, fact->field.size, "%s", text);
		return;
	}
	struct fact_rows **rows = rows_of(machine, fact);

	fact_rows_release(*rows);
	*rows = fact_rows_parse(text);
}

bool machine_equal(const struct machine *a, const struct machine *b)
{
	for (size_t i = 0; i < machine_n_facts; i++) {
		const struct machine_fact *fact = &machine_facts[i];
		const char *in_a = machine_recorded_text(a, fact), *in_b = machine_recorded_text(b, fact);

		if (in_a ? strcmp(in_a, in_b) != 0
			 : field_number(&fact->field, a) != field_number(&fact->field, b))
			return false;
	}
	return true;
}

struct machine machine_unknown(void)
{
	struct machine machine = {0};

	for (size_t i = 0; i < machine_n_facts; i++)
		if (!machine_facts[i].rows && !field_is_text(&machine_facts[i].field))
			field_set_number(&machine_facts[i].field, &machine, machine_facts[i].unknown);
	return machine;
}

static bool is_unknown(const struct machine_fact *fact, int64_t number)
{
	return fact->unknown && number == fact->unknown;
}

char *machine_word(
	const struct machine *machine, const struct machine_fact *fact, char word[MACHINE_WORD_SIZE])
{
	const char *text = machine_text(machine, fact);
	int64_t number = text ? 0 : field_number(&fact->field, machine);

	if (!text)
		text = is_unknown(fact, number) ? ""
		       : fact->value_names      ? fact->value_names[number]
		       : fact->is_switch        ? (number ? "on" : "off")
						: NULL;
	if (fact->word)
		fact->word(machine, word, MACHINE_WORD_SIZE);
	else if (text)
		snprintf(word, MACHINE_WORD_SIZE, "%s",
			*text                ? text
			: fact->unknown_word ? fact->unknown_word
					     : "unknown");
	else
		snprintf(word, MACHINE_WORD_SIZE, "%lld", (long long)number);
	return word;
}

void machine_read(struct machine *machine, const struct topology *topology)
{
	struct utsname name;

	*machine = (struct machine){.dma_latency_held_us = -1,
		.cpu_places = cpu_places_of(topology),
		.n_cpus = topology->n_cpus,
		.n_cores = topology->n_cores,
		.n_packages = topology->n_packages,
		.n_nodes = topology->n_nodes};
	uname(&name);
	snprintf(machine->host, sizeof(machine->host), "%s", text_clean(name.nodename));
	snprintf(machine->kernel, sizeof(machine->kernel), "%s", text_clean(name.release));
	machine_refresh(machine);
	machine->rt_runtime_zero_cgroup = read_zero_cgroup();
	settings_read_constant(machine, name.release);
	kernel_audit_read(machine->audit, sizeof(machine->audit));
	measure_clock(machine);
}
