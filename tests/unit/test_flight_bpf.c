/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_flight_bpf.c - the recorder bpf finds what ran on a recorded CPU, and leaves out the members' own
 * switches.
 *
 * Actors are processes pinned to the CPU. Some of them are watched as members of rings, and all do as they
 * are told through pipes. */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/small_file.h"
#include "src/flight/bpf_lane.h"
#include "src/flight/flight.h"
#include "src/flight/tier.h"
#include "src/machine/cpus.h"
#include "src/machine/task.h"
#include "tests/unit/tap.h"

extern const struct flight_tier flight_bpf;

static const uint64_t hog_ns = 5000000;
enum { ACTORS = 3, RECORDS = 65536 };

struct stage {
	_Atomic uint64_t from_ns, until_ns; /* of the hog's work */
	_Atomic uint64_t ran_ns;            /* meanwhile, by the kernel's count */
	_Atomic int n_ready;                /* actors */
	_Atomic int passes_left;
	_Atomic int worked;       /* times */
	_Atomic uint64_t step_ns; /* between two timers */
};

struct actor {
	pid_t pid;
	int in, out; /* words for it */
};

static unsigned recorded_cpu, other_cpu;
static bool has_other_cpu;
static struct stage *stage;
static struct actor actors[ACTORS];
static struct flight_record records[RECORDS];
static size_t n_records;

/* --- actors --- */

static uint64_t own_runtime_ns(void)
{
	struct timespec used = {0};

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return clock_ns(&used);
}

enum { TIMERS = 256 };

static void make_timers(int timers[TIMERS])
{
	for (unsigned i = 0; i < TIMERS; i++)
		if ((timers[i] = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC)) < 0)
			_exit(2);
}

/* They expire on this CPU, one after the other: an interrupt may serve several. Returns when the last one
 * does. To arm them takes a while, at the end of which none has expired. */
static uint64_t arm_timers(const int timers[TIMERS], uint64_t step_ns)
{
	uint64_t lead_ns = 500000, first_ns;

	do {
		first_ns = clock_now_ns() + lead_ns;
		for (unsigned i = 0; i < TIMERS; i++) {
			const struct itimerspec at = {.it_value = clock_timespec(first_ns + i * step_ns)};

			timerfd_settime(timers[i], TFD_TIMER_ABSTIME, &at, NULL);
		}
		lead_ns *= 2;
	} while (clock_now_ns() > first_ns);
	return first_ns + (TIMERS - 1) * step_ns;
}

static void work_for_a_while(void)
{
	uint64_t from_ns = clock_now_ns(), before_ns = own_runtime_ns();

	stage->from_ns = from_ns;
	while (clock_now_ns() < from_ns + hog_ns)
		;
	stage->ran_ns = own_runtime_ns() - before_ns;
	stage->until_ns = clock_now_ns();
	stage->worked++;
}

static void pass_on(unsigned to, const char *word)
{
	if (atomic_fetch_sub(&stage->passes_left, 1) > 1 && write(actors[to].out, word, 1) != 1)
		_exit(1);
}

/* Actors 0 and 1 pass a word to and fro; who has it last works. */
static void pass_on_or_work(unsigned i)
{
	bool is_last = atomic_fetch_sub(&stage->passes_left, 1) <= 1;

	if (!is_last && write(actors[!i].out, "e", 1) != 1)
		_exit(1);
	if (is_last)
		work_for_a_while();
}

/* Actors 0 and 1 pass a word to and fro: "p" at once, "P" after a while that is not short for the recorder.
 * Actors 0 and 2 do so with "d". "f" lets timers expire while the actor works. */
static void act(unsigned i, char word)
{
	int timers[TIMERS];

	switch (word) {
	case 'P':
		for (uint64_t end_ns = clock_now_ns() + 20000; clock_now_ns() < end_ns;)
			;
		pass_on(!i, "P");
		break;
	case 'p':
		pass_on(!i, "p");
		break;
	case 'd':
		pass_on(2 - i, "d");
		break;
	case 'e':
		pass_on_or_work(i);
		break;
	case 'w':
		work_for_a_while();
		break;
	case 'f':
		make_timers(timers);
		arm_timers(timers, stage->step_ns);
		work_for_a_while();
		for (unsigned n = 0; n < TIMERS; n++)
			close(timers[n]);
		break;
	case 'W': /* actor 0 wants to run meanwhile */
		if (write(actors[0].out, "n", 1) != 1)
			_exit(1);
		work_for_a_while();
		break;
	default:
		break;
	}
}

static void run_actor(unsigned i, unsigned cpu, int priority)
{
	const struct sched_param param = {.sched_priority = priority};
	char name[16], word;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	snprintf(name, sizeof(name), "actor-%u", i);
	prctl(PR_SET_NAME, name);
	if (task_pin(0, cpu) < 0)
		_exit(1);
	sched_setscheduler(0, SCHED_FIFO, &param); /* without that right others may come between */
	stage->n_ready++;
	while (read(actors[i].in, &word, 1) == 1)
		act(i, word);
	_exit(0);
}

static bool is_asleep(unsigned i)
{
	char path[64], text[2048];

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)actors[i].pid);
	small_file_read(path, text, sizeof(text));
	return strstr(text, ") S ") != NULL;
}

static void start_actors(unsigned cpu)
{
	uint64_t deadline_ns = clock_now_ns() + 20000000000u;

	*stage = (struct stage){0};
	for (unsigned i = 0; i < ACTORS; i++) {
		int ends[2];

		CHECK(pipe(ends) == 0);
		actors[i] = (struct actor){.in = ends[0], .out = ends[1]};
	}
	for (unsigned i = 0; i < ACTORS; i++) {
		actors[i].pid = fork();
		if (actors[i].pid == 0)
			run_actor(i, cpu, i == 2 ? 50 : 40);
		CHECK(actors[i].pid > 0);
	}
	for (unsigned i = 0; i < ACTORS; i++)
		while ((stage->n_ready < ACTORS || !is_asleep(i)) && clock_now_ns() < deadline_ns)
			usleep(1000); /* until all wait for words */
	usleep(2000);                 /* until the records are old enough */
}

static void end_actors(void)
{
	for (unsigned i = 0; i < ACTORS; i++) {
		kill(actors[i].pid, SIGKILL);
		waitpid(actors[i].pid, NULL, 0);
		close(actors[i].in);
		close(actors[i].out);
	}
}

static void tell(unsigned i, const char *word)
{
	CHECK(write(actors[i].out, word, 1) == 1);
}

/* Returns how often an actor went to sleep. */
static unsigned long sleeps_of(unsigned i)
{
	char path[64], line[128];
	unsigned long n = 0;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)actors[i].pid);
	FILE *status = fopen(path, "re");

	CHECK(status);
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "voluntary_ctxt_switches: %lu", &n) == 1)
			break;
	if (status)
		fclose(status);
	return n;
}

/* Gives actor 2 work, and waits until that is done, and the actor asleep again: a task of a higher priority
 * may keep it from that for a while. */
static void let_work(const char *word)
{
	uint64_t deadline_ns = clock_now_ns() + 20000000000u;
	unsigned long sleeps = sleeps_of(2);
	int times = stage->worked;

	tell(2, word);
	while ((stage->worked == times || sleeps_of(2) == sleeps) && clock_now_ns() < deadline_ns)
		usleep(1000);
	CHECK(stage->worked == times + 1);
	usleep(2000); /* until the record is old enough */
}

static void pass(const char *word, int times)
{
	uint64_t deadline_ns = clock_now_ns() + 20000000000u;

	stage->passes_left = times;
	tell(0, word);
	while (stage->passes_left > 0 && clock_now_ns() < deadline_ns)
		usleep(1000);
	CHECK(stage->passes_left <= 0);
	usleep(2000);
}

struct hog {
	uint64_t from_ns, until_ns; /* by its own stamps */
	uint64_t ran_ns;            /* meanwhile, by the kernel's count */
};

/* --- what was recorded --- */

static void take(void *data, const struct flight_record *record)
{
	if (n_records < RECORDS)
		records[n_records++] = *record;
}

/* When turns ended that were handed over last; 0: another record followed them. */
static uint64_t turned_ns;

/* The record after turns begins where they end, so no switch is missing. The same holds for turns that go on
 * and are handed over in two parts. */
static void check_turns(void)
{
	for (size_t i = 0; i < n_records; i++) {
		const struct flight_record *record = &records[i];
		bool is_turns = record->kind == FLIGHT_TURNS;

		if (!is_turns && record->kind != FLIGHT_SWITCH && record->kind != FLIGHT_GAP)
			continue;
		uint64_t from_ns = is_turns ? record->from_ns : record->at_ns;

		CHECK(!turned_ns || record->kind == FLIGHT_GAP || from_ns == turned_ns,
			"record %zu of %zu begins %lld ns after turns", i, n_records,
			(long long)(from_ns - turned_ns));
		turned_ns = is_turns ? record->at_ns : 0;
	}
}

static void drain(void *flight)
{
	n_records = 0;
	flight_bpf.drain(flight, take, NULL);
	check_turns();
}

static bool is_of(const struct flight_record *record, int32_t tid)
{
	return record->kind == FLIGHT_SWITCH && (record->prev_tid == tid || record->next_tid == tid);
}

/* Counts switches from or to an actor. */
static size_t count_of(int32_t tid)
{
	size_t n = 0;

	for (size_t i = 0; i < n_records; i++)
		n += is_of(&records[i], tid);
	return n;
}

/* Counts switches between actors 0 and 1, and between them and idle. */
static size_t count_routine(void)
{
	size_t n = 0;

	for (size_t i = 0; i < n_records; i++) {
		const struct flight_record *r = &records[i];
		bool prev = r->prev_tid == 0 || r->prev_tid == actors[0].pid || r->prev_tid == actors[1].pid;
		bool next = r->next_tid == 0 || r->next_tid == actors[0].pid || r->next_tid == actors[1].pid;

		n += r->kind == FLIGHT_SWITCH && prev && next;
	}
	return n;
}

static size_t count_kind(enum flight_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < n_records; i++)
		n += records[i].kind == kind;
	return n;
}

/* What records say of a task. */
struct seen {
	uint64_t from_ns, until_ns; /* its first switch to the CPU, its last one from it */
	uint64_t on_cpu_ns;         /* during its work */
};

static uint64_t overlap_ns(uint64_t from_ns, uint64_t until_ns, const struct hog *hog)
{
	if (from_ns < hog->from_ns)
		from_ns = hog->from_ns;
	if (until_ns > hog->until_ns)
		until_ns = hog->until_ns;
	return until_ns > from_ns ? until_ns - from_ns : 0;
}

static struct seen seen_of(int32_t tid, const struct hog *hog)
{
	struct seen seen = {0};
	uint64_t on_ns = 0;

	for (size_t i = 0; i < n_records; i++) {
		if (!is_of(&records[i], tid))
			continue;
		if (records[i].next_tid == tid) {
			on_ns = records[i].at_ns;
			if (!seen.from_ns)
				seen.from_ns = on_ns;
		} else {
			seen.until_ns = records[i].at_ns;
			seen.on_cpu_ns += on_ns ? overlap_ns(on_ns, records[i].at_ns, hog) : 0;
			on_ns = 0;
		}
	}
	return seen;
}

static void check_order(void)
{
	uint64_t last_ns = 0;

	for (size_t i = 0; i < n_records; i++)
		if (records[i].cpu == recorded_cpu) {
			CHECK(records[i].at_ns >= last_ns, "record %zu of %zu", i, n_records);
			CHECK(records[i].from_ns <= records[i].at_ns);
			last_ns = records[i].at_ns;
		}
}

/* --- what is watched --- */

struct watch {
	struct flight_watch watch;
	struct cpus cpus;
	struct flight_member members[ACTORS];
};

/* Actors with the number of a ring above 0 are its members. */
static const struct flight_watch *set_watch(struct watch *of, const uint32_t rings[ACTORS])
{
	*of = (struct watch){0};
	cpus_add(&of->cpus, recorded_cpu);
	for (unsigned i = 0; i < ACTORS; i++)
		if (rings[i])
			of->members[of->watch.n_members++] = (struct flight_member){
				.tid = actors[i].pid, .ring = rings[i], .cpu = (int)recorded_cpu};
	of->watch.cpus = &of->cpus;
	of->watch.members = of->members;
	return &of->watch;
}

static void *open_flight(const struct flight_watch *watch)
{
	struct error_text reason = {0};
	void *flight = NULL;
	int r = flight_bpf.open(&flight, watch, &reason);

	CHECK(r == 0, "%s", reason.text);
	turned_ns = 0;
	return flight;
}

static void *start(const uint32_t rings[ACTORS])
{
	struct watch of;

	start_actors(recorded_cpu);
	return open_flight(set_watch(&of, rings));
}

static void finish(void *flight)
{
	if (flight)
		flight_bpf.close(flight);
	end_actors();
}

static void follow(void *flight, const struct flight_watch *watch)
{
	struct error_text reason = {0};

	CHECK(flight_bpf.follow(flight, watch, &reason) == 0, "%s", reason.text);
}

/* --- tests --- */

/* Lets actor 2 work, and leaves in @hog what was to be recorded. */
static void hog(struct hog *hog)
{
	let_work("w");
	*hog = (struct hog){stage->from_ns, stage->until_ns, stage->ran_ns};
}

/* While it worked, the hog was on its CPU for as long as it ran, or longer, where a hypervisor had the CPU.
 * @n_gaps: those that are there anyway. If there are more, the machine was so busy that records were
 * overwritten before this program got a CPU, and the hog's may be among them. */
static void check_hog(const struct hog *hog, size_t n_gaps)
{
	struct seen seen = seen_of(actors[2].pid, hog);
	bool is_named = false;

	CHECK(count_kind(FLIGHT_GAP) >= n_gaps, "%zu", count_kind(FLIGHT_GAP));
	if (count_kind(FLIGHT_GAP) > n_gaps) {
		printf("# records were overwritten: the hog is not looked for\n");
		return;
	}
	CHECK(seen.from_ns <= hog->from_ns && seen.until_ns >= hog->until_ns,
		"worked from %llu to %llu ns, recorded %llu to %llu ns", (unsigned long long)hog->from_ns,
		(unsigned long long)hog->until_ns, (unsigned long long)seen.from_ns,
		(unsigned long long)seen.until_ns);
	CHECK(seen.on_cpu_ns >= hog->ran_ns - hog->ran_ns / 10,
		"worked for %llu ns, ran %llu ns, recorded %llu ns",
		(unsigned long long)(hog->until_ns - hog->from_ns), (unsigned long long)hog->ran_ns,
		(unsigned long long)seen.on_cpu_ns);
	for (size_t i = 0; i < n_records && !seen.on_cpu_ns; i++)
		if (is_of(&records[i], actors[2].pid) || records[i].kind == FLIGHT_GAP)
			printf("# %s of CPU %u: %d > %d, %lld ns after the end of the work\n",
				flight_kind_names[records[i].kind], (unsigned)records[i].cpu,
				(int)records[i].prev_tid, (int)records[i].next_tid,
				(long long)(records[i].at_ns - hog->until_ns));
	for (size_t i = 0; i < n_records; i++)
		if (records[i].kind == FLIGHT_SWITCH && records[i].next_tid == actors[2].pid)
			is_named = strcmp(records[i].next_name, "actor-2") == 0 &&
				   records[i].cpu == recorded_cpu;
	CHECK(is_named);
}

static void a_hog_is_found_with_name_tid_and_length(void)
{
	void *flight = start((const uint32_t[]){7, 7, 0});

	struct hog first;

	drain(flight);
	hog(&first);
	drain(flight);
	check_order();
	check_hog(&first, 0);
	printf("# %zu bytes are mapped\n", flight_bpf.memory(flight));
	finish(flight);
}

static void the_first_record_of_a_cpu_is_a_gap_from_0_on(void)
{
	uint64_t before_ns = clock_now_ns();
	void *flight = start((const uint32_t[]){7, 7, 0});
	uint64_t opened_ns = clock_now_ns();

	usleep(20000);
	drain(flight);
	CHECK(n_records > 0 && records[0].kind == FLIGHT_GAP && records[0].cpu == recorded_cpu);
	CHECK(records[0].from_ns == 0 && records[0].at_ns > before_ns && records[0].at_ns <= opened_ns);
	for (size_t i = 1; i < n_records; i++)
		CHECK(records[i].kind != FLIGHT_GAP || records[i].from_ns > 0, "record %zu", i);
	finish(flight);
}

static void switches_within_a_ring_and_to_idle_are_left_out(void)
{
	void *flight = start((const uint32_t[]){7, 7, 0});
	struct watch of;

	drain(flight);
	pass("p", 1000);
	drain(flight);
	CHECK(count_routine() == 0, "%zu of %zu records", count_routine(), n_records);
	follow(flight, set_watch(&of, (const uint32_t[]){0, 0, 0}));
	pass("P", 1000);
	drain(flight);
	/* Tasks of others may come between them, too. */
	CHECK(count_of(actors[0].pid) > 900, "%zu of %zu records", count_of(actors[0].pid), n_records);
	check_order();
	finish(flight);
}

/* What records say of actors 0 and 1 while they pass a word: how often they took turns, and the time that is
 * known to be theirs. */
struct passing {
	uint64_t n_turns, turns_ns, from_ns, until_ns;
};

static bool is_of_two(const struct flight_record *record)
{
	int32_t a = actors[0].pid, b = actors[1].pid;

	return (record->prev_tid == a && record->next_tid == b) ||
	       (record->prev_tid == b && record->next_tid == a);
}

static struct passing read_passing(void)
{
	struct passing passing = {0};

	for (size_t i = 0; i < n_records; i++) {
		const struct flight_record *record = &records[i];

		if (!is_of_two(record) || (record->kind != FLIGHT_SWITCH && record->kind != FLIGHT_TURNS))
			continue;
		passing.from_ns = passing.from_ns ? passing.from_ns : record->at_ns;
		passing.until_ns = record->at_ns;
		if (record->kind != FLIGHT_TURNS)
			continue;
		passing.n_turns += record->number;
		passing.turns_ns += record->until_ns - record->from_ns;
		CHECK(strncmp(record->prev_name, "actor-", 6) == 0 && record->number > 1, "%s %u",
			record->prev_name, (unsigned)record->number);
	}
	return passing;
}

/* A task that computes for longer is named alone, also right after turns; see read_passing(). */
static void tasks_that_hand_over_quickly_are_counted_and_named(void)
{
	enum { PASSES = 10000 }; /* a lane has room for the records of them all */
	void *flight = start((const uint32_t[]){0, 0, 7});

	usleep(1000);
	drain(flight);
	pass("p", PASSES);
	drain(flight);
	check_order();
	struct passing passing = read_passing();
	bool is_quick = passing.until_ns - passing.from_ns < (uint64_t)PASSES * BPF_SHORT_NS / 2;

	printf("# %zu records of %d passes: %llu turns in %llu of %llu us\n", n_records, PASSES,
		(unsigned long long)passing.n_turns, (unsigned long long)passing.turns_ns / 1000,
		(unsigned long long)(passing.until_ns - passing.from_ns) / 1000);
	/* A machine whose passes take longer records each of them. Where they take less than half of that on
	 * average, a short one follows a short one. */
	CHECK(passing.n_turns + count_of(actors[0].pid) >= PASSES * 9 / 10, "%llu turns, %zu switches",
		(unsigned long long)passing.n_turns, count_of(actors[0].pid));
	CHECK(!is_quick || passing.n_turns > 0, "%llu turns", (unsigned long long)passing.n_turns);
	finish(flight);
	flight = start((const uint32_t[]){7, 7, 0});
	drain(flight);
	pass("p", PASSES);
	drain(flight);
	CHECK(read_passing().n_turns == 0, "those of members are not recorded at all");
	finish(flight);
}

/* Returns who of actors 0 and 1 came last by the records, and may have been interrupted by others since: its
 * number, or ACTORS. */
static unsigned last_of_two(void)
{
	for (size_t i = n_records; i-- > 0;) {
		const struct flight_record *record = &records[i];

		for (unsigned actor = 0; actor < 2 && record->kind == FLIGHT_SWITCH; actor++)
			if (record->next_tid == actors[actor].pid)
				return actor;
		for (unsigned actor = 0; actor < 2 && record->kind == FLIGHT_SWITCH; actor++)
			if (record->prev_tid == actors[actor].pid)
				return actor; /* the other task still runs */
	}
	return ACTORS;
}

/* No switch is recorded as long as it computes. */
static void who_computes_after_turns_is_known_meanwhile(void)
{
	enum { TIMES = 24 };
	void *flight = start((const uint32_t[]){0, 0, 7});
	unsigned n_read = 0;

	for (unsigned i = 0; i < TIMES; i++) {
		int worked = stage->worked;
		uint64_t deadline_ns = clock_now_ns() + 20000000000u;

		drain(flight);
		stage->from_ns = 0;
		stage->passes_left = 100 + (int)i;
		tell(0, "e");
		while (!stage->from_ns && clock_now_ns() < deadline_ns)
			;
		drain(flight); /* it has come too late to be handed over as one that is alone */
		while (clock_now_ns() < stage->from_ns + 1000000)
			;
		drain(flight);
		bool was_read = clock_now_ns() < stage->from_ns + hog_ns && count_of(actors[0].pid) > 0;

		check_order();
		if (was_read) {
			n_read++;
			CHECK(last_of_two() == (99 + i) % 2, "%u passes: actor %u", 100 + i, last_of_two());
		}
		while (stage->worked == worked && clock_now_ns() < deadline_ns)
			usleep(1000);
		usleep(2000);
	}
	printf("# read %u of %u times while it computed\n", n_read, (unsigned)TIMES);
	finish(flight);
}

/* Returns how much of the records' end is not known to be turns, before @now_ns; UINT64_MAX: nothing is. */
static uint64_t since_turns_ns(uint64_t now_ns)
{
	uint64_t until_ns = 0;

	for (size_t i = 0; i < n_records; i++) {
		const struct flight_record *record = &records[i];

		if (record->kind != FLIGHT_TURNS || !is_of_two(record))
			continue;
		CHECK(record->from_ns >= until_ns && record->at_ns > record->from_ns,
			"two are about one time");
		until_ns = record->at_ns;
	}
	return until_ns ? now_ns - until_ns : UINT64_MAX;
}

/* A spike that is under way asks for the last millisecond, too. Others may take the CPU at times. */
static void two_that_take_turns_are_known_meanwhile(void)
{
	enum { TIMES = 40, PASSES = 1000000, KNOWN_NS = 200000 };
	void *flight = start((const uint32_t[]){0, 0, 7});
	unsigned n_known = 0, n_turns = 0;

	drain(flight);
	stage->passes_left = PASSES;
	uint64_t start_ns = clock_now_ns();

	tell(0, "p");
	for (unsigned i = 0; i < TIMES; i++) {
		usleep(5000);
		uint64_t now_ns = clock_now_ns();

		drain(flight);
		uint64_t since_ns = since_turns_ns(now_ns);

		n_turns += since_ns != UINT64_MAX;
		n_known += since_ns < KNOWN_NS;
	}
	int n_passes = PASSES - stage->passes_left;
	bool is_quick = clock_now_ns() - start_ns < (uint64_t)n_passes * BPF_SHORT_NS / 2;

	stage->passes_left = 0;
	usleep(2000);
	drain(flight);
	check_order();
	since_turns_ns(clock_now_ns());
	printf("# turns were known up to now %u times, and in all %u times of %u\n", n_known, n_turns,
		(unsigned)TIMES);
	CHECK(n_known >= n_turns / 2, "%u of %u times", n_known, n_turns);
	CHECK(!is_quick || n_turns > 0, "%d passes", n_passes); /* slow ones are no turns */
	finish(flight);
}

static void a_stopped_member_is_recorded(void)
{
	void *flight = start((const uint32_t[]){7, 7, 0});
	size_t n_stopped = 0;

	drain(flight);
	/* Its CPU may be busy, and records of others overwrite its own. */
	for (unsigned tries = 0; tries < 1000 && !n_stopped; tries++) {
		if (tries % 100 == 0) {
			kill(actors[0].pid, SIGCONT);
			kill(actors[0].pid, SIGSTOP);
		}
		usleep(10000);
		drain(flight);
		for (size_t i = 0; i < n_records; i++)
			n_stopped += is_of(&records[i], actors[0].pid) &&
				     records[i].prev_tid == actors[0].pid &&
				     records[i].prev_state == FLIGHT_STOPPED;
	}
	CHECK(n_stopped);
	kill(actors[0].pid, SIGCONT);
	finish(flight);
}

static void a_member_that_ends_is_recorded(void)
{
	void *flight = start((const uint32_t[]){7, 7, 0});
	size_t n_ended = 0;

	drain(flight);
	kill(actors[1].pid, SIGKILL);
	for (unsigned tries = 0; tries < 1000 && !n_ended; tries++) { /* its CPU may be busy */
		usleep(10000);
		drain(flight);
		for (size_t i = 0; i < n_records; i++)
			n_ended += is_of(&records[i], actors[1].pid) &&
				   records[i].prev_tid == actors[1].pid &&
				   records[i].prev_state == FLIGHT_EXITS;
	}
	CHECK(n_ended == 1);
	finish(flight);
}

static char freezer[64];

/* Of a cgroup of version 1. */
static void write_freezer(const char *file, const char *text)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%s", freezer, file);
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	CHECK(fd >= 0 && write(fd, text, strlen(text)) > 0, "%s", path);
	if (fd >= 0)
		close(fd);
}

static void a_frozen_member_is_recorded_as_one_that_waits_in_the_kernel(void)
{
	void *flight = start((const uint32_t[]){7, 7, 0});
	size_t n_frozen = 0;
	char pid[16];

	snprintf(pid, sizeof(pid), "%d", (int)actors[0].pid);
	CHECK(mkdir(freezer, 0755) == 0);
	write_freezer("cgroup.procs", pid);
	drain(flight);
	for (unsigned tries = 0; tries < 1000 && !n_frozen; tries++) { /* its CPU may be busy */
		if (tries % 100 == 0) {
			write_freezer("freezer.state", "THAWED");
			write_freezer("freezer.state", "FROZEN");
		}
		usleep(10000);
		drain(flight);
		for (size_t i = 0; i < n_records; i++)
			n_frozen += is_of(&records[i], actors[0].pid) &&
				    records[i].prev_tid == actors[0].pid &&
				    records[i].prev_state == FLIGHT_BLOCKED;
	}
	CHECK(n_frozen);
	write_freezer("freezer.state", "THAWED");
	finish(flight);
	for (unsigned tries = 0; tries < 1000 && rmdir(freezer) < 0; tries++) /* until its task is gone */
		usleep(1000);
	CHECK(access(freezer, F_OK) < 0);
}

static uint64_t count_member_turns(void)
{
	uint64_t n = 0;

	for (size_t i = 0; i < n_records; i++)
		if (records[i].kind == FLIGHT_MEMBERS) {
			CHECK(!records[i].prev_tid && !records[i].next_tid && records[i].number > 0);
			CHECK(records[i].next_priority == records[i].prev_priority);
			n += records[i].number;
		}
	return n;
}

/* Both rings are on one CPU. */
static void members_of_rings_that_hand_over_quickly_are_counted(void)
{
	enum { PASSES = 10000 };
	const uint32_t rings[] = {7, 8, 0};
	void *flight = start(rings);

	drain(flight);
	uint64_t start_ns = clock_now_ns();

	pass("p", PASSES);
	bool is_quick = clock_now_ns() - start_ns < (uint64_t)PASSES * BPF_SHORT_NS / 2;

	drain(flight);
	check_order();
	printf("# %zu records of %d passes, %llu turns of members\n", n_records, PASSES,
		(unsigned long long)count_member_turns());
	CHECK(count_member_turns() + count_of(actors[0].pid) >= PASSES * 9 / 10, "%llu turns, %zu switches",
		(unsigned long long)count_member_turns(), count_of(actors[0].pid));
	CHECK(!is_quick || count_member_turns() > PASSES / 2, "%llu",
		(unsigned long long)count_member_turns());
	let_work("w"); /* actor 2, a stranger, may come before and after turns */
	pass("p", 100);
	let_work("w");
	drain(flight);
	count_member_turns();
	pass("P", 100); /* for too long to be counted */
	drain(flight);
	CHECK(count_of(actors[0].pid) >= 90, "%zu of %zu records", count_of(actors[0].pid), n_records);
	finish(flight);
}

static bool has_come_or_gone(pid_t tid, bool has_come)
{
	for (size_t i = 0; i < n_records; i++)
		if (is_of(&records[i], tid) && (records[i].next_tid == tid) == has_come)
			return true;
	return false;
}

/* A member that was stopped comes while others take turns. Alone it would come from idle, without a record.
 */
static void the_return_of_a_member_is_recorded_among_turns(void)
{
	enum { PASSES = 1000000000, TIMES = 500 };
	const struct sched_param param = {.sched_priority = 40};
	void *flight = start((const uint32_t[]){7, 8, 9});
	bool has_returned = false;

	sched_setscheduler(actors[2].pid, SCHED_FIFO, &param); /* as the others have it */
	drain(flight);
	kill(actors[1].pid, SIGSTOP);
	for (unsigned i = 0; i < TIMES && !has_come_or_gone(actors[1].pid, false); i++) {
		usleep(10000); /* its CPU may be busy */
		drain(flight);
	}
	stage->passes_left = PASSES;
	tell(0, "d");
	usleep(10000);
	drain(flight);
	CHECK(!has_come_or_gone(actors[1].pid, true));
	kill(actors[1].pid, SIGCONT);
	for (unsigned i = 0; i < TIMES && !has_returned; i++) {
		usleep(10000);
		drain(flight);
		has_returned = has_come_or_gone(actors[1].pid, true);
	}
	CHECK(has_returned);
	stage->passes_left = 0;
	usleep(2000);
	finish(flight);
}

/* The ids of these rings differ in what 16 bits can't tell. Tasks of a higher priority may come between. */
static void a_member_of_another_ring_is_seen(void)
{
	void *flight = start((const uint32_t[]){7, 7, 7 + 65536});
	bool has_left = false, has_come = false;

	drain(flight);
	let_work("W");
	for (unsigned tries = 0; tries < 1000 && !has_come; tries++) { /* its CPU may be busy */
		drain(flight);
		for (size_t i = 0; i < n_records; i++)
			if (is_of(&records[i], actors[2].pid) && records[i].prev_tid == actors[2].pid) {
				has_left |= strcmp(records[i].prev_name, "actor-2") == 0;
				has_come |= records[i].next_tid == actors[0].pid;
			} else if (has_left && is_of(&records[i], actors[0].pid)) {
				has_come |= records[i].next_tid == actors[0].pid;
			}
		usleep(10000);
	}
	CHECK(has_left && has_come);
	finish(flight);
}

/* Kernels without it lack what the programs read. */
static bool has_since(void)
{
	return access("/proc/self/schedstat", F_OK) == 0 && access("/proc/self/autogroup", F_OK) == 0;
}

/* What the switches from an actor say of the time that it had the CPU during its work. */
static uint64_t recorded_since(int32_t tid, const struct hog *hog)
{
	uint64_t on_ns = 0;

	for (size_t i = 0; i < n_records; i++)
		if (records[i].kind == FLIGHT_SWITCH && records[i].prev_tid == tid && records[i].from_ns)
			on_ns += overlap_ns(records[i].from_ns, records[i].at_ns, hog);
	return on_ns;
}

/* Actor 2 comes from idle, or after a task that has nothing to do with it: of that there may be no record. */
static void a_switch_tells_since_when_the_task_that_goes_had_the_cpu(void)
{
	void *flight = start((const uint32_t[]){7, 7, 8});
	uint64_t on_ns = 0, queued_ns = 0;
	bool has_gone = false;
	struct hog work;

	drain(flight);
	let_work("W");
	work = (struct hog){stage->from_ns, stage->until_ns, stage->ran_ns};
	for (unsigned tries = 0; tries < 1000 && !queued_ns; tries++) { /* its CPU may be busy */
		drain(flight);
		check_order();
		on_ns += recorded_since(actors[2].pid, &work);
		for (size_t i = 0; i < n_records; i++) {
			CHECK(records[i].queued_ns <= records[i].at_ns);
			has_gone |= records[i].kind == FLIGHT_SWITCH && records[i].prev_tid == actors[2].pid;
			if (records[i].kind == FLIGHT_SWITCH && has_gone &&
				records[i].next_tid == actors[0].pid)
				queued_ns = records[i].queued_ns ? records[i].queued_ns : 1;
		}
		usleep(10000);
	}
	if (has_since()) {
		CHECK(on_ns >= work.ran_ns - work.ran_ns / 10, "ran %llu ns, recorded %llu ns",
			(unsigned long long)work.ran_ns, (unsigned long long)on_ns);
		CHECK(queued_ns > 1);
	}
	finish(flight);
}

/* Returns whether a record has actor 2; *role is its role in a spike of that ring. */
static bool find_role(const struct flight *flight, uint32_t ring, enum flight_role *role)
{
	struct spike spike = {.ring = ring,
		.figure = FIGURE_RESPONSE,
		.sender = {.cpu = (int32_t)recorded_cpu},
		.receiver = {.cpu = (int32_t)recorded_cpu}};
	bool is_found = false;

	spike.due_ns = spike.sent_ns = 1;
	spike.received_ns = spike.seen_ns = clock_now_ns();
	n_records = flight_find(flight, &spike, records, RECORDS);
	for (size_t i = 0; i < n_records && !is_found; i++) {
		is_found = is_of(&records[i], actors[2].pid);
		*role = records[i].prev_tid == actors[2].pid ? records[i].prev_role : records[i].next_role;
	}
	return is_found;
}

static void a_member_that_has_ended_is_no_rival(void)
{
	enum flight_role rival = ROLE_OTHER, own = ROLE_OTHER, ended = ROLE_OTHER;
	bool is_found = false;
	struct flight *flight;
	struct watch of;

	start_actors(recorded_cpu);
	CHECK(flight_create(&flight, FLIGHT_BEST, 0) == 0);
	flight_watch(flight, set_watch(&of, (const uint32_t[]){7, 7, 8}));
	let_work("W");
	for (unsigned tries = 0; tries < 1000 && !is_found; tries++) { /* its CPU may be busy */
		usleep(10000);
		flight_drain(flight);
		is_found = find_role(flight, 7, &rival);
	}
	is_found = is_found && find_role(flight, 8, &own);
	flight_watch(flight, set_watch(&of, (const uint32_t[]){7, 7, 0}));
	CHECK(is_found && find_role(flight, 8, &ended) && rival == ROLE_MEMBER && own == ROLE_PEER &&
		ended == ROLE_PEER);
	flight_destroy(flight);
	end_actors();
}

static void what_was_overwritten_is_a_gap(void)
{
	void *flight = start((const uint32_t[]){0, 0, 0});
	size_t n_gaps = 0;

	usleep(1000);
	drain(flight);
	pass("P", 40000);
	drain(flight);
	check_order();
	for (size_t i = 0; i < n_records; i++)
		n_gaps += records[i].kind == FLIGHT_GAP && records[i].from_ns > 0 &&
			  records[i].number == GAP_OVERWRITTEN;
	/* Others may make too many interrupts meanwhile. */
	CHECK(n_gaps >= 1, "%zu gaps in %zu records", n_gaps, n_records);
	CHECK(count_kind(FLIGHT_SWITCH) > 3000, "%zu", count_kind(FLIGHT_SWITCH));
	finish(flight);
}

static void a_cpu_that_is_not_watched_yields_nothing(void)
{
	struct watch of;

	start_actors(other_cpu);
	void *flight = open_flight(set_watch(&of, (const uint32_t[]){0, 0, 0}));

	let_work("w");
	drain(flight);
	for (size_t i = 0; i < n_records; i++)
		CHECK(records[i].cpu == recorded_cpu);
	CHECK(count_of(actors[2].pid) == 0);
	finish(flight);
}

/* CPUs come, for which new maps are needed, and go. What was recorded before is handed over. */
static void records_survive_changes_of_the_cpus(void)
{
	void *flight = start((const uint32_t[]){7, 7, 0});
	struct hog first, second, third;
	struct watch of;

	drain(flight);
	hog(&first);
	set_watch(&of, (const uint32_t[]){7, 7, 0});
	cpus_add(&of.cpus, other_cpu);
	follow(flight, &of.watch);
	drain(flight);
	check_order();
	check_hog(&first, 2); /* one for each CPU */
	hog(&second);
	cpus_remove(&of.cpus, recorded_cpu);
	follow(flight, &of.watch);
	hog(&third); /* it is not recorded */
	drain(flight);
	check_order();
	check_hog(&second, 0);
	finish(flight);
}

static void interrupts_are_recorded(void)
{
	void *flight = start((const uint32_t[]){7, 7, 0});
	size_t n[N_FLIGHT_KINDS] = {0};

	for (unsigned i = 0; i < 40; i++) {
		pass("p", 20);
		usleep(20000);
		drain(flight);
		check_order();
		for (unsigned kind = 0; kind < N_FLIGHT_KINDS; kind++)
			n[kind] += count_kind(kind);
	}
	for (unsigned kind = 0; kind < N_FLIGHT_KINDS; kind++)
		printf("# %s: %zu\n", flight_kind_names[kind], n[kind]);
	CHECK(n[FLIGHT_TIMER] + n[FLIGHT_IRQ] + n[FLIGHT_IPI] + n[FLIGHT_SOFTIRQ] > 0);
	finish(flight);
}

/* In each round timers expire on the recorded CPU, while its task computes. */
static void flood(unsigned rounds)
{
	enum { STEP_NS = 15000 };
	const struct sched_param param = {
		.sched_priority = 45}; /* above plain tasks, whose switches need room */
	int timers[TIMERS], status = 0;
	pid_t child = fork();

	if (child != 0) {
		CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0, "%d", status);
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (task_pin(0, recorded_cpu) < 0)
		_exit(1);
	sched_setscheduler(0, SCHED_FIFO, &param);
	make_timers(timers);
	for (unsigned round = 0; round < rounds; round++) {
		for (uint64_t end_ns = arm_timers(timers, STEP_NS) + STEP_NS; clock_now_ns() < end_ns;)
			;
	}
	_exit(0);
}

/* Counts those that interrupted the actor at work soon after another one. */
static size_t count_at_once(void)
{
	uint64_t last_ns = 0;
	size_t n = 0;

	for (size_t i = 0; i < n_records; i++) {
		if ((records[i].kind != FLIGHT_TIMER && records[i].kind != FLIGHT_IRQ) ||
			records[i].from_ns < stage->from_ns || records[i].at_ns > stage->until_ns)
			continue;
		n += last_ns && records[i].from_ns - last_ns < BPF_AT_ONCE_MOST_NS;
		last_ns = records[i].at_ns;
	}
	return n;
}

/* They interrupt a member, so that each by itself is too short for a record. How many timers an interrupt
 * serves depends on its cost, and on a hypervisor that takes the CPU meanwhile. */
static void short_interrupts_that_follow_each_other_at_once_are_recorded(void)
{
	enum { LEAST = 5, FIRST_STEP_NS = 2000, LAST_STEP_NS = 8000 };
	void *flight = start((const uint32_t[]){7, 7, 7});
	size_t n = 0;

	for (stage->step_ns = FIRST_STEP_NS; stage->step_ns <= LAST_STEP_NS && n < LEAST;
		stage->step_ns += FIRST_STEP_NS) {
		let_work("f");
		drain(flight);
		check_order();
		n += count_at_once();
	}
	printf("# %zu interrupts\n", n);
	CHECK(n >= LEAST, "%zu", n);
	finish(flight);
}

/* Each one interrupts a task. */
static void thousands_of_interrupts_in_a_short_time_are_not_overwritten(void)
{
	void *flight = start((const uint32_t[]){7, 7, 0});

	usleep(1000);
	drain(flight);
	flood(4000 / TIMERS);
	drain(flight);
	check_order();
	printf("# %zu timer interrupts\n", count_kind(FLIGHT_TIMER));
	CHECK(count_kind(FLIGHT_GAP) == 0, "%zu gaps", count_kind(FLIGHT_GAP));
	finish(flight);
}

/* Of the recorded CPU, in clock ticks, as the kernel counts it. */
static unsigned long long idle_ticks(void)
{
	char word[16], line[256];
	unsigned long long idle = 0;
	FILE *file = fopen("/proc/stat", "re");

	snprintf(word, sizeof(word), "cpu%u ", recorded_cpu);
	while (file && fgets(line, sizeof(line), file))
		if (strncmp(line, word, strlen(word)) == 0)
			sscanf(line, "%*s %*u %*u %*u %llu", &idle);
	if (file)
		fclose(file);
	return idle;
}

/* Looks at each tenth of a millisecond of 20. Returns how often the CPU was idle. */
static unsigned count_idle(void *flight, uint64_t from_ns)
{
	const uint64_t step_ns = 100000;
	uint64_t first_ns = 0;
	unsigned n = 0;

	for (uint64_t at_ns = from_ns; at_ns < from_ns + 200 * step_ns; at_ns += step_ns) {
		struct flight_record record, again;

		if (!flight_bpf.find_idle(flight, recorded_cpu, at_ns, at_ns, &record))
			continue;
		CHECK(record.kind == FLIGHT_IDLE && record.cpu == recorded_cpu);
		CHECK(record.from_ns <= at_ns && record.at_ns >= at_ns, "%llu: %llu to %llu",
			(unsigned long long)at_ns, (unsigned long long)record.from_ns,
			(unsigned long long)record.at_ns);
		first_ns = first_ns ? first_ns : at_ns;
		CHECK(record.from_ns <= first_ns || !flight_bpf.find_idle(flight, recorded_cpu, first_ns,
							    record.from_ns + 1, &again),
			"it was idle again");
		n++;
	}
	return n;
}

static void times_of_an_idle_cpu_are_found(void)
{
	void *flight = start((const uint32_t[]){7, 7, 0});
	unsigned long long before = idle_ticks();
	uint64_t deadline_ns = clock_now_ns() + 20000000000u; /* a CPU that others use is never idle */
	struct flight_record record;
	unsigned n_idle = 0;
	struct hog first;

	while (n_idle == 0 && clock_now_ns() < deadline_ns) {
		uint64_t from_ns = clock_now_ns();

		pass("p", 20);
		usleep(20000);
		pass("p", 2);
		n_idle = count_idle(flight, from_ns);
	}
	CHECK(n_idle > 0 || idle_ticks() < before + 200); /* a tenth of the time */
	hog(&first);
	uint64_t middle_ns = first.from_ns + (first.until_ns - first.from_ns) / 2;

	CHECK(!flight_bpf.find_idle(flight, recorded_cpu, middle_ns, middle_ns, &record));
	finish(flight);
}

static void nothing_is_left_open(void)
{
	int before = dup(0), after;
	void *flight = start((const uint32_t[]){7, 7, 0});

	finish(flight);
	after = dup(0);
	close(before);
	close(after);
	CHECK(after == before + 1, "descriptor %d, then %d", before, after);
}

/* Opens the tier once, to see whether it is allowed. */
static bool may_record(struct error_text *reason)
{
	const char *danger = flight_danger();
	struct cpus cpus = {0};
	void *flight = NULL;

	if (danger) {
		error_text_set(reason, 0, "%s", danger);
		return false;
	}
	cpus_add(&cpus, recorded_cpu);
	if (flight_bpf.open(&flight, &(struct flight_watch){.cpus = &cpus}, reason) < 0)
		return false;
	flight_bpf.close(flight);
	return true;
}

static const struct {
	const char *name;
	void (*run)(void);
	bool needs_two_cpus, needs_freezer;
} tests[] = {
#define ROW(test, ...)                                                                                       \
	{                                                                                                    \
#test, test, __VA_ARGS__                                                                     \
	}
	ROW(a_hog_is_found_with_name_tid_and_length),
	ROW(the_first_record_of_a_cpu_is_a_gap_from_0_on),
	ROW(switches_within_a_ring_and_to_idle_are_left_out),
	ROW(tasks_that_hand_over_quickly_are_counted_and_named),
	ROW(who_computes_after_turns_is_known_meanwhile, .needs_two_cpus = true),
	ROW(two_that_take_turns_are_known_meanwhile, .needs_two_cpus = true),
	ROW(a_stopped_member_is_recorded),
	ROW(a_frozen_member_is_recorded_as_one_that_waits_in_the_kernel, .needs_freezer = true),
	ROW(a_member_that_ends_is_recorded),
	ROW(a_member_of_another_ring_is_seen),
	ROW(a_switch_tells_since_when_the_task_that_goes_had_the_cpu),
	ROW(a_member_that_has_ended_is_no_rival),
	ROW(members_of_rings_that_hand_over_quickly_are_counted),
	ROW(the_return_of_a_member_is_recorded_among_turns, .needs_two_cpus = true),
	ROW(what_was_overwritten_is_a_gap),
	ROW(a_cpu_that_is_not_watched_yields_nothing, .needs_two_cpus = true),
	ROW(records_survive_changes_of_the_cpus, .needs_two_cpus = true),
	ROW(interrupts_are_recorded),
	ROW(short_interrupts_that_follow_each_other_at_once_are_recorded),
	ROW(thousands_of_interrupts_in_a_short_time_are_not_overwritten, .needs_two_cpus = true),
	ROW(times_of_an_idle_cpu_are_found),
	ROW(nothing_is_left_open),
};

static void skip(const char *test, const char *why)
{
	char name[96];

	snprintf(name, sizeof(name), "%s", test);
	for (char *c = name; (c = strchr(c, '_'));)
		*c = ' ';
	tap_skip(name, why);
}

int main(void)
{
	struct error_text reason = {0};
	struct cpus mine = {0};

	sched_getaffinity(0, sizeof(mine), (cpu_set_t *)&mine);
	other_cpu = (unsigned)cpus_next(&mine, -1);
	recorded_cpu = other_cpu;
	for (int cpu = -1; (cpu = cpus_next(&mine, cpu)) >= 0;)
		recorded_cpu = (unsigned)cpu;
	has_other_cpu = recorded_cpu != other_cpu;
	task_pin(0, other_cpu);
	stage = mmap(NULL, sizeof(*stage), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (stage == MAP_FAILED)
		return 1;
	snprintf(freezer, sizeof(freezer), "/sys/fs/cgroup/freezer/ipctop-test-%d", (int)getpid());
	bool may = may_record(&reason);

	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		if (!may)
			skip(tests[i].name, reason.text);
		else if (tests[i].needs_two_cpus && !has_other_cpu)
			skip(tests[i].name, "needs two CPUs");
		else if (tests[i].needs_freezer && access("/sys/fs/cgroup/freezer/cgroup.procs", W_OK) < 0)
			skip(tests[i].name, "needs version 1 of the cgroups' freezer, and the right to it");
		else
			tap_run(tests[i].name, tests[i].run);
	return tap_done();
}
