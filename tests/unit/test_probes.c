/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The contract, over all probes of the registry, by hand: test_probe_rings.c has them go round.
 *
 * With IPCTOP_FULL=1 each channel is opened and closed 200 times rather than 8, and memory is looked at. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/base/clock.h"
#include "src/base/small_file.h"
#include "src/probe/hop_trial.h"
#include "tests/unit/channel.h"
#include "tests/unit/each_probe.h"
#include "tests/unit/leftovers.h"
#include "tests/unit/tap.h"

static bool pass_a_thousand(struct channel *channel)
{
	struct hop *out = &channel->ends[HOP_SENDER], *in = &channel->ends[HOP_RECEIVER];
	int r = probe->traits & PROBE_PAIRS_ONLY ? -ENOTSUP : attach_both(channel);

	if (r == -ENOTSUP) /* call_and_echo() has the answers */
		return true;
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

/* A channel that can't carry the token is refused when it is opened, with a reason. */
static bool is_refused(size_t size)
{
	struct channel channel;
	int r = open_channel(&channel, size, 0);

	close_channel(&channel);
	if (r == 0)
		return false;
	CHECK(r == -EMSGSIZE || r == -EDQUOT, "%zu bytes: %s", size, strerror(-r));
	CHECK(size > 4 * KIB, "%zu bytes are refused", size);
	CHECK(probe_remedy(probe, r), "no reason for %s", strerror(-r));
	printf("# %s: %zu bytes: %s\n", probe->name, size, probe_explain(probe, r));
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

	CHECK(attach_both(&channels[0]) == 0 && attach_both(&channels[1]) == 0);
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

/* Returns how long this thread was ready to run and had no CPU; 0 where the kernel keeps no account. */
static uint64_t run_delay_ns(void)
{
	unsigned long long delay_ns = 0;
	char line[128];

	if (small_file_read_line("/proc/thread-self/schedstat", line, sizeof(line)) > 0)
		sscanf(line, "%*u %llu", &delay_ns);
	return delay_ns;
}

static bool let_a_deadline_pass(struct channel *channel)
{
	struct timespec deadline;

	CHECK(attach_both(channel) == 0);
	uint64_t start_ns = clock_now_ns(), delay_ns = run_delay_ns();

	clock_gettime(CLOCK_REALTIME, &deadline);
	deadline.tv_nsec += deadline.tv_nsec < 999000000 ? 1000000 : 0;
	int r = probe->recv(&channel->ends[HOP_RECEIVER], &deadline);
	uint64_t waited_ns = clock_now_ns() - start_ns;

	delay_ns = run_delay_ns() - delay_ns; /* other work has the CPU */
	CHECK(r == -ETIMEDOUT, "%d", r);
	CHECK(waited_ns < (PROBE_NOTICE_MS + 1000) * UINT64_C(1000000) + delay_ns, "%llu ns",
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
	int fds[HOP_FDS] = {0};
	struct hop hop = {.state = memset(state, 0, sizeof(state)), .fds = fds, .size = 1};

	CHECK(probe->hop_size <= CHANNEL_MEMORY - STATE_AT);
	CHECK(!(probe->traits & PROBE_TOKEN_IN_STATE) || probe->hop_size <= 48, "%zu bytes", probe->hop_size);
	probe_close(probe, &hop);
	probe_close(probe, &hop);
	check_nothing_left(before);
}

/* Descriptors go with their process; names must be swept. */
static void what_a_dead_owner_left_is_swept(void)
{
	const struct owner dead = {.pid = dead_pid(), .start_time = 12345, .space = owner_self().space};
	struct leftovers before = look_for_leftovers();
	struct channel channel;

	if (!probe->sweep)
		return;
	if (!dead.space) {
		printf("# no proof without /proc that an owner is dead\n");
		return;
	}
	CHECK(open_channel_of(&channel, 1, 0, dead) == 0);
	probe->sweep(NULL);
	check_no_object_left(&before);
	close_channel(&channel);
	check_nothing_left(before);
}

/* The front has reaped its keeper, and needs no proof that it is dead. */
static void what_an_owner_known_to_be_dead_left_is_swept(void)
{
	const struct owner dead = {.pid = getpid(), .start_time = 12345}, other = {.pid = getpid()};
	struct leftovers before = look_for_leftovers();
	struct channel channel, left;

	if (!probe->sweep)
		return;
	CHECK(open_channel_of(&channel, 1, 0, dead) == 0 && open_channel_of(&left, 1, 0, other) == 0);
	probe->sweep(&dead);
	close_channel(&left);
	check_no_object_left(&before);
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

/* Each owner has an open channel, and a name where the mechanism has names. */
static void what_may_be_of_the_living_is_left_alone(void)
{
	const struct owner self = owner_self();
	const struct owner owners[] = {
		{.pid = dead_pid(), .start_time = 12345},                          /* has no /proc */
		{.pid = dead_pid(), .start_time = 12345, .space = self.space ^ 1}, /* other namespaces */
		{.pid = self.pid,
			.start_time = self.start_time + 1,
			.space = self.space ^ 1}, /* other times */
		{.pid = self.pid, .start_time = 0},
	};

	for (size_t i = 0; probe->sweep && i < sizeof(owners) / sizeof(*owners); i++) {
		struct leftovers before = look_for_leftovers();
		struct channel channel;

		CHECK(open_channel_of(&channel, 1, 0, owners[i]) == 0);
		CHECK(in_member(sweep_and_pass_a_thousand, &channel), "owner %zu", i);
		close_channel(&channel);
		check_nothing_left(before);
	}
}

/* In a child, whose namespace is another one. */
static bool enter_times(void)
{
	const unsigned clone_newtime = 0x80;
	FILE *offsets = unshare((int)clone_newtime) == 0 ? fopen("/proc/self/timens_offsets", "w") : NULL;

	return offsets && fputs("boottime 1000000 0\n", offsets) >= 0 && fclose(offsets) == 0;
}

static bool enter_pids(void)
{
	return unshare(CLONE_NEWPID) == 0;
}

static bool lose_proc(void)
{
	return unshare(CLONE_NEWNS) == 0 && mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("tmpfs", "/proc", "tmpfs", 0, NULL) == 0;
}

enum { SWEPT, NO_RIGHT };

/* Sweeps there, and leaves an owner of there. */
static int sweep_elsewhere(bool (*enter)(void), struct owner *self)
{
	int status;
	pid_t child = fork();

	if (child == 0) {
		if (!enter())
			_exit(NO_RIGHT);
		child = fork(); /* namespaces of pids and times are the children's */
		if (child == 0) {
			*self = owner_self();
			probe->sweep(NULL);
			_exit(SWEPT);
		}
		_exit(waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1);
	}
	return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void a_sweep_from_elsewhere_leaves_the_living_alone(void)
{
	static const struct {
		const char *name;
		bool (*enter)(void);
	} places[] = {{"a time namespace", enter_times}, {"a pid namespace", enter_pids},
		{"a place without /proc", lose_proc}};
	struct owner *there =
		mmap(NULL, sizeof(*there), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	for (size_t i = 0; probe->sweep && i < sizeof(places) / sizeof(*places); i++) {
		struct leftovers before = look_for_leftovers();
		struct channel channel;

		CHECK(open_channel(&channel, 1, 0) == 0);
		int r = sweep_elsewhere(places[i].enter, there);

		CHECK(r == SWEPT || r == NO_RIGHT, "%s: %d", places[i].name, r);
		if (r == NO_RIGHT)
			printf("# no right to %s\n", places[i].name);
		else /* of there, gone since, but that can't be proved from here */
			CHECK(!owner_is_dead(there), "%s", places[i].name);
		CHECK(in_member(pass_a_thousand, &channel), "%s", places[i].name);
		close_channel(&channel);
		check_nothing_left(before);
	}
	munmap(there, sizeof(*there));
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
		if (round == rounds) /* by then malloc has its memory */
			before_kib = resident_kib();
		with_channels(64, pass_one);
	}
	CHECK(!full || resident_kib() - before_kib <= rounds, "%ld KiB more", resident_kib() - before_kib);
}

/* As the front does before it opens rings anew with another size. */
static void hops_that_are_only_tried_leave_nothing(void)
{
	struct leftovers before = look_for_leftovers();
	struct hop_trial trial = {.n = 0};
	int r = hop_trial_open(&trial, probe, 1, 2);

	CHECK(r == 0 && trial.n == 2, "%s, %zu", strerror(-r), trial.n);
	r = hop_trial_open(&trial, probe, 64, 2);
	CHECK(r == 0 && trial.n == 4, "%s, %zu", strerror(-r), trial.n);
	hop_trial_finish(&trial);
	check_nothing_left(before);
}

static const struct probe_test tests[] = {
	PROBE_TEST(tokens_go_through_one_by_one),
	PROBE_TEST(no_token_is_lost_or_doubled_by_wake_ups),
	PROBE_TEST(payloads_arrive_whole),
	PROBE_TEST(a_waiting_recv_is_interrupted),
	PROBE_TEST(a_deadline_that_passed_is_a_timeout),
	PROBE_TEST(closing_what_was_never_opened_does_nothing),
	PROBE_TEST(what_a_dead_owner_left_is_swept),
	PROBE_TEST(what_an_owner_known_to_be_dead_left_is_swept),
	PROBE_TEST(what_a_living_owner_has_is_left_alone),
	PROBE_TEST(what_may_be_of_the_living_is_left_alone),
	PROBE_TEST(a_sweep_from_elsewhere_leaves_the_living_alone),
	PROBE_TEST(opening_and_closing_again_and_again_leaves_nothing),
	PROBE_TEST(hops_that_are_only_tried_leave_nothing),
};

int main(int argc, char **argv)
{
	(void)argc;
	return test_each_probe(argv + 1, tests, sizeof(tests) / sizeof(*tests));
}
