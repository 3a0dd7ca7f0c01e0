/* SPDX-License-Identifier: GPL-2.0-or-later */
/* figures.c - figures of a ring as several front ends print them. */
#include "src/compat/figures.h"

#include <inttypes.h>
#include <stdio.h>

#include "src/model/session.h"

uint64_t compat_min_us(const struct hist *hist)
{
	return hist->n ? hist->min_ns / 1000 : 0;
}

uint64_t compat_max_us(const struct hist *hist)
{
	return hist->n ? (hist->max_ns + 999) / 1000 : 0;
}

uint64_t compat_mean_us(const struct hist *hist)
{
	return compat_us((uint64_t)(hist_mean(hist) + 0.5));
}

int compat_priority(const struct session_ring *ring, unsigned member)
{
	struct task_policy is = ring->members[member].policy;

	/* Before it runs it has not been given it yet. */
	return ring->observed && is.policy >= 0 ? is.priority : ring->asked.priority;
}

int compat_cpu(const struct session_ring *ring, unsigned member)
{
	const struct tick_member *is = &ring->members[member];

	if (ring->observed && is->cpu >= 0)
		return is->cpu;
	return ring->observed && is->ran_on ? is->ran_on - 1 : (int)ring->cpus[member];
}

uint64_t compat_gap_ns(const struct hist *response, const struct hist *latency)
{
	uint64_t due_ns = response->max_ns, sent_ns = latency->n ? latency->max_ns : 0;

	if (!response->n) /* flood */
		return 0;
	if (due_ns > 2 * sent_ns)
		return due_ns - sent_ns;
	return sent_ns > 2 * due_ns ? sent_ns - due_ns : 0;
}

void compat_print_gap(const char *name, const struct hist *response, const struct hist *latency, size_t n)
{
	fprintf(stderr, "# %s: response up to %" PRIu64 " us, from when it was due; ", name,
		compat_max_us(response));
	if (latency->n)
		fprintf(stderr, "latency, as printed, up to %" PRIu64 " us, from the actual send",
			compat_max_us(latency));
	else
		fprintf(stderr, "no latency, for no cycle was counted");
	if (n > 1)
		fprintf(stderr, " (the worst of %zu such)", n);
	fputc('\n', stderr);
}
