/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_cpu_tree.c - machines of made-up parts as trees, and the rings inside each part. */
#include "src/model/cpu_tree.h"

#include <stdlib.h>
#include <string.h>

#include "src/machine/cpu_parts.h"
#include "src/machine/fact_rows.h"
#include "src/machine/topology.h"
#include "src/model/session_ring.h"
#include "tests/unit/tap.h"

/* A machine whose parts have so many CPUs each, beside each other; 0: it has no such parts. */
struct shape {
	unsigned n, package, node, l3, l2, core;
};

static int lowest(unsigned cpu, unsigned size)
{
	return size ? (int)(cpu / size * size) : -1;
}

static struct topology_cpu *cpus_of(const struct shape *shape)
{
	struct topology_cpu *cpus = calloc(shape->n, sizeof(*cpus));

	for (unsigned i = 0; i < shape->n; i++)
		cpus[i] = (struct topology_cpu){.cpu = i,
			.core = lowest(i, shape->core),
			.l2 = lowest(i, shape->l2),
			.l3 = lowest(i, shape->l3),
			.package = lowest(i, shape->package),
			.node = shape->node ? (int)(i / shape->node) : -1};
	return cpus;
}

static struct cpu_tree tree_of(const struct shape *shape)
{
	struct topology_cpu *cpus = cpus_of(shape);
	struct cpu_tree tree;

	CHECK(cpu_tree_init(&tree, cpus, shape->n) == 0);
	free(cpus);
	return tree;
}

/* "0 machine|1 package 0 node 0 L3|..." of the first parts. */
static const char *text_of(const struct cpu_tree *tree, size_t n)
{
	static char text[4096];
	char name[CPU_PART_NAME_SIZE];

	*text = '\0';
	for (size_t i = 0; i < tree->n && i < n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u %s", i ? "|" : "",
			tree->parts[i].depth, cpu_part_name(&tree->parts[i], name));
	return text;
}

static void levels_that_add_nothing_are_left_out(void)
{
	static const struct {
		struct shape shape;
		size_t n;         /* parts */
		const char *text; /* of the first ones */
	} rows[] = {
		{{1, 1, 1, 1, 1, 1}, 1, "0 CPU 0"}, {{1}, 1, "0 CPU 0"},
		{{2, 2, 2, 2, 1, 1}, 3, "0 package 0 node 0 L3|1 CPU 0|1 CPU 1"},
		{{2}, 3, "0 machine|1 CPU 0|1 CPU 1"},
		{{2, 2, 2, 2, 2, 2}, 3, "0 package 0 node 0 core 0 L3 L2|1 CPU 0|1 CPU 1"},
		{{8, 4, 4, 4, 2, 2}, 1 + 2 + 4 + 8,
			"0 machine|1 package 0 node 0 L3|2 core 0 L2|3 CPU 0|3 CPU 1|2 core 1 L2|3 CPU 2|3 CPU 3|"
			"1 package 1 node 1 L3|2 core 2 L2|3 CPU 4|3 CPU 5|2 core 3 L2|3 CPU 6|3 CPU 7"},
		{{8, 8, 4, 0, 0, 1}, 1 + 2 + 8,
			"0 package 0|1 node 0|2 CPU 0|2 CPU 1|2 CPU 2|2 CPU 3|1 node 1"},
		{{8, 4, 8, 2, 0, 1}, 1 + 2 + 4 + 8, "0 machine|1 package 0|2 L3 0|3 CPU 0|3 CPU 1|2 L3 1"},
		{{64, 64, 64, 8, 2, 2}, 1 + 8 + 32 + 64,
			"0 package 0 node 0|1 L3 0|2 core 0 L2|3 CPU 0|3 CPU 1"},
		{{576, 288, 72, 12, 4, 2}, 1 + 2 + 8 + 48 + 144 + 288 + 576,
			"0 machine|1 package 0|2 node 0|3 L3 0|4 L2 0|5 core 0|6 CPU 0|6 CPU 1|5 core 1"},
		{{12, 4, 6, 0, 0, 0}, 1 + 3 + 12, "0 machine|1 package 0|2 CPU 0|2 CPU 1"}, /* crosswise */
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct cpu_tree tree = tree_of(&rows[i].shape);
		const char *text = text_of(&tree, 15);

		CHECK(tree.n == rows[i].n, "row %zu: %zu parts", i, tree.n);
		CHECK(strncmp(text, rows[i].text, strlen(rows[i].text)) == 0, "row %zu: %s", i, text);
		cpu_tree_finish(&tree);
	}
}

static void parts_nest(void)
{
	static const struct shape shape = {576, 288, 72, 12, 4, 2};
	struct cpu_tree tree = tree_of(&shape);

	for (size_t i = 0; i < tree.n; i++) {
		const struct cpu_part *part = &tree.parts[i], *parent = &tree.parts[part->parent];

		CHECK(part->end > i && part->end <= tree.n && part->n_cpus > 0);
		CHECK(!i || (part->parent < i && part->end <= parent->end && part->n_cpus < parent->n_cpus &&
				    part->depth == parent->depth + 1 && part->first >= parent->first &&
				    part->first + part->n_cpus <= parent->first + parent->n_cpus),
			"part %zu", i);
		for (size_t j = 0; j < i; j++)
			CHECK(tree.parts[j].id != part->id, "parts %zu and %zu: id %u", i, j,
				(unsigned)part->id);
	}
	cpu_tree_finish(&tree);
}

/* Siblings of a core have distant numbers on most machines. */
static void numbers_need_not_be_beside_each_other(void)
{
	struct topology_cpu cpus[8];
	struct cpu_tree tree;
	char list[32];

	for (unsigned i = 0; i < 8; i++)
		cpus[i] = (struct topology_cpu){
			.cpu = i, .core = (int)i % 4, .l2 = -1, .l3 = -1, .package = (int)i % 2, .node = -1};
	CHECK(cpu_tree_init(&tree, cpus, 8) == 0);
	CHECK(strcmp(text_of(&tree, 5), "0 machine|1 package 0|2 core 0|3 CPU 0|3 CPU 4") == 0, "%s",
		text_of(&tree, 5));
	struct cpus package = cpu_part_cpus(&tree, &tree.parts[1]);

	CHECK(strcmp(cpus_format(&package, list, sizeof(list)), "0,2,4,6") == 0, "%s", list);
	CHECK(cpu_part_level(&tree.parts[1]) == LEVEL_PACKAGE &&
		cpu_part_level(&tree.parts[0]) == LEVEL_MACHINE);
	cpu_tree_finish(&tree);
}

static size_t find_ring(const struct cpu_tree *tree, int32_t a, int32_t b)
{
	unsigned planned[] = {0, 0};
	struct session_ring ring = {0};

	CHECK(session_ring_init_members(&ring, planned, 2) == 0);
	ring.members[0].moved_to = a < 0 ? -1 : a + 1;
	ring.members[1].moved_to = b < 0 ? -1 : b + 1;
	size_t found = cpu_tree_find_ring(tree, &ring);

	session_ring_finish(&ring);
	return found;
}

static void a_ring_is_in_the_smallest_part_that_has_all_its_members(void)
{
	static const struct shape shape = {8, 4, 4, 4, 2, 2};
	static const struct {
		int32_t a, b;
		const char *name;
	} rows[] = {{3, 3, "CPU 3"}, {2, 3, "core 1 L2"}, {3, 2, "core 1 L2"}, {1, 2, "package 0 node 0 L3"},
		{7, 4, "package 1 node 1 L3"}, {3, 4, "machine"}, {-1, 2, "machine"}, {2, 99, "machine"}};
	struct cpu_tree tree = tree_of(&shape);
	char name[CPU_PART_NAME_SIZE];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t found = find_ring(&tree, rows[i].a, rows[i].b);

		cpu_part_name(&tree.parts[found], name);
		CHECK(strcmp(name, rows[i].name) == 0, "%d>%d: %s", rows[i].a, rows[i].b, name);
	}
	CHECK(strcmp(cpu_part_name(&tree.parts[cpu_tree_find(&tree, 6)], name), "CPU 6") == 0, "%s", name);
	CHECK(cpu_tree_find(&tree, 8) == 0 && cpu_tree_find(&tree, UINT32_MAX) == 0);
	cpu_tree_finish(&tree);
}

static void add_samples(struct cpu_part_sums *sums, uint64_t ns, uint64_t n)
{
	CHECK(hist_add_cells(&sums->hist, &(struct hist_cell){hist_bucket(ns), n}, 1) == 0);
	hist_extend(&sums->hist, ns, ns, 1);
	sums->n_rings++;
}

static void each_part_has_the_sum_of_those_inside(void)
{
	static const struct shape shape = {8, 4, 4, 4, 2, 2};
	struct cpu_tree tree = tree_of(&shape);
	struct cpu_part_sums *sums = calloc(tree.n, sizeof(*sums));
	size_t package = tree.parts[cpu_tree_find(&tree, 4)].parent;

	package = tree.parts[package].parent;
	add_samples(&sums[cpu_tree_find(&tree, 0)], 1000, 10);
	add_samples(&sums[cpu_tree_find(&tree, 5)], 9000, 5);
	add_samples(&sums[package], 50, 1);
	add_samples(&sums[0], 40, 2);
	sums[cpu_tree_find(&tree, 5)].spike_ns = 70;
	sums[cpu_tree_find(&tree, 0)].spike_ns = 30;
	CHECK(cpu_tree_add_up(&tree, sums) == 0);
	CHECK(sums[0].hist.n == 18 && sums[0].n_rings == 4 && sums[0].hist.max_ns == 9000 &&
		sums[0].hist.min_ns == 40 && sums[0].spike_ns == 100);
	CHECK(sums[package].hist.n == 6 && sums[package].n_rings == 2 && sums[package].hist.min_ns == 50 &&
		sums[package].spike_ns == 70);
	CHECK(sums[1].hist.n == 10 && sums[1].hist.max_ns == 1000 && sums[1].spike_ns == 30);
	for (size_t i = 0; i < tree.n; i++)
		hist_finish(&sums[i].hist);
	free(sums);
	cpu_tree_finish(&tree);
}

static void parts_are_read_as_they_are_written(void)
{
	static const struct shape shape = {576, 288, 72, 12, 0, 2};
	struct topology topology = {.cpus = cpus_of(&shape), .n_cpus = shape.n};
	struct fact_rows *rows = cpu_parts_of(&topology);
	struct topology_cpu *read;

	CHECK(rows && strncmp(rows->text, "0-1:0,0,0,-,0 2-3:0,0,0,-,2 ", 28) == 0, "%.40s", rows->text);
	CHECK(cpu_parts_read(rows, &read) == 576);
	for (size_t i = 0; i < 576 && read; i++)
		CHECK(read[i].cpu == i && read[i].core == topology.cpus[i].core &&
				read[i].l2 == topology.cpus[i].l2 && read[i].l3 == topology.cpus[i].l3 &&
				read[i].node == topology.cpus[i].node &&
				read[i].package == topology.cpus[i].package,
			"CPU %zu", i);
	free(read);
	fact_rows_release(rows);
	free(topology.cpus);
}

static void parts_of_a_damaged_recording_are_left_out(void)
{
	static const struct {
		const char *text;
		ptrdiff_t n;
	} rows[] = {{"", 0}, {"not readable", 0}, {"0:0,0,0,0", 0}, {"0:0,0,0,0,0,0", 0}, {"0:0,0,0,0,x", 0},
		{"0:-,-,-,-,-", 1}, {"0:0,0,0,0,8191", 1}, {"0:0,0,0,0,8192", 0},
		{"0:0,0,0,0,99999999999", 0}, {"0:0,0,0,-1,0", 0}, {"0:,,,,", 0},
		{"0-1:0,0,0,0,0 2:x 3:0,0,0,0,3", 3}, {"8000-4000000000:0,0,0,0,0", 192},
		{"9000:0,0,0,0,0", 0}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct fact_rows *parsed = fact_rows_parse(rows[i].text);
		struct topology_cpu *cpus;
		struct cpu_tree tree;
		ptrdiff_t n = cpu_parts_read(parsed, &cpus);

		CHECK(n == rows[i].n, "'%s': %td", rows[i].text, n);
		CHECK(cpu_tree_init(&tree, cpus, (size_t)n) == 0 && tree.n_cpus == (size_t)n);
		cpu_tree_finish(&tree);
		free(cpus);
		fact_rows_release(parsed);
	}
}

int main(void)
{
	TEST(levels_that_add_nothing_are_left_out);
	TEST(parts_nest);
	TEST(numbers_need_not_be_beside_each_other);
	TEST(a_ring_is_in_the_smallest_part_that_has_all_its_members);
	TEST(each_part_has_the_sum_of_those_inside);
	TEST(parts_are_read_as_they_are_written);
	TEST(parts_of_a_damaged_recording_are_left_out);
	return tap_done();
}
