/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main_screen.h - a run, or a recording, on the dashboard: main.c's part that knows the terminal. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "src/run.h"

/* Feeds the session from the engine, or from a recording, until the end; see run_loop(). */
void main_loop(struct run *run, uint64_t for_ns, bool stays, bool (*updated)(void *data), void *data);

/* Shows the run until its end. A negative errno with its reason where there is no terminal to show it on. */
int main_run_dashboard(struct run *run, uint64_t for_ns, struct reason *reason);
