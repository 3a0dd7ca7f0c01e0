/* SPDX-License-Identifier: GPL-2.0-or-later */
/* run_acts.h - commands that change what is measured while it runs, and the undoing of the last one.
 *
 * A change of members' scheduling is found by the next tick, as one from outside is: that makes its event and
 * begins the phase. */
#pragma once

#include "src/run/command.h"

struct cpus;
struct error_text;
struct probe;
struct run;
struct task_policy;

/* Reads the CPUs of a member: "2>10" and "2:10" have one for each, "0-3" are those of all. Returns 0 or
 * -EINVAL. */
int run_acts_read_cpus(const char *text, unsigned member, unsigned n_members, struct cpus *cpus);
/* Returns whether the text has one CPU for each member, and is no list. */
bool run_acts_have_one_each(const char *text);
/* Reads "FIFO:80", "rr:5", "other". Returns 0 or -EINVAL. */
int run_acts_read_policy(const char *text, struct task_policy *policy);
/* Checks that the members of a ring may run at real-time priority. @was_realtime: they were started with it.
 * @flooded: the CPUs of all rings that then flood at real-time priority, of this one, too. Returns 0, or
 * -EINVAL with a sentence. Called from any thread. */
int run_acts_check_realtime(const struct run *run, const struct probe *probe, bool was_realtime,
	uint64_t interval_ns, const struct cpus *flooded, struct error_text *reason);
/* Checks that members may run on the CPUs. Returns 0, or -EINVAL with a sentence. Called from any thread. */
int run_acts_check_cpus(const struct run *run, const struct cpus *cpus, struct error_text *reason);
/* Returns why the members of a ring can't run on these CPUs, of all of them, or NULL: those that spin, or
 * yield to each other, can run on some only. */
const char *run_acts_why_unfit(const struct probe *probe, unsigned n_members, const struct cpus *all);
