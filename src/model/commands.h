/* SPDX-License-Identifier: GPL-2.0-or-later */
/* commands.h - a queue of commands, from keys, signals and sockets to the main thread, which alone writes the
 * session. */
#pragma once

#include <limits.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "src/model/phase.h"

/* The commands that code names. Others go by the name of their row, see src/run/command.h. */
enum command_kind {
	COMMAND_NONE,
	COMMAND_NAMED, /* by command.row_name */
	COMMAND_QUIT,
	COMMAND_MARK,     /* begin a phase with a name, which may be empty */
	COMMAND_BASELINE, /* a phase becomes the baseline, or none */
	COMMAND_ADD,      /* rings */
	COMMAND_REMOVE,   /* a ring */
	COMMAND_PAUSE,    /* a ring */
	COMMAND_PRIORITY, /* of members */
	COMMAND_POLICY,   /* of members */
	COMMAND_CPUS,     /* of members */
	COMMAND_INTERVAL, /* of rings, which are opened anew */
	COMMAND_SIZE,     /* of tokens; the same */
	COMMAND_DMA_LATENCY,
	COMMAND_LOAD, /* opens one, or ends some: see command.words */
	COMMAND_TRY,  /* a knob, or COMMAND_TRY_STOP: see command.words */
	COMMAND_SAVE, /* so far, under the name in command.words; empty: by the time */
	/* For the player of a recording, or of the run's history. */
	COMMAND_FREEZE, /* or continue */
	COMMAND_STEP,   /* pause, and show one tick more */
	COMMAND_SEEK,
	N_COMMANDS
};

enum command_sender { COMMAND_BY_NOBODY, COMMAND_BY_KEY, COMMAND_BY_SIGNAL, COMMAND_BY_SOCKET };

/* The result of a command, for its sender. */
struct command_result {
	uint32_t phase;               /* that it began; 0: none */
	uint64_t begins_ns;           /* of that phase; CLOCK_MONOTONIC */
	uint32_t first_ring, n_rings; /* rings that it added, whose ids follow one another */
	struct error_text said;       /* its result, for the last line of the screen; "": none */
	/* Files that it wrote: their path without a suffix, and the suffixes, ended by NULL; NULL: none. */
	char files[PATH_MAX];
	const char *const *suffixes;
};

enum { COMMAND_WORDS_SIZE = 256 };
#define COMMAND_TRY_STOP "stop" /* in place of KNOB=VALUE: ends the trial early */

struct command {
	enum command_kind kind;
	enum command_sender sender;
	const char *row_name; /* of COMMAND_NAMED: "hold" */
	uint64_t at_ns;       /* when it was given, CLOCK_MONOTONIC; 0: commands_put() sets it */
	/* Of the mark; of a ring, as "pipe:0>3" or its id; or a value as it was typed, such as "FIFO:80". */
	char name[PHASE_NAME_SIZE];
	char words[COMMAND_WORDS_SIZE]; /* of rings, or for those to be added, with spaces between; of a load
					 */
	int64_t by_ns;                  /* of the seek; negative: back */
	int64_t ring;                   /* to hold, if there is no name: its id; negative: none */
	unsigned recorder;              /* an index of flight_word() */
	uint32_t phase;                 /* of COMMAND_BASELINE: its number, COMPARISON_FILE, or 0: none */
	int signal;                     /* of COMMAND_QUIT; 0: none */
	/* Optional: called in the main thread once the command was obeyed, or refused with a sentence. */
	void (*replied)(void *data, const struct command *command, const struct command_result *result,
		const struct error_text *refusal);
	void *data;
	uint64_t client; /* the sender's */
};

/* A command by the name of its row, such as "hold". */
#define COMMAND(name)                                                                                        \
	{                                                                                                    \
		COMMAND_NAMED, .row_name = (name)                                                            \
	}

enum { COMMANDS_MAX = 32 };

struct commands {
	pthread_mutex_t lock;
	int wanted;                        /* eventfd: readable while there may be a command */
	struct command list[COMMANDS_MAX]; /* the oldest first */
	unsigned n;
};

int commands_init(struct commands *commands); /* 0 or a negative errno */
void commands_finish(struct commands *commands);

/* From any thread. Seeks in a row become one, unless their sender waits for a reply. The last entry is
 * reserved for COMMAND_QUIT. Returns 0, or -EAGAIN if the queue is full. */
int commands_put(struct commands *commands, const struct command *command);

/* Takes the oldest command. Returns false if there is none. */
bool commands_next(struct commands *commands, struct command *command);
