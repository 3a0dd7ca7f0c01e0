/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpu_parts.c - the parts of the machine that contain each CPU, as a fact. */
#include "src/machine/cpu_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/machine/fact_rows.h"
#include "src/machine/topology.h"

/* In the order of the text. */
static const size_t offsets[] = {offsetof(struct topology_cpu, package), offsetof(struct topology_cpu, node),
	offsetof(struct topology_cpu, l3), offsetof(struct topology_cpu, l2),
	offsetof(struct topology_cpu, core)};

enum { N_OFFSETS = sizeof(offsets) / sizeof(*offsets) };

struct fact_rows *cpu_parts_of(const struct topology *topology)
{
	struct fact_rows *rows = NULL;
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; out && i < topology->n_cpus; i++) {
		fprintf(out, "%s%u", i ? " " : "", topology->cpus[i].cpu);
		for (size_t o = 0; o < N_OFFSETS; o++) {
			int part = *(const int *)((const char *)&topology->cpus[i] + offsets[o]);

			fputc(o ? ',' : ':', out);
			if (part >= 0)
				fprintf(out, "%d", part);
			else
				fputc('-', out);
		}
	}
	if (out && fclose(out) == 0)
		rows = fact_rows_parse(text);
	free(text);
	return rows;
}

/* Returns whether the text is one of cpu_parts_of(), with parts below CPUS_MAX. */
static bool read_parts(const char *text, struct topology_cpu *cpu)
{
	for (size_t o = 0; o < N_OFFSETS; o++) {
		int *part = (int *)((char *)cpu + offsets[o]);
		size_t digits = strspn(text, "0123456789");

		*part = -1;
		if (digits > 0 && digits < 6)
			*part = atoi(text);
		if (*part >= CPUS_MAX || (digits ? *part < 0 : *text != '-'))
			return false;
		text += digits ? digits : 1;
		if (*text != (o + 1 < N_OFFSETS ? ',' : '\0'))
			return false;
		text++;
	}
	return true;
}

ptrdiff_t cpu_parts_read(const struct fact_rows *rows, struct topology_cpu **cpus)
{
	size_t n = 0;

	*cpus = NULL;
	for (size_t i = 0; rows && i < rows->n; i++) {
		const struct fact_row *row = &rows->rows[i];
		struct topology_cpu cpu = {.kind = -1, .latency_row = -1};

		if (!read_parts(row->value, &cpu))
			continue;
		for (cpu.cpu = row->first; cpu.cpu <= row->last && cpu.cpu < CPUS_MAX; cpu.cpu++) {
			if (n % 256 == 0) {
				struct topology_cpu *grown = realloc(*cpus, (n + 256) * sizeof(*grown));

				if (!grown) {
					free(*cpus);
					*cpus = NULL;
					return -ENOMEM;
				}
				*cpus = grown;
			}
			(*cpus)[n++] = cpu;
		}
	}
	return (ptrdiff_t)n;
}
