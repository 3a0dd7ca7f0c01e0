/* SPDX-License-Identifier: GPL-2.0-or-later */
/* main_screen.h - a run, or a playback, on the dashboard. */
#pragma once

#include <stdbool.h>

#include "src/run/source.h"

/* Starts the source and shows it until its end. @can: whether there is a terminal to show it on, and a thread
 * for that; else nothing was started. Returns 0, or a negative errno with its reason. */
int main_run_dashboard(struct source *source, bool *can, struct error_text *reason);
