/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contract, over all probes of the registry: first by hand, then in rings of threads and processes.
 *
 * With IPCTOP_FULL=1 each channel is opened and closed 200 times rather than 8, memory is looked at, and
 * rings go round more often. */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/clock.h"
#include "src/config.h"
#include "src/engine.h"
#include "src/machine.h"
#include "src/plan.h"
#include "src/probe.h"
#include "tests/unit/leftovers.h"
#include "tests/unit/patience.h"
#include "tests/unit/tap.h"

static const struct probe *probe; /* the one that is tested */
static bool full;

enum { KIB = 1024, MIB = KIB * KIB };

/* A hop that this process has opened, as the keeper does. Members are its children. */
struct channel {
	struct hop ends[2];
	struct hop_task *tasks; /* shared; the state comes behind */
};

enum { CHANNEL_MEMORY = 16 * KIB, ATTACHED_AT = 64, STATE_AT = 128 };

static int open_channel_of(struct channel *channel, size_t size, uint32_t id, struct owner owner)
{
	char *memory = mmap(NULL, CHANNEL_MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	*channel = (struct channel){.tasks = (struct hop_task *)(void *)memory};
	for (int end = 0; end < 2; end++)
		channel->ends[end] = (struct hop){.state = memory + STATE_AT,
			.ends = channel->tasks,
			.owner = owner,
			.id = id,
			.token = calloc(1, size),
			.size = size};
	return probe->open(&channel->ends[HOP_RECEIVER]);
}

static int open_channel(struct channel *channel, size_t size, uint32_t id)
{
	return open_channel_of(channel, size, id, owner_self());
}

static void close_channel(struct channel *channel)
{
	probe->close(&channel->ends[HOP_RECEIVER]);
	for (int end = 0; end < 2; end++)
		free(channel->ends[end].token);
	munmap(channel->tasks, CHANNEL_MEMORY);
}

/* How many of the channel's ends have attached: who wakes has not seen them come. */
static _Atomic uint32_t *attached(const struct channel *channel)
{
	return (_Atomic uint32_t *)(void *)((char *)channel->tasks + ATTACHED_AT);
}

static void name_task(struct channel *channel, enum hop_end end)
{
	channel->tasks[end] = (struct hop_task){getpid(), gettid()};
}

static int attach(struct channel *channel, enum hop_end end)
{
	name_task(channel, end);
	int r = probe->attach ? probe->attach(&channel->ends[end], end) : 0;

	atomic_fetch_add(attached(channel), 1);
	return r;
}

static int attach_both(struct channel *channel)
{
	name_task(channel, HOP_SENDER);
	int r = attach(channel, HOP_RECEIVER);

	return r == 0 ? attach(channel, HOP_SENDER) : r;
}

/* Mechanisms that poll say -EINTR whenever nothing came; so do those that look up now and then. */
static int recv_token(struct hop *hop)
{
	int r;

	while ((r = probe->recv(hop, NULL)) == -EINTR)
		continue;
	return r;
}

static int send_token(struct hop *hop)
{
	int r;

	while ((r = probe->send(hop)) == -EINTR)
		continue;
	return r;
}

static void no_op(int signal)
{
	(void)signal;
}

/* What attach makes goes with its process: so a member is one of its own, and its checks are handed over. */
static bool in_member(bool (*part)(struct channel *), struct channel *channel)
{
	struct sigaction action = {.sa_handler = no_op};
	int status = 0;

	fflush(stdout);
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		sigaction(SIGURG, &action, NULL);
		tap_good = true;
		bool good = part(channel) && tap_good;
		fflush(stdout);
		_exit(good ? 0 : 1);
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	CHECK(WIFEXITED(status), "killed by signal %d", WTERMSIG(status));
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Opens two channels, has @part done in a member, closes them, and sees what is left. */
static void with_channels(size_t size, bool (*part)(struct channel *))
{
	struct leftovers before = look_for_leftovers();
	struct channel channels[2];
	int r = 0;

	for (int i = 0; i < 2; i++) {
		int opened = open_channel(&channels[i], size, (uint32_t)i);

		r = r < 0 ? r : opened;
	}
	CHECK(r == 0, "%s", strerror(-r));
	CHECK(r < 0 || in_member(part, channels), "%zu bytes", size);
	for (int i = 0; i < 2; i++)
		close_channel(&channels[i]);
	check_nothing_left(before);
}

static bool pass_a_thousand(struct channel *channel)
{
	struct hop *out = &channel->ends[HOP_SENDER], *in = &channel->ends[HOP_RECEIVER];
	int r = attach_both(channel);

	CHECK(r == 0, "%s", strerror(-r));
	for (int i = 0; r == 0 && i < 1000; i++) {
		*(char *)out->token = (char)i;
		CHECK((r = send_token(out)) == 0, "send %d: %s", i, strerror(-r));
		CHECK((r = recv_token(in)) == 0, "recv %d: %s", i, strerror(-r));
		CHECK(!(probe->traits & PROBE_PAYLOAD) || *(char *)in->token == (char)i, "token %d", i);
	}
	return r == 0;
}

static void tokens_go_through_one_by_one(void)
{
	with_channels(1, pass_a_thousand);
}

/* Wakes all who receive until told to end, from their own process and from another, as host and keeper do,
 * though more often. */
struct waker {
	struct channel *channels; /* two */
	pid_t process;
	pthread_t thread;
	_Atomic bool is_ending;
};

static void wake_all(struct channel *channels)
{
	usleep(500);
	for (int i = 0; i < 2; i++) {
		const struct hop_task *task = &channels[i].tasks[HOP_RECEIVER];

		if (atomic_load(attached(&channels[i])) < 2)
			continue;
		if (probe->wake)
			probe->wake(&channels[i].ends[HOP_RECEIVER]);
		syscall(SYS_tgkill, task->pid, task->tid, SIGURG);
	}
}

static void *wake_from_within(void *opaque)
{
	struct waker *waker = opaque;

	while (!waker->is_ending)
		wake_all(waker->channels);
	return NULL;
}

static void start_waker(struct waker *waker, struct channel *channels)
{
	pid_t member = getpid();

	*waker = (struct waker){.channels = channels, .process = fork()};
	while (waker->process == 0) {
		wake_all(channels);
		if (getppid() != member)
			_exit(0);
	}
	CHECK(pthread_create(&waker->thread, NULL, wake_from_within, waker) == 0);
}

static void end_waker(struct waker *waker)
{
	waker->is_ending = true;
	pthread_join(waker->thread, NULL);
	kill(waker->process, SIGKILL);
	waitpid(waker->process, NULL, 0);
}

struct member {
	struct channel *in, *out;
	pthread_barrier_t *barrier;
	_Atomic int *result; /* of all */
};

/* All receiving ends, then all sending ends. */
static bool join(struct member *member)
{
	int r = attach(member->in, HOP_RECEIVER);

	name_task(member->out, HOP_SENDER);
	if (r < 0)
		*member->result = r;
	pthread_barrier_wait(member->barrier);
	r = *member->result ? 0 : attach(member->out, HOP_SENDER);
	if (r < 0)
		*member->result = r;
	pthread_barrier_wait(member->barrier);
	return *member->result == 0;
}

static char pattern(size_t i, unsigned round)
{
	return (char)(i * 7 + i / 251 + round);
}

static unsigned rounds_of(size_t size)
{
	return size < 64 * KIB ? 200 : size < MIB ? 50 : 10;
}

static void *echo(void *opaque)
{
	struct member *member = opaque;
	struct hop *in = &member->in->ends[HOP_RECEIVER], *out = &member->out->ends[HOP_SENDER];
	int r = 0;

	for (unsigned round = join(member) ? rounds_of(in->size) : 0; r == 0 && round > 0; round--) {
		r = recv_token(in);
		memcpy(out->token, in->token, in->size);
		if (r == 0)
			r = send_token(out);
	}
	if (r < 0)
		*member->result = r;
	return NULL;
}

/* Where the first wrong byte is, counted from 1. */
static size_t damaged(const struct hop *in, unsigned round)
{
	for (size_t i = 0; probe->traits & PROBE_PAYLOAD && i < in->size; i++)
		if (((const char *)in->token)[i] != pattern(i, round))
			return i + 1;
	return 0;
}

static void call(struct member *member)
{
	struct hop *in = &member->in->ends[HOP_RECEIVER], *out = &member->out->ends[HOP_SENDER];
	unsigned rounds = join(member) ? rounds_of(in->size) : 0;
	int r = 0;

	for (unsigned round = 0; r == 0 && round < rounds; round++) {
		memset(in->token, 0, in->size);
		for (size_t i = 0; i < out->size; i++)
			((char *)out->token)[i] = pattern(i, round);
		r = send_token(out);
		if (r == 0)
			r = recv_token(in);
		size_t wrong = r == 0 ? damaged(in, round) : 0;

		CHECK(r == 0, "round %u: %s", round, strerror(-r));
		CHECK(!wrong, "round %u: byte %zu is wrong", round, wrong - 1);
	}
}

/* One thread calls, another echoes, and both are woken all the time. */
static bool call_and_echo(struct channel *channels)
{
	pthread_barrier_t barrier;
	_Atomic int result = 0;
	struct member caller = {&channels[1], &channels[0], &barrier, &result};
	struct member echoer = {&channels[0], &channels[1], &barrier, &result};
	struct waker waker;
	pthread_t thread;

	start_waker(&waker, channels);
	pthread_barrier_init(&barrier, NULL, 2);
	CHECK(pthread_create(&thread, NULL, echo, &echoer) == 0);
	call(&caller);
	if (tap_good) /* else the other may wait for ever */
		pthread_join(thread, NULL);
	CHECK(result == 0, "%s", strerror(-result));
	end_waker(&waker);
	return true;
}

static void no_token_is_lost_or_doubled_by_wake_ups(void)
{
	with_channels(1, call_and_echo);
}

/* What a channel can't carry it refuses when it is opened, and says why. */
static bool is_refused(size_t size)
{
	struct channel channel;
	int r = open_channel(&channel, size, 0);

	close_channel(&channel);
	if (r == 0)
		return false;
	CHECK(r == -EMSGSIZE || r == -EDQUOT, "%zu bytes: %s", size, strerror(-r));
	CHECK(size > 4 * KIB, "%zu bytes are refused", size);
	CHECK(probe->explain && probe->explain(r), "no reason for %s", strerror(-r));
	printf("# %s: %zu bytes: %s\n", probe->name, size, probe->explain ? probe->explain(r) : "");
	return true;
}

static void payloads_arrive_whole(void)
{
	static const size_t sizes[] = {100, 4 * KIB, 64 * KIB, MIB};

	if (!(probe->traits & PROBE_PAYLOAD))
		return;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++)
		if (!is_refused(sizes[i]))
			with_channels(sizes[i], call_and_echo);
}

static bool be_interrupted(struct channel *channels)
{
	struct hop *in = &channels[0].ends[HOP_RECEIVER];
	struct waker waker;

	CHECK(attach_both(&channels[0]) == 0);
	start_waker(&waker, channels);
	for (int i = 0; i < 3; i++) {
		int r = probe->recv(in, NULL);

		CHECK(r == -EINTR, "%d", r);
	}
	end_waker(&waker);
	CHECK(send_token(&channels[0].ends[HOP_SENDER]) == 0);
	CHECK(recv_token(in) == 0, "it works on");
	return true;
}

static void a_waiting_recv_is_interrupted(void)
{
	with_channels(1, be_interrupted);
}

static bool let_a_deadline_pass(struct channel *channel)
{
	struct timespec deadline;

	CHECK(attach_both(channel) == 0);
	clock_gettime(CLOCK_REALTIME, &deadline);
	uint64_t start_ns = clock_now_ns();
	deadline.tv_nsec += deadline.tv_nsec < 999000000 ? 1000000 : 0;
	int r = probe->recv(&channel->ends[HOP_RECEIVER], &deadline);
	uint64_t waited_ns = clock_now_ns() - start_ns;

	CHECK(r == -ETIMEDOUT, "%d", r);
	CHECK(waited_ns < (PROBE_NOTICE_MS + 1000) * UINT64_C(1000000), "%llu ns",
		(unsigned long long)waited_ns);
	return true;
}

static void a_deadline_that_passed_is_a_timeout(void)
{
	if (probe->traits & PROBE_DEADLINE)
		with_channels(1, let_a_deadline_pass);
}

static void closing_what_was_never_opened_does_nothing(void)
{
	struct leftovers before = look_for_leftovers();
	static _Alignas(64) char state[CHANNEL_MEMORY];
	struct hop hop = {.state = memset(state, 0, sizeof(state)), .size = 1};

	CHECK(probe->hop_size <= CHANNEL_MEMORY - STATE_AT);
	CHECK(!(probe->traits & PROBE_TOKEN_IN_STATE) || probe->hop_size <= 48, "%zu bytes", probe->hop_size);
	probe->close(&hop);
	probe->close(&hop);
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

/* Descriptors go with their process; names must be swept. */
static void what_a_dead_owner_left_is_swept(void)
{
	struct leftovers before = look_for_leftovers();
	struct channel channel;

	if (!probe->sweep)
		return;
	CHECK(open_channel_of(&channel, 1, 0, (struct owner){.pid = dead_pid(), .start_time = 12345}) == 0);
	probe->sweep(NULL);
	struct leftovers after = look_for_leftovers();

	CHECK(after.semaphores == before.semaphores && after.queues == before.queues);
	CHECK(after.names == before.names);
	close_channel(&channel);
	check_nothing_left(before);
}

static bool sweep_and_pass_a_thousand(struct channel *channel)
{
	probe->sweep(NULL);
	return pass_a_thousand(channel);
}

static void what_a_living_owner_has_is_left_alone(void)
{
	if (probe->sweep)
		with_channels(1, sweep_and_pass_a_thousand);
}

static bool pass_one(struct channel *channels)
{
	CHECK(attach_both(&channels[0]) == 0 && send_token(&channels[0].ends[HOP_SENDER]) == 0);
	CHECK(recv_token(&channels[0].ends[HOP_RECEIVER]) == 0);
	return true;
}

static void opening_and_closing_again_and_again_leaves_nothing(void)
{
	long rounds = full ? 100 : 4, before_kib = 0;

	for (long round = 0; round < 2 * rounds; round++) {
		if (round == rounds) /* by then malloc has what it wants */
			before_kib = resident_kib();
		with_channels(64, pass_one);
	}
	CHECK(!full || resident_kib() - before_kib <= rounds, "%ld KiB more", resident_kib() - before_kib);
}

/* --- in rings --- */

static uint32_t loops;

static struct topology topology;

static void check_ring(const struct engine *engine, const struct ring_slot *ring)
{
	const struct member_slot *origin = arena_member(&engine->arena, ring, 0);
	const struct hist_live *lap = arena_live(&engine->arena, origin, LIVE_LAP);

	CHECK(ring->state == RING_DONE, "%s: %s", ring_state_name(ring->state), ring->reason.text);
	CHECK(origin->laps == loops, "%u laps", origin->laps);
	/* Where not one lap was warm-up, each has ended a stall. */
	CHECK(origin->warmup_laps > 0 || origin->missed >= loops, "%u missed", origin->missed);
	CHECK(lap->sum_ns > 0 && lap->extremes[1].max_ns >= lap->extremes[1].min_ns);
}

/* Those of the mechanism itself; the others run. */
static void check_refused(const struct engine *engine, const struct ring_slot *ring)
{
	if (probe_registry[ring->probe] != probe) {
		check_ring(engine, ring);
		return;
	}
	CHECK(ring->state == RING_FAILED && ring->reason.text[0] && !ring->host, "%s",
		ring_state_name(ring->state));
}

static void run_rings_and(
	const struct config *config, void (*check)(const struct engine *engine, const struct ring_slot *ring))
{
	struct leftovers before = look_for_leftovers();
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
			check(&engine, &engine.arena.head->rings[i]);
	}
	engine_finish(&engine);
	plan_finish(&plan);
	notes_finish(&notes);
	check_nothing_left(before);
}

static void run_rings(const struct config *config)
{
	run_rings_and(config, check_ring);
}

static struct config base_config(void)
{
	return (struct config){.probes = {probe},
		.n_probes = 1,
		.pairs = "own",
		.loops = loops,
		.interval_ns = 200000,
		.tick_ns = 500000000};
}

static bool can_share_a_cpu(void)
{
	return probe->traits & PROBE_ONE_CPU || !(probe->traits & PROBE_SPINS);
}

static bool can_fork(void)
{
	return !(probe->traits & PROBE_THREADS_ONLY);
}

static void threads_on_each_cpu_go_round(void)
{
	struct config config = base_config();

	if (can_share_a_cpu())
		run_rings(&config);
}

static void processes_on_each_cpu_go_round(void)
{
	struct config config = base_config();

	config.fork = true;
	if (can_share_a_cpu() && can_fork())
		run_rings(&config);
}

/* Both ways between two CPUs. Returns false where there is but one. */
static bool cross(struct config *config, char pairs[64])
{
	int first = cpus_next(&topology.usable, -1), second = cpus_next(&topology.usable, first);

	snprintf(pairs, 64, "%d:%d,%d:%d", first, second, second, first);
	config->pairs = pairs;
	return second >= 0;
}

static void every_pair_of_two_cpus_goes_round_in_its_turn(void)
{
	struct config config = base_config();
	char pairs[64];

	if (probe->traits & PROBE_ONE_CPU || !cross(&config, pairs))
		return;
	run_rings(&config);
	config.fork = true;
	if (can_fork())
		run_rings(&config);
}

static void flood_goes_round(void)
{
	struct config config = base_config();
	char pairs[64];

	config.interval_ns = 0;
	if (!can_share_a_cpu() && !cross(&config, pairs))
		return;
	run_rings(&config);
	config.fork = true;
	if (can_fork())
		run_rings(&config);
}

static void check_is_error(const struct config *config)
{
	struct notes notes = {0};
	struct reason reason = {""};
	struct plan plan;

	CHECK(plan_init(&plan, config, &topology, NULL, &notes, &reason) == -EINVAL &&
			strstr(reason.text, probe->name),
		"%s", reason.text);
	notes_finish(&notes);
}

/* A ring that has no sense is a row with its reason beside others, and an error alone. */
static void members_that_do_not_fit_are_refused(void)
{
	struct config config = base_config();
	char pairs[64];

	config.fork = !can_fork();
	if (can_share_a_cpu() && can_fork() && !(probe->traits & PROBE_ONE_CPU && cross(&config, pairs)))
		return;
	check_is_error(&config);
	for (size_t i = 0; probe_registry[i] && config.n_probes < 2; i++)
		if (!strcmp(probe_registry[i]->name, "svsem"))
			config.probes[config.n_probes++] = probe_registry[i];
	run_rings_and(&config, check_refused);
}

static const struct {
	const char *name;
	void (*run)(void);
} tests[] = {
#define ROW(function)                                                                                        \
	{                                                                                                    \
#function, function                                                                          \
	}
	ROW(tokens_go_through_one_by_one),
	ROW(no_token_is_lost_or_doubled_by_wake_ups),
	ROW(payloads_arrive_whole),
	ROW(a_waiting_recv_is_interrupted),
	ROW(a_deadline_that_passed_is_a_timeout),
	ROW(closing_what_was_never_opened_does_nothing),
	ROW(what_a_dead_owner_left_is_swept),
	ROW(what_a_living_owner_has_is_left_alone),
	ROW(opening_and_closing_again_and_again_leaves_nothing),
	ROW(threads_on_each_cpu_go_round),
	ROW(processes_on_each_cpu_go_round),
	ROW(every_pair_of_two_cpus_goes_round_in_its_turn),
	ROW(flood_goes_round),
	ROW(members_that_do_not_fit_are_refused),
};

static void test_probe(void)
{
	const char *missing = probe->missing ? probe->missing() : NULL;

	printf("# %s\n", probe->name);
	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		if (missing)
			tap_skip(tests[i].name, missing);
		else
			tap_run(tests[i].name, tests[i].run);
}

/* Arguments are names of mechanisms; without them all are tested. */
static bool is_wanted(char **names)
{
	bool wanted = !*names;

	for (; *names; names++)
		wanted |= !strcmp(*names, probe->name);
	return wanted;
}

int main(int argc, char **argv)
{
	struct reason reason;

	full = getenv("IPCTOP_FULL");
	loops = full ? 300 : 60;
	if (topology_init(&topology, &reason) < 0 || !leftovers_init() || argc < 1)
		return printf("Bail out! %s\n", reason.text), 1;
	for (size_t i = 0; (probe = probe_registry[i]); i++)
		if (is_wanted(argv + 1))
			test_probe();
	topology_finish(&topology);
	leftovers_finish();
	return tap_done();
}
