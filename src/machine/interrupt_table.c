/* SPDX-License-Identifier: GPL-2.0-or-later */
/* interrupt_table.c - how often each interrupt, or softirq, came on each CPU, and all of them together. */
#include "src/machine/interrupt_table.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void interrupt_table_finish(struct interrupt_table *table)
{
	free(table->cpus);
	free(table->names);
	free(table->counts);
	*table = (struct interrupt_table){0};
}

/* "           CPU0       CPU1". */
static int read_cpus(struct interrupt_table *table, char *line)
{
	char *rest;

	for (char *word = strtok_r(line, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
		unsigned *cpus = reallocarray(table->cpus, table->n_cpus + 1, sizeof(*cpus));
		unsigned cpu;

		if (!cpus)
			return -ENOMEM;
		table->cpus = cpus;
		if (sscanf(word, "CPU%u", &cpu) != 1 || (table->n_cpus && cpu <= cpus[table->n_cpus - 1]))
			return -EINVAL;
		cpus[table->n_cpus++] = cpu;
	}
	return table->n_cpus ? 0 : -EINVAL;
}

/* A device's interrupt has a number as label, and its name as the last word. */
static void name_row(char name[INTERRUPT_NAME_SIZE], const char *label, char *words)
{
	char *rest, *last = NULL;

	for (char *word = strtok_r(words, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest))
		last = word;
	snprintf(name, INTERRUPT_NAME_SIZE, "%s", isdigit((unsigned char)*label) && last ? last : label);
}

static int add_row(struct interrupt_table *table)
{
	char(*names)[INTERRUPT_NAME_SIZE] =
		reallocarray(table->names, table->n_rows + 1, sizeof(*table->names));

	table->names = names ? names : table->names;
	uint64_t *counts = reallocarray(table->counts, (table->n_rows + 1) * table->n_cpus, sizeof(*counts));

	table->counts = counts ? counts : table->counts;
	return names && counts ? 0 : -ENOMEM;
}

/* " 24:   1   0  IO-APIC   5-edge   ACPI:Ged"; rows that do not count for each CPU are left out. */
static int read_row(struct interrupt_table *table, char *line)
{
	char *label = line + strspn(line, " "), *colon = strchr(label, ':'), *at, *end;
	size_t n = 0;

	if (!colon)
		return -EINVAL;
	*colon = '\0';
	int r = add_row(table);

	if (r < 0)
		return r;
	for (at = colon + 1; n < table->n_cpus; n++, at = end) {
		table->counts[table->n_rows * table->n_cpus + n] = strtoull(at, &end, 10);
		if (end == at)
			return 0;
	}
	name_row(table->names[table->n_rows++], label, at);
	return 0;
}

int interrupt_table_read(struct interrupt_table *table, FILE *file)
{
	char *line = NULL;
	size_t room = 0;

	interrupt_table_finish(table);
	int r = getline(&line, &room, file) > 0 ? read_cpus(table, line) : -EINVAL;

	while (r == 0 && getline(&line, &room, file) > 0)
		r = read_row(table, line);
	free(line);
	if (r < 0)
		interrupt_table_finish(table);
	return r;
}

/* Returns the column; n_cpus: there is none. */
static size_t column_of(const struct interrupt_table *table, unsigned cpu)
{
	size_t column = 0;

	while (column < table->n_cpus && table->cpus[column] != cpu)
		column++;
	return column;
}

static int is_alike(const struct interrupt_table *a, const struct interrupt_table *b)
{
	return a->n_cpus == b->n_cpus && a->n_rows == b->n_rows && a->n_rows &&
	       memcmp(a->cpus, b->cpus, a->n_cpus * sizeof(*a->cpus)) == 0;
}

uint64_t interrupt_table_since(const struct interrupt_table *before, const struct interrupt_table *after,
	unsigned cpu, char most[INTERRUPT_NAME_SIZE])
{
	size_t column = column_of(after, cpu);
	uint64_t sum = 0, most_n = 0;

	*most = '\0';
	if (column == after->n_cpus || !is_alike(before, after))
		return UINT64_MAX;
	for (size_t row = 0; row < after->n_rows; row++) {
		uint64_t n = after->counts[row * after->n_cpus + column] -
			     before->counts[row * before->n_cpus + column];

		if (strcmp(before->names[row], after->names[row]) != 0 || n > INT64_MAX)
			return UINT64_MAX;
		sum += n;
		if (n > most_n) {
			most_n = n;
			memcpy(most, after->names[row], INTERRUPT_NAME_SIZE);
		}
	}
	return sum;
}

/* The line follows one of each CPU, and goes on with a number for each interrupt. */
uint64_t interrupts_count(void)
{
	FILE *file = fopen("/proc/stat", "re");
	char *line = NULL;
	size_t room = 0;
	uint64_t n = 0;

	while (file && !n && getline(&line, &room, file) > 0)
		if (sscanf(line, "intr %" SCNu64, &n) != 1)
			n = 0;
	free(line);
	if (file)
		fclose(file);
	return n;
}
