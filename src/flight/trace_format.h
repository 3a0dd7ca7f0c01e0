/* SPDX-License-Identifier: GPL-2.0-or-later */
/* trace_format.h - the kernel's tracepoints: their ids, where their records have their fields, and what
 * numbers in them mean. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct trace_format {
	uint16_t id;
	char text[4096]; /* the file "format" */
};

struct trace_field {
	size_t offset, size; /* bytes; size 0: the record does not have it */
};

/* Returns a descriptor of a tracefs, which the caller closes: the one that is mounted, or one that nobody
 * else sees. Or a negative errno. */
int trace_folder_open(void);

/* Reads the format of an event, such as "sched/sched_switch". Returns 0 or a negative errno. */
int trace_format_read(struct trace_format *format, int folder, const char *event);

/* Finds a field in the text of a format. Pure. */
struct trace_field trace_field_find(const char *text, const char *name);
/* Returns a number of a record of @n bytes; 0 where the record does not have it. Pure. */
int64_t trace_number(struct trace_field field, const void *record, size_t n);
/* Copies a text, also one that the field only gives the place of (__data_loc). Returns @copy. Pure. */
char *trace_text(struct trace_field field, const void *record, size_t n, char *copy, size_t size);

/* The kernel's names, which so are the same with each tier; "" if the number has none. Pure. */
const char *trace_softirq_name(uint32_t vector);
/* The same of an interrupt by another CPU. Only x86 has vectors for these. */
const char *trace_ipi_name(uint32_t vector);
/* Writes the name of a CPU's idle state, as /sys has it; "" without cpuidle. */
void trace_idle_name(uint32_t cpu, uint32_t state, char *name, size_t size);
