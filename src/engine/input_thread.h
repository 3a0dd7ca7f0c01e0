/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input_thread.h - a small thread one priority above the members, which gets keys and signals: so the end
 * comes at once, whatever the members' priority. It also sees to it that the main thread makes its ticks. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "src/base/error_text.h"

enum { MAIN_PRIORITY = 1 }; /* of the main thread, as a FIFO task */

/* Its callbacks run in this thread. */
struct input_hooks {
	int keys_in, keys_out; /* bytes are copied from the terminal to the dashboard; -1: none */
	/* The dashboard has obeyed this many bytes, and a q that comes next quits; UINT64_MAX: q is text now.
	 */
	const _Atomic uint64_t *q_quits_after;
	void (*quit)(void *data, int signal); /* 0: q, or the terminal is gone */
	/* NULL, both: there is no dashboard. */
	void (*resized)(void *data);
	void (*suspended)(void *data); /* Ctrl-Z */
	void *data;
};

struct input_thread {
	struct input_hooks hooks;
	int signals;            /* signalfd */
	int finish;             /* eventfd: the thread's end */
	int promotion;          /* timerfd: main becomes a real-time task, or plain again */
	bool is_in_background;  /* the keys are another process's */
	uint64_t kick_ns;       /* when main is interrupted, after a signal; 0: not */
	uint64_t n_keys;        /* bytes that went to the dashboard */
	pthread_t thread, main; /* main: the caller of input_thread_start() */
	pid_t main_tid;
	int main_policy;      /* that it had at the start, as sched_getscheduler(2) returns it */
	pthread_mutex_t lock; /* guards the promotion, and main's policy */
	bool running;
};

/* Blocks the signals that the thread gets; before any fork or thread. */
void input_thread_block_signals(void);
/* After input_thread_join(): signals end the process again. Those that came until now are dropped. */
void input_thread_unblock_signals(void);

/* @priority: one above the members, or 0. Without the right to it, the thread gets the highest one that the
 * rights allow. Returns 0 or a negative errno with its reason. */
int input_thread_start(
	struct input_thread *input, int priority, const struct input_hooks *hooks, struct error_text *reason);
/* Gives the running thread at least this priority, or the highest one that the rights allow; above 99 is 99.
 * Returns 0 or a negative errno. */
int input_thread_raise(const struct input_thread *input, int priority);
/* Main, the caller, has the policy that it had at the start until @at_ns (CLOCK_MONOTONIC); then it becomes a
 * FIFO task of MAIN_PRIORITY, whatever it does, if the rights allow; for 100 ms, and each other 100 ms as
 * long as this is not called again. UINT64_MAX: it does not become one. Where main was a real-time task at
 * the start, or another has given it another policy since, that stays. */
void input_thread_promote_main(struct input_thread *input, uint64_t at_ns);
/* Ends the thread, and main has its policy again; once more does nothing. */
void input_thread_join(struct input_thread *input);
void input_thread_finish(struct input_thread *input);
