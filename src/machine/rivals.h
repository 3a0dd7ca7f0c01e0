/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rivals.h - real-time tasks of others, threads of interrupts, and irqbalance: found by going round all
 * processes, some each time. */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "src/machine/cpus.h"

enum { RIVALS_NAMED_MAX = 4, RIVALS_AT_ONCE = 8 };

/* Tasks that are listed as one: of the same policy and CPUs, and of one process or the same name. */
struct rivals_alike {
	pid_t process; /* of the last one */
	unsigned n;
	char name[16];  /* of the first one */
	char where[80]; /* "FF90 on 0-1" */
};

/* What a round found. */
struct rivals_words {
	/* "hog FF90 on 0-1, 2057 x pulse RR5 on 3 and 2 more"; "none"; without the kernel's */
	char tasks[200];
	char irqbalance[160]; /* "running", "running, not on 2-3", "none" */
	char irq_threads[64]; /* "3, at most FF50 (irq/24-virtio0 on 0-3)"; "none"; "not readable" in a
				 container */
};

/* Zeroed is at the start. */
struct rivals {
	pid_t own_session; /* of the caller's tasks, which are no rivals; 0: none but the caller itself */
	pid_t own_helper;  /* another one of the caller's; 0: none */
	DIR *processes;    /* owned; the round that is under way; NULL: none is */
	/* Of this round. */
	struct rivals_alike found[RIVALS_NAMED_MAX];
	unsigned n_found, n_more; /* of found[]; tasks that are not in it */
	bool has_irqbalance, has_kernel;
	char banned[128]; /* CPUs that irqbalance leaves alone; "": none are known */
	unsigned n_irq_threads;
	int highest; /* priority of these, and whose */
	char irq_thread[16];
	struct cpus irq_thread_cpus;
};

/* Reads the next @n_at_once processes. Returns whether a round ended, and then sets @words. */
bool rivals_read(struct rivals *rivals, struct rivals_words *words, size_t n_at_once);
void rivals_finish(struct rivals *rivals);

/* Pure. Writes those that a round found, as in struct rivals_words. @size: at least 160. */
void rivals_write_tasks(const struct rivals *rivals, char *tasks, size_t size);

#define RIVALS_BANNED ", not on "

/* Pure. Finds the CPUs that irqbalance leaves alone by its environment, or by its configuration file, as a
 * list; "" if they are not given. @between: what ends a variable: 0 or a newline. */
void rivals_banned_cpus(const char *text, size_t length, char between, char *list, size_t size);
