/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run.h - runs that nobody measured: a machine, its pairs, and what each tick told of them, the same each
 * time. Golden screens, terminal tests and benchmarks look at them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "src/model/session.h"

struct recording;
struct run_story;
struct made_run;

/* "few", "many", "short", "rings", "limit", "marks", "laps", "batches", "spikes", "unrecorded", "crowd"; NULL
 * where there is none. */
const struct run_story *run_story(const char *name);

/* At its start: made_run_step() feeds the session. @n_pairs and @n_cpus 0: as many as the story has; else the
 * pairs are on the last CPUs. Ends the program without memory. */
struct made_run *made_run_create(const struct run_story *story, size_t n_pairs, unsigned n_cpus);
void made_run_destroy(struct made_run *run);
const struct session *made_run_session(const struct made_run *run);
/* One tick; false at the end of the story. @recording, where it is not NULL, is told what the session is. */
bool made_run_step(struct made_run *run, struct recording *recording);

/* Writes it all to a file. Ends the program, with the reason, where that fails. */
void made_run_record(const struct run_story *story, const char *path);
