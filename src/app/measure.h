/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure.h - the verb without a name: measures, or plays a recording, until the end, and reports. */
#pragma once

struct config;

/* Measures, or prints the plan. Prints errors. Returns the exit status. */
int measure_main(const struct config *config);
/* Plays a recording. Prints errors. Returns the exit status. */
int measure_replay(const struct config *config);
