/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_settings.c - settings of the kernel, read from texts and from made-up folders; and rival tasks. */
#include "src/machine/settings.h"

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/machine/cpu_quota.h"
#include "src/machine/cpus.h"
#include "src/machine/machine.h"
#include "src/machine/rivals.h"
#include "src/machine/smi.h"
#include "tests/unit/tap.h"

static void parts_of_lines_are_picked(void)
{
	static const struct {
		void (*pick)(char *line);
		const char *line, *word;
	} rows[] = {
		{settings_pick_bracketed, "always [madvise] never", "madvise"},
		{settings_pick_bracketed, "[always] madvise never", "always"},
		{settings_pick_bracketed, "always", "always"},
		{settings_pick_bracketed, "a ]b[ c", "a ]b[ c"},
		{settings_pick_first, "4\t4\t1\t7", "4"},
		{settings_pick_first, "7", "7"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char line[64];

		snprintf(line, sizeof(line), "%s", rows[i].line);
		rows[i].pick(line);
		CHECK(strcmp(line, rows[i].word) == 0, "row %zu: %s", i, line);
	}
}

static void boot_parameters_are_found(void)
{
	static const char cmdline[] =
		"quiet rcu_nocbs=2-7 x_skew_tick=0 skew_tick=1 threadirqs isolcpus=domain,managed_irq,2-7 skew_tick=0\n";
	static const struct {
		const char *name, *word;
	} rows[] = {{"rcu_nocbs", "2-7"}, {"threadirqs", "on"}, {"skew_tick", "0"}, {"efi", "none"},
		{"isolcpu", "none"}, {"quiet", "on"}};
	static const struct {
		const char *cmdline, *word;
	} managed[] = {{cmdline, "on"}, {"isolcpus=2-7 managed_irq", "off"}, {"", "off"}};
	char word[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		settings_boot_word(cmdline, rows[i].name, word, sizeof(word));
		CHECK(strcmp(word, rows[i].word) == 0, "%s: %s", rows[i].name, word);
	}
	for (size_t i = 0; i < sizeof(managed) / sizeof(*managed); i++) {
		settings_managed_irq(managed[i].cmdline, word, sizeof(word));
		CHECK(strcmp(word, managed[i].word) == 0, "row %zu: %s", i, word);
	}
}

static void steal_is_that_since_the_first_reading(void)
{
	static const struct {
		const char *stat, *word;
		bool begins;
	} rows[] = {
		{"", "absent", true},
		{"cpu  90\n", "absent", true},
		{"cpu  90 0 0 0 0 0 0 0 0 0\n", "none", true},
		{"cpu  90 0 0 0 0 0 0 10 0 0\ncpu0 1", "10.0 %", true},
		{"cpu  90 0 0 0 0 0 0 10 0 0\n", "10.0 %", false},
		{"cpu  180 0 0 0 0 0 0 10 0 0\n", "none", false},
		{"cpu  9180 0 0 0 0 0 0 11 0 0\n", "below 0.1 %", false},
		{"cpu  9180 0 0 0 0 0 0 1010 0 0\n", "9.9 %", false},
	};
	uint64_t steal = 0, all = 0;
	char word[16] = "";

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].begins)
			steal = all = 0;
		settings_steal(rows[i].stat, &steal, &all, word, sizeof(word));
		CHECK(strcmp(word, rows[i].word) == 0, "row %zu: %s", i, word);
	}
}

static void other_files_are_read(void)
{
	static const struct {
		void (*read)(const char *text, char *word, size_t size);
		const char *text, *word;
	} rows[] = {
		{settings_swap_areas, "", "absent"},
		{settings_swap_areas, "Filename Type\n", "none"},
		{settings_swap_areas, "Filename Type\n/dev/sda2 partition\n", "1 area"},
		{settings_swap_areas, "Filename Type\n/a file\n/b file\n", "2 areas"},
		{settings_slow_tracers, "timerlat preemptirqsoff irqsoff function nop",
			"irqsoff,preemptirqsoff"},
		{settings_slow_tracers, "function nop", "none"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char word[64];

		rows[i].read(rows[i].text, word, sizeof(word));
		CHECK(strcmp(word, rows[i].word) == 0, "row %zu: %s", i, word);
	}
	CHECK(strcmp(settings_run_to_parity("A RUN_TO_PARITY B"), "on") == 0);
	CHECK(strcmp(settings_run_to_parity("A NO_RUN_TO_PARITY\n"), "off") == 0);
	CHECK(strcmp(settings_run_to_parity("A B\n"), "absent") == 0);
	char off[] = "A NO_RUN_TO_PARITY B", on[] = "RUN_TO_PARITY", none[] = "A NO_B";

	CHECK(settings_pick_parity(off) && strcmp(off, "NO_RUN_TO_PARITY") == 0, "%s", off);
	CHECK(settings_pick_parity(on) && strcmp(on, "RUN_TO_PARITY") == 0, "%s", on);
	CHECK(!settings_pick_parity(none));
}

static char folder[] = "/tmp/ipctop-settings-XXXXXX";

static void run(const char *command)
{
	char line[512];

	snprintf(line, sizeof(line), "cd %s && %s", folder, command);
	CHECK(system(line) == 0, "%s", line);
}

static void the_tightest_quota_counts(void)
{
	static const struct {
		const char *command, *path, *word;
	} rows[] = {
		{"mkdir -p a/b", "", "absent"},
		{"true", "/a/b", "absent"},
		{"echo max 100000 >a/cpu.max", "/a/b", "none"},
		{"echo max 100000 >a/b/cpu.max", "/a/b", "none"},
		{"echo 50000 100000 >a/cpu.max", "/a/b", "50000 of 100000 us"},
		{"echo 20000 20000 >a/b/cpu.max", "/a/b", "50000 of 100000 us"},
		{"echo 2000 20000 >a/b/cpu.max", "/a/b", "2000 of 20000 us"},
		{"true", "/a", "50000 of 100000 us"},
		{"echo max 100000 >a/cpu.max; echo max 100000 >a/b/cpu.max", "/a/b", "none"},
		{"rm a/cpu.max a/b/cpu.max; echo 100000 >a/cpu.cfs_period_us; echo -1 >a/cpu.cfs_quota_us",
			"/a/b", "none"},
		{"echo 2000 >a/cpu.cfs_quota_us", "/a/b", "2000 of 100000 us"},
		{"echo 100000 >a/b/cpu.cfs_period_us; echo 3000 >a/b/cpu.cfs_quota_us", "/a/b",
			"2000 of 100000 us"},
		{"true", "/c", "absent"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char word[48];

		run(rows[i].command);
		cpu_quota_of_cgroup(folder, rows[i].path, word, sizeof(word));
		CHECK(strcmp(word, rows[i].word) == 0, "row %zu: %s", i, word);
	}
	run("rm -r a");
}

static void mitigations_are_counted(void)
{
	static const struct {
		const char *command, *cmdline, *word;
	} rows[] = {
		{"true", "quiet\n", "default"},
		{"true", "mitigations=off\n", "off"},
		{"mkdir flaws", "mitigations=auto,nosmt\n", "auto,nosmt"},
		{"echo Not affected >flaws/mds", "mitigations=off\n", "0 of 1 flaws guarded, none open"},
		{"echo Mitigation: Retpolines >flaws/spectre_v2", "", "1 of 2 flaws guarded, none open"},
		{"echo Vulnerable: no microcode >flaws/tsa", "", "1 of 3 flaws guarded, 1 open"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char word[64], flaws[64];

		run(rows[i].command);
		snprintf(flaws, sizeof(flaws), "%s/flaws", folder);
		settings_mitigations(flaws, rows[i].cmdline, word, sizeof(word));
		CHECK(strcmp(word, rows[i].word) == 0, "row %zu: %s", i, word);
	}
	run("rm -r flaws");
}

static void the_quota_is_that_of_members(void)
{
	char rows_text[48], own[48] = "?", of_members[48] = "?";
	struct fact_rows *rows;

	cpu_quota_read(NULL, own, sizeof(own));
	snprintf(rows_text, sizeof(rows_text), "%d:/anywhere", (int)getpid());
	rows = fact_rows_parse(rows_text);
	cpu_quota_read(rows, of_members, sizeof(of_members));
	CHECK(strcmp(own, "?") && strcmp(own, of_members) == 0, "%s, %s", own, of_members);
	fact_rows_release(rows);
	rows = fact_rows_parse("4194305:/ended"); /* no pid is so large */
	cpu_quota_read(rows, strcpy(of_members, "none"), sizeof(of_members));
	CHECK(strcmp(of_members, "none") == 0, "%s", of_members);
	fact_rows_release(rows);
}

static void debug_options_are_found_in_the_configuration(void)
{
	static const struct {
		const char *command, *word;
	} rows[] = {
		{"true", "absent"},
		{"printf 'CONFIG_SMP=y\\n# CONFIG_KASAN is not set\\nCONFIG_KASAN_X=y\\n' >config", "none"},
		{"printf 'CONFIG_KASAN=y\\nCONFIG_PROVE_LOCKING=y\\n' >>config", "KASAN,PROVE_LOCKING"},
		{"gzip -n config && mv config.gz config", "KASAN,PROVE_LOCKING"}, /* as the kernel's own */
		{"head -c 30 config >part && mv part config", "absent"},
	};
	char path[64], word[128];

	snprintf(path, sizeof(path), "%s/config", folder);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		run(rows[i].command);
		settings_debug_options(path, word, sizeof(word));
		CHECK(strcmp(word, rows[i].word) == 0, "row %zu: %s", i, word);
	}
	run("rm config");
}

static void limits_of_cgroups_follow_configuration_and_boot(void)
{
	static const struct {
		const char *command, *cmdline;
		bool limits;
	} rows[] = {
		{"true", "quiet", false},
		{"echo CONFIG_RT_GROUP_SCHED=y >config", "quiet", true},
		{"true", "quiet rt_group_sched=0", false},
		{"echo CONFIG_RT_GROUP_SCHED_DEFAULT_DISABLED=y >>config", "quiet", false},
		{"true", "rt_group_sched=1", true},
		{"echo '# CONFIG_RT_GROUP_SCHED is not set' >config", "rt_group_sched=1", false},
	};
	char path[64];

	snprintf(path, sizeof(path), "%s/config", folder);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		run(rows[i].command);
		CHECK(settings_group_sched(path, rows[i].cmdline) == rows[i].limits, "row %zu", i);
	}
	run("rm config");
}

static void rows_of_cpus_are_read(void)
{
	static const struct {
		const char *command, *idle, *range; /* NULL: there is none */
	} rows[] = {
		{"mkdir -p cpuidle/state0 cpuidle/state1 cpufreq", NULL, NULL},
		{"echo 0 >cpuidle/state0/latency; echo 133 >cpuidle/state1/latency", "133us", NULL},
		{"echo 1 >cpuidle/state1/disable; echo 800000 >cpufreq/scaling_min_freq", "0us", NULL},
		{"echo 0 >cpuidle/state1/disable; echo 4200000 >cpufreq/scaling_max_freq", "133us",
			"800-4200MHz"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char idle[32], range[32];

		run(rows[i].command);
		ssize_t n = settings_read_idle_latency(folder, idle, sizeof(idle));
		ssize_t m = settings_read_frequency_range(folder, range, sizeof(range));

		CHECK((n > 0) == !!rows[i].idle && (m > 0) == !!rows[i].range, "row %zu: %zd %zd", i, n, m);
		CHECK(!rows[i].idle || strcmp(idle, rows[i].idle) == 0, "row %zu: %s", i, idle);
		CHECK(!rows[i].range || strcmp(range, rows[i].range) == 0, "row %zu: %s", i, range);
	}
	run("rm -r cpuidle cpufreq");
}

static void rows_that_interrupt_leave_out_isolated_cpus(void)
{
	struct fact_reader reader = {0};
	struct fact_rows *rows = NULL;
	struct cpus isolated = {0};

	cpus_add(&isolated, 1);
	run("mkdir cpu0 cpu1 cpu2; echo performance | tee cpu0/x cpu1/x cpu2/x >/dev/null");
	reader.without = &isolated;
	fact_reader_read(&reader, &fact_rows_of_cpus, folder, "x", NULL, SIZE_MAX, &rows);
	CHECK(strcmp(rows->text, "0:performance 2:performance") == 0, "%s", rows->text);
	fact_rows_release(rows);
	run("rm -r cpu0 cpu1 cpu2");
}

static void a_cgroup_is_that_of_the_scheduler(void)
{
	static const struct {
		const char *cgroup, *value; /* NULL: none */
	} rows[] = {{"0::/user.slice/a b\n", "/user.slice/a_b"}, {"3:cpuset:/x\n1:cpu,cpuacct:/y\n", "/y"},
		{"3:cpuset:/x\n0::/z\n", "/z"}, {"3:cpuset:/x\n", NULL}};
	char value[128], path[64];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(path, sizeof(path), "%s/cgroup", folder);
		FILE *file = fopen(path, "we");

		CHECK(file && fputs(rows[i].cgroup, file) >= 0 && fclose(file) == 0);
		ssize_t length = settings_read_cgroup(folder, value, sizeof(value));

		CHECK((length > 0) == !!rows[i].value, "row %zu: %zd", i, length);
		CHECK(!rows[i].value || strcmp(value, rows[i].value) == 0, "row %zu: %s", i, value);
	}
	run("rm cgroup");
}

static void members_are_read_by_their_tids(void)
{
	const unsigned tids[] = {1, (unsigned)getpid()};
	struct fact_reader reader = {.given = tids + 1, .n_given = 1};
	struct fact_rows *read = NULL;
	char own[32];

	CHECK(prctl(PR_SET_TIMERSLACK, 7000) == 0);
	fact_reader_read(
		&reader, &fact_rows_of_members, "/proc", NULL, settings_read_timer_slack, SIZE_MAX, &read);
	snprintf(own, sizeof(own), "%u:7000ns", tids[1]);
	CHECK(read && strcmp(read->text, own) == 0, "%s", read ? read->text : "none");
	fact_rows_release(read);
	read = NULL;
	reader = (struct fact_reader){0};
	fact_reader_read(
		&reader, &fact_rows_of_members, "/proc", NULL, settings_read_timer_slack, SIZE_MAX, &read);
	CHECK(!read, "nobody is given");
	fact_reader_finish(&reader);
}

static void irqbalances_banned_cpus_are_found(void)
{
	static const struct {
		const char *text, *list;
	} rows[] = {
		{"", ""},
		{"A=1;IRQBALANCE_BANNED_CPULIST=2-3,5;B=2", "2-3,5"},
		{"IRQBALANCE_BANNED_CPULIST=\"4\"", "4"},
		{"#IRQBALANCE_BANNED_CPULIST=4;IRQBALANCE_BANNED_CPULIST=", ""},
		{"IRQBALANCE_BANNED_CPUS=0000000c", "2-3"},
		{"IRQBALANCE_BANNED_CPUS=1,00000000", "32"},
		{"IRQBALANCE_BANNED_CPULIST=x", ""},
		{"IRQBALANCE_BANNED_CPUS=0000000c;IRQBALANCE_BANNED_CPULIST=7", "2-3"},
		{"IRQBALANCE_BANNED_CPULIST=7;IRQBALANCE_BANNED_CPUS=0000000c", "2-3"},
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char list[128];

		rivals_banned_cpus(rows[i].text, strlen(rows[i].text), ';', list, sizeof(list));
		CHECK(strcmp(list, rows[i].list) == 0, "row %zu: %s", i, list);
	}
}

static void read_rivals(struct rivals *rivals, struct rivals_words *words)
{
	while (!rivals_read(rivals, words, RIVALS_AT_ONCE))
		;
}

static void real_time_tasks_of_others_are_found(void)
{
	struct rivals rivals = {0};
	struct rivals_words words;
	char name[32], both[48];
	int ready[2];

	CHECK(pipe(ready) == 0);
	pid_t rival = fork();

	/* This test may run beside itself, in another build. */
	snprintf(name, sizeof(name), "rival%d", (int)(rival ? rival : getpid()));
	if (rival == 0) {
		const struct sched_param param = {.sched_priority = 7};

		setsid();
		prctl(PR_SET_NAME, name);
		sched_setscheduler(0, SCHED_FIFO, &param);
		if (fork() == 0) { /* it has the same name, policy and session */
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			CHECK(write(ready[1], "", 1) == 1);
		}
		for (;;)
			pause();
	}
	CHECK(read(ready[0], both, 1) == 1);
	close(ready[0]);
	close(ready[1]);
	strcat(name, " FF7 on ");
	snprintf(both, sizeof(both), "2 x %s", name);
	if (sched_getscheduler(rival) == SCHED_FIFO) {
		read_rivals(&rivals, &words);
		CHECK(strstr(words.tasks, " more") || strstr(words.tasks, both), "%s", words.tasks);
		rivals.own_session = rival;
		read_rivals(&rivals, &words);
		CHECK(!strstr(words.tasks, name), "%s", words.tasks);
	}
	kill(rival, SIGKILL);
	waitpid(rival, NULL, 0);
	rivals_finish(&rivals);
}

static void equal_rivals_are_listed_once(void)
{
	static const char long_list[] = "FF80 on 0,2,4,6,8,10,12,14,16,18,20,22,24,26,28,30,32,34,36,38";
	static const struct {
		struct rivals rivals;
		const char *tasks;
	} rows[] = {
		{{0}, "none"},
		{{.found = {{1, 1, "hog", "FF90 on 0-1"}}, .n_found = 1}, "hog FF90 on 0-1"},
		{{.found = {{1, 2059, "python3", "FF99 on 0"}, {2, 1, "hog", "RR1 on 3"}}, .n_found = 2},
			"2059 x python3 FF99 on 0, hog RR1 on 3"},
		{{.found = {{1, 2, "a", "FF1 on 0"}}, .n_found = 1, .n_more = 3},
			"2 x a FF1 on 0 and 3 more"},
	};
	struct rivals full = {.n_found = 3, .n_more = 1};
	char tasks[200];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		rivals_write_tasks(&rows[i].rivals, tasks, sizeof(tasks));
		CHECK(strcmp(tasks, rows[i].tasks) == 0, "row %zu: %s", i, tasks);
	}
	for (unsigned i = 0; i < 3; i++) {
		full.found[i] = (struct rivals_alike){.n = 2, .name = "hog"};
		strcpy(full.found[i].where, long_list);
	}
	rivals_write_tasks(&full, tasks, sizeof(tasks));
	CHECK(strcmp(tasks + strlen(tasks) - 11, " and 3 more") == 0, "no text is cut: %s", tasks);
}

/* Counted by grep, too. */
static void threads_of_interrupts_are_counted(void)
{
	struct rivals rivals = {0};
	struct rivals_words words;
	unsigned n = 0, counted = 0;
	FILE *list = popen("cat /proc/[0-9]*/comm 2>/dev/null | grep -c ^irq/", "r");

	CHECK(list && fscanf(list, "%u", &n) == 1);
	if (list)
		pclose(list);
	read_rivals(&rivals, &words);
	if (!n)
		CHECK(!strcmp(words.irq_threads, "none") || !strcmp(words.irq_threads, "not readable"), "%s",
			words.irq_threads);
	else
		CHECK(sscanf(words.irq_threads, "%u, at most FF", &counted) == 1 && counted == n,
			"%u, but %s", n, words.irq_threads);
	rivals_finish(&rivals);
}

static void counters_of_the_processor_count(void)
{
	char word[24];
	int fd = smi_open_counter("tsc"); /* all processors with this PMU have it */

	smi_read(word, sizeof(word));
	CHECK(!strcmp(word, "none") || !strcmp(word, "absent") || !strcmp(word, "not readable") || atoi(word),
		"%s", word);
	if (fd < 0) {
		printf("# no such counter: %s\n", strerror(-fd));
		CHECK(fd == -ENOENT || fd == -EACCES || fd == -EPERM || fd == -ENODEV || fd == -ENOSYS, "%d",
			fd);
		return;
	}
	long long before = smi_read_counter(fd), after = smi_read_counter(fd);

	CHECK(before >= 0 && after > before, "%lld, then %lld", before, after);
	close(fd);
}

static void facts_that_stay_are_read(void)
{
	struct machine machine = {0};
	struct utsname name;

	uname(&name);
	settings_read_constant(&machine, name.release);
	CHECK(atoi(machine.tick_hz) >= 24 && atoi(machine.tick_hz) <= 10000, "%s", machine.tick_hz);
	CHECK(!strcmp(machine.audit, "on") || !strcmp(machine.audit, "off") ||
			!strcmp(machine.audit, "absent") || !strcmp(machine.audit, "not readable"),
		"%s", machine.audit);
}

/* Tasks are found in /proc, which may not be mounted. */
static void test_tasks(void)
{
	bool shows_tasks = access("/proc/self/stat", R_OK) == 0;

	if (shows_tasks)
		TEST(members_are_read_by_their_tids);
	else
		tap_skip("members are read by their tids", "needs /proc");
	if (shows_tasks && geteuid() == 0)
		TEST(real_time_tasks_of_others_are_found);
	else
		tap_skip("real time tasks of others are found", "needs root and /proc");
}

int main(void)
{
	TEST(irqbalances_banned_cpus_are_found);
	CHECK(mkdtemp(folder));
	TEST(parts_of_lines_are_picked);
	TEST(boot_parameters_are_found);
	TEST(other_files_are_read);
	TEST(steal_is_that_since_the_first_reading);
	TEST(the_tightest_quota_counts);
	TEST(the_quota_is_that_of_members);
	TEST(mitigations_are_counted);
	TEST(debug_options_are_found_in_the_configuration);
	TEST(limits_of_cgroups_follow_configuration_and_boot);
	TEST(rows_of_cpus_are_read);
	TEST(a_cgroup_is_that_of_the_scheduler);
	test_tasks();
	TEST(rows_that_interrupt_leave_out_isolated_cpus);
	TEST(equal_rivals_are_listed_once);
	TEST(threads_of_interrupts_are_counted);
	TEST(counters_of_the_processor_count);
	TEST(facts_that_stay_are_read);
	rmdir(folder);
	return tap_done();
}
