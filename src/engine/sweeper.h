/* SPDX-License-Identifier: GPL-2.0-or-later */
/* sweeper.h - the process that sweeps over the pairs of CPUs, and the memory by which the front gets the
 * results. It is a child of the keeper, as hosts are, and ends with it. */
#pragma once

#include <stdalign.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "src/base/error_text.h"
#include "src/figures/sweep_result.h"
#include "src/probe/owner.h"

struct arena;

enum { SWEEP_RESULTS = 4096 }; /* that wait for the front */

/* Shared by front, keeper and sweeper. */
struct sweep_board {
	/* The front's: the keeper is to start the sweeper. */
	alignas(64) _Atomic uint32_t is_wanted;
	_Atomic uint64_t n_read; /* results */
	/* The keeper's. */
	alignas(64) _Atomic int32_t host; /* pid; 0: none, or reaped */
	/* The sweeper's, or the keeper's where the sweeper was killed: why it ended, valid once has_reason is
	 * set. */
	_Atomic uint32_t has_reason;
	struct error_text reason;
	/* The sweeper's. */
	struct owner owner;
	alignas(64) _Atomic uint64_t n_written; /* results */
	_Atomic uint64_t n_rounds; /* complete ones; stored before the result that completes it */
	/* The pair that has been under way for longest: its CPUs, the second one in the upper half. */
	_Atomic uint64_t oldest_cpus, oldest_since_ns; /* 0: none is, or the CPUs are being stored */
	struct sweep_result results[SWEEP_RESULTS];
};

/* A pair that is being measured. */
struct sweep_lane {
	uint64_t since_ns; /* 0: none is */
	unsigned cpus[2];
};

/* Maps a board, before the keeper is forked. Returns 0 or a negative errno. */
int sweep_board_create(struct sweep_board **board);
void sweep_board_destroy(struct sweep_board *board); /* accepts NULL */

/* The front's: reads at most @n results, the oldest first. Returns their number. */
size_t sweep_board_read(struct sweep_board *board, struct sweep_result *results, size_t n);
/* The front's: returns the pair that has been under way for longest. */
struct sweep_lane sweep_board_oldest(const struct sweep_board *board);
/* The front's: returns whether the sweep has ended by itself, with the reason. */
bool sweep_board_has_failed(const struct sweep_board *board, struct error_text *reason);

/* The keeper's: forks the sweeper over the plan's measured CPUs, with the config's first mechanism. The child
 * closes @fds, of which there are @n. Returns its pid, or a negative errno after the reason was set. */
pid_t sweeper_fork(struct arena *arena, const int *fds, size_t n);
/* The keeper's: ends the sweeper @pid, also where its threads get no CPU. */
void sweeper_kill(const struct arena *arena, pid_t pid);
/* The keeper's: @pid has ended, with the status of waitpid(2). Removes its objects, and sets the reason if it
 * was not to end. */
void sweeper_bury(struct arena *arena, pid_t pid, int status, bool must_stop);
