/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frequency_watch.h - follows the clock frequency of the members' CPUs, without interrupting them. It is the
 * main thread's. */
#pragma once

#include <stdint.h>

struct cpu_hints;
struct cpus;
struct frequency_watch;
struct utsname;

/* @root: "", or a folder in place of /, the caller's. @kernel: this one, see uname(). Returns 0 or -ENOMEM;
 * frequency_watch_destroy() accepts NULL. */
int frequency_watch_create(struct frequency_watch **watch, const char *root, const struct utsname *kernel);
void frequency_watch_destroy(struct frequency_watch *watch);

/* Each call reads what is usual on the next 16 of these CPUs, because reading all at once may take long. A
 * round of all begins a second after the one before, or when that has ended: called 20 times a second, a
 * round of up to 320 CPUs takes a second. @now_ns: CLOCK_MONOTONIC. */
enum { FREQUENCIES_AT_ONCE = 16 };
void frequency_watch_look(struct frequency_watch *watch, const struct cpus *cpus, uint64_t now_ns);
/* Adds the frequency of a CPU now, and what is usual there. */
void frequency_watch_add(struct frequency_watch *watch, int32_t cpu, struct cpu_hints *hints);
