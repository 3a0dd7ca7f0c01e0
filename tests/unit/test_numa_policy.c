/* SPDX-License-Identifier: GPL-2.0-or-later */
/* test_numa_policy.c - where memory is to lie, as words and as nodes, and where it is found. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/machine/memory.h"
#include "src/machine/numa_policy.h"
#include "src/machine/topology.h"
#include "tests/unit/tap.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static void words_are_read_and_written_alike(void)
{
	static const struct {
		const char *text;
		struct numa_policy placement;
	} rows[] = {
		{"receiver", {NUMA_RECEIVER, 0}},
		{"sender", {NUMA_SENDER, 0}},
		{"node:0", {NUMA_NODE, 0}},
		{"node:1023", {NUMA_NODE, 1023}},
		{"interleave", {NUMA_INTERLEAVE, 0}},
		{"local", {NUMA_LOCAL, 0}},
	};

	for (size_t i = 0; i < COUNT(rows); i++) {
		struct numa_policy placement = {NUMA_LOCAL, 77};
		char text[NUMA_POLICY_SIZE];

		CHECK(numa_policy_parse(rows[i].text, &placement) == 0, "%s", rows[i].text);
		CHECK(placement.kind == rows[i].placement.kind && placement.node == rows[i].placement.node,
			"%s", rows[i].text);
		CHECK(!strcmp(numa_policy_format(placement, text), rows[i].text), "%s", text);
	}
}

static void other_words_are_refused(void)
{
	static const char *const texts[] = {"", "node", "node:", "node:-1", "node: 1", "node:1x", "node:0x1",
		"node:4294967296", "node:2147483648", "Sender", "sender ", "receiver:1", "all"};

	for (size_t i = 0; i < COUNT(texts); i++) {
		struct numa_policy placement = {NUMA_NODE, 77};

		CHECK(numa_policy_parse(texts[i], &placement) == -EINVAL, "'%s'", texts[i]);
		CHECK(placement.kind == NUMA_NODE && placement.node == 77, "'%s'", texts[i]);
	}
}

static void a_hop_lies_with_the_end_that_was_named(void)
{
	static const struct {
		struct numa_policy placement;
		int node;
	} rows[] = {
		{{NUMA_RECEIVER, 0}, 5},
		{{NUMA_SENDER, 0}, 3},
		{{NUMA_NODE, 9}, 9},
		{{NUMA_INTERLEAVE, 0}, MEMORY_INTERLEAVED},
		{{NUMA_LOCAL, 0}, MEMORY_LOCAL},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK(numa_policy_node(rows[i].placement, 3, 5) == rows[i].node, "row %zu", i);
}

static void pages_on_one_node_have_it_in_common(void)
{
	static const struct {
		int nodes[4];
		size_t n;
		int common;
	} rows[] = {
		{{0}, 0, HOP_NODE_UNKNOWN},
		{{-ENOENT, -EPERM}, 2, HOP_NODE_UNKNOWN},
		{{1}, 1, 1},
		{{0, 0, 0, 0}, 4, 0},
		{{-ENOENT, 2, 2, -ENOENT}, 4, 2},
		{{0, 1}, 2, HOP_NODE_SEVERAL},
		{{1, -ENOENT, 1, 0}, 4, HOP_NODE_SEVERAL},
	};

	for (size_t i = 0; i < COUNT(rows); i++)
		CHECK(numa_policy_common_node(rows[i].nodes, rows[i].n) == rows[i].common, "row %zu", i);
}

/* --- on this machine --- */

#define NODES "/sys/devices/system/node"

static struct topology topology;

static char *map(size_t size)
{
	char *start = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (start == MAP_FAILED)
		abort();
	return start;
}

/* What the kernel refuses here is told by the first call that it refuses. */
static bool is_refused(void)
{
	char *start = map(4096);
	int node, r = memory_place(start, 4096, cpus_next(&topology.nodes, -1));

	*start = 1;
	bool refused = r < 0 || memory_find(start, 4096, &node, 1) != 1 || node < 0;

	munmap(start, 4096);
	return refused;
}

static void pages_are_found_on_the_node_that_was_asked_for(void)
{
	enum { PAGES = 3, SIZE = PAGES * 4096 };
	int nodes[PAGES + 1];

	for (int node = cpus_next(&topology.nodes, -1); node >= 0; node = cpus_next(&topology.nodes, node)) {
		char *start = map(SIZE);

		CHECK(memory_place(start, SIZE, node) == 0);
		CHECK(memory_find(start, SIZE, nodes, PAGES) == PAGES);
		CHECK(numa_policy_common_node(nodes, PAGES) == HOP_NODE_UNKNOWN, "nothing has touched them");
		memset(start, 1, SIZE);
		CHECK(memory_find(start, SIZE, nodes, PAGES + 1) == PAGES);
		CHECK(numa_policy_common_node(nodes, PAGES) == node, "%d, not %d",
			numa_policy_common_node(nodes, PAGES), node);
		/* A part of a page is a page; no more are told than were asked for. */
		CHECK(memory_find(start + 4000, 200, nodes, PAGES) == 2);
		CHECK(memory_find(start, SIZE, nodes, 1) == 1);
		munmap(start, SIZE);
	}
}

static void what_a_thread_touches_first_lies_where_it_prefers(void)
{
	for (int node = cpus_next(&topology.nodes, -1); node >= 0; node = cpus_next(&topology.nodes, node)) {
		char *start = map(4096);
		int found = -1;

		CHECK(memory_prefer(node) == 0);
		*start = 1;
		CHECK(memory_prefer(MEMORY_LOCAL) == 0);
		CHECK(memory_find(start, 4096, &found, 1) == 1 && found == node, "%d, not %d", found, node);
		munmap(start, 4096);
	}
}

static void interleaved_pages_lie_on_all_nodes(void)
{
	struct cpus seen = {0};
	int nodes[64];
	char *start = map(sizeof(nodes) / sizeof(*nodes) * 4096);

	CHECK(memory_place(start, COUNT(nodes) * 4096, MEMORY_INTERLEAVED) == 0);
	memset(start, 1, COUNT(nodes) * 4096);
	CHECK(memory_find(start, COUNT(nodes) * 4096, nodes, COUNT(nodes)) == COUNT(nodes));
	for (size_t i = 0; i < COUNT(nodes); i++)
		if (nodes[i] >= 0)
			cpus_add(&seen, (unsigned)nodes[i]);
	CHECK(cpus_equal(&seen, &topology.nodes));
	munmap(start, COUNT(nodes) * 4096);
}

static void a_cpu_has_a_node_with_memory(void)
{
	for (size_t i = 0; i < topology.n_cpus; i++) {
		int node = memory_node_of_cpu(topology.cpus[i].cpu);

		CHECK(node >= 0 && cpus_has(&topology.nodes, (unsigned)node), "CPU %u: node %d",
			topology.cpus[i].cpu, node);
		if (cpus_has(&topology.nodes, (unsigned)topology.cpus[i].node))
			CHECK(node == topology.cpus[i].node, "CPU %u: %d", topology.cpus[i].cpu, node);
	}
}

static void a_node_that_is_not_there_is_an_error(void)
{
	char *start = map(4096);

	CHECK(memory_place(start, 4096, 1000) == -EINVAL);
	CHECK(memory_prefer(1000) == -EINVAL);
	munmap(start, 4096);
}

static const struct {
	const char *name;
	void (*run)(void);
	const char *folder; /* which it needs */
} here[] = {
#define ROW(function)                                                                                        \
	{                                                                                                    \
#function, function, NULL                                                                    \
	}
	ROW(pages_are_found_on_the_node_that_was_asked_for),
	ROW(what_a_thread_touches_first_lies_where_it_prefers),
	ROW(interleaved_pages_lie_on_all_nodes),
	{"a_cpu_has_a_node_with_memory", a_cpu_has_a_node_with_memory, NODES},
	ROW(a_node_that_is_not_there_is_an_error),
};

int main(void)
{
	struct error_text reason;

	TEST(words_are_read_and_written_alike);
	TEST(other_words_are_refused);
	TEST(a_hop_lies_with_the_end_that_was_named);
	TEST(pages_on_one_node_have_it_in_common);
	if (topology_init(&topology, &reason) < 0)
		return printf("Bail out! %s\n", reason.text), 1;
	bool refused = is_refused();

	for (size_t i = 0; i < COUNT(here); i++)
		if (refused)
			tap_skip(here[i].name, "the kernel refuses mbind or move_pages here");
		else if (here[i].folder && access(here[i].folder, F_OK) < 0)
			tap_skip(here[i].name, "needs " NODES);
		else
			tap_run(here[i].name, here[i].run);
	topology_finish(&topology);
	return tap_done();
}
