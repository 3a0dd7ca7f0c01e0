/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_stops.c - how rings of each mechanism end: by a kill, by command while they are starved, and again and
 * again. Nothing stays behind, and the other rings go on.
 *
 * By default a sample of the mechanisms is killed and starved, with IPCTOP_FULL=1 each. IPCTOP_ROUNDS is how
 * often all are started and stopped in one process; from 50 on its memory is checked. */
#include <signal.h>

#include "src/base/clock.h"
#include "src/engine/engine.h"
#include "src/machine/machine.h"
#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/probe/probe.h"
#include "src/ring/stop.h"
#include "tests/unit/leftovers.h"
#include "tests/unit/tap.h"

enum { ROUNDS = 6, SAMPLE = 9, HOG_PRIORITY = 60 };

static struct topology topology;
static bool full, has_proc;

/* Rings that run until they are ended, and a companion that must go on. */
struct rig {
	struct config config;
	char pair[32];
	struct plan plan;
	struct engine engine;
	struct notes notes;
};

static const struct probe *find_probe(const char *name)
{
	size_t i = 0;

	while (probe_registry[i] && strcmp(probe_registry[i]->name, name) != 0)
		i++;
	return probe_registry[i];
}

static bool must_cross(const struct probe *probe)
{
	return probe->traits & PROBE_SPINS && !(probe->traits & PROBE_ONE_CPU);
}

static bool is_missing(const struct probe *probe)
{
	return probe->missing && probe->missing();
}

static bool is_tested(size_t i)
{
	return (full || i % SAMPLE == 0) && !is_missing(probe_registry[i]);
}

static unsigned last_cpu(void)
{
	int last = -1;

	for (int cpu = cpus_next(&topology.usable, -1); cpu >= 0; cpu = cpus_next(&topology.usable, cpu))
		last = cpu;
	return (unsigned)last;
}

/* On the last CPU, so that the first is left to the test; or on both. False where there are not enough. */
static bool rig_config(struct rig *rig, const struct probe *probe, const struct probe *companion, bool fork)
{
	int first = cpus_next(&topology.usable, -1);
	unsigned last = last_cpu();

	*rig = (struct rig){.config = {.probes = {probe, companion},
				    .n_probes = companion ? 2 : 1,
				    .interval_ns = 1000000,
				    .tick_ns = 500000000,
				    .side_by_side = true,
				    .fork = fork}};
	snprintf(rig->pair, sizeof(rig->pair), "%u:%u", must_cross(probe) ? (unsigned)first : last, last);
	rig->config.pairs = rig->pair;
	return !must_cross(probe) || (unsigned)first != last;
}

static int rig_start(struct rig *rig)
{
	struct machine machine = {0};
	struct error_text reason = {""};
	int r = plan_init(&rig->plan, &rig->config, &topology, NULL, &rig->notes, &reason);

	if (r == 0)
		r = engine_prepare(&rig->engine,
			&(struct engine_job){&rig->plan, &rig->config, &topology, probe_registry}, &machine,
			&rig->notes, &reason);
	CHECK(r == 0, "%s", reason.text);
	if (r == 0)
		engine_start(&rig->engine);
	return r;
}

static void rig_finish(struct rig *rig)
{
	engine_finish(&rig->engine);
	plan_finish(&rig->plan);
	notes_finish(&rig->notes);
}

static struct arena_ring *ring_of(const struct rig *rig, size_t i)
{
	return &rig->engine.arena->rings[i];
}

static const struct arena_member *member_of(const struct rig *rig, size_t ring, unsigned member)
{
	return &ring_of(rig, ring)->members[member];
}

static uint32_t laps_of(const struct rig *rig, size_t ring)
{
	const struct arena_member *origin = member_of(rig, ring, 0);

	return origin->laps + origin->warmup_laps;
}

static bool wait_for_laps(const struct rig *rig, size_t ring, uint32_t more)
{
	uint32_t wanted = laps_of(rig, ring) + more;
	uint64_t deadline_ns = clock_now_ns() + 60000000000u;

	while (laps_of(rig, ring) < wanted && clock_now_ns() < deadline_ns)
		usleep(1000);
	return laps_of(rig, ring) >= wanted;
}

static bool wait_for_state(const struct rig *rig, size_t ring, enum ring_state state)
{
	uint64_t deadline_ns = clock_now_ns() + 60000000000u;

	while (atomic_load(&ring_of(rig, ring)->state) != state && clock_now_ns() < deadline_ns)
		usleep(1000);
	return atomic_load(&ring_of(rig, ring)->state) == state;
}

static bool is_gone(pid_t pid)
{
	return kill(pid, 0) < 0 && errno == ESRCH;
}

static bool wait_until_gone(pid_t pid)
{
	uint64_t deadline_ns = clock_now_ns() + 60000000000u;

	while (!is_gone(pid) && clock_now_ns() < deadline_ns)
		usleep(1000);
	return is_gone(pid);
}

/* --- killed --- */

/* A member that is a process, or else the process whose threads the members are. */
static void kill_one(const struct probe *probe, bool fork)
{
	bool alone = probe->traits & PROBE_ONE_CPU; /* refused beside others */
	const struct probe *companion =
		alone ? NULL : find_probe(strcmp(probe->name, "pipe") ? "pipe" : "eventfd");
	struct leftovers before = look_for_leftovers();
	struct rig rig;
	char reason[128];

	if (!rig_config(&rig, probe, companion, fork) || (fork && probe->traits & PROBE_THREADS_ONLY))
		return;
	if (rig_start(&rig) == 0) {
		const struct arena_ring *ring = ring_of(&rig, 0);

		CHECK(wait_for_laps(&rig, 0, 3) && (alone || wait_for_laps(&rig, 1, 3)), "%s",
			ring->reason.text);
		pid_t pid = member_of(&rig, 0, 1)->pid, other = member_of(&rig, 0, 0)->pid;

		CHECK(pid > 0 && (fork ? pid != other : pid == ring->host));
		CHECK(pid > 0 && kill(pid, SIGKILL) == 0);
		CHECK(wait_for_state(&rig, 0, RING_FAILED), "%s", probe->name);
		snprintf(reason, sizeof(reason), "%s (pid %d) was killed by signal 9 (Killed)",
			fork ? "member 1" : "its host", pid);
		CHECK(!strcmp(ring->reason.text, reason), "%s: '%s'", probe->name, ring->reason.text);
		CHECK(wait_until_gone(other), "%s: a member is left", probe->name);
		CHECK(alone || wait_for_laps(&rig, 1, 3), "%s: the other ring stands", probe->name);
		CHECK(alone || ring_of(&rig, 1)->state == RING_RUNNING);
	}
	rig_finish(&rig);
	check_nothing_left(before);
}

static void a_killed_member_fails_its_ring_and_no_other(void)
{
	for (size_t i = 0; probe_registry[i]; i++)
		if (is_tested(i))
			kill_one(probe_registry[i], true);
}

static void a_killed_host_fails_its_ring_and_no_other(void)
{
	for (size_t i = 0; probe_registry[i]; i++)
		if (is_tested(i))
			kill_one(probe_registry[i], false);
}

/* In a process of its own: reports that it runs, and waits to be killed. */
_Noreturn static void be_front(struct rig *rig, int told)
{
	if (rig_start(rig) == 0 && wait_for_laps(rig, 0, 3) && write(told, "", 1) == 1)
		pause();
	_exit(1);
}

static bool wait_for_all_children(void)
{
	uint64_t deadline_ns = clock_now_ns() + 60000000000u;

	for (;;) {
		pid_t pid = waitpid(-1, NULL, WNOHANG);

		if (pid < 0 && errno == ECHILD)
			return true;
		if (clock_now_ns() > deadline_ns)
			return false;
		if (pid == 0)
			usleep(1000);
	}
}

static void kill_front(const struct probe *probe, bool fork_members)
{
	struct leftovers before = look_for_leftovers();
	struct rig rig;
	int told[2];
	char word;

	if (!rig_config(&rig, probe, NULL, fork_members) ||
		(fork_members && probe->traits & PROBE_THREADS_ONLY) || pipe(told) < 0)
		return;
	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0)
		be_front(&rig, told[1]);
	close(told[1]);
	CHECK(read(told[0], &word, 1) == 1, "%s does not run", probe->name);
	close(told[0]);
	kill(pid, SIGKILL);
	CHECK(wait_for_all_children(), "%s: processes are left", probe->name);
	check_nothing_left(before);
}

static void a_killed_front_leaves_nothing(void)
{
	for (size_t i = 0; probe_registry[i]; i++)
		for (int fork_members = 0; is_tested(i) && fork_members < 2; fork_members++)
			kill_front(probe_registry[i], fork_members);
}

/* --- starved --- */

static bool may_hog(unsigned cpu)
{
	const struct sched_param param = {.sched_priority = HOG_PRIORITY};
	struct cpus one = {0};

	cpus_add(&one, cpu);
	return sched_setaffinity(0, sizeof(one), (const cpu_set_t *)&one) == 0 &&
	       sched_setscheduler(0, SCHED_FIFO, &param) == 0;
}

/* Takes the CPU from all real-time members, up to SIGKILL. */
static pid_t start_hog(unsigned cpu)
{
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (!may_hog(cpu))
		_exit(1);
	for (;;)
		;
}

static void end_hog(pid_t hog)
{
	int status = 0;

	kill(hog, SIGKILL);
	waitpid(hog, &status, 0);
	CHECK(WIFSIGNALED(status), "the hog had no right to hog");
}

/* Of a mechanism that spins at real-time priority, one CPU at least stays free. */
static bool leaves_a_cpu(const struct probe *probe)
{
	return !(probe->traits & PROBE_SPINS) || cpus_count(&topology.usable) > (must_cross(probe) ? 2 : 1);
}

static void stop_starved(const struct probe *probe, bool fork_members)
{
	struct leftovers before = look_for_leftovers();
	struct rig rig;

	if (!rig_config(&rig, probe, NULL, fork_members) || !leaves_a_cpu(probe) ||
		(fork_members && probe->traits & PROBE_THREADS_ONLY))
		return;
	rig.config.allow_rt_spin = true;
	rig.config.has_policy = true;
	rig.config.policy = (struct task_policy){SCHED_FIFO, HOG_PRIORITY - 10};
	if (rig_start(&rig) == 0) {
		CHECK(wait_for_laps(&rig, 0, 3), "%s: %s", probe->name, ring_of(&rig, 0)->reason.text);
		const pid_t members[] = {member_of(&rig, 0, 0)->pid, member_of(&rig, 0, 1)->pid};
		pid_t keeper = rig.engine.keeper.pid, hog = start_hog(last_cpu());

		usleep(20000);
		engine_stop(&rig.engine);
		CHECK(is_gone(members[0]) && is_gone(members[1]) && is_gone(keeper), "%s", probe->name);
		CHECK(waitpid(hog, NULL, WNOHANG) == 0, "the hog ended first");
		end_hog(hog);
	}
	rig_finish(&rig);
	check_nothing_left(before);
}

static void rings_that_are_starved_stop_all_the_same(void)
{
	for (size_t i = 0; probe_registry[i]; i++)
		for (int fork_members = 0; is_tested(i) && fork_members < 2; fork_members++)
			stop_starved(probe_registry[i], fork_members);
}

static const char *why_no_hog(void)
{
	if (!has_proc)
		return "needs /proc, by which starved threads of a library are found";
	if (cpus_count(&topology.usable) < 2)
		return "one CPU: a hog would leave none to stop it";
	pid_t pid = fork();
	int status = 1;

	if (pid == 0)
		_exit(may_hog(last_cpu()) ? 0 : 1);
	waitpid(pid, &status, 0);
	return status ? "no right to real-time policies" : NULL;
}

/* --- again and again --- */

/* All mechanisms, on one CPU and across, of which the first turn runs. */
static int start_all(struct rig *rig, bool fork)
{
	int first = cpus_next(&topology.usable, -1);

	*rig = (struct rig){.config = {.interval_ns = 500000, .tick_ns = 500000000, .fork = fork}};
	for (size_t i = 0; probe_registry[i]; i++)
		if (!is_missing(probe_registry[i]))
			rig->config.probes[rig->config.n_probes++] = probe_registry[i];
	snprintf(rig->pair, sizeof(rig->pair), "%d:%d,%d:%u,%u:%u", first, first, first, last_cpu(),
		last_cpu(), last_cpu());
	rig->config.pairs = cpus_count(&topology.usable) > 1 ? rig->pair : "own";
	return rig_start(rig);
}

static void one_round(unsigned round)
{
	struct rig rig;

	if (start_all(&rig, round % 2) == 0)
		CHECK(wait_for_laps(&rig, 0, 2), "round %u: %s", round, ring_of(&rig, 0)->reason.text);
	rig_finish(&rig);
}

static void starting_and_stopping_again_and_again_leaves_nothing(void)
{
	const char *asked = getenv("IPCTOP_ROUNDS");
	long rounds = asked ? strtol(asked, NULL, 10) : ROUNDS, before_kib = 0;

	for (long round = -2; round < rounds; round++) {
		struct leftovers before = look_for_leftovers();

		if (round == 0) /* by then malloc has its memory */
			before_kib = resident_kib();
		one_round((unsigned)(round + 2));
		check_nothing_left(before);
	}
	long more_kib = resident_kib() - before_kib;

	printf("# %ld rounds: %ld KiB more\n", rounds, more_kib);
	CHECK(rounds < 50 || more_kib <= rounds, "%ld KiB more", more_kib);
}

/* --- many --- */

static unsigned descriptors_of(pid_t pid)
{
	char path[32];

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	return count_entries(path, "");
}

static bool wait_until_open(const struct rig *rig)
{
	uint64_t deadline_ns = clock_now_ns() + 60000000000u;
	size_t open = 0;

	while (open < rig->plan.n_rings && clock_now_ns() < deadline_ns)
		if (atomic_load(&ring_of(rig, open)->state) > RING_OPENING)
			open++;
		else
			usleep(1000);
	CHECK(open == rig->plan.n_rings, "%zu rings are open", open);
	return open == rig->plan.n_rings;
}

/* Libraries that connect in threads of their own take a while. */
static bool wait_for_as_many(pid_t one, pid_t other)
{
	uint64_t deadline_ns = clock_now_ns() + 60000000000u;

	while (descriptors_of(one) != descriptors_of(other) && clock_now_ns() < deadline_ns)
		usleep(1000);
	return descriptors_of(one) == descriptors_of(other);
}

static unsigned keeper_of_one(void)
{
	struct rig rig;
	unsigned n = 0;

	rig_config(&rig, find_probe("futex"), NULL, false);
	if (rig_start(&rig) == 0 && wait_until_open(&rig))
		n = descriptors_of(rig.engine.keeper.pid);
	rig_finish(&rig);
	return n;
}

/* The first ring of each mechanism is compared with its others. */
static void a_host_holds_the_descriptors_of_its_ring_alone(void)
{
	unsigned keeper = keeper_of_one(), n_rings = 0;
	struct leftovers before = look_for_leftovers();
	struct rig rig;

	if (start_all(&rig, false) == 0 && wait_until_open(&rig)) {
		const struct arena_ring *first = NULL;

		for (size_t i = 0; i < rig.plan.n_rings; i++) {
			const struct arena_ring *ring = ring_of(&rig, i);

			if (ring->state == RING_FAILED)
				continue;
			n_rings++;
			if (!first || first->probe != ring->probe)
				first = ring;
			CHECK(wait_for_as_many(first->host, ring->host), "%s: %u, and %u of the first",
				ring->probe->name, descriptors_of(ring->host), descriptors_of(first->host));
			CHECK(descriptors_of(ring->host) < 60, "%s: %u", ring->probe->name,
				descriptors_of(ring->host));
		}
		CHECK(n_rings > 20, "%u rings", n_rings);
		CHECK(descriptors_of(rig.engine.keeper.pid) == keeper,
			"the keeper has %u, and %u of one ring", descriptors_of(rig.engine.keeper.pid),
			keeper);
	}
	rig_finish(&rig);
	check_nothing_left(before);
}

struct spans {
	uint64_t start_ns, stop_ns;
};

static struct spans start_and_stop_many(void)
{
	struct spans spans = {0, UINT64_MAX};
	struct leftovers before = look_for_leftovers();
	uint64_t start_ns = clock_now_ns();
	struct rig rig;

	rig_config(&rig, find_probe("pipe"), NULL, false);
	rig.config.pairs = "own";
	rig.config.n_pairs = full ? 1024 : 128;
	rig.config.interval_ns = 1000000000;
	if (rig_start(&rig) == 0 && wait_until_open(&rig)) {
		uint64_t opened_ns = clock_now_ns();

		engine_stop(&rig.engine);
		spans = (struct spans){opened_ns - start_ns, clock_now_ns() - opened_ns};
		/* The orphans of a keeper that is killed over this are this process's children. */
		CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "not all are reaped");
		printf("# %zu rings start in %.3f s and stop in %.3f s\n", rig.plan.n_rings,
			(double)spans.start_ns / 1e9, (double)spans.stop_ns / 1e9);
	}
	rig_finish(&rig);
	check_nothing_left(before);
	return spans;
}

/* Both are the work of so many processes, on a quiet machine a stop a third of a start. Other work may delay
 * either, so the shortest stop of three is compared with the longest start. */
static void many_rings_stop_sooner_than_they_start(void)
{
	uint64_t longest_start_ns = 0, shortest_stop_ns = UINT64_MAX;

	for (int i = 0; i < 3; i++) {
		struct spans spans = start_and_stop_many();

		if (spans.start_ns > longest_start_ns)
			longest_start_ns = spans.start_ns;
		if (spans.stop_ns < shortest_stop_ns)
			shortest_stop_ns = spans.stop_ns;
	}
	CHECK(shortest_stop_ns < longest_start_ns);
}

/* The front may find them gone before it reads the command that another thread gave: its run must not end for
 * want of rings. */
static void rings_that_were_told_to_end_are_gone_and_not_done(void)
{
	struct rig rig;

	rig_config(&rig, find_probe("pipe"), find_probe("futex"), false);
	if (rig_start(&rig) == 0) {
		bool runs = wait_for_laps(&rig, 0, 1) && wait_for_laps(&rig, 1, 1);

		stop_command(rig.engine.arena);
		CHECK(runs && wait_for_state(&rig, 0, RING_GONE) && wait_for_state(&rig, 1, RING_GONE));
		CHECK(!engine_is_done(&rig.engine));
	}
	rig_finish(&rig);
}

int main(void)
{
	struct error_text reason = {""};

	full = getenv("IPCTOP_FULL");
	has_proc = access("/proc/self/fd", F_OK) == 0;
	if (topology_init(&topology, &reason) < 0 || !leftovers_init())
		return printf("Bail out! %s\n", reason.text), 1;
	TEST(a_killed_member_fails_its_ring_and_no_other);
	TEST(a_killed_host_fails_its_ring_and_no_other);
	TEST(a_killed_front_leaves_nothing);
	if (has_proc)
		TEST(a_host_holds_the_descriptors_of_its_ring_alone);
	else
		tap_skip("a host holds the descriptors of its ring alone", "needs /proc");
	TEST(many_rings_stop_sooner_than_they_start);
	TEST(rings_that_were_told_to_end_are_gone_and_not_done);
	const char *why = why_no_hog();

	if (why)
		tap_skip("rings that are starved stop all the same", why);
	else
		TEST(rings_that_are_starved_stop_all_the_same);
	TEST(starting_and_stopping_again_and_again_leaves_nothing);
	topology_finish(&topology);
	leftovers_finish();
	return tap_done();
}
