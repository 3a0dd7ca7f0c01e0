/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cpu_tree.c - the CPUs of a machine as a tree of its parts. */
#include "src/model/cpu_tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"
#include "src/machine/topology.h"
#include "src/model/session_ring.h"

/* The levels between machine and CPU. */
static const size_t offsets[N_CPU_LEVELS] = {
	[LEVEL_PACKAGE] = offsetof(struct topology_cpu, package),
	[LEVEL_NODE] = offsetof(struct topology_cpu, node),
	[LEVEL_L3] = offsetof(struct topology_cpu, l3),
	[LEVEL_L2] = offsetof(struct topology_cpu, l2),
	[LEVEL_CORE] = offsetof(struct topology_cpu, core),
};

/* A tree that is being made. */
struct growth {
	struct cpu_tree *tree;
	struct topology_cpu *cpus;               /* in the order of the tree */
	unsigned counts[N_CPU_LEVELS][CPUS_MAX]; /* the CPUs of each part */
	unsigned n_numbered[N_CPU_LEVELS];
};

static int part_of(const struct topology_cpu *cpu, enum cpu_level level)
{
	int part = *(const int *)((const char *)cpu + offsets[level]);

	return part < CPUS_MAX ? part : -1;
}

static int compare_by_parts(const void *a, const void *b)
{
	const struct topology_cpu *x = a, *y = b;

	for (enum cpu_level level = LEVEL_PACKAGE; level < LEVEL_CPU; level++) {
		int part_x = part_of(x, level), part_y = part_of(y, level);

		if (part_x != part_y)
			return part_x < part_y ? -1 : 1;
	}
	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static size_t add_part(struct growth *growth, enum cpu_level level, size_t parent, size_t first, size_t n)
{
	struct cpu_tree *tree = growth->tree;
	size_t at = tree->n++;

	tree->parts[at] = (struct cpu_part){.id = (uint32_t)level * CPUS_MAX + tree->cpus[first],
		.depth = at ? tree->parts[parent].depth + 1 : 0,
		.parent = parent,
		.first = first,
		.n_cpus = n};
	return at;
}

static void name_part(struct growth *growth, size_t at, enum cpu_level level, int number)
{
	struct cpu_part *part = &growth->tree->parts[at];

	part->levels |= 1u << level;
	part->numbers[level] =
		level == LEVEL_NODE || level == LEVEL_CPU ? (unsigned)number : growth->n_numbered[level]++;
}

/* Adds the parts from a level on within some CPUs of the part @parent, which is the last one with an end to
 * come. */
static void grow(struct growth *growth, enum cpu_level level, size_t parent, size_t first, size_t n)
{
	struct cpu_tree *tree = growth->tree;
	size_t length;

	for (size_t i = first; i < first + n; i += length) {
		int number = level < LEVEL_CPU ? part_of(&growth->cpus[i], level) : (int)tree->cpus[i];
		size_t at = parent;

		length = 1;
		while (level < LEVEL_CPU && i + length < first + n &&
			part_of(&growth->cpus[i + length], level) == number)
			length++;
		bool is_whole =
			level == LEVEL_CPU || (number >= 0 && growth->counts[level][number] == length);

		if (is_whole && length < tree->parts[parent].n_cpus)
			at = add_part(growth, level, parent, i, length);
		if (is_whole)
			name_part(growth, at, level, number);
		if (level < LEVEL_CPU)
			grow(growth, level + 1, at, i, length);
		if (at != parent)
			tree->parts[at].end = tree->n;
	}
}

static void count_parts(struct growth *growth, size_t n)
{
	for (size_t i = 0; i < n; i++)
		for (enum cpu_level level = LEVEL_PACKAGE; level < LEVEL_CPU; level++) {
			int part = part_of(&growth->cpus[i], level);

			if (part >= 0)
				growth->counts[level][part]++;
		}
}

int cpu_tree_init(struct cpu_tree *tree, const struct topology_cpu *cpus, size_t n)
{
	*tree = (struct cpu_tree){0};
	if (!n)
		return 0;
	struct growth *growth = calloc(1, sizeof(*growth));
	struct topology_cpu *sorted = malloc(n * sizeof(*sorted));

	/* Each part but the CPUs has at least two others. */
	tree->parts = calloc(2 * n, sizeof(*tree->parts));
	tree->cpus = malloc(n * sizeof(*tree->cpus));
	int r = growth && sorted && tree->parts && tree->cpus ? 0 : -ENOMEM;

	if (r == 0) {
		memcpy(sorted, cpus, n * sizeof(*sorted));
		qsort(sorted, n, sizeof(*sorted), compare_by_parts);
		growth->tree = tree;
		growth->cpus = sorted;
		count_parts(growth, n);
		tree->n_cpus = n;
		for (size_t i = 0; i < n; i++) {
			tree->cpus[i] = sorted[i].cpu;
			tree->numbers[sorted[i].cpu] = (uint16_t)(i + 1);
		}
		add_part(growth, LEVEL_MACHINE, 0, 0, n);
		name_part(growth, 0, LEVEL_MACHINE, 0);
		grow(growth, LEVEL_PACKAGE, 0, 0, n);
		tree->parts[0].end = tree->n;
	}
	free(sorted);
	free(growth);
	return r;
}

void cpu_tree_finish(struct cpu_tree *tree)
{
	free(tree->parts);
	free(tree->cpus);
	*tree = (struct cpu_tree){0};
}

static bool is_level(const struct cpu_part *part, enum cpu_level level)
{
	return part->levels & 1u << level;
}

char *cpu_part_name(const struct cpu_part *part, char name[CPU_PART_NAME_SIZE])
{
	static const struct {
		enum cpu_level level;
		const char *name;
		bool is_cache;
	} words[] = {{LEVEL_PACKAGE, "package"}, {LEVEL_NODE, "node"}, {LEVEL_CORE, "core"},
		{LEVEL_L3, "L3", true}, {LEVEL_L2, "L2", true}};
	char word[32];

	*name = '\0';
	if (is_level(part, LEVEL_CPU)) {
		snprintf(name, CPU_PART_NAME_SIZE, "CPU %u", part->numbers[LEVEL_CPU]);
		return name;
	}
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (!is_level(part, words[i].level))
			continue;
		if (words[i].is_cache && *name) /* a part with another number */
			snprintf(word, sizeof(word), "%s", words[i].name);
		else
			snprintf(word, sizeof(word), "%s %u", words[i].name, part->numbers[words[i].level]);
		text_append(name, CPU_PART_NAME_SIZE, " ", word);
	}
	if (!*name)
		snprintf(name, CPU_PART_NAME_SIZE, "machine");
	return name;
}

enum cpu_level cpu_part_level(const struct cpu_part *part)
{
	return (enum cpu_level)__builtin_ctz(part->levels);
}

struct cpus cpu_part_cpus(const struct cpu_tree *tree, const struct cpu_part *part)
{
	struct cpus cpus = {0};

	for (size_t i = part->first; i < part->first + part->n_cpus; i++)
		cpus_add(&cpus, tree->cpus[i]);
	return cpus;
}

/* Returns the smallest part with the CPUs of the tree from @first to @last. */
static size_t find_part(const struct cpu_tree *tree, size_t first, size_t last)
{
	size_t found = 0, at = 1;

	while (at < tree->parts[found].end) {
		const struct cpu_part *part = &tree->parts[at];
		bool has_both = first >= part->first && last < part->first + part->n_cpus;

		found = has_both ? at : found;
		at = has_both ? at + 1 : part->end;
	}
	return found;
}

size_t cpu_tree_find(const struct cpu_tree *tree, uint32_t cpu)
{
	size_t number = cpu < CPUS_MAX ? tree->numbers[cpu] : 0;

	return number ? find_part(tree, number - 1, number - 1) : 0;
}

size_t cpu_tree_find_ring(const struct cpu_tree *tree, const struct session_ring *ring)
{
	size_t first = tree->n_cpus, last = 0;

	for (unsigned m = 0; m < ring->n_members; m++) {
		int64_t cpu = session_member_place(ring, m);
		size_t number = cpu >= 0 && cpu < CPUS_MAX ? tree->numbers[cpu] : 0;

		if (!number)
			return 0;
		first = number - 1 < first ? number - 1 : first;
		last = number - 1 > last ? number - 1 : last;
	}
	return ring->n_members ? find_part(tree, first, last) : 0;
}

int cpu_tree_add_up(const struct cpu_tree *tree, struct cpu_part_sums *sums)
{
	int r = 0;

	for (size_t i = tree->n; r == 0 && i-- > 1;) {
		struct cpu_part_sums *around = &sums[tree->parts[i].parent];

		around->n_rings += sums[i].n_rings;
		around->spike_ns += sums[i].spike_ns;
		r = hist_merge(&around->hist, &sums[i].hist);
	}
	return r;
}
