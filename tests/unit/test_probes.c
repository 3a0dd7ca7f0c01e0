/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contract, over all probes of the registry: first by hand, then in rings of threads and processes. */
#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/clock.h"
#include "src/config.h"
#include "src/engine.h"
#include "src/machine.h"
#include "src/plan.h"
#include "src/probe.h"
#include "tests/unit/tap.h"

static const struct probe *probe; /* the one that is tested */

struct leftovers {
	unsigned descriptors;
	size_t semaphores, queues; /* bytes of the tables in /proc/sysvipc */
};

static unsigned count_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	unsigned n = 0;

	while (directory && readdir(directory))
		n++;
	if (directory)
		closedir(directory);
	return n;
}

static size_t table_size(const char *path)
{
	FILE *file = fopen(path, "r");
	size_t n = 0;

	while (file && fgetc(file) != EOF)
		n++;
	if (file)
		fclose(file);
	return n;
}

static struct leftovers look(void)
{
	return (struct leftovers){
		count_descriptors(), table_size("/proc/sysvipc/sem"), table_size("/proc/sysvipc/msg")};
}

static void check_nothing_left(struct leftovers before)
{
	struct leftovers after = look();

	CHECK(after.descriptors == before.descriptors, "%u, before %u", after.descriptors,
		before.descriptors);
	CHECK(after.semaphores == before.semaphores && after.queues == before.queues);
	CHECK(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD, "a child is left");
}

/* Both ends in this thread: a channel holds at least one token. */
struct channel {
	struct hop in, out;
	struct hop_task ends[2];
	char token[8];
	_Alignas(64) char state[4096];
};

static int open_channel(struct channel *channel)
{
	*channel = (struct channel){0};
	for (int end = 0; end < 2; end++)
		channel->ends[end] = (struct hop_task){getpid(), gettid()};
	channel->out = channel->in = (struct hop){.state = channel->state,
		.ends = channel->ends,
		.owner = owner_self(),
		.token = channel->token,
		.size = 1};
	int r = probe->open(&channel->in);

	if (r == 0 && probe->attach)
		r = probe->attach(&channel->in, HOP_RECEIVER);
	if (r == 0 && probe->attach)
		r = probe->attach(&channel->out, HOP_SENDER);
	return r;
}

static void tokens_go_through_one_by_one(void)
{
	struct leftovers before = look();
	struct channel channel;
	int r = open_channel(&channel);

	CHECK(r == 0, "%s", strerror(-r));
	for (int i = 0; r == 0 && i < 1000; i++) {
		CHECK((r = probe->send(&channel.out)) == 0, "send %d: %s", i, strerror(-r));
		CHECK((r = probe->recv(&channel.in, NULL)) == 0, "recv %d: %s", i, strerror(-r));
	}
	probe->close(&channel.in);
	check_nothing_left(before);
}

static void no_op(int signal)
{
	(void)signal;
}

/* Wakes this thread until told to end, as the keeper does. */
static pid_t start_waker(void)
{
	pid_t parent = getpid(), pid = fork();

	while (pid == 0) {
		usleep(5000);
		if (kill(parent, SIGURG) < 0 || getppid() != parent)
			_exit(0);
	}
	return pid;
}

static void a_signal_interrupts_a_waiting_recv(void)
{
	struct sigaction action = {.sa_handler = no_op}, old;
	struct leftovers before = look();
	struct channel channel;

	sigaction(SIGURG, &action, &old);
	CHECK(open_channel(&channel) == 0);
	pid_t waker = start_waker();
	int r = probe->recv(&channel.in, NULL);

	CHECK(r == -EINTR, "%d", r);
	kill(waker, SIGKILL);
	waitpid(waker, NULL, 0);
	CHECK(probe->send(&channel.out) == 0 && probe->recv(&channel.in, NULL) == 0, "it works on");
	probe->close(&channel.in);
	sigaction(SIGURG, &old, NULL);
	check_nothing_left(before);
}

static void a_deadline_that_passed_is_a_timeout(void)
{
	struct channel channel;
	struct timespec deadline;

	CHECK(open_channel(&channel) == 0);
	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_nsec += 1000;
	if (probe->traits & PROBE_DEADLINE)
		CHECK(probe->recv(&channel.in, &deadline) == -ETIMEDOUT);
	probe->close(&channel.in);
}

static void closing_what_was_never_opened_does_nothing(void)
{
	struct leftovers before = look();
	struct channel channel = {.in = {.state = channel.state, .ends = channel.ends, .size = 1}};

	probe->close(&channel.in);
	probe->close(&channel.in);
	check_nothing_left(before);
}

static pid_t dead_pid(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

static void what_a_dead_owner_left_is_swept(void)
{
	struct leftovers before = look();
	struct channel channel = {.in = {.state = channel.state, .ends = channel.ends, .size = 1}};

	if (!probe->sweep)
		return;
	channel.in.owner = (struct owner){.pid = dead_pid(), .start_time = 12345};
	CHECK(probe->open(&channel.in) == 0);
	probe->sweep(NULL);
	size_t semaphores = table_size("/proc/sysvipc/sem"), queues = table_size("/proc/sysvipc/msg");

	CHECK(semaphores == before.semaphores && queues == before.queues);
	probe->close(&channel.in);
	check_nothing_left(before);
}

static void what_a_living_owner_has_is_left_alone(void)
{
	struct channel channel;

	CHECK(open_channel(&channel) == 0);
	if (probe->sweep)
		probe->sweep(NULL);
	CHECK(probe->send(&channel.out) == 0 && probe->recv(&channel.in, NULL) == 0);
	probe->close(&channel.in);
}

/* --- in rings --- */

enum { LOOPS = 300 };

static struct topology topology;

static bool wait_until_done(const struct engine *engine)
{
	uint64_t deadline_ns = clock_now_ns() + 20000000000u;

	while (!engine_is_done(engine)) {
		if (clock_now_ns() > deadline_ns)
			return false;
		usleep(1000);
	}
	return true;
}

static void check_ring(const struct engine *engine, const struct ring_slot *ring)
{
	const struct member_slot *origin = arena_member(&engine->arena, ring, 0);
	const struct hist_live *lap = arena_live(&engine->arena, origin, LIVE_LAP);

	CHECK(ring->state == RING_DONE, "%s: %s", ring_state_name(ring->state), ring->reason.text);
	CHECK(origin->laps == LOOPS && origin->warmup_laps > 0, "%u laps", origin->laps);
	CHECK(lap->sum_ns > 0 && lap->extremes[1].max_ns >= lap->extremes[1].min_ns);
}

static void run_rings(const struct config *config)
{
	struct leftovers before = look();
	struct machine machine = {0};
	struct notes notes = {0};
	struct reason reason = {""};
	struct engine engine = {0};
	struct plan plan = {0};
	int r = plan_init(&plan, config, &topology, NULL, &notes, &reason);

	if (r == 0)
		r = engine_start(
			&engine, &plan, config, &topology, &machine, probe_registry, &notes, &reason);
	CHECK(r == 0, "%s", reason.text);
	if (r == 0) {
		while (!engine_is_done(&engine) && engine_advance(&engine, clock_now_ns()) != UINT64_MAX)
			usleep(1000);
		CHECK(wait_until_done(&engine));
		for (size_t i = 0; i < plan.n_rings; i++)
			check_ring(&engine, &engine.arena.head->rings[i]);
	}
	engine_finish(&engine);
	plan_finish(&plan);
	notes_finish(&notes);
	check_nothing_left(before);
}

static struct config base_config(void)
{
	return (struct config){.probes = {probe},
		.n_probes = 1,
		.pairs = "own",
		.loops = LOOPS,
		.interval_ns = 200000,
		.tick_ns = 500000000};
}

static void threads_on_each_cpu_go_round(void)
{
	struct config config = base_config();

	run_rings(&config);
}

static void processes_on_each_cpu_go_round(void)
{
	struct config config = base_config();

	config.fork = true;
	run_rings(&config);
}

static void every_pair_of_two_cpus_goes_round_in_its_turn(void)
{
	struct config config = base_config();
	int first = cpus_next(&topology.usable, -1), second = cpus_next(&topology.usable, first);
	char pairs[64];

	snprintf(pairs, sizeof(pairs), "%d:%d,%d:%d", first, second, second, first);
	config.pairs = pairs;
	if (second >= 0)
		run_rings(&config);
}

static void flood_goes_round(void)
{
	struct config config = base_config();

	config.interval_ns = 0;
	run_rings(&config);
	config.fork = true;
	run_rings(&config);
}

int main(void)
{
	struct reason reason;

	/* Where that is allowed, nobody else's objects stand in the tables that are compared. */
	if (unshare(CLONE_NEWIPC) < 0)
		printf("# the SysV tables are shared with other programs: %s\n", strerror(errno));
	if (topology_init(&topology, &reason) < 0)
		return printf("Bail out! %s\n", reason.text), 1;
	for (size_t i = 0; (probe = probe_registry[i]); i++) {
		printf("# %s\n", probe->name);
		TEST(tokens_go_through_one_by_one);
		TEST(a_signal_interrupts_a_waiting_recv);
		TEST(a_deadline_that_passed_is_a_timeout);
		TEST(closing_what_was_never_opened_does_nothing);
		TEST(what_a_dead_owner_left_is_swept);
		TEST(what_a_living_owner_has_is_left_alone);
		TEST(threads_on_each_cpu_go_round);
		TEST(processes_on_each_cpu_go_round);
		TEST(every_pair_of_two_cpus_goes_round_in_its_turn);
		TEST(flood_goes_round);
	}
	topology_finish(&topology);
	return tap_done();
}
