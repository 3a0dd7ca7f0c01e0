/* SPDX-License-Identifier: GPL-2.0-or-later */
/* load_process.h - the processes of a load: a first one, and its workers.
 *
 * All are one process group. Where the right to a pid namespace is there, the first process is the init of a
 * namespace, so that its end is that of all. Each dies with its parent. */
#pragma once

#include <stdatomic.h>
#include <stdint.h>
#include <sys/types.h>

#include "src/load/load.h"

/* Shared by front, keeper and the workers of one load; it stays for the next load after that one ends. */
struct load_board {
	/* The front's. Odd: the load is to be open. Stored after the load was filled in. */
	_Atomic uint32_t wanted;
	struct load load;
	/* The keeper's: the last word that it has obeyed. A word to close is obeyed once no process is left.
	 */
	_Atomic uint32_t obeyed;
	_Atomic int32_t pid;        /* the keeper's: of the first process; 0: there is none */
	_Atomic uint32_t has_ended; /* the keeper's: without a command */
	/* Of the first process or worker that fails, or the keeper's: why. */
	_Atomic uint32_t has_reason, reason_is_complete;
	struct error_text reason;
};

/* In a worker. */
struct load_worker {
	struct load_board *board;
	const struct load *load;
	struct cpus cpus; /* on which it runs; those of the load that are interrupted, with is_joint */
	void *data;       /* the kind's; ends with the process */
	struct error_text reason;
};

/* Forks the first process, if possible into a pid namespace. Returns as fork(2) does, or a negative errno. */
pid_t load_process_fork(void);
/* In the first process: starts the workers, and waits until one ends. @owner: a pidfd of the parent. */
_Noreturn void load_process_run(struct load_board *board, const struct cpus *allowed, int owner);
/* Kills all processes. */
void load_process_kill(pid_t pid);
/* Returns whether no process is left: all have ended, and were reaped. */
bool load_process_is_gone(pid_t pid);

/* Keeps the reason of the first one that fails. */
__attribute__((format(printf, 2, 3))) void load_fail(struct load_board *board, const char *format, ...);

/* --- for workers --- */

/* Sleeps while the load rests. Returns until when it then works, CLOCK_MONOTONIC in ns. All workers of all
 * loads work and rest at the same times. */
uint64_t load_worker_rest(const struct load_worker *worker);
/* Starts a thread of this process, on the worker's CPUs. Returns 0, or a negative errno with the worker's
 * reason. */
int load_worker_thread(struct load_worker *worker, void *(*run)(void *data), void *data);
/* Sets the worker's reason to "WHAT: sentence of the errno". Returns @error. */
int load_worker_fail(struct load_worker *worker, int error, const char *what);
