/* SPDX-License-Identifier: GPL-2.0-or-later */
/* plan_ring.c - one ring of the plan: its CPUs and its label. */
#include "src/plan/plan_ring.h"

#include <stdio.h>

#include "src/base/text.h"

enum { LABEL_MEMBERS = 4 }; /* a longer ring is abbreviated */

struct cpus plan_ring_cpus(const struct plan_ring *ring, const struct cpus *unpinned)
{
	struct cpus cpus = {0};

	if (ring->unpinned && unpinned)
		return *unpinned;
	for (unsigned m = 0; m < ring->n_members; m++)
		cpus_add(&cpus, ring->cpus[m]);
	return cpus;
}

static const char *cpu_of_ring(const void *of, unsigned member, char text[16])
{
	const struct plan_ring *ring = of;

	if (ring->unpinned)
		return "any";
	snprintf(text, 16, "%u", ring->cpus[member]);
	return text;
}

char *plan_ring_label_by(unsigned n_members,
	const char *(*cpu_text)(const void *of, unsigned member, char text[16]), const void *of, char *text,
	size_t size)
{
	bool abbreviate = n_members > LABEL_MEMBERS;
	unsigned shown = abbreviate ? 2 : n_members;
	char cpu[16], rest[48];

	*text = '\0';
	for (unsigned i = 0; i < shown; i++)
		text_append(text, size, ">", cpu_text(of, i, cpu));
	if (abbreviate) {
		snprintf(rest, sizeof(rest), "...>%s (%u)", cpu_text(of, n_members - 1, cpu), n_members);
		text_append(text, size, ">", rest);
	}
	return text;
}

char *plan_ring_label(const struct plan_ring *ring, char *text, size_t size)
{
	return plan_ring_label_by(ring->n_members, cpu_of_ring, ring, text, size);
}
