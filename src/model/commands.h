/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commands.h - a queue of commands, from keys and signals to the main thread, which alone writes the session.
 */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/model/phase.h"

enum command_kind {
	COMMAND_NONE,
	/* The screen's own. */
	COMMAND_REDRAW,  /* a key has changed the view */
	COMMAND_REPAINT, /* all of the terminal */
	/* The session's. */
	COMMAND_QUIT,
	COMMAND_PHASE, /* begins one, now */
	COMMAND_MARK,  /* the same with a name, which may be empty */
	/* The player's: of a recording, or of what is kept of the run. */
	COMMAND_FREEZE, /* or goes on */
	COMMAND_STEP,   /* pauses, and takes one tick */
	COMMAND_SEEK,
};

struct command {
	enum command_kind kind;
	char name[PHASE_NAME_SIZE]; /* of the mark */
	int64_t by_ns;              /* of the seek: so far on, or back where negative */
	int signal;                 /* that asks for the end; 0: a key does */
};

enum { COMMANDS_MAX = 32 };

struct commands {
	pthread_mutex_t lock;
	int wanted;                        /* eventfd: readable while there may be a command */
	struct command list[COMMANDS_MAX]; /* the oldest first */
	unsigned n;
};

int commands_init(struct commands *commands); /* 0 or a negative errno */
void commands_finish(struct commands *commands);

/* From any thread. Seeks in a row become one. A full queue drops commands; its last place is reserved for
 * COMMAND_QUIT. */
void commands_put(struct commands *commands, const struct command *command);

/* Takes the oldest command. Returns false if there is none. */
bool commands_next(struct commands *commands, struct command *command);
