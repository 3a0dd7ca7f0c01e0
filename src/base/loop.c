/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop.c - one round of a thread's loop. */
#include "src/base/loop.h"

#include "src/base/clock.h"

void loop_begin(struct loop *loop)
{
	loop->n = 0;
}

static void add_watch(struct loop *loop, struct pollfd fd, struct loop_watch watch)
{
	if (loop->n == LOOP_WATCHES_MAX)
		return;
	loop->fds[loop->n] = fd;
	loop->watches[loop->n++] = watch;
}

void loop_watch(struct loop *loop, int fd, short events, loop_call *call, void *data)
{
	add_watch(loop, (struct pollfd){.fd = fd, .events = events},
		(struct loop_watch){UINT64_MAX, call, data});
}

void loop_wake(struct loop *loop, uint64_t at_ns, loop_call *call, void *data)
{
	if (at_ns != UINT64_MAX)
		add_watch(loop, (struct pollfd){.fd = -1}, (struct loop_watch){at_ns, call, data});
}

void loop_wait(struct loop *loop)
{
	uint64_t until_ns = UINT64_MAX, now_ns = clock_now_ns();

	for (size_t i = 0; i < loop->n; i++)
		if (loop->watches[i].at_ns < until_ns)
			until_ns = loop->watches[i].at_ns;
	struct timespec left = clock_timespec(until_ns > now_ns ? until_ns - now_ns : 0);
	int n_ready = ppoll(loop->fds, loop->n, until_ns == UINT64_MAX ? NULL : &left, NULL);

	now_ns = clock_now_ns();
	for (size_t i = 0; i < loop->n; i++) {
		const struct loop_watch *watch = &loop->watches[i];
		short revents = n_ready > 0 ? loop->fds[i].revents : 0;

		if (watch->call && (revents || watch->at_ns <= now_ns))
			watch->call(watch->data, revents);
	}
}
