/* SPDX-License-Identifier: GPL-2.0-or-later */
/* asked.h - the options of file and argv together: which contradict each other, and what they add up to. */
#pragma once

#include "src/options/options.h"
#include "src/plan/config.h"

struct option_reading;

/* The target of the rows of options_tables. */
struct asked {
	struct config config; /* policy.policy is -1 if only the priority decides it */
	const struct options_names *names;
	bool has_list;        /* -c, */
	bool has_affinity;    /* and -a, in the file or, once that is read, in argv */
	struct cpus affinity; /* of -a; empty: all */
	bool smp;             /* -S, in the same way */
};

/* The reading's target is a struct asked. Return 0 or -EINVAL with its sentence. */

/* After each line of a file: checks it against the lines before; anything else depends on argv too. */
int asked_check_line(const struct option_reading *reading);
/* After argv: drops options of the file that argv contradicts. */
void asked_give_way(const struct option_reading *reading);
/* At the end: checks combinations and completes the config. */
int asked_settle(const struct option_reading *reading);
