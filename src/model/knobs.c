/* SPDX-License-Identifier: GPL-2.0-or-later */
/* knobs.c - the table of advice. */
#include "src/model/knobs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- judges --- */

static const char no_realtime[] = "no member has a real-time policy",
		  no_fair[] = "all members have real-time policies";

/* Is @value one of @words, with '|' between them? */
static bool is_one_of(const char *value, const char *words)
{
	size_t length = strlen(value);

	for (const char *at = words; at; at = strchr(at, '|')) {
		at += *at == '|';
		if (strcspn(at, "|") == length && strncmp(at, value, length) == 0)
			return true;
	}
	return false;
}

static void decide(struct knob_finding *finding, bool is_good)
{
	finding->state = is_good ? KNOB_GOOD : KNOB_BAD;
}

static void judge_words(const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	decide(finding, is_one_of(finding->value, knob->wanted));
}

static void judge_at_most(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	decide(finding, strtoll(finding->value, NULL, 10) <= strtoll(knob->wanted, NULL, 10));
}

static void judge_at_least(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	decide(finding, strtoll(finding->value, NULL, 10) >= strtoll(knob->wanted, NULL, 10));
}

const struct machine_fact *knob_fact(const struct knob *knob)
{
	for (size_t i = 0; i < machine_n_facts; i++)
		if (strcmp(machine_facts[i].field.key, knob->fact) == 0)
			return &machine_facts[i];
	return NULL;
}

static struct fact_rows *rows_of(const struct knob *knob, const struct machine *machine)
{
	const struct machine_fact *fact = knob_fact(knob);

	return fact && fact->rows ? machine_rows_of(machine, fact) : NULL;
}

static bool has_cpu_of(const struct fact_row *row, const struct cpus *cpus)
{
	int next = cpus_next(cpus, (int)row->first - 1);

	return next >= 0 && (unsigned)next <= row->last;
}

/* Reads the rows of the members' CPUs, and judges the first value that is not good. */
static void judge_rows(const struct knob *knob, const struct advice_site *site, struct knob_finding *finding,
	bool (*is_good)(const struct knob *knob, const char *value))
{
	const struct fact_rows *rows = rows_of(knob, site->machine);
	const struct fact_row *good = NULL, *bad = NULL;

	if (rows && !rows->n) { /* all have one value */
		decide(finding, is_good(knob, rows->text));
		return;
	}
	for (size_t i = 0; rows && i < rows->n; i++) {
		const struct fact_row *row = &rows->rows[i];

		if (!has_cpu_of(row, &site->cpus))
			continue;
		if (is_good(knob, row->value))
			good = good ? good : row;
		else
			bad = bad ? bad : row;
	}
	finding->state = bad ? KNOB_BAD : good ? KNOB_GOOD : KNOB_ABSENT;
	if (bad && good)
		snprintf(finding->value, sizeof(finding->value), "%s on CPU %u", bad->value, bad->first);
	else if (bad || good)
		snprintf(finding->value, sizeof(finding->value), "%s", bad ? bad->value : good->value);
}

static bool is_wanted(const struct knob *knob, const char *value)
{
	return is_one_of(value, knob->wanted);
}

static void judge_row_words(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	judge_rows(knob, site, finding, is_wanted);
}

/* It guards members without real-time policy. */
static void judge_realtime_rows(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	judge_rows(knob, site, finding, is_wanted);
	if (!site->is_realtime)
		finding->no_effect = no_realtime;
	if (finding->state == KNOB_BAD && finding->no_effect)
		finding->state = KNOB_INFORM;
}

/* "none" of CPUs that have no state to be kept from. */
static void judge_dma_latency(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	const struct fact_rows *latencies = site->machine->idle_latency;
	bool is_deep = false;

	for (size_t i = 0; latencies && i < latencies->n; i++)
		is_deep |= strtoll(latencies->rows[i].value, NULL, 10) > 2;
	decide(finding, !is_deep || site->machine->dma_latency_us <= 2);
}

/* The members' CPUs must be in the list. */
static void judge_has_members(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	struct cpus list = {0};

	if (cpus_parse(&list, finding->value) < 0)
		list = (struct cpus){0};
	decide(finding, cpus_count(&site->cpus) && cpus_subset(&site->cpus, &list));
}

/* No interrupt may come, or comes, to the members' CPUs. */
static void judge_irqs(const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	const struct fact_rows *rows = rows_of(knob, site->machine);
	size_t n = 0, of = 0;

	for (size_t i = 0; rows && i < rows->n; i++) {
		const struct fact_row *row = &rows->rows[i];
		struct cpus cpus = {0};

		of += row->last - row->first + 1;
		if (cpus_parse(&cpus, row->value) < 0)
			continue;
		cpus_intersect(&cpus, &site->cpus);
		n += cpus_count(&cpus) ? row->last - row->first + 1 : 0;
	}
	snprintf(finding->value, sizeof(finding->value), "%zu of %zu IRQs come here", n, of);
	decide(finding, !n);
}

/* A kernel that can switch its model has it in debugfs alone. With "lazy" only tasks without real-time policy
 * may wait for a tick: all others preempt as with "full". */
static void judge_preemption(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	bool is_lazy_enough = strcmp(finding->value, "lazy") == 0 && !site->is_fair;

	if (strcmp(finding->value, "dynamic") == 0)
		finding->state =
			strcmp(site->machine->debugfs, "not mounted") == 0 ? KNOB_UNMOUNTED : KNOB_DENIED;
	else
		decide(finding, is_lazy_enough || is_one_of(finding->value, knob->wanted));
}

static void add_list(struct cpus *set, const char *list)
{
	struct cpus more = {0};

	if (*list && cpus_parse(&more, list) == 0)
		cpus_unite(set, &more);
}

/* "running, not on 2-3": the members' CPUs are banned. Where none is named, irqbalance leaves isolated CPUs
 * and those without a tick alone. */
static void judge_irqbalance(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	const char *banned = strstr(finding->value, RIVALS_BANNED);
	struct cpus cpus = {0};

	if (banned) {
		add_list(&cpus, banned + strlen(RIVALS_BANNED));
	} else {
		add_list(&cpus, site->machine->isolated);
		add_list(&cpus, site->machine->nohz_full);
	}
	decide(finding, strcmp(finding->value, "none") == 0 ||
				(cpus_count(&cpus) && cpus_subset(&site->cpus, &cpus)));
}

/* A mask of CPUs that has none of the members'. */
static void judge_mask(const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	struct cpus cpus = cpus_parse_mask(finding->value);

	cpus_intersect(&cpus, &site->cpus);
	decide(finding, !cpus_count(&cpus));
}

/* "133us". A dma latency that is held keeps CPUs out of deep states. */
static bool is_short(const struct knob *knob, const char *value)
{
	return strtoll(value, NULL, 10) <= strtoll(knob->wanted, NULL, 10);
}

static bool holds_dma_latency(const struct machine *machine)
{
	return machine->dma_latency_state == MACHINE_VALUE && machine->dma_latency_us <= 2;
}

static void judge_idle_latency(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	judge_rows(knob, site, finding, is_short);
	if (finding->state == KNOB_BAD && holds_dma_latency(site->machine))
		finding->state = KNOB_GOOD;
}

/* "0-0MHz": the driver sets it. */
static bool is_one_frequency(const struct knob *knob, const char *value)
{
	return strtoll(value, NULL, 10) == strtoll(value + strcspn(value, "-") + 1, NULL, 10);
}

static void judge_frequency(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	judge_rows(knob, site, finding, is_one_frequency);
}

/* Whether one of the lists after "on" has a CPU of the members: "hog FF90 on 0-1, pulse RR5 on 3". */
static bool names_cpu_of(const struct advice_site *site, const char *value)
{
	bool is_here = false;

	for (const char *at = value; (at = strstr(at, " on ")); at++) {
		const char *list = at + strlen(" on ");
		char text[KNOB_LIST_SIZE];
		struct cpus cpus = {0};

		snprintf(text, sizeof(text), "%.*s", (int)strspn(list, "0123456789,-"), list);
		if (*text && text[strlen(text) - 1] == ',')
			text[strlen(text) - 1] = '\0';
		if (cpus_parse(&cpus, text) == 0)
			cpus_intersect(&cpus, &site->cpus);
		is_here |= cpus_count(&cpus) > 0;
	}
	return is_here;
}

/* "hog FF90 on 0-1, pulse RR5 on 3": one of their CPUs is a member's. */
static void judge_rivals(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	bool is_here = names_cpu_of(site, finding->value);

	if (!is_here && (strstr(finding->value, " more") || strstr(finding->value, "...")))
		finding->state = KNOB_INFORM; /* not all of them are named */
	else
		decide(finding, !is_here);
}

/* "3, at most FF50 (irq/24-virtio0 on 0-3)": below the members' priority they wait for them. */
static void judge_irq_threads(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	const char *highest = strstr(finding->value, "FF");

	if (!highest)
		finding->state = KNOB_GOOD;
	else if (!names_cpu_of(site, finding->value))
		finding->state = KNOB_INFORM; /* another one may be lower, and on members' CPUs */
	else if (site->least_priority)
		decide(finding, strtol(highest + 2, NULL, 10) < site->least_priority);
}

/* Counted since a run began. A guest does not see those of its host. */
static void judge_smis(const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	const char *hypervisor = site->machine->hypervisor;
	bool is_guest = *hypervisor && strcmp(hypervisor, "none") != 0;

	if (is_guest)
		finding->no_effect = "a guest does not see those of its host";
	if (site->blames && !is_guest)
		decide(finding, is_one_of(finding->value, "none"));
	else if (!site->blames)
		snprintf(finding->value, sizeof(finding->value), "counted during a run");
}

/* nohz_full offloads the callbacks of its CPUs, too. */
static void judge_offloaded(const struct advice_site *site, struct knob_finding *finding)
{
	struct cpus list, more;

	if (cpus_parse(&list, finding->value) < 0)
		list = (struct cpus){0};
	if (cpus_parse(&more, site->machine->nohz_full) == 0)
		cpus_unite(&list, &more);
	decide(finding, cpus_count(&site->cpus) && cpus_subset(&site->cpus, &list));
}

/* Only CPUs that are isolated need it. */
static void judge_boot_list(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	if (strcmp(site->machine->isolated, "") == 0)
		finding->state = KNOB_INFORM;
	else if (strcmp(finding->value, "all") == 0)
		finding->state = KNOB_GOOD;
	else
		judge_offloaded(site, finding);
}

static void judge_isolated_words(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	if (*site->machine->isolated)
		decide(finding, is_one_of(finding->value, knob->wanted));
	else
		finding->no_effect = "no CPU is isolated";
}

static void judge_fair_words(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	if (site->is_fair)
		decide(finding, is_one_of(finding->value, knob->wanted));
	else
		finding->no_effect = no_fair;
}

static void judge_fair_at_most(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	if (site->is_fair)
		judge_at_most(knob, site, finding);
	else
		finding->no_effect = no_fair;
}

/* The longest of all members. */
static void judge_slack(const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	const struct fact_rows *rows = site->machine->member_slack;
	long long longest = 0;

	for (size_t i = 0; rows && i < rows->n; i++) {
		long long ns = strtoll(rows->rows[i].value, NULL, 10);

		longest = ns > longest ? ns : longest;
	}
	snprintf(finding->value, sizeof(finding->value), "%lldns", longest);
	decide(finding, longest <= strtoll(knob->wanted, NULL, 10));
}

static void judge_cgroup(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	/* One of version 1 limits real-time tasks without a quota, too. */
	bool may_limit_realtime = site->is_realtime && strcmp(site->machine->cgroups, "v1") == 0;

	if (strcmp(site->machine->cpu_quota, "none") == 0 && !may_limit_realtime)
		finding->no_effect = "no cgroup limits the members' CPU time";
}

/* Has a member's CPU the governor schedutil, or is none known? */
static bool may_have_schedutil(const struct advice_site *site)
{
	static const char governor[] = "schedutil";
	const struct fact_rows *rows = site->machine->governor;
	bool has = !rows || (!rows->n && strcmp(rows->text, governor) == 0);

	for (size_t i = 0; rows && i < rows->n; i++)
		has |= has_cpu_of(&rows->rows[i], &site->cpus) && strcmp(rows->rows[i].value, governor) == 0;
	return has;
}

static void judge_uclamp(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	if (!site->machine->frequency_range)
		finding->no_effect = "the kernel changes no frequency of a CPU";
	else if (!may_have_schedutil(site))
		finding->no_effect = "only the governor schedutil heeds it";
	else
		decide(finding, is_one_of(finding->value, knob->wanted));
}

static void judge_swappiness(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	if (strcmp(site->machine->swap, "none") == 0)
		finding->no_effect = "there is no swap";
}

/* Balances nothing where there is one node. */
static void judge_numa(const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	decide(finding, site->machine->n_nodes <= 1 || is_one_of(finding->value, knob->wanted));
}

/* At level 1 a serial console gets only what is written when the kernel is about to die. */
static void judge_consoles(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	bool is_serial = strstr(finding->value, "ttyS") || strstr(finding->value, "ttyAMA");

	decide(finding, !is_serial || strcmp(site->machine->console_level, "1") == 0);
}

/* The fair server, where the kernel has one, takes the place of throttling, unless cgroups have limits of
 * their own. */
static void judge_rt_runtime(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	const struct fact_rows *runtime = site->machine->fair_runtime;

	if (!site->machine->rt_group_sched && (site->machine->fair_server || (runtime && runtime->n)))
		finding->no_effect = "the kernel's fair server acts in its place";
	else if (!site->is_realtime)
		finding->no_effect = no_realtime;
	if (finding->no_effect)
		finding->state = KNOB_INFORM;
	else
		decide(finding, site->machine->rt_runtime_us < 0);
}

/* Where debugfs can't be read, the kernel's version tells. */
static void judge_fair_server(
	const struct knob *knob, const struct advice_site *site, struct knob_finding *finding)
{
	const struct fact_rows *runtime = site->machine->fair_runtime;
	bool is_guess = site->machine->fair_server && (!runtime || !runtime->n);

	if (is_guess)
		snprintf(finding->value, sizeof(finding->value), "on, by the kernel's version");
	if (!site->is_realtime)
		finding->no_effect = no_realtime;
	else if (!is_guess)
		decide(finding, !site->machine->fair_server);
}

/* --- the table --- */

#define CAUSE(name) (1u << CAUSE_##name)
#define CAUSES_OF_IDLE (CAUSE(LEAVING_IDLE) | CAUSE(NOT_WOKEN))
#define SYSCTL(setting) "sysctl -w " setting
#define SYSCTL_KEPT(setting) "echo '" setting "' >>/etc/sysctl.d/90-latency.conf"
#define FILE_KEPT(path, value) "echo 'w " path " - - - - " value "' >>/etc/tmpfiles.d/latency.conf"
#define BOOT(words) KNOB_BOOT_PREFIX words

enum { US = 1000, MS = 1000000 };

/* Ends the sentence of a knob that try refuses: what to do in its place. */
#define INSTEAD ": change it by the command that ipctop audit has, and compare the phases before and after"
static const char no_way_back[] =
	"tasks and interrupts leave CPUs that go offline, and not all come back with them" INSTEAD;

const struct knob knobs[] = {
	{"preempt", KNOB_SCHEDULER, "preemption",
		"whether the kernel lets a task that was woken take the CPU",
		"PREEMPT_RT, else full or, if all members are real-time, lazy",
		"\"fatal\" for real-time tasks (kernel documentation)", UINT64_C(10000000000),
		judge_preemption, "PREEMPT_RT|full",
		CAUSE(TIMER_LATE) | CAUSE(WAKE_LATE) | CAUSE(NOT_PREEMPTED), NULL,
		"tasks that could not be preempted", "echo full >/sys/kernel/debug/sched/preempt",
		BOOT("preempt=full; or a kernel with PREEMPT_RT")},
	{"sched_rt_runtime_us", KNOB_SCHEDULER, "rt_runtime_us",
		"how long real-time tasks may run in each period", "-1",
		"50 ms of each second for spinning tasks", 50 * MS, judge_rt_runtime, NULL, CAUSE(THROTTLED),
		"RT limit", "throttling", SYSCTL("kernel.sched_rt_runtime_us=-1"),
		SYSCTL_KEPT("kernel.sched_rt_runtime_us = -1")},
	{"fair_server", KNOB_SCHEDULER, "fair_server",
		"a share of each second that the kernel gives to tasks without real-time policy", "off",
		"50 ms of each second for spinning tasks", 50 * MS, judge_fair_server, NULL, CAUSE(THROTTLED),
		"fair server", "the fair server's tasks",
		"for f in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do echo 0 >$f; done",
		FILE_KEPT("/sys/kernel/debug/sched/fair_server/cpu*/runtime", "0")},
	{"fair_server runtime", KNOB_SCHEDULER, "fair_runtime",
		"what the fair server gives on each CPU, in ns of each second", "0 on real-time CPUs",
		"50 ms of each second for spinning tasks", 50 * MS, judge_realtime_rows, "0",
		CAUSE(THROTTLED), "fair server", "the fair server's tasks",
		"for f in /sys/kernel/debug/sched/fair_server/cpu*/runtime; do echo 0 >$f; done",
		FILE_KEPT("/sys/kernel/debug/sched/fair_server/cpu*/runtime", "0")},
	{"cpu.max", KNOB_SCHEDULER, "cpu_quota", "the CPU time that the cgroup may use in a period", "none",
		"the rest of a period: up to 100 ms", 100 * MS, judge_words, "none", CAUSE(THROTTLED),
		"quota", "quotas of CPU time",
		"echo max >/sys/fs/cgroup{cgroup}/cpu.max # or to that of a cgroup above",
		"systemctl set-property {unit} CPUQuota=", .of_cgroups = true,
		.now_v1 =
			"echo -1 >/sys/fs/cgroup/cpu{cgroup}/cpu.cfs_quota_us # or to that of a cgroup above"},
	{"real-time tasks of others", KNOB_SCHEDULER, "rivals", "those that may run on members' CPUs", "none",
		"their run time: unbounded", UINT64_C(1000000000), judge_rivals, NULL, CAUSE(TASK), "(RT|(DL",
		"real-time tasks of others",
		"chrt -o -p 0 TID # of each of them; or move them away: taskset -cp CPUS TID",
		"CPUSchedulingPolicy=other, or CPUAffinity=, in their units"},
	{"base_slice_ns", KNOB_SCHEDULER, "base_slice_ns",
		"how long a task without real-time policy may run before the next one", "a small one",
		"0.7 ms x (1 + log2 CPUs), at most 2.8 ms", 1400 * US, judge_fair_at_most, "400000",
		CAUSE(WAKE_LATE) | CAUSE(TASK), NULL, "other tasks",
		"echo 100000 >/sys/kernel/debug/sched/base_slice_ns",
		FILE_KEPT("/sys/kernel/debug/sched/base_slice_ns", "100000"), .of_fair = true},
	{"RUN_TO_PARITY", KNOB_SCHEDULER, "run_to_parity", "whether a task keeps the CPU for its slice",
		"off for short waits", "up to a slice", 700 * US, judge_fair_words, "off",
		CAUSE(WAKE_LATE) | CAUSE(TASK), NULL, "other tasks",
		"echo NO_RUN_TO_PARITY >/sys/kernel/debug/sched/features",
		FILE_KEPT("/sys/kernel/debug/sched/features", "NO_RUN_TO_PARITY"), .of_fair = true},
	{"timer slack", KNOB_SCHEDULER, "member_slack",
		"by how much timers of members without real-time policy may be late", "1000ns or less",
		"50 us", 50 * US, judge_slack, "1000", CAUSES_OF_IDLE, NULL,
		"timers and wake-ups that came late",
		"for t in {tids}; do echo 1 >/proc/$t/timerslack_ns; done",
		"prctl(PR_SET_TIMERSLACK, 1) in the program"},
	{"uclamp", KNOB_SCHEDULER, "member_uclamp",
		"the least and largest load by which the kernel chooses a frequency for members", "1024-1024",
		NULL, 0, judge_uclamp, "1024-1024", CAUSES_OF_IDLE, NULL, "idle CPUs that woke late",
		"for t in {tids}; do uclampset -m 1024 -p $t; done",
		"uclampset -m 1024 COMMAND, as it starts",
		.instead = "no file sets it: run ipctop with and without uclampset, and compare the reports"},
	{"cgroup", KNOB_SCHEDULER, "member_cgroup", "where the members' limits and weights are",
		"one without limits", NULL, 0, judge_cgroup, NULL, CAUSE(THROTTLED), "quota|(RT limit",
		"limits of cgroups", "for t in {tids}; do echo $t >/sys/fs/cgroup/cgroup.procs; done",
		"Slice=SLICE in the unit that starts them", .of_cgroups = true,
		.now_v1 = "for t in {tids}; do echo $t >/sys/fs/cgroup/cpu/cgroup.procs; done",
		.instead = "members stay in their cgroup: try its settings cpu_quota, cpuset and isolated"},
	{"sched_autogroup_enabled", KNOB_SCHEDULER, "autogroup",
		"whether the kernel shares CPUs by sessions, so that nice has less effect", "0", NULL, 0,
		judge_fair_words, "0", CAUSE(TASK) | CAUSE(WAKE_LATE), NULL, "other tasks",
		SYSCTL("kernel.sched_autogroup_enabled=0"), SYSCTL_KEPT("kernel.sched_autogroup_enabled = 0"),
		.of_fair = true},
	{"rt_runtime of the cgroup", KNOB_SCHEDULER, "rt_runtime_zero_cgroup",
		"whether a version 1 cpu cgroup refuses real-time policies", "off",
		"members run without real-time policy", 50 * MS, judge_words, "off",
		CAUSE(TASK) | CAUSE(WAKE_LATE), NULL, "other tasks",
		"echo $$ >/sys/fs/cgroup/cpu/cgroup.procs", NULL},
	{"isolated", KNOB_CPUS, "isolated", "CPUs that the kernel gives to no task by itself",
		"all CPUs of members", "17 ms against 18 us at most (Rigtorp)", 17 * MS, judge_has_members,
		NULL, CAUSE(TASK) | CAUSE(TIMER_LATE) | CAUSE(WAKE_LATE) | CAUSE(NOT_PREEMPTED), NULL,
		"other tasks on these CPUs",
		"(cd /sys/fs/cgroup && echo +cpuset >cgroup.subtree_control && mkdir rt && "
		"echo {cpus} >rt/cpuset.cpus && echo isolated >rt/cpuset.cpus.partition && "
		"echo $$ >rt/cgroup.procs) # then start the members from this shell",
		BOOT("isolcpus=managed_irq,domain,{cpus}; or the same by tuned: cpu-partitioning"),
		.of_cgroups = true},
	{"online CPUs", KNOB_CPUS, "online", "CPUs that are online", "all CPUs of members",
		"laps of members whose CPU is gone are in no figure", 0, judge_has_members, NULL, 0, NULL,
		NULL, "for c in /sys/devices/system/cpu/cpu*/online; do echo 1 >$c; done",
		BOOT("without maxcpus=, nr_cpus= and nosmt"), .instead = no_way_back},
	{"cpuset", KNOB_CPUS, "cpuset", "CPUs on which the cgroup lets its tasks run", "all CPUs of members",
		"laps of members on other CPUs are in no figure", 0, judge_has_members, NULL, 0, NULL, NULL,
		"systemctl set-property --runtime {unit} AllowedCPUs={cpus}",
		"systemctl set-property {unit} AllowedCPUs={cpus}", .of_cgroups = true,
		.now_v1 = "echo {cpus} >/sys/fs/cgroup/cpuset/CGROUP/cpuset.cpus"},
	{"rcu_nocbs", KNOB_CPUS, "rcu_nocbs", "CPUs whose RCU callbacks run elsewhere", "isolated CPUs", NULL,
		0, judge_boot_list, NULL, CAUSE(SOFTIRQ) | CAUSE(TASK), "RCU|rcu", "RCU callbacks", NULL,
		BOOT("rcu_nocbs={cpus}; the kernel must have RCU_NOCB_CPU")},
	{"workqueue cpumask", KNOB_CPUS, "workqueue_cpus", "where work that has no CPU of its own runs",
		"other CPUs than members'", NULL, 0, judge_mask, NULL, CAUSE(TASK) | CAUSE(WAKE_LATE),
		"kworker", "kworkers", "echo {mask} >/sys/devices/virtual/workqueue/cpumask",
		FILE_KEPT("/sys/devices/virtual/workqueue/cpumask", "{mask}")},
	{"writeback cpumask", KNOB_CPUS, "writeback_cpus", "where files are written back",
		"other CPUs than members'", NULL, 0, judge_mask, NULL, CAUSE(TASK) | CAUSE(WAKE_LATE),
		"kworker", "kworkers", "echo {mask} >/sys/devices/virtual/workqueue/writeback/cpumask",
		FILE_KEPT("/sys/devices/virtual/workqueue/writeback/cpumask", "{mask}")},
	{"nohz_full", KNOB_CPUS, "nohz_full", "CPUs without a tick while one task runs",
		"all CPUs of members that never sleep, none of periodic ones",
		"\"medium\" on CPUs of periodic work (kernel documentation)", 0, NULL, NULL, CAUSE(TIMER),
		NULL, "timer interrupts", NULL, BOOT("nohz_full={cpus}; the kernel must have NO_HZ_FULL")},
	{"smt", KNOB_CPUS, "smt", "whether two CPUs share a core", "off, or the sibling idle", NULL, 0,
		judge_words, "off", 0, NULL, NULL,
		"echo off >/sys/devices/system/cpu/smt/control # siblings go offline, members' CPUs too",
		BOOT("nosmt"), .instead = no_way_back},
	{"irq affinity", KNOB_INTERRUPTS, "irq_affinity", "the CPUs to which devices' interrupts may come",
		"other CPUs than members'", NULL, 0, judge_irqs, NULL, CAUSE(IRQ), NULL,
		"devices' interrupts", "for f in /proc/irq/*/smp_affinity_list; do echo {others} >$f; done",
		BOOT("irqaffinity={others}")},
	{"default irq affinity", KNOB_INTERRUPTS, "irq_default", "the CPUs of interrupts that come later",
		"other CPUs than members'", NULL, 0, judge_mask, NULL, CAUSE(IRQ), NULL,
		"devices' interrupts", "echo {mask} >/proc/irq/default_smp_affinity",
		BOOT("irqaffinity={others}")},
	{"effective irq affinity", KNOB_INTERRUPTS, "irq_effective", "the CPUs to which interrupts do come",
		"other CPUs than members'", NULL, 0, judge_irqs, NULL, CAUSE(IRQ), NULL,
		"devices' interrupts", "for f in /proc/irq/*/smp_affinity_list; do echo {others} >$f; done",
		BOOT("irqaffinity={others}")},
	{"irqbalance", KNOB_INTERRUPTS, "irqbalance", "whether a service moves interrupts between CPUs",
		"none, or members' CPUs banned", NULL, 0, judge_irqbalance, NULL, CAUSE(IRQ), NULL,
		"devices' interrupts", "systemctl stop irqbalance",
		"IRQBALANCE_BANNED_CPULIST={cpus} in /etc/default/irqbalance, or in /etc/sysconfig/irqbalance"},
	{"managed_irq", KNOB_INTERRUPTS, "managed_irq",
		"whether interrupts that the kernel places avoid isolated CPUs", "on", NULL, 0,
		judge_isolated_words, "on", CAUSE(IRQ), NULL, "devices' interrupts", NULL,
		BOOT("isolcpus=managed_irq,domain,{cpus}")},
	{"threadirqs", KNOB_INTERRUPTS, "threadirqs",
		"whether interrupts are threads, whose priority can be below the members'", "on", NULL, 0,
		NULL, NULL, CAUSE(IRQ), NULL, "devices' interrupts", NULL, BOOT("threadirqs")},
	{"threads of interrupts", KNOB_INTERRUPTS, "irq_threads", "their number and highest priority",
		"below the members' priorities", NULL, 0, judge_irq_threads, NULL,
		CAUSE(TASK) | CAUSE(TIMER_LATE) | CAUSE(WAKE_LATE) | CAUSE(NOT_PREEMPTED), "irq/",
		"threads of interrupts", "for t in $(pgrep ^irq/); do chrt -f -p 1 $t; done",
		"tuned: group.irq=0:f:1:*:^\\[irq/ in [scheduler]"},
	{"HZ", KNOB_INTERRUPTS, "tick_hz", "timer interrupts a second on a CPU that is busy",
		"known: fewer disturb less, more share CPUs sooner", NULL, 0, NULL, NULL, CAUSE(TIMER), NULL,
		"timer interrupts", NULL, "a kernel with another CONFIG_HZ"},
	{"skew_tick", KNOB_INTERRUPTS, "skew_tick", "whether CPUs have their ticks at different times", "1",
		NULL, 0, judge_words, "1", CAUSE(TIMER), NULL, "timer interrupts", NULL, BOOT("skew_tick=1")},
	{"timer_migration", KNOB_INTERRUPTS, "timer_migration",
		"whether timers of idle CPUs move to busy ones", "0", NULL, 0, judge_words, "0", CAUSE(TIMER),
		NULL, "timer interrupts", SYSCTL("kernel.timer_migration=0"),
		SYSCTL_KEPT("kernel.timer_migration = 0")},
	{"idle states", KNOB_POWER, "idle_latency", "how long CPUs take to leave their deepest enabled state",
		"2us or less", "C1E 10, C6 133, C10 890 us", 890 * US, judge_idle_latency, "2",
		CAUSES_OF_IDLE, NULL, "idle CPUs that woke late", "cpupower idle-set -D 3",
		BOOT("processor.max_cstate=1 intel_idle.max_cstate=1"),
		.instead =
			"it is not turned: try dma_latency_us=2, which keeps all CPUs out of slower states"},
	{"dma latency", KNOB_POWER, "dma_latency_us", "the latency that a program allows idle CPUs to have",
		"0", "C1E 10, C6 133, C10 890 us", 890 * US, judge_dma_latency, NULL, CAUSES_OF_IDLE, NULL,
		"idle CPUs that woke late",
		"ipctop --dma-latency 0 # a program of yours holds /dev/cpu_dma_latency",
		"tuned: force_latency=cstate.id:1|3"},
	{"governor", KNOB_POWER, "governor", "who chooses the CPUs' frequency", "performance",
		"\"high\" (kernel documentation)", 1 * MS, judge_row_words, "performance", CAUSES_OF_IDLE,
		NULL, "idle CPUs that woke late", "cpupower frequency-set -g performance",
		"tuned-adm profile latency-performance"},
	{"energy preference", KNOB_POWER, "energy_preference",
		"how the CPUs weigh speed against power (read at the start, not on isolated CPUs)",
		"performance", NULL, 0, judge_row_words, "performance|0", CAUSES_OF_IDLE, NULL,
		"idle CPUs that woke late",
		"for f in /sys/devices/system/cpu/cpu*/cpufreq/energy_performance_preference; do echo performance >$f; done",
		"tuned-adm profile latency-performance"},
	{"frequency range", KNOB_POWER, "frequency_range", "the least and largest frequency of the CPUs",
		"one frequency", NULL, 0, judge_frequency, NULL, CAUSES_OF_IDLE, NULL,
		"idle CPUs that woke late",
		"for f in /sys/devices/system/cpu/cpu*/cpufreq; do cat $f/scaling_max_freq >$f/scaling_min_freq; done",
		"tuned: min_perf_pct=100 in [cpu]"},
	{"turbo", KNOB_POWER, "boost", "whether CPUs go above their base frequency for a while",
		"off where all laps must be alike", NULL, 0, NULL, NULL, 0, NULL, NULL,
		"echo 1 >/sys/devices/system/cpu/intel_pstate/no_turbo || echo 0 >/sys/devices/system/cpu/cpufreq/boost",
		FILE_KEPT("/sys/devices/system/cpu/intel_pstate/no_turbo", "1") " # or boost: 0"},
	{"transparent_hugepage", KNOB_MEMORY, "thp", "whether the kernel puts small pages together",
		"never, or madvise", NULL, 0, judge_words, "never|madvise", CAUSE(BLOCKED) | CAUSE(TASK),
		"waited in the kernel|khugepaged", "waits in the kernel",
		"echo madvise >/sys/kernel/mm/transparent_hugepage/enabled",
		FILE_KEPT("/sys/kernel/mm/transparent_hugepage/enabled", "madvise")},
	{"transparent_hugepage defrag", KNOB_MEMORY, "thp_defrag",
		"whether a page fault waits for room for a huge page", "never, or madvise", NULL, 0,
		judge_words, "never|madvise|defer|defer+madvise", CAUSE(BLOCKED), NULL, "waits in the kernel",
		"echo madvise >/sys/kernel/mm/transparent_hugepage/defrag",
		FILE_KEPT("/sys/kernel/mm/transparent_hugepage/defrag", "madvise")},
	{"khugepaged", KNOB_MEMORY, "khugepaged_defrag", "whether a thread makes room for huge pages", "0",
		NULL, 0, judge_words, "0", CAUSE(TASK) | CAUSE(WAKE_LATE), "khugepaged", "khugepaged",
		"echo 0 >/sys/kernel/mm/transparent_hugepage/khugepaged/defrag",
		FILE_KEPT("/sys/kernel/mm/transparent_hugepage/khugepaged/defrag", "0")},
	{"ksm", KNOB_MEMORY, "ksm", "whether a thread merges equal pages", "0", NULL, 0, judge_words, "0|2",
		CAUSE(TASK) | CAUSE(WAKE_LATE), "ksmd", "ksmd", "echo 0 >/sys/kernel/mm/ksm/run",
		FILE_KEPT("/sys/kernel/mm/ksm/run", "0")},
	{"compaction_proactiveness", KNOB_MEMORY, "compaction",
		"how much memory a thread compacts ahead of need", "0", NULL, 0, judge_words, "0",
		CAUSE(TASK) | CAUSE(WAKE_LATE), "kcompactd", "kcompactd",
		SYSCTL("vm.compaction_proactiveness=0"), SYSCTL_KEPT("vm.compaction_proactiveness = 0")},
	{"swappiness", KNOB_MEMORY, "swappiness",
		"how eagerly the kernel swaps, rather than drop files' pages", "any without swap", NULL, 0,
		judge_swappiness, NULL, CAUSE(BLOCKED), NULL, "waits in the kernel",
		SYSCTL("vm.swappiness=10"), SYSCTL_KEPT("vm.swappiness = 10")},
	{"stat_interval", KNOB_MEMORY, "stat_interval",
		"how often each CPU sums up its memory statistics, in s", "10 or more",
		"a kworker each second", 5 * US, judge_at_least, "10", CAUSE(TASK) | CAUSE(WAKE_LATE),
		"kworker", "kworkers", SYSCTL("vm.stat_interval=10"), SYSCTL_KEPT("vm.stat_interval = 10")},
	{"numa_balancing", KNOB_MEMORY, "numa_balancing", "whether pages follow the tasks that use them", "0",
		NULL, 0, judge_numa, "0", CAUSE(BLOCKED) | CAUSE(TASK), "waited in the kernel",
		"waits in the kernel", SYSCTL("kernel.numa_balancing=0"),
		SYSCTL_KEPT("kernel.numa_balancing = 0")},
	{"swap", KNOB_MEMORY, "swap", "whether memory can be written to a disk", "none", "a read from disk",
		10 * MS, judge_words, "none", CAUSE(BLOCKED), NULL, "waits in the kernel",
		"swapoff -a # what is swapped out needs free memory", "remove the swap areas from /etc/fstab",
		.instead =
			"swapoff reads all that is swapped out, and swapon does not swap it out again" INSTEAD},
	{"memlock", KNOB_MEMORY, "memlock", "how much memory members may lock", "unlimited",
		"a read from disk", 10 * MS, judge_words, "unlimited", CAUSE(BLOCKED), NULL,
		"waits in the kernel", "ulimit -l unlimited",
		"echo '* - memlock unlimited' >>/etc/security/limits.d/latency.conf",
		.instead =
			"members keep the limit from their start: run ipctop with each limit, and compare the reports"},
	{"clock source", KNOB_KERNEL, "clock_source", "where the time is read from", "tsc",
		"much slower clock reads (iceoryx2, issue 434)", 1 * US, judge_words,
		"tsc|kvm-clock|hyperv_clocksource_tsc_page|arch_sys_counter|riscv_clocksource|timebase|tod|Constant",
		0, NULL, NULL, "echo tsc >/sys/devices/system/clocksource/clocksource0/current_clocksource",
		BOOT("clocksource=tsc tsc=reliable")},
	{"tracing", KNOB_KERNEL, "tracing", "what the kernel traces for others", "off",
		"0.1 to 0.3 us an event (measured here)", 300, judge_words, "off", 0, NULL, NULL,
		"echo 0 >/sys/kernel/tracing/tracing_on",
		BOOT("without ftrace= and trace_event=; and no service that traces")},
	{"watchdog", KNOB_KERNEL, "watchdog", "whether the kernel looks for CPUs that are stuck", "0",
		"\"high\" (kernel documentation)", 1 * MS, judge_words, "0", CAUSE(TIMER) | CAUSE(TASK),
		"timer interrupt|watchdog|migration", "timer interrupts", SYSCTL("kernel.watchdog=0"),
		SYSCTL_KEPT("kernel.watchdog = 0")},
	{"nmi_watchdog", KNOB_KERNEL, "nmi_watchdog",
		"whether interrupts that can't be masked look for stuck CPUs", "0",
		"\"high\" (kernel documentation)", 1 * MS, judge_words, "0", CAUSE(NMI), NULL, "NMIs",
		SYSCTL("kernel.nmi_watchdog=0"), SYSCTL_KEPT("kernel.nmi_watchdog = 0")},
	{"irqsoff tracer", KNOB_KERNEL, "slow_tracers",
		"tracers that slow each lock even while they are unused", "none",
		"\"high\", even unused (kernel documentation)", 1 * MS, judge_words, "none", 0, NULL, NULL,
		NULL, "a kernel without IRQSOFF_TRACER and PREEMPT_TRACER"},
	{"debug options", KNOB_KERNEL, "debug_options",
		"options of the kernel that find its errors, by /proc/config.gz or /boot/config-*", "none",
		"\"high\" (kernel documentation)", 1 * MS, judge_words, "none", 0, NULL, NULL, NULL,
		"a kernel without them"},
	{"EFI runtime", KNOB_KERNEL, "efi_runtime", "whether the kernel calls the firmware", "off",
		"\"medium\" (kernel documentation)", 100 * US, judge_words, "off", 0, NULL, NULL, NULL,
		BOOT("efi=noruntime")},
	{"machine check interval", KNOB_KERNEL, "mce_interval",
		"how often each CPU looks for corrected errors, in s", "0", NULL, 0, judge_words, "0", 0,
		NULL, NULL, "echo 0 >/sys/devices/system/machinecheck/machinecheck0/check_interval",
		FILE_KEPT("/sys/devices/system/machinecheck/machinecheck0/check_interval", "0")},
	{"machine check ignore_ce", KNOB_KERNEL, "mce_ignore_ce", "whether corrected errors are ignored", "1",
		NULL, 0, judge_words, "1", 0, NULL, NULL,
		"echo 1 >/sys/devices/system/machinecheck/machinecheck0/ignore_ce", BOOT("mce=ignore_ce")},
	{"console log level", KNOB_KERNEL, "console_level", "up to which level messages go to the console",
		"4 or less", NULL, 0, judge_at_most, "4", 0, NULL, NULL, "dmesg -n 4",
		SYSCTL_KEPT("kernel.printk = 4 4 1 7")},
	{"consoles", KNOB_KERNEL, "consoles", "where messages go: a serial console is slow",
		"no serial one, or log level 1", NULL, 0, judge_consoles, NULL, 0, NULL, NULL, "dmesg -n 1",
		BOOT("no console=ttyS0")},
	{"graphics", KNOB_KERNEL, "gpu", "whether CPU and display share caches (i915, xe)", "none",
		"at most 146 to 226 against 65 to 95 us (linuxcnc, issue 4087)", 130 * US, judge_words,
		"none", 0, NULL, NULL, NULL, "another graphics card"},
	{"mitigations", KNOB_KERNEL, "mitigations", "whether the kernel guards against flaws of CPUs",
		"known: off is faster and less safe", NULL, 0, NULL, NULL, 0, NULL, NULL, NULL,
		BOOT("mitigations=off")},
	{"hung_task_timeout_secs", KNOB_KERNEL, "hung_task_secs", "whether a thread looks for stuck tasks",
		"0 where nobody reads its messages", NULL, 0, NULL, NULL, 0, NULL, NULL,
		SYSCTL("kernel.hung_task_timeout_secs=0"), SYSCTL_KEPT("kernel.hung_task_timeout_secs = 0")},
	{"kptr_restrict", KNOB_KERNEL, "kptr_restrict", "whether addresses are hidden from those who trace",
		"0 or 1", NULL, 0, NULL, NULL, 0, NULL, NULL, SYSCTL("kernel.kptr_restrict=1"),
		SYSCTL_KEPT("kernel.kptr_restrict = 1")},
	{"audit", KNOB_KERNEL, "audit", "whether the kernel writes down system calls and logins for auditd",
		"off where nobody reads it", NULL, 0, NULL, NULL, 0, NULL, NULL, "auditctl -e 0",
		BOOT("audit=0")},
	{"SMIs", KNOB_KERNEL, "smis", "interrupts by which the firmware stops all CPUs, since the run began",
		"none", "unbounded", UINT64_C(1000000000), judge_smis, NULL, CAUSE(UNEXPLAINED), NULL,
		"unexplained time", NULL,
		"settings of the firmware: no legacy USB, no power capping, no error logging by SMI"},
	{"hypervisor", KNOB_VIRTUAL, "hypervisor", "whether this is a virtual machine", "none", "unbounded",
		UINT64_C(1000000000), judge_words, "none", CAUSE(UNEXPLAINED), NULL, "unexplained time", NULL,
		"pin its virtual CPUs on the host (virsh vcpupin), and give them CPUs of their own"},
	{"steal", KNOB_VIRTUAL, "steal",
		"time that the hypervisor took in this run, or without one since the machine's start", "none",
		"unbounded", UINT64_C(1000000000), judge_words, "none", CAUSE(UNEXPLAINED), NULL,
		"unexplained time", NULL, "pin its virtual CPUs on the host (virsh vcpupin)"},
};

const size_t knobs_n = sizeof(knobs) / sizeof(*knobs);
_Static_assert(sizeof(knobs) / sizeof(*knobs) <= KNOBS_MAX, "each knob has its place in a list of advice");

const char *knob_try_refusal(const struct knob *knob)
{
	const struct machine_fact *fact = knob_fact(knob);

	return fact && fact->form ? NULL
	       : knob->instead    ? knob->instead
	       : knob->now        ? "it is not turned back and forth" INSTEAD
			   : "nothing changes it while the machine runs; ipctop audit tells how to change it";
}

const struct knob *knobs_to_try(unsigned i)
{
	for (size_t at = 0; at < knobs_n; at++)
		if (!knob_try_refusal(&knobs[at]) && i-- == 0)
			return &knobs[at];
	return NULL;
}

const char *knob_group_name(enum knob_group group)
{
	static const char *const names[N_KNOB_GROUPS] = {
		[KNOB_SCHEDULER] = "scheduler",
		[KNOB_CPUS] = "CPUs and isolation",
		[KNOB_INTERRUPTS] = "interrupts",
		[KNOB_POWER] = "power",
		[KNOB_MEMORY] = "memory",
		[KNOB_KERNEL] = "kernel",
		[KNOB_VIRTUAL] = "virtualisation",
	};

	return names[group];
}
