/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_advice.c - knobs judged by what they are set to, and by what a run blames. */
#include "src/model/advice.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/json.h"
#include "src/machine/machine_json.h"
#include "src/model/matrix.h"
#include "src/model/session.h"
#include "src/model/spikes.h"
#include "tests/unit/tap.h"

static struct advice_list list;

/* A machine with these facts, by their names in recordings: {"watchdog": "1"}. */
static struct machine machine_of(const char *json)
{
	struct machine machine = {0};
	struct json_object *object = json_tokener_parse(json);

	CHECK(object, "%s", json);
	machine_json_read(object, &machine);
	json_object_put(object);
	return machine;
}

static struct advice_site site_of(const struct machine *machine, const char *cpus, const char *others)
{
	struct advice_site site = {
		.machine = machine, .is_realtime = true, .is_fair = true, .least_priority = 50};

	CHECK(cpus_parse(&site.cpus, cpus) == 0 && cpus_parse(&site.others, others) == 0);
	return site;
}

static const struct advice *advice_named(const char *name)
{
	for (size_t i = 0; i < list.n; i++)
		if (strcmp(list.list[i].knob->name, name) == 0)
			return &list.list[i];
	CHECK(false, "%s", name);
	return &list.list[0];
}

static void each_knob_is_judged(void)
{
	static const struct {
		const char *name, *facts;
		enum advice_rank rank;
		const char *value;
	} rows[] = {
		{"preempt", "{\"preemption\": \"voluntary\"}", ADVICE_COSTS, "voluntary"},
		{"preempt", "{\"preemption\": \"PREEMPT_RT\"}", ADVICE_GOOD, "PREEMPT_RT"},
		{"preempt", "{\"preemption\": \"lazy\"}", ADVICE_COSTS, "lazy"},
		{"preempt", "{\"preemption\": \"dynamic\"}", ADVICE_DENIED, NULL},
		{"preempt", "{\"preemption\": \"?\"}", ADVICE_ABSENT, NULL},
		{"watchdog", "{\"watchdog\": \"1\"}", ADVICE_COSTS, "1"},
		{"watchdog", "{\"watchdog\": \"0\"}", ADVICE_GOOD, "0"},
		{"watchdog", "{\"watchdog\": \"absent\"}", ADVICE_ABSENT, NULL},
		{"watchdog", "{\"watchdog\": \"not readable\"}", ADVICE_DENIED, NULL},
		{"watchdog", "{}", ADVICE_ABSENT, NULL},
		{"stat_interval", "{\"stat_interval\": \"1\"}", ADVICE_COSTS, "1"},
		{"stat_interval", "{\"stat_interval\": \"10\"}", ADVICE_GOOD, "10"},
		{"sched_rt_runtime_us", "{\"rt_runtime_us\": 950000}", ADVICE_COSTS, "950000"},
		{"sched_rt_runtime_us", "{\"rt_runtime_us\": -1}", ADVICE_GOOD, "-1"},
		{"sched_rt_runtime_us", "{\"rt_runtime_us\": 950000, \"fair_server\": 1}", ADVICE_INFORMS,
			"950000"},
		{"governor", "{\"governor\": \"0-3:powersave\"}", ADVICE_COSTS, "powersave"},
		{"governor", "{\"governor\": \"0-1:powersave 2-3:performance\"}", ADVICE_GOOD, "performance"},
		{"governor", "{\"governor\": \"0-2:powersave 3:performance\"}", ADVICE_COSTS,
			"powersave on CPU 0"},
		{"governor", "{}", ADVICE_ABSENT, NULL},
		{"isolated", "{\"isolated\": \"2-5\"}", ADVICE_GOOD, "2-5"},
		{"isolated", "{\"isolated\": \"3-5\"}", ADVICE_COSTS, "3-5"},
		{"irq affinity", "{\"irq_affinity\": \"1-4:0-1 8:2\"}", ADVICE_MAY_COST,
			"1 of 5 IRQs come here"},
		{"irq affinity", "{\"irq_affinity\": \"1-4:0-1\"}", ADVICE_GOOD, NULL},
		{"irq affinity", "{\"irq_affinity\": \"not readable\"}", ADVICE_DENIED, NULL},
		{"default irq affinity", "{\"irq_default\": \"00000003\"}", ADVICE_GOOD, "00000003"},
		{"default irq affinity", "{\"irq_default\": \"4\"}", ADVICE_MAY_COST, "4"},
		{"workqueue cpumask", "{\"workqueue_cpus\": \"ff\"}", ADVICE_MAY_COST, "ff"},
		{"idle states", "{\"idle_latency\": \"0-3:133us\"}", ADVICE_COSTS, "133us"},
		{"idle states",
			"{\"idle_latency\": \"0-3:133us\", \"dma_latency_state\": 2, \"dma_latency_us\": 0}",
			ADVICE_GOOD, "133us"},
		{"real-time tasks of others", "{\"rivals\": \"hog FF90 on 0-1, other RR5 on 3,5\"}",
			ADVICE_COSTS, NULL},
		{"real-time tasks of others", "{\"rivals\": \"hog FF90 on 0-1, other RR5 on 4\"}",
			ADVICE_GOOD, NULL},
		{"real-time tasks of others", "{\"rivals\": \"none\"}", ADVICE_GOOD, "none"},
		{"rcu_nocbs", "{\"rcu_nocbs\": \"none\"}", ADVICE_INFORMS, "none"},
		{"rcu_nocbs", "{\"rcu_nocbs\": \"none\", \"isolated\": \"2-3\"}", ADVICE_MAY_COST, "none"},
		{"rcu_nocbs", "{\"rcu_nocbs\": \"2-7\", \"isolated\": \"2-3\"}", ADVICE_GOOD, "2-7"},
		{"frequency range", "{\"frequency_range\": \"0-3:800-4200MHz\"}", ADVICE_MAY_COST,
			"800-4200MHz"},
		{"frequency range", "{\"frequency_range\": \"0-3:4200-4200MHz\"}", ADVICE_GOOD,
			"4200-4200MHz"},
		{"numa_balancing", "{\"numa_balancing\": \"1\", \"n_nodes\": 2}", ADVICE_MAY_COST, "1"},
		{"numa_balancing", "{\"numa_balancing\": \"1\", \"n_nodes\": 1}", ADVICE_GOOD, "1"},
		{"console log level", "{\"console_level\": \"7\"}", ADVICE_MAY_COST, "7"},
		{"transparent_hugepage", "{\"thp\": \"always\"}", ADVICE_MAY_COST, "always"},
		{"timer slack", "{\"member_slack\": \"71:1ns 73:50000ns\"}", ADVICE_COSTS, "50000ns"},
		{"timer slack", "{\"member_slack\": \"71-73:1ns\"}", ADVICE_GOOD, "1ns"},
		{"timer slack", "{}", ADVICE_RUN_ONLY, NULL},
		{"base_slice_ns", "{\"base_slice_ns\": \"absent\", \"debugfs\": \"not mounted\"}",
			ADVICE_UNMOUNTED, NULL},
		{"base_slice_ns", "{\"base_slice_ns\": \"absent\", \"debugfs\": \"mounted\"}", ADVICE_ABSENT,
			NULL},
		{"fair_server runtime", "{\"debugfs\": \"not mounted\"}", ADVICE_UNMOUNTED, NULL},
		{"RUN_TO_PARITY", "{\"debugfs\": \"not mounted\"}", ADVICE_UNMOUNTED, NULL},
		{"preempt", "{\"preemption\": \"dynamic\", \"debugfs\": \"not mounted\"}", ADVICE_UNMOUNTED,
			NULL},
		{"watchdog", "{\"watchdog\": \"absent\", \"debugfs\": \"not mounted\"}", ADVICE_ABSENT, NULL},
		{"fair_server", "{\"fair_server\": 0}", ADVICE_GOOD, "off"},
		{"fair_server", "{\"fair_server\": 1}", ADVICE_INFORMS, "on, by the kernel's version"},
		{"fair_server", "{\"fair_server\": 1, \"fair_runtime\": \"0-3:50000000\"}", ADVICE_COSTS,
			"on"},
		{"swap", "{\"swap\": \"1 area\"}", ADVICE_COSTS, "1 area"},
		{"irqbalance", "{\"irqbalance\": \"none\"}", ADVICE_GOOD, "none"},
		{"irqbalance", "{\"irqbalance\": \"running\"}", ADVICE_MAY_COST, "running"},
		{"irqbalance", "{\"irqbalance\": \"running, not on 2\"}", ADVICE_MAY_COST, NULL},
		{"irqbalance", "{\"irqbalance\": \"running\", \"isolated\": \"0-7\"}", ADVICE_GOOD, NULL},
		{"irqbalance", "{\"irqbalance\": \"running, not on 2-7\"}", ADVICE_GOOD,
			"running, not on 2-7"},
		{"threads of interrupts", "{\"irq_threads\": \"none\"}", ADVICE_GOOD, "none"},
		{"threads of interrupts", "{\"irq_threads\": \"2, at most FF50 (irq/9-acpi on 0-3)\"}",
			ADVICE_MAY_COST, NULL},
		{"threads of interrupts", "{\"irq_threads\": \"2, at most FF49 (irq/9-acpi on 0-3)\"}",
			ADVICE_GOOD, NULL},
		{"threads of interrupts", "{\"irq_threads\": \"2, at most FF50 (irq/9-acpi on 0-1)\"}",
			ADVICE_INFORMS, NULL},
		{"HZ", "{\"tick_hz\": \"250\"}", ADVICE_INFORMS, "250"},
		{"audit", "{\"audit\": \"on\"}", ADVICE_INFORMS, "on"},
		{"SMIs", "{\"smis\": \"none\"}", ADVICE_INFORMS, "counted during a run"},
		{"SMIs", "{\"smis\": \"absent\"}", ADVICE_ABSENT, NULL},
		{"preempt", "{\"preemption\": \"lazy\"}", ADVICE_COSTS, "lazy"},
		{"preempt", "{\"preemption\": \"full\"}", ADVICE_GOOD, "full"},
		{"fair_server runtime", "{\"fair_runtime\": \"0-1:0 2-3:50000000\"}", ADVICE_COSTS,
			"50000000"},
		{"fair_server runtime", "{\"fair_runtime\": \"0-1:50000000 2-3:0\"}", ADVICE_GOOD, "0"},
		{"cpu.max", "{\"cpu_quota\": \"50000 of 100000 us\"}", ADVICE_COSTS, "50000 of 100000 us"},
		{"cpu.max", "{\"cpu_quota\": \"none\"}", ADVICE_GOOD, "none"},
		{"base_slice_ns", "{\"base_slice_ns\": \"2800000\"}", ADVICE_COSTS, "2800000"},
		{"base_slice_ns", "{\"base_slice_ns\": \"400000\"}", ADVICE_GOOD, "400000"},
		{"RUN_TO_PARITY", "{\"run_to_parity\": \"on\"}", ADVICE_COSTS, "on"},
		{"RUN_TO_PARITY", "{\"run_to_parity\": \"off\"}", ADVICE_GOOD, "off"},
		{"uclamp", "{}", ADVICE_RUN_ONLY, NULL},
		{"uclamp", "{\"member_uclamp\": \"71:0-1024\", \"frequency_range\": \"0-3:800-4200MHz\"}",
			ADVICE_MAY_COST, "0-1024"},
		{"uclamp",
			"{\"member_uclamp\": \"71-72:1024-1024\", \"frequency_range\": \"0-3:800-4200MHz\"}",
			ADVICE_GOOD, "1024-1024"},
		{"uclamp",
			"{\"member_uclamp\": \"71:0-1024 72:1024-1024\","
			"\"frequency_range\": \"0-3:800-4200MHz\", \"governor\": \"0-1:powersave 2-3:schedutil\"}",
			ADVICE_MAY_COST, "mixed"},
		{"uclamp",
			"{\"member_uclamp\": \"71:0-1024\", \"frequency_range\": \"0-3:800-4200MHz\","
			"\"governor\": \"0-1:schedutil 2-3:powersave\"}",
			ADVICE_INFORMS, "0-1024"},
		{"cgroup", "{\"member_cgroup\": \"71:/a\", \"cpu_quota\": \"2000 of 100000 us\"}",
			ADVICE_INFORMS, "/a"},
		{"sched_autogroup_enabled", "{\"autogroup\": \"1\"}", ADVICE_MAY_COST, "1"},
		{"sched_autogroup_enabled", "{\"autogroup\": \"0\"}", ADVICE_GOOD, "0"},
		{"rt_runtime of the cgroup", "{\"rt_runtime_zero_cgroup\": 1}", ADVICE_COSTS, "on"},
		{"rt_runtime of the cgroup", "{\"rt_runtime_zero_cgroup\": 0}", ADVICE_GOOD, "off"},
		{"online CPUs", "{\"online\": \"0-2\"}", ADVICE_MAY_COST, "0-2"},
		{"online CPUs", "{\"online\": \"0-7\"}", ADVICE_GOOD, "0-7"},
		{"cpuset", "{\"cpuset\": \"0-2\"}", ADVICE_MAY_COST, "0-2"},
		{"cpuset", "{\"cpuset\": \"2-3\"}", ADVICE_GOOD, "2-3"},
		{"cpuset", "{\"cpuset\": \"absent\"}", ADVICE_ABSENT, NULL},
		{"writeback cpumask", "{\"writeback_cpus\": \"f\"}", ADVICE_MAY_COST, "f"},
		{"writeback cpumask", "{\"writeback_cpus\": \"f3\"}", ADVICE_GOOD, "f3"},
		{"nohz_full", "{\"nohz_full\": \"2-3\"}", ADVICE_INFORMS, "2-3"},
		{"smt", "{\"smt\": 1}", ADVICE_MAY_COST, "on"},
		{"smt", "{\"smt\": 0}", ADVICE_GOOD, "off"},
		{"smt", "{\"smt\": -1}", ADVICE_ABSENT, NULL},
		{"effective irq affinity", "{\"irq_effective\": \"1-4:0 8:3\"}", ADVICE_MAY_COST,
			"1 of 5 IRQs come here"},
		{"effective irq affinity", "{\"irq_effective\": \"1-4:0 8:5\"}", ADVICE_GOOD, NULL},
		{"managed_irq", "{\"managed_irq\": \"off\", \"isolated\": \"2-3\"}", ADVICE_MAY_COST, "off"},
		{"managed_irq", "{\"managed_irq\": \"on\", \"isolated\": \"2-3\"}", ADVICE_GOOD, "on"},
		{"threadirqs", "{\"threadirqs\": \"all (PREEMPT_RT)\"}", ADVICE_INFORMS, "all (PREEMPT_RT)"},
		{"skew_tick", "{\"skew_tick\": \"none\"}", ADVICE_MAY_COST, "none"},
		{"skew_tick", "{\"skew_tick\": \"1\"}", ADVICE_GOOD, "1"},
		{"timer_migration", "{\"timer_migration\": \"1\"}", ADVICE_MAY_COST, "1"},
		{"timer_migration", "{\"timer_migration\": \"0\"}", ADVICE_GOOD, "0"},
		{"dma latency",
			"{\"idle_latency\": \"0-3:133us\", \"dma_latency_state\": 2, \"dma_latency_us\": 2000000000}",
			ADVICE_COSTS, "none"},
		{"dma latency", "{\"dma_latency_state\": 2, \"dma_latency_us\": 2000000000}", ADVICE_GOOD,
			"none"},
		{"dma latency", "{\"dma_latency_state\": 1, \"dma_latency_us\": -1}", ADVICE_DENIED, NULL},
		{"dma latency", "{\"dma_latency_state\": 0, \"dma_latency_us\": -1}", ADVICE_ABSENT, NULL},
		{"energy preference", "{\"energy_preference\": \"0-3:balance_power\"}", ADVICE_MAY_COST,
			"balance_power"},
		{"energy preference", "{\"energy_preference\": \"0-3:performance\"}", ADVICE_GOOD,
			"performance"},
		{"turbo", "{\"boost\": \"on\"}", ADVICE_INFORMS, "on"},
		{"transparent_hugepage", "{\"thp\": \"madvise\"}", ADVICE_GOOD, "madvise"},
		{"transparent_hugepage defrag", "{\"thp_defrag\": \"always\"}", ADVICE_MAY_COST, "always"},
		{"transparent_hugepage defrag", "{\"thp_defrag\": \"defer+madvise\"}", ADVICE_GOOD,
			"defer+madvise"},
		{"khugepaged", "{\"khugepaged_defrag\": \"1\"}", ADVICE_MAY_COST, "1"},
		{"khugepaged", "{\"khugepaged_defrag\": \"0\"}", ADVICE_GOOD, "0"},
		{"ksm", "{\"ksm\": \"1\"}", ADVICE_MAY_COST, "1"},
		{"ksm", "{\"ksm\": \"2\"}", ADVICE_GOOD, "2"},
		{"compaction_proactiveness", "{\"compaction\": \"20\"}", ADVICE_MAY_COST, "20"},
		{"compaction_proactiveness", "{\"compaction\": \"0\"}", ADVICE_GOOD, "0"},
		{"swappiness", "{\"swappiness\": \"60\", \"swap\": \"1 area\"}", ADVICE_INFORMS, "60"},
		{"swap", "{\"swap\": \"none\"}", ADVICE_GOOD, "none"},
		{"memlock", "{\"memlock\": \"8192 KiB\"}", ADVICE_COSTS, "8192 KiB"},
		{"memlock", "{\"memlock\": \"unlimited\"}", ADVICE_GOOD, "unlimited"},
		{"clock source", "{\"clock_source\": \"hpet\"}", ADVICE_COSTS, "hpet"},
		{"clock source", "{\"clock_source\": \"tsc\"}", ADVICE_GOOD, "tsc"},
		{"tracing", "{\"tracing\": \"function tracer\"}", ADVICE_COSTS, "function tracer"},
		{"tracing", "{\"tracing\": \"off\"}", ADVICE_GOOD, "off"},
		{"tracing", "{\"tracing\": \"not mounted\"}", ADVICE_UNMOUNTED, NULL},
		{"nmi_watchdog", "{\"nmi_watchdog\": \"1\"}", ADVICE_COSTS, "1"},
		{"nmi_watchdog", "{\"nmi_watchdog\": \"0\"}", ADVICE_GOOD, "0"},
		{"irqsoff tracer", "{\"slow_tracers\": \"irqsoff\"}", ADVICE_COSTS, "irqsoff"},
		{"irqsoff tracer", "{\"slow_tracers\": \"none\"}", ADVICE_GOOD, "none"},
		{"irqsoff tracer", "{\"slow_tracers\": \"absent\", \"tracing\": \"not mounted\"}",
			ADVICE_UNMOUNTED, NULL},
		{"irqsoff tracer", "{\"slow_tracers\": \"absent\", \"tracing\": \"absent\"}", ADVICE_ABSENT,
			NULL},
		{"debug options", "{\"debug_options\": \"KASAN\"}", ADVICE_COSTS, "KASAN"},
		{"debug options", "{\"debug_options\": \"none\"}", ADVICE_GOOD, "none"},
		{"EFI runtime", "{\"efi_runtime\": \"on\"}", ADVICE_COSTS, "on"},
		{"EFI runtime", "{\"efi_runtime\": \"off\"}", ADVICE_GOOD, "off"},
		{"machine check interval", "{\"mce_interval\": \"300\"}", ADVICE_MAY_COST, "300"},
		{"machine check interval", "{\"mce_interval\": \"0\"}", ADVICE_GOOD, "0"},
		{"machine check ignore_ce", "{\"mce_ignore_ce\": \"0\"}", ADVICE_MAY_COST, "0"},
		{"machine check ignore_ce", "{\"mce_ignore_ce\": \"1\"}", ADVICE_GOOD, "1"},
		{"console log level", "{\"console_level\": \"4\"}", ADVICE_GOOD, "4"},
		{"consoles", "{\"consoles\": \"tty0 ttyS0\"}", ADVICE_MAY_COST, "tty0 ttyS0"},
		{"consoles", "{\"consoles\": \"tty0\"}", ADVICE_GOOD, "tty0"},
		{"consoles", "{\"consoles\": \"ttyS0\", \"console_level\": \"1\"}", ADVICE_GOOD, "ttyS0"},
		{"graphics", "{\"gpu\": \"i915\"}", ADVICE_COSTS, "i915"},
		{"graphics", "{\"gpu\": \"none\"}", ADVICE_GOOD, "none"},
		{"mitigations", "{\"mitigations\": \"3 of 9 flaws guarded, none open\"}", ADVICE_INFORMS,
			"3 of 9 flaws guarded, none open"},
		{"hung_task_timeout_secs", "{\"hung_task_secs\": \"120\"}", ADVICE_INFORMS, "120"},
		{"kptr_restrict", "{\"kptr_restrict\": \"2\"}", ADVICE_INFORMS, "2"},
		{"hypervisor", "{\"hypervisor\": \"xen\"}", ADVICE_COSTS, "xen"},
		{"hypervisor", "{\"hypervisor\": \"none\"}", ADVICE_GOOD, "none"},
		{"steal", "{\"steal\": \"0.3 %\"}", ADVICE_COSTS, "0.3 %"},
		{"steal", "{\"steal\": \"none\"}", ADVICE_GOOD, "none"},
	};
	bool is_judged[KNOBS_MAX] = {false};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct machine machine = machine_of(rows[i].facts);
		struct advice_site site = site_of(&machine, "2-3", "0-1,4-7");

		advice_make(&list, &site);
		const struct advice *advice = advice_named(rows[i].name);

		is_judged[advice->knob - knobs] = true;
		CHECK(advice->rank == rows[i].rank, "row %zu, %s: %s", i, rows[i].name,
			advice_rank_word(advice->rank));
		CHECK(!rows[i].value || strcmp(advice->found.value, rows[i].value) == 0, "row %zu: %s", i,
			advice->found.value);
		machine_finish(&machine);
	}
	for (size_t i = 0; i < knobs_n; i++)
		CHECK(is_judged[i], "no row has %s", knobs[i].name);
}

static void what_does_nothing_here_is_said(void)
{
	static const struct {
		const char *name, *facts;
		bool is_realtime;
		const char *reason;
	} rows[] = {
		{"sched_rt_runtime_us", "{\"rt_runtime_us\": 950000, \"fair_server\": 1}", true,
			"the kernel's fair server acts in its place"},
		{"sched_rt_runtime_us",
			"{\"rt_runtime_us\": 950000, \"fair_server\": 1, \"rt_group_sched\": 1}", true, NULL},
		{"sched_rt_runtime_us", "{\"rt_runtime_us\": 950000}", true, NULL},
		{"sched_rt_runtime_us", "{\"rt_runtime_us\": 950000}", false,
			"no member has a real-time policy"},
		{"fair_server", "{\"fair_server\": 1}", false, "no member has a real-time policy"},
		{"fair_server", "{\"fair_server\": 1}", true, NULL},
		{"swappiness", "{\"swappiness\": \"60\", \"swap\": \"none\"}", true, "there is no swap"},
		{"swappiness", "{\"swappiness\": \"60\", \"swap\": \"1 area\"}", true, NULL},
		{"cgroup", "{\"member_cgroup\": \"71:/a\", \"cpu_quota\": \"none\"}", true,
			"no cgroup limits the members' CPU time"},
		{"cgroup", "{\"member_cgroup\": \"71:/a\", \"cpu_quota\": \"2000 of 100000 us\"}", true,
			NULL},
		{"uclamp", "{\"member_uclamp\": \"71:0-1024\"}", true,
			"the kernel changes no frequency of a CPU"},
		{"uclamp",
			"{\"member_uclamp\": \"71:0-1024\", \"frequency_range\": \"0-3:800-4200MHz\","
			"\"governor\": \"0-3:performance\"}",
			true, "only the governor schedutil heeds it"},
		{"uclamp",
			"{\"member_uclamp\": \"71:0-1024\", \"frequency_range\": \"0-3:800-4200MHz\","
			"\"governor\": \"0-3:schedutil\"}",
			true, NULL},
		{"managed_irq", "{\"managed_irq\": \"off\"}", true, "no CPU is isolated"},
		{"managed_irq", "{\"managed_irq\": \"off\", \"isolated\": \"2\"}", true, NULL},
		{"watchdog", "{\"watchdog\": \"1\"}", false, NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct machine machine = machine_of(rows[i].facts);
		struct advice_site site = site_of(&machine, "2-3", "0-1,4-7");
		char text[ADVICE_TEXT_SIZE];

		site.is_realtime = rows[i].is_realtime;
		advice_make(&list, &site);
		const struct advice *advice = advice_named(rows[i].name);
		const char *reason = advice_no_effect(knob_fact(advice->knob), &site);

		CHECK(reason == rows[i].reason ||
				(reason && rows[i].reason && !strcmp(reason, rows[i].reason)),
			"row %zu: %s", i, reason ? reason : "none");
		CHECK(!rows[i].reason == !strstr(advice_cost_text(advice, text), "nothing here: "),
			"row %zu: %s", i, text);
		machine_finish(&machine);
	}
}

static void smis_of_a_run_are_judged(void)
{
	static const struct {
		const char *facts;
		enum advice_rank rank;
	} rows[] = {
		{"{\"smis\": \"none\"}", ADVICE_GOOD},
		{"{\"smis\": \"3\"}", ADVICE_COSTS},
		{"{\"smis\": \"none\", \"hypervisor\": \"none\"}", ADVICE_GOOD},
		{"{\"smis\": \"none\", \"hypervisor\": \"xen\"}", ADVICE_INFORMS},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct machine machine = machine_of(rows[i].facts);
		struct advice_site site = site_of(&machine, "2-3", "0-1,4-7");
		const struct blame_sums blames = {0};

		site.blames = &blames;
		advice_make(&list, &site);
		CHECK(advice_named("SMIs")->rank == rows[i].rank, "%s: %s", rows[i].facts,
			advice_rank_word(advice_named("SMIs")->rank));
		machine_finish(&machine);
	}
}

static void each_knob_has_a_fact_and_is_complete(void)
{
	for (size_t i = 0; i < knobs_n; i++) {
		const struct knob *knob = &knobs[i];
		const char *refusal = knob_try_refusal(knob);

		/* A command that changes it now, and "nothing changes it", would contradict each other. */
		CHECK(!refusal || !strstr(refusal, "nothing changes it") == (knob->now != NULL), "%s: %s",
			knob->name, refusal);
		size_t f = 0;

		while (f < machine_n_facts && strcmp(machine_facts[f].field.key, knob->fact) != 0)
			f++;
		CHECK(f < machine_n_facts, "%s: no fact %s", knob->name, knob->fact);
		CHECK(*knob->about && *knob->good && (knob->now || knob->keep), "%s", knob->name);
		CHECK(!knob->causes || knob->blamed, "%s: causes have no words", knob->name);
		for (size_t j = 0; j < i; j++)
			CHECK(strcmp(knobs[j].name, knob->name) != 0, "%s twice", knob->name);
	}
}

static void what_was_seen_comes_first(void)
{
	struct machine machine = machine_of(
		"{\"watchdog\": \"1\", \"nmi_watchdog\": \"1\", \"skew_tick\": \"none\","
		"\"preemption\": \"voluntary\", \"ksm\": \"1\", \"isolated\": \"0-1\", \"nohz_full\": \"0-1\"}");
	struct blame_sums blames = {.n = 2,
		.list = {{"timer interrupt", CAUSE_TIMER, 40, 4}, {"ksmd (nice 5)", CAUSE_TASK, 6, 1}},
		.n_spikes = 5,
		.ns = 1000,
		.kind_ns = {[CAUSE_TIMER] = 40, [CAUSE_TASK] = 6, [CAUSE_UNEXPLAINED] = 954}};
	struct advice_site site = site_of(&machine, "0-1", "");
	char text[ADVICE_TEXT_SIZE];

	advice_make(&list, &site);
	CHECK(!list.has_blames && strcmp(list.list[0].knob->name, "preempt") == 0, "%s",
		list.list[0].knob->name);
	site.blames = &blames;
	advice_make(&list, &site);
	CHECK(list.has_blames && list.n_ranks[ADVICE_SEEN] == 4, "%zu", list.n_ranks[ADVICE_SEEN]);
	CHECK(strcmp(list.list[0].knob->name, "watchdog") == 0, "%s", list.list[0].knob->name);
	CHECK(strcmp(list.list[1].knob->name, "skew_tick") == 0, "%s", list.list[1].knob->name);
	CHECK(strcmp(list.list[2].knob->name, "nohz_full") == 0, "%s", list.list[2].knob->name);
	CHECK(strcmp(list.list[3].knob->name, "ksm") == 0, "%s", list.list[3].knob->name);
	advice_cost_text(&list.list[1], text);
	CHECK(strcmp(text, "timer interrupts cost 4 % of all spikes here, shared by 3 knobs") == 0, "%s",
		text);
	advice_cost_brief(&list.list[1], text);
	CHECK(strcmp(text, "timer interrupts, shared by 3 knobs") == 0, "%s", text);
	advice_cost_text(&list.list[3], text);
	CHECK(strcmp(text, "ksmd cost less than 1 % of all spikes here") == 0, "%s", text);
	CHECK(advice_named("nmi_watchdog")->rank == ADVICE_NO_EFFECT);
	advice_cost_text(advice_named("preempt"), text);
	CHECK(strncmp(text, "no effect seen here", 19) == 0, "%s", text);
	CHECK(advice_has_cost(&list));
	memset(blames.kind_ns, 0, sizeof(blames.kind_ns));
	blames.kind_ns[CAUSE_UNSEEN] = blames.ns / 2; /* the other half is under way */
	advice_make(&list, &site);
	CHECK(!list.has_blames, "what no recorder saw blames nobody");
	machine_finish(&machine);
}

static void a_cause_seen_ranks_what_only_informs(void)
{
	static const struct {
		const char *name, *facts;
		enum cause_kind kind;
		const char *blamed;
		enum advice_rank rank;
		const char *cost;
	} rows[] = {
		{"cpu.max", "{\"cpu_quota\": \"2000 of 100000 us\"}", CAUSE_THROTTLED, "throttled (quota)",
			ADVICE_SEEN, "quotas of CPU time cost 95 % of all spikes here"},
		{"cpu.max", "{\"cpu_quota\": \"2000 of 100000 us\"}", CAUSE_THROTTLED, "throttled (RT limit)",
			ADVICE_NO_EFFECT, NULL},
		{"cpu.max", "{\"cpu_quota\": \"none\"}", CAUSE_THROTTLED, "throttled (quota)", ADVICE_GOOD,
			NULL},
		{"sched_rt_runtime_us", "{\"rt_runtime_us\": 950000}", CAUSE_THROTTLED,
			"throttled (RT limit)", ADVICE_SEEN, "throttling cost 95 % of all spikes here"},
		{"fair_server", "{\"fair_server\": 1}", CAUSE_THROTTLED,
			"throttled (fair server or RT limit)", ADVICE_SEEN,
			"the fair server's tasks cost 95 % of all spikes here"},
		{"HZ", "{\"tick_hz\": \"250\"}", CAUSE_TIMER, "timer interrupt", ADVICE_SEEN,
			"timer interrupts cost 95 % of all spikes here, shared by 2 knobs"},
		{"HZ", "{\"tick_hz\": \"250\"}", CAUSE_IRQ, "irq nvme0q5", ADVICE_INFORMS, ""},
		{"ksm", "{\"ksm\": \"0\"}", CAUSE_IRQ, "irq nvme0q5", ADVICE_GOOD, ""},
		{"ksm", "{\"ksm\": \"1\"}", CAUSE_IRQ, "irq nvme0q5", ADVICE_NO_EFFECT,
			"no effect seen here"},
		{"smt", "{\"smt\": 1}", CAUSE_IRQ, "irq nvme0q5", ADVICE_MAY_COST, "no figure is published"},
		{"watchdog", "{\"watchdog\": \"1\"}", CAUSE_IRQ, "irq nvme0q5", ADVICE_NO_EFFECT,
			"no effect seen here; elsewhere: \"high\" (kernel documentation)"},
		{"sched_rt_runtime_us", "{\"rt_runtime_us\": 950000, \"fair_server\": 1}", CAUSE_THROTTLED,
			"throttled (RT limit)", ADVICE_INFORMS,
			"nothing here: the kernel's fair server acts in its place"},
		{"sched_rt_runtime_us", "{\"rt_runtime_us\": 950000, \"fair_runtime\": \"not readable\"}",
			CAUSE_THROTTLED, "throttled (RT limit)", ADVICE_SEEN, NULL},
		{"cgroup", "{\"member_cgroup\": \"71:/a\", \"cpu_quota\": \"none\", \"cgroups\": \"v1\"}",
			CAUSE_THROTTLED, "throttled (RT limit)", ADVICE_SEEN,
			"limits of cgroups cost 95 % of all spikes here"},
		{"cgroup", "{\"member_cgroup\": \"71:/a\", \"cpu_quota\": \"none\"}", CAUSE_THROTTLED,
			"throttled (quota)", ADVICE_INFORMS,
			"nothing here: no cgroup limits the members' CPU time"},
		{"SMIs", "{\"smis\": \"none\", \"hypervisor\": \"xen\"}", CAUSE_UNEXPLAINED, "unexplained",
			ADVICE_INFORMS, "nothing here: a guest does not see those of its host"},
		{"SMIs", "{\"smis\": \"2\", \"hypervisor\": \"none\"}", CAUSE_UNEXPLAINED, "unexplained",
			ADVICE_SEEN, "unexplained time cost 95 % of all spikes here"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct machine machine = machine_of(rows[i].facts);
		struct advice_site site = site_of(&machine, "2-3", "0-1,4-7");
		struct blame_sums blames = {.n_spikes = 5, .ns = 1000, .kind_ns = {[CAUSE_OWN] = 50}};
		char text[ADVICE_TEXT_SIZE];

		blames.kind_ns[rows[i].kind] = 950;
		blames.n = 1;
		blames.list[0] = (struct blamed){.kind = rows[i].kind, .ns = 950, .n = 4};
		snprintf(blames.list[0].text, sizeof(blames.list[0].text), "%s", rows[i].blamed);
		site.blames = &blames;
		advice_make(&list, &site);
		const struct advice *advice = advice_named(rows[i].name);

		CHECK(advice->rank == rows[i].rank, "row %zu, %s: %s", i, rows[i].name,
			advice_rank_word(advice->rank));
		CHECK(!rows[i].cost || strcmp(advice_cost_text(advice, text), rows[i].cost) == 0,
			"row %zu: %s", i, text);
		machine_finish(&machine);
	}
}

static void knobs_of_fair_tasks_are_not_blamed_for_others(void)
{
	struct machine machine =
		machine_of("{\"autogroup\": \"1\", \"isolated\": \"\", \"rivals\": \"hog FF90 on 2\"}");
	struct blame_sums blames = {.n = 3,
		.list = {{"hog (RT90)", CAUSE_TASK, 900, 9}, {"edf (DL)", CAUSE_TASK, 50, 1},
			{"make", CAUSE_TASK, 50, 1}},
		.n_spikes = 9,
		.ns = 1000,
		.kind_ns = {[CAUSE_TASK] = 1000}};
	struct advice_site site = site_of(&machine, "2-3", "0-1");

	site.blames = &blames;
	advice_make(&list, &site);
	CHECK(advice_named("sched_autogroup_enabled")->seen_ns == 50, "%llu",
		(unsigned long long)advice_named("sched_autogroup_enabled")->seen_ns);
	CHECK(advice_named("real-time tasks of others")->seen_ns == 950);
	CHECK(advice_named("isolated")->seen_ns == 1000);
	blames.ns = blames.kind_ns[CAUSE_TASK] = 950;
	blames.n = 2;
	advice_make(&list, &site);
	CHECK(advice_named("sched_autogroup_enabled")->rank == ADVICE_NO_EFFECT);
	site.is_fair = false;
	advice_make(&list, &site);
	CHECK(advice_named("sched_autogroup_enabled")->rank == ADVICE_INFORMS);
	machine_finish(&machine);
}

static void lazy_preemption_delays_no_realtime_member(void)
{
	struct machine machine = machine_of("{\"preemption\": \"lazy\"}");
	struct advice_site site = site_of(&machine, "2-3", "0-1,4-7");

	site.is_fair = false;
	advice_make(&list, &site);
	CHECK(advice_named("preempt")->rank == ADVICE_GOOD);
	machine_finish(&machine);
}

static void what_nothing_here_changes_is_no_cost(void)
{
	static const struct {
		const char *facts;
		bool has_cost;
	} rows[] = {
		{"{\"hypervisor\": \"yes\", \"steal\": \"0.3 %\"}", false},
		{"{\"fair_server\": 1}", false},
		{"{\"debug_options\": \"KASAN\"}", false},
		{"{\"efi_runtime\": \"on\"}", true}, /* a boot option */
		{"{\"hypervisor\": \"yes\", \"watchdog\": \"1\"}", true},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct machine machine = machine_of(rows[i].facts);
		struct advice_site site = site_of(&machine, "2-3", "0-1,4-7");

		machine.rt_runtime_us = -1;
		strcpy(machine.isolated, "2-3");
		advice_make(&list, &site);
		CHECK(advice_has_cost(&list) == rows[i].has_cost, "row %zu: %s", i, list.list[0].knob->name);
		machine_finish(&machine);
	}
}

static void groups_follow_their_worst_knob(void)
{
	struct machine machine = machine_of(
		"{\"watchdog\": \"0\", \"swap\": \"1 area\", \"ksm\": \"1\", \"rt_runtime_us\": -1, \"thp\": \"never\"}");
	struct advice_site site = site_of(&machine, "0", "1");
	bool seen[N_KNOB_GROUPS] = {false};

	advice_make(&list, &site);
	advice_group(&list);
	CHECK(list.n == knobs_n);
	for (size_t i = 0; i < list.n; i++) {
		enum knob_group group = list.list[i].knob->group;
		bool begins = !i || list.list[i - 1].knob->group != group;

		CHECK(!begins || !seen[group], "%s is in two places", knob_group_name(group));
		CHECK(begins || list.list[i - 1].rank <= list.list[i].rank, "%s", list.list[i].knob->name);
		seen[group] = true;
	}
	machine_finish(&machine);
}

static void commands_name_the_cpus(void)
{
	struct machine machine = machine_of("{\"irq_affinity\": \"3-4:0-1 8:2-3\", \"irq_default\": \"f\"}");
	struct advice_site site = site_of(&machine, "2-3", "0-1,33"), whole = site_of(&machine, "0-3", "");
	char text[ADVICE_TEXT_SIZE];

	advice_make(&list, &site);
	const struct advice *irqs = advice_named("irq affinity"),
			    *mask = advice_named("default irq affinity");

	advice_command(irqs, &site, irqs->knob->now, text);
	CHECK(strcmp(text, "for f in /proc/irq/*/smp_affinity_list; do echo 0-1,33 >$f; done") == 0, "%s",
		text);
	advice_command(mask, &site, mask->knob->now, text);
	CHECK(strcmp(text, "echo 2,00000003 >/proc/irq/default_smp_affinity") == 0, "%s", text);
	CHECK(*advice_command(mask, &site, NULL, text) == '\0');
	advice_command(mask, &whole, mask->knob->now, text);
	CHECK(strcmp(text, "# members have all CPUs: leave some to others first (-c)") == 0, "%s", text);
	machine_finish(&machine);
}

static void commands_name_the_members(void)
{
	static const struct {
		const char *knob, *facts, *now, *keep;
	} rows[] = {
		{"timer slack", "{\"member_cgroup\": \"71-72:/a 80:/b\"}",
			"for t in 71 72 80; do echo 1 >/proc/$t/timerslack_ns; done", NULL},
		{"timer slack", "{}", "for t in TID...; do echo 1 >/proc/$t/timerslack_ns; done", NULL},
		{"cpu.max", "{\"member_cgroup\": \"71-72:/system.slice/a.service\"}",
			"echo max >/sys/fs/cgroup/system.slice/a.service/cpu.max # or to that of a cgroup above",
			"systemctl set-property a.service CPUQuota="},
		{"cpu.max", "{\"member_cgroup\": \"71-72:/a 80:/b\", \"cgroups\": \"v2\"}",
			"echo max >/sys/fs/cgroup/CGROUP/cpu.max # or to that of a cgroup above",
			"systemctl set-property UNIT CPUQuota="},
		{"cpu.max", "{\"member_cgroup\": \"71-72:/a\", \"cgroups\": \"v1\"}",
			"echo -1 >/sys/fs/cgroup/cpu/a/cpu.cfs_quota_us # or to that of a cgroup above",
			"systemctl set-property UNIT CPUQuota="},
		{"cgroup", "{\"member_cgroup\": \"71:/\", \"cgroups\": \"v1\"}",
			"for t in 71; do echo $t >/sys/fs/cgroup/cpu/cgroup.procs; done", NULL},
		{"isolated", "{\"cgroups\": \"v1\"}", "", NULL},
		{"tracing", "{\"tracing\": \"not mounted\"}", "mount -t tracefs none /sys/kernel/tracing",
			NULL},
		{"base_slice_ns", "{\"base_slice_ns\": \"absent\", \"debugfs\": \"not mounted\"}",
			"mount -t debugfs none /sys/kernel/debug", NULL},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct machine machine = machine_of(rows[i].facts);
		struct advice_site site = site_of(&machine, "2-3", "0-1");
		char text[ADVICE_TEXT_SIZE];

		advice_make(&list, &site);
		const struct advice *advice = advice_named(rows[i].knob);

		advice_command(advice, &site, advice_now(advice, &site), text);
		CHECK(strcmp(text, rows[i].now) == 0, "row %zu: %s", i, text);
		advice_command(advice, &site, advice->knob->keep, text);
		CHECK(!rows[i].keep || strcmp(text, rows[i].keep) == 0, "row %zu: %s", i, text);
		machine_finish(&machine);
	}
}

static void a_sweep_has_the_site_of_its_cpus(void)
{
	struct sweep_cpu cpus[] = {{.cpu = 1}, {.cpu = 3}};
	struct matrix matrix = {.cpus = cpus, .n_cpus = 2, .policy = {SCHED_FIFO, 60, 0}};
	struct session session = {.matrix = &matrix, .machine.n_cpus = 4};
	struct advice_site site;
	char text[32];

	advice_site_of(&site, &session);
	CHECK(strcmp(cpus_format(&site.cpus, text, sizeof(text)), "1,3") == 0, "%s", text);
	CHECK(strcmp(cpus_format(&site.others, text, sizeof(text)), "0,2") == 0, "%s", text);
	CHECK(site.is_realtime && !site.is_fair && site.least_priority == 60);
	matrix.policy.policy = -1;
	advice_site_of(&site, &session);
	CHECK(!site.is_realtime && !site.is_fair && !site.least_priority, "an old recording has no policy");
}

int main(void)
{
	TEST(each_knob_is_judged);
	TEST(what_does_nothing_here_is_said);
	TEST(smis_of_a_run_are_judged);
	TEST(each_knob_has_a_fact_and_is_complete);
	TEST(what_was_seen_comes_first);
	TEST(a_cause_seen_ranks_what_only_informs);
	TEST(knobs_of_fair_tasks_are_not_blamed_for_others);
	TEST(lazy_preemption_delays_no_realtime_member);
	TEST(what_nothing_here_changes_is_no_cost);
	TEST(groups_follow_their_worst_knob);
	TEST(commands_name_the_cpus);
	TEST(commands_name_the_members);
	TEST(a_sweep_has_the_site_of_its_cpus);
	return tap_done();
}
