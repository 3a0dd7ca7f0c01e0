/* SPDX-License-Identifier: GPL-2.0-or-later */
/* loop.h - one round of a thread's loop: what it waits for, and the function that each of these calls.
 *
 * A round is loop_begin(), a call for each descriptor and each time, and loop_wait(). */
#pragma once

#include <poll.h>
#include <stddef.h>
#include <stdint.h>

/* @revents: as poll(2) sets them; 0 for a time. */
typedef void loop_call(void *data, short revents);

enum { LOOP_WATCHES_MAX = 96 };

struct loop {
	size_t n;
	struct pollfd fds[LOOP_WATCHES_MAX]; /* of a time, fd is -1 */
	struct loop_watch {
		uint64_t at_ns; /* UINT64_MAX: of a descriptor */
		loop_call *call;
		void *data;
	} watches[LOOP_WATCHES_MAX];
};

/* Forgets what the round before waited for. */
void loop_begin(struct loop *loop);
/* Waits for @events of poll(2) on a descriptor; below 0 it is ignored. A NULL @call only ends the wait. What
 * is beyond LOOP_WATCHES_MAX is not waited for. */
void loop_watch(struct loop *loop, int fd, short events, loop_call *call, void *data);
/* Waits no longer than until @at_ns (CLOCK_MONOTONIC; UINT64_MAX: without limit). */
void loop_wake(struct loop *loop, uint64_t at_ns, loop_call *call, void *data);
/* Waits, and calls the functions of all that is ready or due, in their order. A signal ends the wait. */
void loop_wait(struct loop *loop);
