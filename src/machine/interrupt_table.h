/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interrupt_table.h - how often each interrupt, or softirq, came on each CPU, and all of them together. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { INTERRUPT_NAME_SIZE = 16 };

/* The counts of /proc/interrupts or /proc/softirqs. Zeroed is empty. All lists are owned. */
struct interrupt_table {
	unsigned *cpus; /* of the columns, ascending */
	size_t n_cpus;
	char (*names)[INTERRUPT_NAME_SIZE]; /* of the rows: "NET_RX", "LOC", or that of the device */
	size_t n_rows;
	uint64_t *counts; /* n_cpus of each row */
};

/* Replaces the table by what is read. Returns 0, -ENOMEM, or -EINVAL if it is no such file: then the table is
 * empty. */
int interrupt_table_read(struct interrupt_table *table, FILE *file);
void interrupt_table_finish(struct interrupt_table *table);

/* Returns how many more came on @cpu until @after than until @before, and the name of the one that came most
 * often: "" if none came. UINT64_MAX: it is not known, as rows or CPUs have changed. */
uint64_t interrupt_table_since(const struct interrupt_table *before, const struct interrupt_table *after,
	unsigned cpu, char most[INTERRUPT_NAME_SIZE]);

/* Returns the interrupts of all CPUs since boot, as /proc/stat counts them; 0: not known. */
uint64_t interrupts_count(void);
