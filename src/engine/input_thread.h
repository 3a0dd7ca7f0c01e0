/* SPDX-License-Identifier: GPL-2.0-or-later */
/* input_thread.h - the one small thread that stands above the members: it takes keys and signals, and stops
 * the run. So the keys work whatever the members' priority. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "src/ring/arena.h"

struct guard_screen {
	int keys_in, keys_out; /* bytes are copied from the terminal to the dashboard; -1: none */
	/* After one of them letters are text, and q is no key, until guard_typing() says so; NULL: none. */
	const char *text_keys;
	void (*resized)(void *data);
	void (*suspended)(void *data); /* Ctrl-Z */
	void *data;
};

struct guard {
	const struct arena *arena;
	struct guard_screen screen;
	int signals;            /* signalfd */
	int wanted;             /* eventfd: readable once the run shall end */
	int finish;             /* eventfd: the thread's end */
	_Atomic int signal;     /* that ended it; 0: a key or a call did */
	_Atomic bool typing;    /* see guard_typing() */
	pthread_t thread, main; /* main: who called guard_start() */
	bool running;
};

/* Blocks the signals that a guard takes; before any fork or thread. */
void guard_block_signals(void);
/* For the time after the guard: they end the process again. What came until now is taken back. */
void guard_unblock_signals(void);

/* @priority: one above the members; where the right is missing the members have no real-time policy either.
 * @arena may be NULL, where no ring is to be stopped, and so may @screen. Returns 0 or a negative errno with
 * its reason. */
int guard_start(struct guard *guard, const struct arena *arena, int priority,
	const struct guard_screen *screen, struct error_text *reason);
/* Ends the run, from any thread. */
void guard_quit(struct guard *guard);
/* Whether letters are text, and q is no key; from any thread. */
void guard_typing(struct guard *guard, bool typing);
/* Ends the thread; guard_quit() may still be called until guard_finish(). */
void guard_join(struct guard *guard);
void guard_finish(struct guard *guard);
