/* SPDX-License-Identifier: GPL-2.0-or-later */
/* foreign_load.h - finds isolated CPUs that other programs use, so that ipctop does not disturb them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct cpus;

/* Finds the CPUs of @isolated on which a foreign user-space task spins or has run at real-time priority.
 * Sleeps for @window_ns if a task must be watched to decide. Returns how many are in @busy. */
size_t foreign_load_find(const struct cpus *isolated, uint64_t window_ns, struct cpus *busy);
