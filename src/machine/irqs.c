/* SPDX-License-Identifier: GPL-2.0-or-later */
/* irqs.c - the CPUs on which each interrupt may run. */
#include "src/machine/irqs.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/small_file.h"
#include "src/base/tally.h"

enum { IRQS_COMPARED_MAX = 8192 };

/* --- reading --- */

static int compare_numbers(const void *a, const void *b)
{
	unsigned x = *(const unsigned *)a, y = *(const unsigned *)b;

	return (x > y) - (x < y);
}

static int add_number(struct irqs *irqs, unsigned number)
{
	unsigned *numbers = realloc(irqs->numbers, (irqs->n + 1) * sizeof(*numbers));

	if (!numbers)
		return -ENOMEM;
	irqs->numbers = numbers;
	numbers[irqs->n++] = number;
	return 0;
}

static int list_numbers(struct irqs *irqs, const char *folder)
{
	DIR *directory = opendir(folder);
	const struct dirent *entry;
	int r = 0;

	if (!directory) {
		irqs->is_denied = errno == EACCES || errno == EPERM;
		return 0;
	}
	while (r == 0 && (entry = readdir(directory)))
		if (isdigit((unsigned char)entry->d_name[0]))
			r = add_number(irqs, (unsigned)strtoul(entry->d_name, NULL, 10));
	closedir(directory);
	if (r == 0 && irqs->n)
		qsort(irqs->numbers, irqs->n, sizeof(*irqs->numbers), compare_numbers);
	return r;
}

/* Moves the row to the map. */
static void end_row(struct irqs *irqs)
{
	const struct irq_row *row = &irqs->row;
	size_t length = strlen(irqs->map);
	char text[IRQ_CPUS_SIZE + 32], last[16] = "";

	if (!*row->cpus || irqs->is_full)
		return;
	if (row->last > row->first)
		snprintf(last, sizeof(last), "-%u", row->last);
	snprintf(text, sizeof(text), "%s%u%s:%s", length ? " " : "", row->first, last, row->cpus);
	irqs->is_full = length + strlen(text) + sizeof(" ...") > sizeof(irqs->map);
	strcpy(irqs->map + length, irqs->is_full ? " ..." : text);
}

static void add_irq(struct irqs *irqs, unsigned number, const char *cpus)
{
	struct irq_row *row = &irqs->row;

	if (*row->cpus && number == row->last + 1 && strcmp(row->cpus, cpus) == 0) {
		row->last = number;
		return;
	}
	end_row(irqs);
	row->first = row->last = number;
	strcpy(row->cpus, cpus);
}

static void end_map(struct irqs *irqs, char map[IRQ_MAP_SIZE])
{
	end_row(irqs);
	strcpy(map, *irqs->map ? irqs->map : irqs->is_denied ? "not readable" : "absent");
	irqs_finish(irqs);
}

void irqs_read(struct irqs *irqs, const char *folder, size_t n_max, char map[IRQ_MAP_SIZE])
{
	if (!irqs->n && list_numbers(irqs, folder) < 0) {
		irqs_finish(irqs);
		return;
	}
	for (; irqs->next < irqs->n && n_max > 0 && !irqs->is_full; irqs->next++, n_max--) {
		char path[PATH_MAX], cpus[IRQ_CPUS_SIZE];

		snprintf(path, sizeof(path), "%s/%u/smp_affinity_list", folder, irqs->numbers[irqs->next]);
		ssize_t length = small_file_read_line(path, cpus, sizeof(cpus));

		irqs->is_denied |= length == -EACCES || length == -EPERM;
		if (length > 0)
			add_irq(irqs, irqs->numbers[irqs->next], cpus);
	}
	if (irqs->next == irqs->n || irqs->is_full)
		end_map(irqs, map);
}

void irqs_finish(struct irqs *irqs)
{
	free(irqs->numbers);
	*irqs = (struct irqs){0};
}

/* --- comparing --- */

/* A place in a map. */
struct place {
	unsigned long number, last; /* of the row at which it is; ULONG_MAX: at the end */
	const char *cpus, *next;    /* of this row, up to a blank; the row after it */
};

static void read_row(struct place *place)
{
	char *end;

	place->number = place->last = ULONG_MAX;
	if (!isdigit((unsigned char)*place->next))
		return;
	place->number = place->last = strtoul(place->next, &end, 10);
	if (*end == '-')
		place->last = strtoul(end + 1, &end, 10);
	place->cpus = end + (*end == ':');
	place->next = place->cpus + strcspn(place->cpus, " ");
	place->next += *place->next == ' ';
}

static void next_number(struct place *place)
{
	if (place->number < place->last)
		place->number++;
	else
		read_row(place);
}

/* "CPU 0", "CPUs 0-1"; "none" for an interrupt that the map does not have. */
static char *cpus_word(const struct place *place, unsigned long number, char word[IRQ_CPUS_SIZE])
{
	size_t length = strcspn(place->number == number ? place->cpus : "", " ");

	if (place->number != number)
		return strcpy(word, "none");
	bool is_several = strcspn(place->cpus, ",-") < length;

	snprintf(word, IRQ_CPUS_SIZE, "CPU%s %.*s", is_several ? "s" : "", (int)length, place->cpus);
	return word;
}

/* The rest of a map that was too long is not known. */
static bool is_cut(const struct place *place)
{
	return place->number == ULONG_MAX && *place->next == '.';
}

int irqs_compare(const char *was, const char *is, struct tally_change *change)
{
	struct place a = {.next = was}, b = {.next = is};
	char in_a[IRQ_CPUS_SIZE], in_b[IRQ_CPUS_SIZE];
	int r = isdigit((unsigned char)*was) && isdigit((unsigned char)*is) ? 0 : -EINVAL;

	read_row(&a);
	read_row(&b);
	while (r == 0 && (a.number < ULONG_MAX || b.number < ULONG_MAX) && !is_cut(&a) && !is_cut(&b)) {
		unsigned long number = a.number < b.number ? a.number : b.number;

		r = tally_change_add(change, cpus_word(&a, number, in_a), cpus_word(&b, number, in_b));
		if (a.number == number)
			next_number(&a);
		if (b.number == number)
			next_number(&b);
		if (change->of > IRQS_COMPARED_MAX)
			r = -EINVAL;
	}
	return r;
}
