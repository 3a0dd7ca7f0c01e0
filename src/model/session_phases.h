/* SPDX-License-Identifier: GPL-2.0-or-later */
/* session_phases.h - phases and windows of a session. Pure. */
#pragma once

#include "src/model/session.h"

/* Notes the conditions of the current phase, before each tick. Returns 0 or -ENOMEM. */
int session_phases_note(struct session *session);
/* Takes over the block of a tick that was fed to the rows, and leaves it empty. Returns 0 or -ENOMEM. */
int session_phases_feed(struct session *session, const struct tick *tick, struct block *block);
/* Merges ticks that are too many to be kept one by one, after each feed. Of 1,024 pairs it may take 100 ms,
 * but it changes what others read under @lock only, which the caller does not hold; it may be NULL. Returns 0
 * or -ENOMEM. */
int session_phases_merge(struct session *session, pthread_mutex_t *lock);

/* Adds to the current phase the ticks that wait, so that its blocks have them. Returns 0 or -ENOMEM. */
int session_phases_settle(struct session *session);

/* Begins a phase after the last tick, and adds its event, whose time is @given_ns (0: the phase's
 * start). With a name, which may be empty, it is a mark. Returns 0 or -ENOMEM. */
int session_phases_begin(struct session *session, const char *name, uint64_t given_ns);
/* Begins a phase because members' scheduling changed in the last tick, whose events the session has, and
 * names it by these: "mq 0>1 member 1: CPU 1 -> CPU 0 and 2 more". If a change began the current one less
 * than a second ago, only its name counts the new ones. Does nothing unless the session wants such phases.
 * Returns 0 or -ENOMEM. */
int session_phases_change(struct session *session);
/* Would session_phases_change() begin a phase after this tick, if it ended at @now_ns? Reads only the tick's
 * rings and members. */
bool session_phases_will_change(const struct session *session, const struct tick *tick, uint64_t now_ns);

/* Returns @window, or WINDOW_ALL if that shows the same: there is only one phase. */
enum window session_window(const struct session *session, enum window window);
/* Returns the shortest window in which each ring has its turn. */
enum window session_shortest_window(const struct session *session);
/* Add what a row did in a window. The first returns 0 or -ENOMEM. */
int session_add_figure(
	const struct session *session, size_t row, enum window window, enum figure figure, struct hist *hist);
void session_add_counts(
	const struct session *session, size_t row, enum window window, struct tick_counts *counts);
/* Returns the blocks whose sum is a phase: valid until the session is fed, or merges. */
struct block_list session_phase_blocks(const struct session *session, const struct phase *phase);
