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

static void print_rings(const struct plan *plan, FILE *out)
{
	int mechanism = longer(0, "mechanism"), pair = longer(0, "pair");
	char label[64], interval[32], turn[16];

	for (size_t i = 0; i < plan->n_rings; i++) {
		mechanism = longer(mechanism, plan->rings[i].probe->name);
		pair = longer(pair, plan_ring_label(&plan->rings[i], label, sizeof(label)));
	}
	fprintf(out, "%5s  %-*s  %-*s  %-5s  %5s  %11s\n", "ring", mechanism, "mechanism", pair, "pair",
		"class", "turn", "interval_us");
	for (size_t i = 0; i < plan->n_rings; i++) {
		const struct plan_ring *ring = &plan->rings[i];

		snprintf(turn, sizeof(turn), "%u", ring->turn);
		fprintf(out, "%5" PRIu32 "  %-*s  %-*s  %-5s  %5s  %11s%s%s\n", ring->id, mechanism,
			ring->probe->name, pair, plan_ring_label(ring, label, sizeof(label)),
			locality_name(ring->locality), ring->refusal ? "-" : turn,
			ring->interval_ns > 0 ? format_us(ring->interval_ns, interval, sizeof(interval))
					      : "flood",
			ring->refusal ? "  not run: " : "", ring->refusal ? ring->refusal : "");
	}
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
	print_rings(plan, out);
	fputc('\n', out);
	print_machine(topology, out);
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
