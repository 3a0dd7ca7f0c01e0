/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_rings.h - the rings that commands name; checks of new rings; removing, pausing and resuming. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "src/machine/cpus.h"
#include "src/model/session_turns.h"
#include "src/run/run.h"

struct plan_ring;
struct probe;
struct session_ring;

/* Returns the ring of this id or name, such as "pipe:0>3" or "pipe:0:3", which has not ended; NULL with the
 * reason. */
const struct session_ring *run_rings_find(
	const struct session *session, const char *name, struct error_text *refusal);

struct run_rings {
	uint32_t *ids; /* owned, ascending */
	size_t n;
};

/* Finds the rings of a command: command->words are ids, ranges of them such as 4-7, names, mechanisms, or
 * "all"; without words command->ring. Rings that have ended, or are being removed, are left out. Returns 0,
 * or a negative errno with its sentence, which begins with the command's name, if a word names none; the
 * caller frees the ids in either case. */
int run_rings_choose(struct run_rings *rings, const struct source *source, const struct command *command,
	struct error_text *refusal);
/* The same from any thread with the session's lock: rings that are being removed count. */
int run_rings_choose_shown(struct run_rings *rings, const struct source *source,
	const struct command *command, struct error_text *refusal);

/* Returns a ring in the arena, or NULL. */
struct arena_ring *run_rings_shared(const struct run *run, uint32_t id);
/* Returns the tid of a member that runs, or 0. */
pid_t run_rings_tid(const struct arena_ring *ring, unsigned member);

/* Whether it has ended, or is being removed. */
bool run_rings_is_over(const struct arena_ring *ring);
/* Returns the CPUs of a ring's members, wherever they were moved. */
struct cpus run_rings_cpus(const struct arena_ring *ring);
/* The same for threads other than main, which may read only the session. */
struct cpus run_rings_shown_cpus(const struct session_ring *ring);
/* Returns whether a ring has members at real-time priority. */
bool run_rings_are_realtime(const struct arena_ring *ring);
bool run_rings_are_shown_realtime(const struct session_ring *ring);
/* Returns the CPUs of the rings that flood at real-time priority now, without those of the list. */
struct cpus run_rings_flooded(const struct run *run, const struct run_rings *except);
struct cpus run_rings_shown_flooded(const struct run *run, const struct run_rings *except);
/* Checks that floods at real-time priority leave a CPU to the rest of the system. @cpus: of all of them.
 * Returns 0, or -EINVAL with a sentence. Called from any thread. */
int run_rings_check_flooded(const struct run *run, const struct cpus *cpus, struct error_text *why);
/* Checks whether two rings may run at once on CPUs that they share: one that is added or moved, and another
 * one. Returns 0, or -EINVAL with a sentence. */
int run_rings_check_beside(
	const struct plan_ring *ring, const struct plan_ring *other, struct error_text *why);

bool run_rings_have(const struct run_rings *rings, uint32_t id);
/* Writes "mq 0>3", or of several rings "mq 0>3, mq 1>1, mq 2>2 and 4 more rings". */
void run_rings_name(const struct session *session, const struct run_rings *rings, char *text, size_t size);
/* Makes an event with the time of the command: "ring 4, mq 0>3, was added", or for several rings
 * "mq 0>3, mq 1>1 and 4 more rings were added". @one, @many: "was added", "were added". */
void run_rings_note(struct run *run, const struct command *command, const struct run_rings *rings,
	const char *one, const char *many);

enum rings_act { RINGS_REMOVE, RINGS_PAUSE, RINGS_RESUME, N_RINGS_ACTS };

/* Obeys for each ring for which the engine does, and makes an event of these, which are left in @rings; if
 * there is none, the first reason is the refusal. Returns 0 or a negative errno. */
int run_rings_obey(struct run *run, const struct command *command, struct run_rings *rings,
	enum rings_act act, struct error_text *refusal);

/* Gives a ring that the engine has added its row. Returns 0 or -ENOMEM. */
int run_rings_feed(struct run *run, const struct plan_ring *added);

/* Checks that this process may give members the ring's policy. Returns 0, or a negative errno with a sentence
 * that names the missing right. */
int run_rings_check_right(const struct run *run, const struct plan_ring *ring, struct error_text *why);

/* --- from any thread, of a run --- */

/* Returns the probe of a ring of the session; NULL: this build has none. */
const struct probe *run_rings_probe(const struct run *run, const struct session_ring *ring);

/* Returns what run_rings_check_beside() reads of a ring; its probe is NULL if this build has none. */
struct plan_ring run_rings_shown_plan(const struct run *run, const struct session_ring *ring);

/* Each writes a sentence, or "" where there is nothing to say: turns become longer or shorter; the mechanism
 * may refuse tokens as large as this. */
enum { RUN_SAY_SIZE = 192 };
void run_rings_say_turns(
	const struct session *session, const struct turns_foreseen *turns, char text[RUN_SAY_SIZE]);
void run_rings_say_size(const struct probe *probe, uint64_t bytes, char text[RUN_SAY_SIZE]);
