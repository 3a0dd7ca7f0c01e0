/* SPDX-License-Identifier: GPL-2.0-or-later */
/* measure.h - the verb without a name: measures, or plays a recording, until the end, and reports. */
#pragma once

struct config;
struct config_file;

/* Measures, or prints the plan. Prints errors, with the line of @file that has the option. Returns the exit
 * status. */
int measure_main(const struct config *config, const struct config_file *file);
/* Plays a recording. Prints errors. Returns the exit status. */
int measure_replay(const struct config *config);
