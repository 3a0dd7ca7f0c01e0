/* SPDX-License-Identifier: GPL-2.0-or-later */
/* given_options.h - the options of file and argv together: checks combinations, and completes the config. */
#pragma once

#include "src/options/options.h"
#include "src/plan/config.h"

struct option_reading;

/* The target of the rows of options_tables. */
struct given_options {
	struct config config; /* policy.policy is -1 if only the priority decides it */
	const struct options_names *names;
	bool has_list;        /* -c was given: in the file, or if argv is being read, in argv */
	bool has_affinity;    /* the same for -a */
	struct cpus affinity; /* of -a; empty: all */
	bool smp;             /* the same for -S */
	bool has_stamps;      /* the same for --stamps */
};

/* The reading's target is a struct given_options. Return 0 or -EINVAL with its sentence. */

/* After each line of a file: checks the combinations that argv can't mend. */
int given_options_check_line(const struct option_reading *reading);
/* After argv: drops options of the file that argv contradicts. */
void given_options_give_way(const struct option_reading *reading);
/* At the end: checks combinations and completes the config. */
int given_options_settle(const struct option_reading *reading);
