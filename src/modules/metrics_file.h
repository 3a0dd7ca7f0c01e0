/* SPDX-License-Identifier: GPL-2.0-or-later */
/* metrics_file.h - the metrics of a run, in a file, and by a server. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/base/error_text.h"
#include "src/run/source.h"

struct metrics_server;

/* Of a source without --metrics and --metrics-listen, and of a playback: does nothing. */
struct metrics {
	struct source *source;    /* the caller's */
	bool prints;              /* if the file can't be written, prints the reason; else it is an event */
	uint64_t next_ns;         /* when the file is due, CLOCK_MONOTONIC */
	struct error_text reason; /* why it could not be written the last time; "": it was written */
	struct metrics_server *server; /* owned; NULL: none */
};

/* Returns 0 if --metrics names a file that can be written and is for nothing else, or a negative errno with
 * its sentence. Leaves no file behind. */
int main_metrics_check(const struct config *config, struct error_text *reason);

/* Starts the server, before the rings start. Returns 0, or a negative errno with its reason and nothing to
 * stop. */
int main_metrics_listen(struct metrics *metrics, struct error_text *reason);
/* The rings have started: the server has an answer from now on. */
void main_metrics_ready(struct metrics *metrics);
/* Ends the server. Called before the session is changed without the source's lock. */
void main_metrics_silence(struct metrics *metrics);

/* Writes the file if it is due, and says once that it can't. To be called after each tick, in the thread of
 * source_loop(). */
void main_metrics_update(struct metrics *metrics);
/* Writes the file a last time. Returns 0, or -1 with a message printed if it could not be written. */
int main_metrics_end(struct metrics *metrics);
