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
	/* For the session. */
	COMMAND_QUIT,
	COMMAND_PHASE,    /* begin a phase */
	COMMAND_MARK,     /* the same with a name, which may be empty */
	COMMAND_BASELINE, /* a phase becomes the baseline, or none */
	COMMAND_HOLD,     /* the turn of a ring, or let turns go on */
	/* For the player of a recording, or of the run's history. */
	COMMAND_FREEZE, /* or continue */
	COMMAND_STEP,   /* pause, and show one tick more */
	COMMAND_SEEK,
};

struct command {
	enum command_kind kind;
	char name[PHASE_NAME_SIZE]; /* of the mark */
	int64_t by_ns;              /* of the seek; negative: back */
	int64_t ring;               /* the selected one's id; negative: none */
	uint32_t phase;             /* of COMMAND_BASELINE: its number, COMPARISON_FILE, or 0: none */
	int signal;                 /* of COMMAND_QUIT; 0: from a key */
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
