/* SPDX-License-Identifier: GPL-2.0-or-later */
/* hint_watch.h - finds what may hint at the cause of a spike: where the flight recorder records nothing,
 * tasks of high priority, and the interrupts and softirqs of the CPUs; beside its records, the CPUs'
 * frequencies and what stopped them from below the kernel.
 *
 * It is the main thread's, and takes at most a hundredth of its time: where a reading takes long, the next
 * ones are left out, and its result is used again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cpus;
struct flight_member;
struct hint_watch;
struct spike;

/* Returns 0 or -ENOMEM; hint_watch_destroy() accepts NULL. */
int hint_watch_create(struct hint_watch **watch, bool is_guest);
void hint_watch_destroy(struct hint_watch *watch);

/* Reads what is usual on these CPUs; called 20 times a second. */
void hint_watch_look(struct hint_watch *watch, const struct cpus *cpus, uint64_t now_ns);
/* Takes from the tick that ends how many interrupts and softirqs are usual on these CPUs. */
void hint_watch_tick(struct hint_watch *watch, const struct cpus *cpus);
/* Adds to a spike what is a hint beside any records: frequencies, steal time, and how often the firmware
 * stopped all CPUs. */
void hint_watch_add_beside_records(struct hint_watch *watch, struct spike *spike);
/* Adds to a spike's hints what is known of its CPUs now. @members, by their tids, are no hint. */
void hint_watch_add(
	struct hint_watch *watch, const struct flight_member *members, size_t n_members, struct spike *spike);
