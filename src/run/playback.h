/* SPDX-License-Identifier: GPL-2.0-or-later */
/* playback.h - plays a recording: its items feed the session in place of a run's. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "src/base/loop.h"
#include "src/plan/config.h"
#include "src/recording/phase_reader.h"
#include "src/recording/replay.h"
#include "src/run/source.h"

struct playback {
	struct source source;
	struct config config; /* the given options, and the recording's values of others */
	struct replay replay;
	struct phase_reader phases; /* of the thread that compares */
	uint64_t begun_ns, from_ns; /* when, on this clock, the recording's from_ns was shown */
	bool ended;                 /* the replay has no next item */
	int error;                  /* of reading: then it has ended */
	unsigned steps;             /* ticks to show while it is paused */
	struct loop loop;           /* of the main thread */
};

/* Returns 0 or a negative errno with its reason; playback_finish() accepts what is left. */
int playback_init(struct playback *playback, const struct config *asked, struct error_text *reason);
void playback_finish(struct playback *playback);

/* Prints which parts could not be read. */
void playback_complain(const struct playback *playback, FILE *out);
