/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_print.c - prints a plan: --plan. */
#include "src/plan/plan_print.h"

#include <inttypes.h>
#include <string.h>

#include "src/plan/plan.h"
#include "src/probe/probe.h"

/* Prints decimals only where there are any, so that a column is easy to read. */
static char *format_us(uint64_t ns, char *text, size_t size)
{
	if (ns % 1000 == 0)
		snprintf(text, size, "%" PRIu64, ns / 1000);
	else
		snprintf(text, size, "%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
	return text;
}

static int longer(int width, const char *text)
{
	int length = (int)strlen(text);

	return length > width ? length : width;
}

struct planned_ring {
	const struct plan_ring *ring;
	const struct topology *topology;
};

static const char *kind_text(const void *of, unsigned member, char text[16])
{
	const struct planned_ring *planned = of;
	const struct topology_cpu *cpu = topology_find(planned->topology, planned->ring->cpus[member]);

	if (planned->ring->unpinned)
		return "any";
	snprintf(text, 16, "%d", cpu->kind);
	return cpu->kind < 0 ? "?" : text;
}

/* The kinds of core of the members, as a label: "1>0". */
static char *format_kinds(
	const struct topology *topology, const struct plan_ring *ring, char *text, size_t size)
{
	const struct planned_ring planned = {ring, topology};

	return plan_ring_label_by(ring->n_members, kind_text, &planned, text, size);
}

/* The kinds column is there on a hybrid machine only. */
static void print_head(FILE *out, const int widths[3])
{
	fprintf(out, "%5s  %-*s  %-*s  %-7s", "ring", widths[0], "mechanism", widths[1], "pair", "class");
	if (widths[2] > 0)
		fprintf(out, "  %-*s", widths[2], "kinds");
	fprintf(out, "  %5s  %11s\n", "turn", "interval_us");
}

static void print_ring(
	FILE *out, const int widths[3], const struct plan_ring *ring, const struct topology *topology)
{
	char label[64], kinds[64], interval[32], turn[16];

	snprintf(turn, sizeof(turn), "%u", ring->turn);
	fprintf(out, "%5" PRIu32 "  %-*s  %-*s  %-7s", ring->id, widths[0], ring->probe->name, widths[1],
		plan_ring_label(ring, label, sizeof(label)), locality_name(ring->locality));
	if (widths[2] > 0)
		fprintf(out, "  %-*s", widths[2], format_kinds(topology, ring, kinds, sizeof(kinds)));
	fprintf(out, "  %5s  %11s%s%s\n", ring->refusal ? "-" : turn,
		ring->interval_ns > 0 ? format_us(ring->interval_ns, interval, sizeof(interval)) : "flood",
		ring->refusal ? "  not run: " : "", ring->refusal ? ring->refusal : "");
}

static void print_rings(const struct plan *plan, const struct topology *topology, FILE *out)
{
	bool hybrid = topology->n_kinds > 1;
	int widths[3] = {longer(0, "mechanism"), longer(0, "pair"), hybrid ? longer(0, "kinds") : 0};
	char text[64];

	for (size_t i = 0; i < plan->n_rings; i++) {
		const struct plan_ring *ring = &plan->rings[i];

		widths[0] = longer(widths[0], ring->probe->name);
		widths[1] = longer(widths[1], plan_ring_label(ring, text, sizeof(text)));
		if (hybrid)
			widths[2] = longer(widths[2], format_kinds(topology, ring, text, sizeof(text)));
	}
	print_head(out, widths);
	for (size_t i = 0; i < plan->n_rings; i++)
		print_ring(out, widths, &plan->rings[i], topology);
}

static void print_count(FILE *out, size_t count, const char *what, const char *end)
{
	fprintf(out, "%zu %s%s%s", count, what, count == 1 ? "" : "s", end);
}

static void print_machine(const struct topology *topology, FILE *out)
{
	fputs("machine:       ", out);
	print_count(out, topology->n_packages, "package", ", ");
	print_count(out, topology->n_nodes, "NUMA node", ", ");
	print_count(out, topology->n_cores, "core", ", ");
	if (topology->n_kinds > 1)
		print_count(out, topology->n_kinds, "kind", " of core, ");
	print_count(out, topology->n_cpus, "CPU", "");
	fputs(topology->foreign ? " (as described to hwloc, not this system)\n" : "\n", out);
}

/* Names each kind of core with its CPUs: "CPUs 0-7 (CoreType IntelCore)". */
static void print_kinds(const struct topology *topology, FILE *out)
{
	char text[1024];

	for (int kind = 0, left = (int)topology->n_kinds; topology->n_kinds > 1 && left > 0; kind++) {
		struct cpus cpus = {0};

		for (size_t i = 0; i < topology->n_cpus; i++)
			if (topology->cpus[i].kind == kind)
				cpus_add(&cpus, topology->cpus[i].cpu);
		if (cpus_count(&cpus) == 0)
			continue;
		left--;
		fprintf(out, "kind %-9d CPUs %s", kind, cpus_format(&cpus, text, sizeof(text)));
		if (*topology->kinds[kind])
			fprintf(out, " (%s)", topology->kinds[kind]);
		fputc('\n', out);
	}
}

static void print_cpus(FILE *out, const char *title, const struct cpus *cpus)
{
	char text[1024];

	fprintf(out, "%-14s %s\n", title,
		cpus_count(cpus) > 0 ? cpus_format(cpus, text, sizeof(text)) : "none");
}

void plan_print(const struct plan *plan, const struct topology *topology, FILE *out)
{
	struct cpus left_out = topology->allowed;
	size_t n_refused = 0;

	for (size_t i = 0; i < plan->n_rings; i++)
		n_refused += plan->rings[i].refusal != NULL;
	cpus_subtract(&left_out, &plan->measured);
	print_rings(plan, topology, out);
	fputc('\n', out);
	print_machine(topology, out);
	print_kinds(topology, out);
	fprintf(out, "rings:         %zu", plan->n_rings);
	if (n_refused)
		fprintf(out, ", %zu of them not run", n_refused);
	fputc('\n', out);
	fprintf(out, "turns:         %u", plan->n_turns);
	if (plan->n_turns > 1)
		fprintf(out, ", in slices of %g s", (double)plan->slice_ns / 1e9);
	fputc('\n', out);
	print_cpus(out, "measured:", &plan->measured);
	print_cpus(out, "housekeeping:", &plan->housekeeping);
	print_cpus(out, "left out:", &left_out);
	print_cpus(out, "isolated:", &topology->isolated);
}
