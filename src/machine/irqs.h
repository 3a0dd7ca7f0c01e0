/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irqs.h - the CPUs on which each interrupt may run, as a map: "24-26:0-1 27:0". */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct tally_change;

enum {
	IRQ_MAP_SIZE = 8192, /* a longer map ends in "...": about 800 interrupts of as many CPUs */
	IRQ_CPUS_SIZE = 1024,
};

/* Reads maps, each over several calls, because each interrupt has a file of its own. Zeroed is at the start
 * of one. */
struct irqs {
	unsigned *numbers; /* owned; of this map */
	size_t n, next;
	char map[IRQ_MAP_SIZE]; /* so far, without the last row */
	bool is_full, is_denied;
	struct irq_row {
		unsigned first, last;
		char cpus[IRQ_CPUS_SIZE]; /* the same for all of them; "": there is no row */
	} row;
};

/* Reads the CPUs of @n_max interrupts, at most, in a folder like /proc/irq. When all of them are read, writes
 * @map ("absent" or "not readable" if there are none), and the next call begins anew. */
void irqs_read(struct irqs *irqs, const char *folder, size_t n_max, char map[IRQ_MAP_SIZE]);
void irqs_finish(struct irqs *irqs);

/* Compares each interrupt of two maps, which may be anyone's. Pure. Returns 0, -EINVAL if one is no map, or
 * -ENOMEM. */
int irqs_compare(const char *was, const char *is, struct tally_change *change);
