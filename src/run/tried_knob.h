/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tried_knob.h - the knob that a run turns: its words, its files, their journal and restorer. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "src/machine/cpus.h"
#include "src/machine/setting_file.h"
#include "src/restore/restorer.h"

struct journal;
struct machine_fact;
struct run;

enum { KNOB_WORD_SIZE = 64 };

/* A knob of the machine, with the value that was found (A) and a new one (B). */
struct tried_knob {
	const struct machine_fact *fact;
	char word[KNOB_WORD_SIZE];      /* as it was typed, without the value */
	char value[SETTING_VALUE_SIZE]; /* of B */
	struct cpus numbers;            /* of CPUs or interrupts */
	bool has_numbers;
	struct setting_file *files; /* owned; none where the setting is held */
	size_t n_files;
	int32_t held_us, was_us;  /* of a setting that is held; -1: it is not */
	struct journal *journal;  /* owned; NULL: nothing was written yet, or the setting is held */
	struct restorer restorer; /* pid 0: none */
	bool is_b;
	bool lacks_restoring; /* a file could not be written: the journal stays */
	bool is_others;       /* a file has a value that somebody else has written: it stays */
	char trouble[512];    /* why it was not turned, or what is not as it was; "": nothing */
};

/* Reads words such as "governor=performance" or "irq_affinity:24=1" into a knob that is all 0. Returns 0 or
 * -EINVAL with a sentence. */
int tried_knob_read(struct tried_knob *knob, const char *words, struct error_text *reason);

/* Is it a setting that a process holds, and that has no file? */
bool tried_knob_is_held(const struct tried_knob *knob);
/* The members' own settings have no files before the members run. */
bool tried_knob_waits_for_members(const struct tried_knob *knob);

/* Lists its files, writes the journal, starts the restorer, and tries whether the kernel takes the new value:
 * it is turned once there and back. Returns 0, or a negative errno with a sentence. tried_knob_finish() is
 * needed in any case. */
int tried_knob_open(struct tried_knob *knob, struct run *run, struct error_text *reason);

/* Each file must have the value that the knob gave it last. Returns 0, or a negative errno with the trouble.
 */
int tried_knob_check(struct tried_knob *knob);
/* Writes the new value, after tried_knob_check(), or restores the one that was found. Returns 0, or a
 * negative errno with the trouble. */
int tried_knob_turn(struct tried_knob *knob, struct run *run, bool is_b);

/* There is nothing to restore any more: ends the restorer, and removes the journal unless it is needed. The
 * files and the trouble stay until tried_knob_finish(). */
void tried_knob_release(struct tried_knob *knob, struct run *run);
void tried_knob_finish(struct tried_knob *knob, struct run *run);
