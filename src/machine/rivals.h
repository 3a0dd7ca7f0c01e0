/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rivals.h - real-time tasks of others, and irqbalance: found by going round all processes, some each time.
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum { RIVALS_TEXT_SIZE = 200, RIVALS_NAMED_MAX = 4, RIVALS_AT_ONCE = 32 };

/* Zeroed is at the start. */
struct rivals {
	pid_t own_session; /* of the caller's tasks, which are no rivals; 0: none but the caller itself */
	pid_t own_helper;  /* another one of the caller's; 0: none */
	DIR *processes;    /* owned; the round that is under way; NULL: none is */
	char found[RIVALS_TEXT_SIZE];
	unsigned n; /* found in this round */
	bool has_irqbalance;
};

/* Reads RIVALS_AT_ONCE processes, or all. At the end of a round sets @text to "hog FF90 on 0-1, pulse RR5 on
 * 3 and 2 more", or "none", and @irqbalance to "running" or "none". Threads of the kernel are left out. */
void rivals_read(
	struct rivals *rivals, char *text, size_t size, char *irqbalance, size_t irqbalance_size, bool all);
void rivals_finish(struct rivals *rivals);
