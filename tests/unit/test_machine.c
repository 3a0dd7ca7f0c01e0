/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_machine.c - the facts about a machine: what is read off texts, and this machine's own. */
#include "src/machine/machine.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "src/base/json.h"
#include "src/machine/cpu_quota.h"
#include "src/machine/machine_json.h"
#include "src/machine/settings.h"
#include "src/machine/topology.h"
#include "src/machine/tracing.h"
#include "tests/unit/tap.h"

static void preemption_is_found_in_debugfs_then_the_version(void)
{
	static const struct {
		const char *debug, *version, *cmdline, *word;
		bool is_built_lazy;
	} cases[] = {
		{"none voluntary (full) lazy", "#1 SMP PREEMPT_DYNAMIC x", "", "full"},
		{"(none) voluntary full", "", "", "none"},
		{"", "#1 SMP PREEMPT_RT Debian 6.12", "quiet", "PREEMPT_RT"},
		{"", "#1 SMP PREEMPT_DYNAMIC Debian 6.12", "quiet", "dynamic"},
		{"", "#1 SMP PREEMPT_DYNAMIC Debian 6.12", "quiet preempt=voluntary ro\n", "voluntary"},
		{"", "#1 SMP PREEMPT_DYNAMIC Debian 6.12", "preempt=full", "full"},
		{"", "#1 SMP PREEMPT_DYNAMIC Debian 6.12", "x.preempt=full", "dynamic"},
		{"", "#1 SMP PREEMPT Mon", "preempt=none", "full"},
		{"", "#1 SMP PREEMPT Mon", "", "lazy", true},
		{"", "#1 SMP PREEMPT_RT Mon", "", "PREEMPT_RT", true},
		{"none voluntary full (lazy)", "#1 SMP PREEMPT_DYNAMIC x", "", "lazy", true},
		{"none voluntary (full) lazy", "#1 SMP PREEMPT_DYNAMIC x", "", "full", true},
		{"", "#1 SMP Debian 5.10", "", "?"},
		{"", "", "", "?"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char word[24];

		settings_preemption(cases[i].debug, cases[i].version, cases[i].cmdline,
			cases[i].is_built_lazy, word, sizeof(word));
		CHECK(strcmp(word, cases[i].word) == 0, "case %zu: %s", i, word);
	}
}

static void the_cpu_cgroup_is_found_among_others(void)
{
	static const char mounts[] = "tmpfs /sys/fs/cgroup tmpfs rw 0 0\n"
				     "cgroup /sys/fs/cgroup/cpuacct cgroup rw,cpuacct 0 0\n"
				     "cgroup /sys/fs/cgroup/cpu cgroup rw,relatime,cpu 0 0\n";
	static const struct {
		const char *cgroup, *mounts, *directory; /* NULL: none */
	} cases[] = {
		{"3:cpuset:/\n1:cpu:/\n0::/\n", mounts, "/sys/fs/cgroup/cpu"},
		{"3:cpuset:/a\n1:cpu,cpuacct:/b/c\n", mounts, "/sys/fs/cgroup/cpu/b/c"},
		{"3:cpuset:/a\n2:cpuacct:/b\n", mounts, NULL},
		{"0::/user.slice\n", mounts, NULL},
		{"1:cpu:/\n", "cgroup2 /sys/fs/cgroup cgroup2 rw,cpu 0 0\n", NULL},
		{"", "", NULL},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char directory[128] = "", mount[128] = "";
		bool found = cpu_quota_old_cgroup(
			cases[i].cgroup, cases[i].mounts, directory, mount, sizeof(mount));

		CHECK(found == !!cases[i].directory, "case %zu", i);
		CHECK(!found || strcmp(directory, cases[i].directory) == 0, "case %zu: %s", i, directory);
		CHECK(!found || strcmp(mount, "/sys/fs/cgroup/cpu") == 0, "case %zu: %s", i, mount);
	}
}

/* Each is written to a file; "": there is none. */
struct traced {
	const char *on, *tracer, *events;
};

static void write_file(const char *folder, const char *name, const char *text)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *file = *text ? fopen(path, "we") : NULL;

	CHECK(!*text || (file && fprintf(file, "%s\n", text) > 0 && fclose(file) == 0), "%s", path);
}

static void write_traced(const char *folder, const struct traced *traced)
{
	char path[256];

	snprintf(path, sizeof(path), "%s/events", folder);
	CHECK(mkdir(folder, 0755) == 0 && mkdir(path, 0755) == 0);
	write_file(folder, "tracing_on", traced->on);
	write_file(folder, "current_tracer", traced->tracer);
	write_file(path, "enable", traced->events);
}

static void tracing_is_found_in_all_instances(void)
{
	static const struct {
		struct traced top, instance;
		const char *word;
	} cases[] = {
		{{"", "", ""}, {"", "", ""}, "not mounted"},
		{{"1", "nop", "0"}, {"1", "nop", "0"}, "off"},
		{{"1", "", ""}, {"", "", ""}, "off"},
		{{"0", "function", "1"}, {"", "", ""}, "off"},
		{{"1", "function", "0"}, {"", "", ""}, "function"},
		{{"1", "nop", "X"}, {"0", "nop", "1"}, "events"},
		{{"1", "function_graph", "1"}, {"1", "osnoise", "0"}, "function_graph, events, osnoise"},
		{{"1", "nop", "0"}, {"1", "nop", "1"}, "events"},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char folder[] = "/tmp/ipctop-tracing-XXXXXX", path[64], word[64], command[80];

		CHECK(mkdtemp(folder) && rmdir(folder) == 0);
		write_traced(folder, &cases[i].top);
		snprintf(path, sizeof(path), "%s/instances", folder);
		CHECK(mkdir(path, 0755) == 0);
		snprintf(path, sizeof(path), "%s/instances/other", folder);
		write_traced(path, &cases[i].instance);
		tracing_read(folder, word, sizeof(word));
		CHECK(strcmp(word, cases[i].word) == 0, "case %zu: %s", i, word);
		snprintf(command, sizeof(command), "rm -r %s", folder);
		CHECK(system(command) == 0);
		tracing_read(folder, word, sizeof(word));
		CHECK(strcmp(word, "absent") == 0, "case %zu: %s", i, word);
	}
}

static void idle_states_that_are_enabled_are_listed(void)
{
	static const struct {
		const char *command, *states; /* NULL: the CPU has none */
	} rows[] = {
		{"true", NULL},
		{"mkdir -p cpuidle/state0 cpuidle/state1 && echo POLL >cpuidle/state0/name && "
		 "echo C6 deep >cpuidle/state1/name && echo 0 | tee cpuidle/state0/disable >cpuidle/state1/disable",
			"POLL,C6_deep"},
		{"echo 1 >cpuidle/state1/disable", "POLL"},
		{"echo 1 >cpuidle/state0/disable", "none"},
	};
	char folder[] = "/tmp/ipctop-idle-XXXXXX", command[320], states[64];
	const struct machine_fact *fact = machine_fact_reported("idle_states");

	CHECK(mkdtemp(folder));
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(command, sizeof(command), "cd %s && %s", folder, rows[i].command);
		CHECK(system(command) == 0, "%s", command);
		ssize_t length = fact->read_row(folder, states, sizeof(states));

		CHECK((length > 0) == !!rows[i].states, "row %zu: %zd", i, length);
		CHECK(!rows[i].states || strcmp(states, rows[i].states) == 0, "row %zu: %s", i, states);
	}
	snprintf(command, sizeof(command), "rm -r %s", folder);
	CHECK(system(command) == 0);
}

static void this_machine_is_read(void)
{
	struct topology_cpu cpus[8];
	const struct topology topology = {
		.cpus = cpus, .n_cpus = 8, .n_cores = 4, .n_packages = 2, .n_nodes = 1};
	struct machine machine;
	struct utsname name;

	for (int i = 0; i < 8; i++)
		cpus[i] = (struct topology_cpu){(unsigned)i, i & ~1, -1, i & ~3, i & ~3, 0, -1, -1, NULL};

	machine_read(&machine, &topology);
	uname(&name);
	CHECK(strcmp(machine.host, name.nodename) == 0);
	CHECK(strcmp(machine.kernel, name.release) == 0);
	CHECK(machine.preemption[0]);
	CHECK(machine.dma_latency_held_us == -1);
	CHECK(machine.n_cpus == 8 && machine.n_cores == 4 && machine.n_packages == 2 && machine.n_nodes == 1);
	CHECK(machine.clock_cost_ns > 0 && machine.clock_cost_ns < 100000, "%u ns", machine.clock_cost_ns);
	CHECK(*machine.tracing);
	CHECK(!machine.irq_affinity && !machine.governor, "rows have a reader of their own");
	CHECK(machine.clock_step_ns == -1 || machine.clock_step_ns > 0, "%d ns", machine.clock_step_ns);
	CHECK(!strchr(machine.isolated, '\n'));
	CHECK(machine.rt_period_us == INT64_MIN || machine.rt_period_us > 0);
	CHECK(machine.smt >= -1 && machine.smt <= 1);
	CHECK(machine.cpu_parts && strcmp(machine.cpu_parts->text,
					   "0-1:0,0,0,-,0 2-3:0,0,0,-,2 4-5:4,0,4,-,4 6-7:4,0,4,-,6") == 0);
	machine_finish(&machine);
}

static void a_coarse_clock_has_a_step(void)
{
	static const struct {
		uint32_t elapsed_ns[4];
		int32_t step_ns;
	} rows[] = {{{0, 52, 53, 104}, 52}, {{0, 0, 0, 4000000}, 4000000}, {{17, 18, 25, 900}, -1},
		{{0, 0, 0, 0}, -1}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		int32_t step_ns = machine_clock_step(rows[i].elapsed_ns, 4);

		CHECK(step_ns == rows[i].step_ns, "row %zu: %d", i, step_ns);
	}
}

static void what_others_hold_of_the_dma_latency_is_seen(void)
{
	int fd = open("/dev/cpu_dma_latency", O_WRONLY | O_CLOEXEC);
	const struct topology topology = {0};
	struct machine machine, held, again;
	int32_t us = 17;

	machine_read(&machine, &topology);
	CHECK(write(fd, &us, sizeof(us)) == (ssize_t)sizeof(us));
	held = machine;
	held.dma_latency_held_us = 17;
	machine_refresh(&held);
	close(fd);
	again = held;
	machine_refresh(&again);
	CHECK(machine.dma_latency_state == MACHINE_VALUE && held.dma_latency_state == MACHINE_VALUE);
	CHECK(held.dma_latency_us <= 17, "%d", (int)held.dma_latency_us);
	CHECK(again.dma_latency_us == machine.dma_latency_us, "%d", (int)again.dma_latency_us);
	CHECK(again.dma_latency_held_us == 17, "what this run holds is not the kernel's to say");
}

static void each_fact_that_is_not_known_has_a_word(void)
{
	const struct machine machine = machine_unknown();

	for (size_t i = 0; i < machine_n_facts; i++) {
		char word[MACHINE_WORD_SIZE] = "";

		machine_word(&machine, &machine_facts[i], word);
		CHECK(*word && !strstr(word, "(null)"), "fact %zu, %s: '%s'", i,
			machine_facts[i].report ? machine_facts[i].report : "", word);
	}
}

static void a_fact_that_was_renamed_is_read_from_older_recordings(void)
{
	static const char *const keys[] = {"cpu_parts", "cpu_places"};

	for (size_t i = 0; i < 2; i++) {
		struct json_object *object = json_object_new_object();
		struct machine machine = machine_unknown();

		json_put_text(object, keys[i], "0-1:0,0,0,-,0");
		machine_json_read(object, &machine);
		CHECK(machine.cpu_parts && machine.cpu_parts->n == 1, "%s", keys[i]);
		machine_finish(&machine);
		json_object_put(object);
	}
}

int main(void)
{
	TEST(a_coarse_clock_has_a_step);
	TEST(preemption_is_found_in_debugfs_then_the_version);
	TEST(the_cpu_cgroup_is_found_among_others);
	TEST(tracing_is_found_in_all_instances);
	TEST(idle_states_that_are_enabled_are_listed);
	TEST(this_machine_is_read);
	TEST(each_fact_that_is_not_known_has_a_word);
	TEST(a_fact_that_was_renamed_is_read_from_older_recordings);
	if (access("/dev/cpu_dma_latency", R_OK | W_OK) == 0)
		TEST(what_others_hold_of_the_dma_latency_is_seen);
	else
		tap_skip("what others hold of the dma latency is seen", "/dev/cpu_dma_latency can't be held");
	return tap_done();
}
