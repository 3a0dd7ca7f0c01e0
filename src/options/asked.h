/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asked.h - the options of file and argv together: checks combinations, and completes the config. */
#pragma once

#include "src/options/options.h"
#include "src/plan/config.h"

struct option_reading;

/* The target of the rows of options_tables. */
struct asked {
	struct config config; /* policy.policy is -1 if only the priority decides it */
	const struct options_names *names;
	bool has_list;        /* -c was given: in the file, or if argv is being read, in argv */
	bool has_affinity;    /* the same for -a */
	struct cpus affinity; /* of -a; empty: all */
	bool smp;             /* the same for -S */
	bool has_stamps;      /* the same for --stamps */
};

/* The reading's target is a struct asked. Return 0 or -EINVAL with its sentence. */

/* After each line of a file: checks the combinations that argv can't mend. */
int asked_check_line(const struct option_reading *reading);
/* After argv: drops options of the file that argv contradicts. */
void asked_give_way(const struct option_reading *reading);
/* At the end: checks combinations and completes the config. */
int asked_settle(const struct option_reading *reading);
