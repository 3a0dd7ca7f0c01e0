/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_flight.c - the flight recorder: its filter, the fields of tracepoints, and a task that takes a CPU, as
 * each tier sees it. */
#include "src/flight/flight.h"

#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/flight/idle_search.h"
#include "src/flight/perf_ring.h"
#include "src/flight/switch_filter.h"
#include "src/flight/tier.h"
#include "src/flight/trace_format.h"
#include "src/machine/cpus.h"
#include "src/machine/memory.h"
#include "src/machine/task.h"
#include "tests/unit/tap.h"

enum { MS = 1000000 };

/* --- the filter --- */

static void a_filter_leaves_out_idle_and_the_members(void)
{
	char filter[SWITCH_FILTER_SIZE];

	CHECK(switch_filter(filter, NULL, 0) == 0);
	CHECK(strcmp(filter, "(prev_pid!=0)||(next_pid!=0)||(next_pid==0&&prev_state!=1)||prev_state&12") ==
			0,
		"%s", filter);
	CHECK(switch_filter(filter, (const int32_t[]){7, 8, 9, 20}, 4) == 0);
	CHECK(strcmp(filter, "(prev_pid!=0&&(prev_pid<7||prev_pid>9)&&(prev_pid<20||prev_pid>20))||"
			     "(next_pid!=0&&(next_pid<7||next_pid>9)&&(next_pid<20||next_pid>20))||"
			     "(next_pid==0&&prev_state!=1)||prev_state&12") == 0,
		"%s", filter);
}

/* Tids of seven digits, each with a gap of its own. */
static void a_filter_of_many_members_fits_and_says_what_it_does_not_see(void)
{
	enum { MANY = 1024 };
	int32_t tids[MANY];
	char filter[SWITCH_FILTER_SIZE];

	for (int i = 0; i < MANY; i++)
		tids[i] = 4000000 + 10 * i + i % 3;
	size_t unseen = switch_filter(filter, tids, MANY);

	CHECK(strlen(filter) < SWITCH_FILTER_SIZE && strstr(filter, "prev_state&12"));
	CHECK(unseen > 0 && unseen < 10 * MANY, "%zu", unseen);
}

static const char format[] = "name: sched_switch\nID: 372\nformat:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
			     "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
			     "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
			     "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
			     "\tfield:__data_loc char[] name;\toffset:40;\tsize:4;\tsigned:0;\n\n"
			     "print fmt: \"prev_comm=%s prev_pid=%d\", REC->prev_comm, REC->prev_pid\n";

static void fields_are_found_by_their_names(void)
{
	_Alignas(8) char record[64] = {0};
	char text[16];
	int32_t pid = -2;
	int64_t state = 0x100000002;

	strcpy(record + 8, "kworker");
	memcpy(record + 24, &pid, sizeof(pid));
	memcpy(record + 32, &state, sizeof(state));
	memcpy(record + 40, &(uint32_t){7 << 16 | 44}, sizeof(uint32_t));
	strcpy(record + 44, "virtio");
	CHECK(trace_number(trace_field_find(format, "prev_pid"), record, sizeof(record)) == pid);
	CHECK(trace_number(trace_field_find(format, "prev_state"), record, sizeof(record)) == state);
	trace_text(trace_field_find(format, "prev_comm"), record, sizeof(record), text, sizeof(text));
	CHECK(strcmp(text, "kworker") == 0, "%s", text);
	trace_text(trace_field_find(format, "name"), record, sizeof(record), text, sizeof(text));
	CHECK(strcmp(text, "virtio") == 0, "%s", text);
	CHECK(trace_field_find(format, "pid").size == 0 && trace_field_find(format, "next_pid").size == 0);
	for (size_t n = 0; n < sizeof(record); n++) { /* a record that is cut off, anywhere */
		trace_number(trace_field_find(format, "prev_state"), record, n);
		trace_text(trace_field_find(format, "name"), record, n, text, sizeof(text));
	}
}

static void softirqs_and_interrupts_by_other_cpus_have_the_kernels_names(void)
{
	CHECK(strcmp(trace_softirq_name(0), "HI") == 0 && strcmp(trace_softirq_name(9), "RCU") == 0);
	CHECK(strcmp(trace_softirq_name(10), "") == 0 && strcmp(trace_softirq_name(UINT32_MAX), "") == 0);
	CHECK(strcmp(trace_ipi_name(0xf6), "irq_work") == 0 && strcmp(trace_ipi_name(0), "") == 0);
	CHECK(strcmp(trace_ipi_name(0xfb), trace_ipi_name(0xfc)) == 0);
}

/* --- idle CPUs --- */

/* A CPU was idle from 100 to 200 ns, from 300 to 400, and is so again since @now_from_ns. Returns when the
 * time began that is found; 0: none is. */
static uint64_t search_idle(uint64_t at_ns, uint64_t until_ns, uint64_t now_from_ns)
{
	static const uint64_t times_ns[][2] = {{300, 400}, {100, 200}};
	struct idle_search search = {at_ns, until_ns, now_from_ns};

	for (unsigned i = 0; i < 2; i++)
		switch (idle_search_look(&search, times_ns[i][0], times_ns[i][1])) {
		case IDLE_IS_THIS:
			return times_ns[i][0];
		case IDLE_IS_NONE:
			return 0;
		case IDLE_IS_EARLIER:
			break;
		}
	return 0;
}

static void a_time_is_found_in_which_the_cpu_was_idle_and_then_not_again(void)
{
	static const uint64_t never = UINT64_MAX;
	static const struct {
		const char *story;
		uint64_t at_ns, until_ns, now_from_ns, found_ns;
	} cases[] = {
		{"called while it was idle, the last time", 350, 450, never, 300},
		{"called as that began", 300, 450, never, 300},
		{"called as it ended", 400, 450, never, 300},
		{"called while it was busy", 250, 290, never, 0},
		{"called while it was busy, after the last time", 450, 480, never, 0},
		{"called the time before, and ran until the last one", 150, 250, never, 100},
		{"ran as the last one began", 150, 300, never, 100},
		{"called the time before, and was idle again before it ran", 150, 450, never, 0},
		{"idle now, since it ran", 350, 450, 500, 300},
		{"idle now, and the task did not run yet", 350, 550, 500, 0},
		{"called before all that are known", 50, 60, never, 0},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		uint64_t found_ns = search_idle(cases[i].at_ns, cases[i].until_ns, cases[i].now_from_ns);

		CHECK(found_ns == cases[i].found_ns, "%s: %" PRIu64 " ns", cases[i].story, found_ns);
	}
}

static unsigned first_cpu(void)
{
	struct cpus cpus;

	return task_get_affinity(0, &cpus) == 0 ? (unsigned)cpus_next(&cpus, -1) : 0;
}

/* Of a CPU, in clock ticks, as the kernel counts it. */
static unsigned long long idle_ticks(unsigned cpu)
{
	char word[16], line[256];
	unsigned long long idle = 0;
	FILE *file = fopen("/proc/stat", "re");

	snprintf(word, sizeof(word), "cpu%u ", cpu);
	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, word, strlen(word)) == 0)
			sscanf(line, "%*s %*u %*u %*u %llu", &idle);
	if (file)
		fclose(file);
	return idle;
}

/* Sleeps, as a lap that is due in the middle of that time, and is sent after it. Returns whether its CPU is
 * said to have been idle then. */
static bool sleeps_on_an_idle_cpu(struct flight *flight, unsigned cpu)
{
	struct flight_record records[64];
	struct spike spike = {.figure = FIGURE_RESPONSE, .due_ns = clock_now_ns() + MS / 2};

	usleep(1000);
	spike.sent_ns = spike.received_ns = spike.seen_ns = clock_now_ns();
	spike.sender.cpu = spike.receiver.cpu = (int32_t)cpu;
	size_t n = flight_find(flight, &spike, records, 64);

	for (size_t i = 0; i < n; i++) {
		const struct flight_record *record = &records[i];

		if (record->kind != FLIGHT_IDLE)
			continue;
		CHECK(record->cpu == cpu && record->from_ns <= spike.due_ns &&
			record->at_ns >= spike.due_ns && record->at_ns <= spike.sent_ns);
		return true;
	}
	return false;
}

/* A plain task under a CPU quota waits for its CPU after its sleep, and may find it idle once more meanwhile:
 * then no idle time is the one before it ran. A real-time task has no quota. */
static void each_tier_but_that_of_switches_finds_idle_times(void)
{
	unsigned cpu = first_cpu();
	struct cpus cpus = {0}, own;
	struct task_policy policy;

	cpus_add(&cpus, cpu);
	CHECK(task_get_affinity(0, &own) == 0 && task_pin(0, cpu) == 0 && task_get_policy(0, &policy) == 0);
	task_set_policy(0, (struct task_policy){.policy = SCHED_FIFO, .priority = 1}); /* where it may */
	for (unsigned word = FLIGHT_OFF + 1; flight_word(word); word++) {
		bool finds = strcmp(flight_word(word), "switches") != 0, is_found = false;
		unsigned long long before = idle_ticks(cpu);
		uint64_t deadline_ns = clock_now_ns() + (finds ? 5000u : 20u) * (uint64_t)MS;
		struct flight *flight;

		if (flight_create(&flight, word, 0) < 0)
			continue;
		flight_watch(flight, &(struct flight_watch){.cpus = &cpus});
		while (flight_is_recording(flight) && !is_found && clock_now_ns() < deadline_ns)
			is_found = sleeps_on_an_idle_cpu(flight, cpu);
		if (!flight_is_recording(flight))
			printf("# %s: skipped: %s\n", flight_word(word), flight_lacks(flight));
		else if (!finds)
			CHECK(!is_found, "%s", flight_word(word));
		else /* a CPU that others use may be idle for less than a tenth of the time */
			CHECK(is_found || idle_ticks(cpu) < before + 50, "%s", flight_word(word));
		flight_destroy(flight);
	}
	CHECK(task_set_policy(0, policy) == 0);
	task_set_affinity(0, &own);
}

/* --- a hog --- */

enum { RECORDS = 16384 };

/* Returns once this thread has used so much CPU time. */
static void spin(uint64_t ns)
{
	struct timespec used;

	do
		clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	while (clock_ns(&used) < ns);
}

/* Ends by itself. Where it may, it takes the CPU for itself. */
static pid_t start_hog(unsigned cpu)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_NAME, "a-hog");
	task_pin(0, cpu);
	task_set_policy(0, (struct task_policy){.policy = SCHED_FIFO, .priority = 50});
	usleep(20000);
	spin(20 * MS);
	_exit(0);
}

/* Returns how long the task with a tid ran on the CPU, by what is recorded; it may have been interrupted. */
static uint64_t time_of(const struct flight_record *records, size_t n, int32_t tid, uint64_t start_ns)
{
	uint64_t came_ns = 0, ns = 0;

	for (size_t i = 0; i < n; i++) {
		const struct flight_record *record = &records[i];

		if (record->kind != FLIGHT_SWITCH) { /* where its coming to an idle CPU is not recorded */
			if (record->prev_tid == tid && !came_ns && record->from_ns > start_ns)
				came_ns = record->from_ns;
			continue;
		}
		if (record->prev_tid == tid && came_ns)
			ns += record->at_ns - came_ns;
		came_ns = record->next_tid == tid ? record->at_ns : 0;
	}
	return ns;
}

static bool has_name(const struct flight_record *records, size_t n, int32_t tid, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (records[i].kind == FLIGHT_SWITCH && records[i].prev_tid == tid &&
			strcmp(records[i].prev_name, name) == 0)
			return true;
	return false;
}

static bool is_other(const struct flight_record *records, size_t n, int32_t tid)
{
	for (size_t i = 0; i < n; i++)
		if (records[i].kind == FLIGHT_SWITCH && records[i].prev_tid == tid &&
			records[i].prev_role == ROLE_OTHER)
			return true;
	return false;
}

/* Were records overwritten since? All that a first drain finds may be younger than what is lost. */
static bool has_gap(const struct flight_record *records, size_t n, uint64_t start_ns)
{
	for (size_t i = 0; i < n; i++)
		if (records[i].kind == FLIGHT_GAP && records[i].at_ns > start_ns)
			return true;
	return false;
}

static struct spike spike_over(uint64_t start_ns, unsigned cpu)
{
	struct spike spike = {.figure = FIGURE_RESPONSE, .due_ns = start_ns};

	spike.sent_ns = spike.received_ns = spike.seen_ns = clock_now_ns();
	spike.sender.cpu = spike.receiver.cpu = (int32_t)cpu;
	return spike;
}

static void watch_hog(const char *tier, unsigned word)
{
	static struct flight_record records[RECORDS];
	unsigned cpu = first_cpu();
	struct cpus cpus = {0};
	struct flight *flight;

	cpus_add(&cpus, cpu);
	if (flight_create(&flight, word, 0) < 0)
		return;
	flight_watch(flight, &(struct flight_watch){.cpus = &cpus});
	if (strcmp(flight_tier_name(flight), tier) != 0) {
		printf("# %s: skipped: %s\n", tier, flight_lacks(flight));
		flight_destroy(flight);
		return;
	}
	uint64_t start_ns = clock_now_ns();
	pid_t pid = start_hog(cpu);
	struct flight_member member = {getpid(), 0, (int32_t)cpu};

	flight_watch(flight, &(struct flight_watch){&cpus, &member, 1});
	while (waitpid(pid, NULL, WNOHANG) == 0) /* at once, maybe before its last switch */
		;
	struct spike spike;
	uint64_t ns = 0;
	size_t n = 0;

	for (int i = 0; i < 1000 && !ns; i++) { /* the youngest records may wait for the next drain */
		usleep(1000);
		flight_drain(flight);
		spike = spike_over(start_ns, cpu);
		n = flight_find(flight, &spike, records, RECORDS);
		ns = time_of(records, n, pid, start_ns);
	}
	if (has_gap(records, n, start_ns)) {
		printf("# %s: records were overwritten: the hog is not looked for\n", tier);
	} else { /* its tick may come up to 10 ms after it */
		CHECK(ns >= 9 * MS, "%s: %" PRIu64 " ns", tier, ns);
		CHECK(has_name(records, n, pid, "a-hog") || strcmp(tier, "switches") == 0, "%s", tier);
		CHECK(is_other(records, n, pid), "%s", tier);
		member.tid = pid;
		flight_watch(flight, &(struct flight_watch){&cpus, &member, 1});
		n = flight_find(flight, &spike, records, RECORDS);
		CHECK(n && !is_other(records, n, pid), "%s: a member whose first records were read before",
			tier);
	}
	spike.sender.cpu = spike.receiver.cpu = (int32_t)cpu + 1;
	n = flight_find(flight, &spike, records, RECORDS);
	CHECK(n == 1 && records[0].kind == FLIGHT_GAP, "%s: a CPU that is not watched", tier);
	flight_destroy(flight);
}

static void each_tier_sees_a_hog(void)
{
	for (unsigned word = FLIGHT_OFF + 1; flight_word(word); word++)
		watch_hog(flight_word(word), word);
}

/* --- what was overwritten --- */

struct taken {
	unsigned n, n_gaps,
		n_after; /* records, gaps of what was overwritten, records after the last of them */
	uint64_t last_ns;
	bool is_in_order;
};

static void note_taken(void *data, const struct flight_record *record)
{
	struct taken *taken = data;
	bool is_gap = record->kind == FLIGHT_GAP && record->number == GAP_OVERWRITTEN;

	taken->n++;
	taken->n_gaps += is_gap;
	taken->n_after = is_gap ? 0 : taken->n_after + 1;
	taken->is_in_order &= record->at_ns >= taken->last_ns && record->from_ns <= record->at_ns;
	taken->last_ns = record->at_ns;
}

/* A child that hands on each word. */
static pid_t start_passing(int in, int out, const int others_end[2])
{
	pid_t pid = fork();
	char word;

	if (pid != 0)
		return pid;
	close(others_end[0]);
	close(others_end[1]);
	while (read(in, &word, 1) == 1 && write(out, &word, 1) == 1)
		;
	_exit(0);
}

/* Three tasks of one CPU wake each other in turn, so often round: the switches of two might only be counted.
 */
static void pass_words(unsigned rounds)
{
	int first[2], second[2], last[2];
	char word = 'p';

	CHECK(pipe(first) == 0 && pipe(second) == 0 && pipe(last) == 0);
	pid_t pids[2] = {start_passing(first[0], second[1], (const int[]){first[1], second[0]})};

	close(second[1]);
	pids[1] = start_passing(second[0], last[1], first);
	for (unsigned i = 0; i < rounds; i++)
		CHECK(write(first[1], &word, 1) == 1 && read(last[0], &word, 1) == 1);
	close(first[1]);
	waitpid(pids[0], NULL, 0);
	waitpid(pids[1], NULL, 0);
	close(first[0]);
	close(second[0]);
	close(last[0]);
	close(last[1]);
}

static void of_each_tier_a_gap_comes_before_what_was_not_overwritten(void)
{
	unsigned cpu = first_cpu();
	struct cpus cpus = {0}, own;

	cpus_add(&cpus, cpu);
	CHECK(task_get_affinity(0, &own) == 0 && task_pin(0, cpu) == 0);
	for (size_t i = 0; flight_tiers[i]; i++) {
		struct taken first = {.is_in_order = true}, second = {.is_in_order = true};
		struct error_text reason;
		void *flight = NULL;

		if (flight_tiers[i]->open(&flight, &(struct flight_watch){.cpus = &cpus}, &reason) < 0) {
			printf("# %s: skipped: %s\n", flight_tiers[i]->name, reason.text);
			continue;
		}
		pass_words(10);
		usleep(1000);
		flight_tiers[i]->drain(flight, note_taken, &first);
		pass_words(20000);
		usleep(1000); /* until the youngest ones are old enough */
		second.last_ns = first.last_ns;
		flight_tiers[i]->drain(flight, note_taken, &second);
		CHECK(first.n > 0 && first.is_in_order && second.is_in_order, "%s: %u, then %u records",
			flight_tiers[i]->name, first.n, second.n);
		CHECK(second.n_gaps > 0 && second.n_after > 1000, "%s: %u gaps, %u of %u records after it",
			flight_tiers[i]->name, second.n_gaps, second.n_after, second.n);
		flight_tiers[i]->close(flight);
	}
	task_set_affinity(0, &own);
}

/* --- a member that was stopped --- */

static pid_t start_sleeper(unsigned cpu)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	task_pin(0, cpu);
	for (;;)
		usleep(1000);
}

/* Stops it, and goes to sleep on its CPU. Returns since when it may be stopped: for long already, if others
 * had the CPU meanwhile. */
static uint64_t stop_and_sleep(pid_t pid)
{
	uint64_t stopped_ns = clock_now_ns();

	kill(pid, SIGSTOP);
	waitpid(pid, NULL, WUNTRACED);
	for (int i = 0; i < 5; i++)
		usleep(100);
	return stopped_ns;
}

static bool has_stop(const struct flight_record *records, size_t n, int32_t tid)
{
	for (size_t i = 0; i < n; i++)
		if (records[i].kind == FLIGHT_SWITCH && records[i].prev_tid == tid &&
			records[i].prev_state & FLIGHT_STOPPED)
			return true;
	return false;
}

static void watch_stop(const char *tier, struct flight *flight, unsigned cpu)
{
	static struct flight_record records[RECORDS];
	pid_t pid = start_sleeper(cpu);
	struct flight_member member = {pid, 0, (int32_t)cpu};
	struct cpus cpus = {0};
	uint64_t start_ns, deadline_ns = clock_now_ns() + 20000000000u;

	cpus_add(&cpus, cpu);
	flight_watch(flight, &(struct flight_watch){&cpus, &member, 1});
	struct spike spike;

	while (start_ns = stop_and_sleep(pid), spike = spike_over(clock_now_ns(), cpu),
		spike.due_ns - start_ns > 50 * MS && spike.due_ns < deadline_ns)
		kill(pid, SIGCONT); /* others ran: too long ago */
	bool may_be_lost = spike.due_ns >= deadline_ns;

	spike.receiver.tid = pid;
	for (int i = 0; i < 50; i++)
		usleep(20);
	spike.received_ns = clock_now_ns();
	flight_drain(flight);

	/* Others may have run so often that it was overwritten, before the spike too. */
	struct spike since_stop = spike_over(start_ns, cpu);
	size_t n = flight_find(flight, &since_stop, records, RECORDS);

	may_be_lost |= has_gap(records, n, start_ns);
	n = flight_find(flight, &spike, records, RECORDS);
	CHECK(has_stop(records, n, pid) || may_be_lost, "%s: %zu records", tier, n);

	n = flight_find(flight, &spike, records, 16);
	CHECK(has_stop(records, n, pid) || may_be_lost, "%s: there is no room for what others did", tier);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void a_stop_is_found_past_what_others_did_since(void)
{
	unsigned cpu = first_cpu();
	struct cpus cpus = {0}, own;

	cpus_add(&cpus, cpu);
	CHECK(task_get_affinity(0, &own) == 0 && task_pin(0, cpu) == 0);
	for (unsigned word = FLIGHT_OFF + 1; flight_word(word); word++) {
		struct flight *flight;

		if (flight_create(&flight, word, 0) < 0)
			continue;
		flight_watch(flight, &(struct flight_watch){.cpus = &cpus});
		if (strcmp(flight_tier_name(flight), flight_word(word)) != 0)
			printf("# %s: skipped: %s\n", flight_word(word), flight_lacks(flight));
		else if (strcmp(flight_word(word), "switches") != 0) /* it sees not why a task went */
			watch_stop(flight_word(word), flight, cpu);
		flight_destroy(flight);
	}
	task_set_affinity(0, &own);
}

/* Is the time of a spike that begins now said to be one of tasks that are not recorded? */
static bool hides_now(struct flight *flight, unsigned cpu)
{
	struct flight_record records[RECORDS / 16];
	struct spike spike = spike_over(clock_now_ns(), cpu);
	size_t n = flight_find(flight, &spike, records, RECORDS / 16);

	for (size_t i = 0; i < n; i++)
		if (records[i].kind == FLIGHT_GAP && records[i].number == GAP_OF_HIDDEN)
			return true;
	return false;
}

/* Their tids have gaps, which a filter has no room for. */
static void tasks_that_are_not_recorded_are_said_to_be_hidden(void)
{
	enum { MANY = 200 };
	struct flight_member members[MANY];
	unsigned cpu = first_cpu();
	struct cpus cpus = {0};

	cpus_add(&cpus, cpu);
	for (int i = 0; i < MANY; i++)
		members[i] = (struct flight_member){100000 + 10 * i, 0, (int32_t)cpu};
	for (unsigned word = FLIGHT_OFF + 1; flight_word(word); word++) {
		struct flight *flight;
		bool may_hide = strcmp(flight_word(word), "perf") == 0;

		if (flight_create(&flight, word, 0) < 0)
			continue;
		flight_watch(flight, &(struct flight_watch){&cpus, members, 1});
		CHECK(!hides_now(flight, cpu) && !flight_take_loss(flight).is_there, "%s", flight_word(word));
		flight_watch(flight, &(struct flight_watch){&cpus, members, MANY});
		may_hide &= flight_is_recording(flight);
		CHECK(hides_now(flight, cpu) == may_hide, "%s", flight_word(word));
		CHECK((flight_take_loss(flight).n_hidden > 0) == may_hide &&
			!flight_take_loss(flight).is_there);
		flight_watch(flight, &(struct flight_watch){&cpus, members, 2});
		CHECK(!hides_now(flight, cpu), "%s", flight_word(word));
		flight_destroy(flight);
	}
}

/* The kernel lets the last event of each tracepoint wait: only the end of all waits for that. */
static void to_take_another_tier_waits_for_no_close(void)
{
	enum { SLOW_MS = 200, TRIES = 3 }; /* others may keep this thread from its CPU */
	struct cpus cpus = {0};
	unsigned tries = 0;

	cpus_add(&cpus, first_cpu());
	for (unsigned word = FLIGHT_OFF + 1; flight_word(word);) {
		struct flight *flight;

		CHECK(flight_create(&flight, word, 0) == 0);
		flight_watch(flight, &(struct flight_watch){.cpus = &cpus});
		printf("# %s: %s\n", flight_word(word),
			flight_is_recording(flight) ? "records" : flight_lacks(flight));
		uint64_t start_ns = clock_now_ns();

		flight_switch(flight, FLIGHT_OFF);
		uint64_t switched_ns = clock_now_ns() - start_ns;

		flight_destroy(flight);
		uint64_t closed_ns = clock_now_ns() - start_ns;

		bool waits_not = closed_ns < (uint64_t)SLOW_MS * MS || switched_ns < closed_ns / 2;

		if (!waits_not && ++tries < TRIES)
			continue;
		CHECK(waits_not, "%s: %" PRIu64 " of %" PRIu64 " ns", flight_word(word), switched_ns,
			closed_ns);
		tries = 0;
		word++;
	}
}

static void without_a_recorder_all_is_unseen(void)
{
	struct flight_record records[3];
	struct flight *flight;
	struct cpus cpus = {0};

	CHECK(flight_create(&flight, FLIGHT_OFF, 0) == 0);
	flight_watch(flight, &(struct flight_watch){.cpus = &cpus});
	flight_drain(flight);
	struct spike spike = spike_over(clock_now_ns() - MS, 0);

	CHECK(strcmp(flight_tier_name(flight), "off") == 0 && flight_lacks(flight)[0] == '\0');
	CHECK(flight_find(flight, &spike, records, 3) == 1 && records[0].kind == FLIGHT_GAP &&
		records[0].from_ns == spike.due_ns && records[0].at_ns == spike.received_ns);
	flight_destroy(flight);
}

/* --- a reader without a CPU --- */

struct slow_reader {
	struct perf_ring *ring;
	size_t n;
};

/* After the first record it has no CPU for so long that all others are overwritten. */
static void take_slowly(void *data, const struct perf_event_header *header)
{
	struct slow_reader *reader = data;
	struct perf_event_mmap_page *page = reader->ring->memory;

	CHECK(header->size == sizeof(*header));
	if (reader->n++ == 0) {
		perf_ring_take_gap(reader->ring, reader->ring->read_ns - 500 * (uint64_t)MS, NULL, NULL);
		page->data_head -= 2 * PERF_RING_SIZE;
	}
}

static void take_gap(void *data, const struct flight_record *record)
{
	*(struct flight_record *)data = *record;
}

static void what_a_slow_reader_lost_is_a_gap_before_the_next_record(void)
{
	struct perf_ring ring = {0};
	struct slow_reader reader = {&ring, 0};
	struct flight_record gap = {0};
	enum { N_RECORDS = 100 };

	ring.memory = calloc(1, memory_page_size() + PERF_RING_SIZE);
	struct perf_event_mmap_page *page = ring.memory;
	struct perf_event_header *records = (void *)((char *)ring.memory + memory_page_size());
	size_t first = PERF_RING_SIZE / sizeof(*records) - N_RECORDS;

	for (size_t i = 0; i < N_RECORDS; i++)
		records[first + i] = (struct perf_event_header){.size = sizeof(*records)};
	page->data_head = -(uint64_t)N_RECORDS * sizeof(*records);
	perf_ring_read(&ring, take_slowly, &reader);
	CHECK(reader.n == 1 && ring.has_lost, "%zu", reader.n);
	uint64_t last_ns = ring.last_ns;

	perf_ring_end_gap(&ring, take_gap, &gap);
	CHECK(gap.kind == FLIGHT_GAP && gap.from_ns == last_ns && gap.at_ns == ring.read_ns - MS / 20 &&
		!ring.has_lost);
	/* A record that was under way for longer, and comes now. */
	CHECK(perf_ring_take_gap(&ring, gap.at_ns - MS, take_gap, &gap) == gap.at_ns &&
			ring.last_ns == gap.at_ns,
		"it lies within the gap");
	free(ring.memory);
}

int main(void)
{
	TEST(a_filter_leaves_out_idle_and_the_members);
	TEST(a_filter_of_many_members_fits_and_says_what_it_does_not_see);
	TEST(fields_are_found_by_their_names);
	TEST(softirqs_and_interrupts_by_other_cpus_have_the_kernels_names);
	TEST(a_time_is_found_in_which_the_cpu_was_idle_and_then_not_again);
	TEST(each_tier_but_that_of_switches_finds_idle_times);
	TEST(each_tier_sees_a_hog);
	TEST(of_each_tier_a_gap_comes_before_what_was_not_overwritten);
	TEST(a_stop_is_found_past_what_others_did_since);
	TEST(tasks_that_are_not_recorded_are_said_to_be_hidden);
	TEST(what_a_slow_reader_lost_is_a_gap_before_the_next_record);
	TEST(to_take_another_tier_waits_for_no_close);
	TEST(without_a_recorder_all_is_unseen);
	return tap_done();
}
