/* SPDX-License-Identifier: GPL-2.0-or-later */
/* channel.h - hops of the tested probe that a test opens itself, members at their ends, and their wakers.
 */
#pragma once

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/probe/probe.h"
#include "tests/unit/each_probe.h"
#include "tests/unit/leftovers.h"
#include "tests/unit/tap.h"

enum { KIB = 1024, MIB = KIB * KIB };

/* A hop that this process has opened, as the keeper does. Members are its children. */
struct channel {
	struct hop ends[2];
	struct hop_task *tasks; /* shared; the state comes behind */
};

enum { CHANNEL_MEMORY = 16 * KIB, FDS_AT = 32, ATTACHED_AT = 64, STATE_AT = 128 };

static int open_channel_of(struct channel *channel, size_t size, uint32_t id, struct owner owner)
{
	char *memory = mmap(NULL, CHANNEL_MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	*channel = (struct channel){.tasks = (struct hop_task *)(void *)memory};
	for (int end = 0; end < 2; end++)
		channel->ends[end] = (struct hop){.state = memory + STATE_AT,
			.fds = (int *)(void *)(memory + FDS_AT),
			.ends = channel->tasks,
			.owner = owner,
			.id = id,
			.token = calloc(1, size),
			.size = size,
			.is_answer = id == 1};
	return probe->open(&channel->ends[HOP_RECEIVER]);
}

static int open_channel(struct channel *channel, size_t size, uint32_t id)
{
	return open_channel_of(channel, size, id, owner_self());
}

static void close_channel(struct channel *channel)
{
	probe_close(probe, &channel->ends[HOP_RECEIVER]);
	for (int end = 0; end < 2; end++)
		free(channel->ends[end].token);
	munmap(channel->tasks, CHANNEL_MEMORY);
}

/* The number of the channel's ends that have attached: only then may a waker wake them. */
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
	int r = probe_attach(probe, &channel->ends[end], end);

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

/* A waker's last signal may come while its end is waited for. */
static void await_end(pid_t child, int *status)
{
	while (waitpid(child, status, 0) < 0 && errno == EINTR)
		continue;
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
	await_end(pid, &status);
	CHECK(WIFEXITED(status), "killed by signal %d", WTERMSIG(status));
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/* Opens two channels, runs @part in a member, closes them, and checks that nothing is left. */
static void with_channels(size_t size, bool (*part)(struct channel *))
{
	struct leftovers before = look_for_leftovers();
	struct channel channels[2];
	int r = 0;

	for (int i = 0; i < 2; i++) {
		int opened = open_channel(&channels[i], size, (uint32_t)i);

		r = r < 0 ? r : opened;
	}
	/* As in a ring of two. */
	for (int i = 0; i < 2; i++) {
		channels[i].ends[HOP_SENDER].back = &channels[1 - i].ends[HOP_RECEIVER];
		channels[i].ends[HOP_RECEIVER].back = &channels[1 - i].ends[HOP_SENDER];
	}
	CHECK(r == 0, "%s", strerror(-r));
	CHECK(r < 0 || in_member(part, channels), "%zu bytes", size);
	for (int i = 0; i < 2; i++)
		close_channel(&channels[i]);
	check_nothing_left(before);
}

/* Wakes all receivers until it is ended, from their own process and from another, as host and keeper do, and
 * more often. */
struct waker {
	struct channel *channels; /* two */
	pid_t process;
	pthread_t thread;
	_Atomic bool is_ending;
};

/* An end that attaches may be interrupted by a signal, which a member gets only once all of its ends are
 * there. */
static bool all_have_attached(struct channel *channels)
{
	return atomic_load(attached(&channels[0])) == 2 && atomic_load(attached(&channels[1])) == 2;
}

static void wake_all(struct channel *channels)
{
	usleep(500);
	for (int i = 0; i < 2 && all_have_attached(channels); i++) {
		const struct hop_task *task = &channels[i].tasks[HOP_RECEIVER];

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
	await_end(waker->process, NULL);
}
