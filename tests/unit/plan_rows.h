/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_rows.h - tables of machines, what is asked of them, and the plan that becomes of it. */
#pragma once

#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "src/plan/config.h"
#include "src/plan/plan.h"
#include "src/probe/probe.h"
#include "tests/unit/tap.h"
#include "tests/unit/xml_machines.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static const struct probe alpha = {.name = "alpha"}, beta = {.name = "beta"},
			  longer = {.name = "a_longer_name"};

static const char smt[] = "pack:2 [numa] l3:2 l2:2 core:1 pu:2"; /* 16 CPUs */

static struct cpus set_of(const char *list)
{
	struct cpus set = {0};

	CHECK(cpus_parse(&set, list) == 0, "%s", list);
	return set;
}

/* A case: the machine, what is asked, and what becomes of it. */
struct row {
	const char *machine; /* for HWLOC_SYNTHETIC, or XML */
	const char *pairs, *cpus, *housekeeping;
	const char *usable, *isolated, *busy; /* NULL: all, none, none */
	const char *offline;  /* NULL: none; of the machine's, so that the others are allowed */
	const char *expected; /* "0>1/smt/0 ...": label, class, turn; or the sentence */
	struct numa_policy memory;
	unsigned n_pairs;
	unsigned n_probes;         /* 0: one */
	unsigned members, n_rings; /* of --ring; 0: pairs */
	bool flood, force, side_by_side;
	const char *kept;  /* housekeeping, or NULL */
	const char *notes; /* NULL: none */
};

static struct config config_of(const struct row *row)
{
	struct config config = {
		.probes = {&alpha, &beta, &longer},
		.n_probes = row->n_probes > 0 ? row->n_probes : 1,
		.pairs = row->pairs,
		.has_cpus = row->cpus != NULL,
		.has_housekeeping = row->housekeeping != NULL,
		.n_pairs = row->n_pairs,
		.ring_members = row->members,
		.n_rings = row->n_rings,
		.policy = {.policy = row->flood ? SCHED_FIFO : SCHED_OTHER, .priority = row->flood},
		.memory = row->memory,
		.interval_ns = row->flood ? 0 : 1000000,
		.distance_ns = 500000,
		.force = row->force,
		.side_by_side = row->side_by_side,
	};

	if (row->cpus)
		config.cpus = set_of(row->cpus);
	if (row->housekeeping)
		config.housekeeping = set_of(row->housekeeping);
	return config;
}

static bool machine_of(const struct row *row, struct topology *topology)
{
	struct error_text reason;

	char path[] = SAVED_XML_PATH;
	bool is_xml = row->machine[0] == '<';

	setenv(is_xml ? "HWLOC_XMLFILE" : "HWLOC_SYNTHETIC",
		is_xml ? save_xml(row->machine, path) : row->machine, 1);
	int r = topology_init(topology, &reason);

	unsetenv("HWLOC_XMLFILE");
	unsetenv("HWLOC_SYNTHETIC");
	if (is_xml)
		unlink(path);

	CHECK(r == 0, "%s: %s", row->machine, reason.text);
	if (r < 0)
		return false;
	if (row->usable)
		topology->usable = set_of(row->usable);
	if (row->isolated)
		topology->isolated = set_of(row->isolated);
	if (row->offline) {
		topology->offline = set_of(row->offline);
		cpus_subtract(&topology->allowed, &topology->offline);
	}
	return true;
}

/* What becomes of a row. */
struct planned {
	struct config config;
	struct topology topology;
	struct notes notes;
	struct error_text reason;
	struct plan plan;
	int result; /* of plan_init() */
};

/* Returns false if the machine can't be made, which fails the test. */
static bool planned_init(struct planned *planned, const struct row *row)
{
	*planned = (struct planned){.config = config_of(row)};
	if (!machine_of(row, &planned->topology))
		return false;
	const struct cpus busy = row->busy ? set_of(row->busy) : (struct cpus){0};

	planned->result = plan_init(&planned->plan, &planned->config, &planned->topology,
		row->busy ? &busy : NULL, &planned->notes, &planned->reason);
	return true;
}

static void planned_finish(struct planned *planned)
{
	notes_finish(&planned->notes);
	plan_finish(&planned->plan);
	topology_finish(&planned->topology);
}

static void write_rings(const struct plan *plan, char *text, size_t size)
{
	size_t length = 0;

	*text = '\0';
	for (size_t i = 0; i < plan->n_rings && length < size; i++) {
		const struct plan_ring *ring = &plan->rings[i];
		char label[64];

		length += (size_t)snprintf(text + length, size - length, "%s%s/%s/%u", i > 0 ? " " : "",
			plan_ring_label(ring, label, sizeof(label)), locality_name(ring->locality),
			ring->turn);
	}
}

static void check_notes(const struct row *row, const struct notes *notes)
{
	char text[1024] = "";

	for (size_t i = 0; i < notes->n; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", i > 0 ? "\n" : "",
			notes->text[i]);
	CHECK(strcmp(text, row->notes ? row->notes : "") == 0, "%s %s: notes '%s'", row->machine,
		row->pairs ? row->pairs : "", text);
}

static void check_row(const struct row *row)
{
	struct planned planned;
	char text[2048];

	if (!planned_init(&planned, row))
		return;
	if (planned.result == 0) {
		write_rings(&planned.plan, text, sizeof(text));
		CHECK(strcmp(text, row->expected) == 0, "\n#  got  %s\n#  not  %s", text, row->expected);
		CHECK(cpus_count(&planned.plan.housekeeping) > 0);
		cpus_format(&planned.plan.housekeeping, text, sizeof(text));
		CHECK(!row->kept || strcmp(text, row->kept) == 0, "kept %s, not %s", text, row->kept);
	} else {
		CHECK(strcmp(planned.reason.text, row->expected) == 0, "\n#  got  %s\n#  not  %s",
			planned.reason.text, row->expected);
		CHECK(planned.plan.n_rings == 0 && planned.plan.rings == NULL);
	}
	check_notes(row, &planned.notes);
	planned_finish(&planned);
}

__attribute__((unused)) static void check_rows(const struct row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++)
		check_row(&rows[i]);
}
