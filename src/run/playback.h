/* SPDX-License-Identifier: GPL-2.0-or-later */
/* playback.h - a run of which all has been seen: the session's ticks come from a recording. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "src/base/error_text.h"

struct config;
struct run;

/* @config becomes what is asked for, less what the recording knows better; it stays the caller's. Returns 0
 * or a negative errno with its reason; playback_finish() is for whatever is left. */
int playback_start(
	struct run *run, struct config *config, const struct config *asked, struct error_text *reason);

/* As run_loop(). @stays: a person is looking, so that time goes by as it did, and the end is not the end. */
void playback_loop(struct run *run, bool stays, bool (*updated)(void *data), void *data);

int playback_write_json(const struct run *run, const char *path, struct error_text *reason);
/* Says what could not be read. */
void playback_complain(const struct run *run, FILE *out);
void playback_finish(struct run *run);
