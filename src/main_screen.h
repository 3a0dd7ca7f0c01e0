/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main_screen.h - a run, or a recording, on the dashboard: main.c's part that knows the terminal. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/run/run.h"

/* Feeds the session from the engine, or from a recording, until the end; see run_loop(). */
void main_loop(struct run *run, uint64_t for_ns, bool stays, bool (*updated)(void *data), void *data);

/* Starts the rings, but those of a recording. Returns 0, or a negative errno with its reason. */
int main_start(struct run *run, struct error_text *reason);

/* Starts the run and shows it until its end. @can: whether there is a terminal to show it on, and a thread
 * for that; else nothing was started. Returns 0, or a negative errno with its reason. */
int main_run_dashboard(struct run *run, uint64_t for_ns, bool *can, struct error_text *reason);
