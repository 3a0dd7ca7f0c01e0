/* SPDX-License-Identifier: GPL-2.0-or-later */
/* screen.h - a run, or a playback, on the dashboard. */
#pragma once

#include <stdbool.h>

#include "src/run/source.h"

struct metrics;

/* Starts the source and shows it until its end, and writes its @metrics. Sets @shown to false, and starts
 * nothing, if there is no terminal to show it on, or no thread for that. Returns 0, or a negative errno with
 * its reason. */
int main_run_dashboard(
	struct source *source, struct metrics *metrics, bool *shown, struct error_text *reason);
