/* SPDX-License-Identifier: GPL-2.0-or-later */
/* smi_watch.h - follows how many system management interrupts there were: the firmware stops all CPUs for
 * each, and no recorder sees it. It is the main thread's. */
#pragma once

#include <stdint.h>

struct smi_reading {
	uint64_t at_ns; /* CLOCK_MONOTONIC; 0: none */
	uint64_t n;
};

struct smi_watch {
	int counter; /* descriptor; below 0: they are not counted here */
	struct smi_reading before, last, now;
};

/* @event: of perf's PMU for model-specific registers, "smi". smi_watch_close() undoes it. */
void smi_watch_open(struct smi_watch *watch, const char *event);
void smi_watch_close(struct smi_watch *watch);

/* Reads the count once a second; called more often. */
void smi_watch_look(struct smi_watch *watch);
/* Reads it again, unless it did 10 ms ago, and returns how many there were since the count was last read
 * before @since_ns, or since the time before that; 0: none, or it is not known. */
uint32_t smi_watch_since(struct smi_watch *watch, uint64_t since_ns);
