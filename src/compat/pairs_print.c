/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pairs_print.c - what the tools of pairs print. */
#include "src/compat/pairs_print.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/compat/pairs.h"
#include "src/session.h"

/* Of a pair: the tools' receiver, which is the origin, and their sender. */
enum { RECEIVER, SENDER };

/* The tools' clocks have microseconds. */
static uint64_t to_us(uint64_t ns)
{
	return (ns + 500) / 1000;
}

/* What the tools call the latency: the hop from their sender to their receiver. */
static const struct session_hop *latency_of(const struct session_ring *ring)
{
	return &ring->hops[SENDER];
}

static int priority_of(const struct session_ring *ring, unsigned member)
{
	struct task_policy is = ring->members[member].policy;

	return is.policy < 0 ? ring->asked.priority : is.priority;
}

/* Where it is pinned, or where it ran last. */
static int cpu_of(const struct session_ring *ring, unsigned member)
{
	const struct tick_member *is = &ring->members[member];

	if (is->cpu >= 0)
		return is->cpu;
	return is->ran_on ? is->ran_on - 1 : (int)ring->cpus[member];
}

static void print_pair(FILE *out, const struct session_ring *ring, size_t i, bool tells_timeouts)
{
	fprintf(out, "#%1zu: ID%d, P%d, CPU%d, I%" PRIu64 "; #%1zu: ID%d, P%d, CPU%d, ", 2 * i,
		ring->members[RECEIVER].tid, priority_of(ring, RECEIVER), cpu_of(ring, RECEIVER),
		ring->interval_ns / 1000, 2 * i + 1, ring->members[SENDER].tid, priority_of(ring, SENDER),
		cpu_of(ring, SENDER));
	if (tells_timeouts)
		fprintf(out, "TO %" PRIu64 ", ", ring->timeouts);
	fprintf(out, "Cycles %" PRIu64 "\n", ring->laps);
}

static void print_latency(FILE *out, const struct session_ring *ring, size_t i)
{
	const struct session_hop *latency = latency_of(ring);
	const struct hist *hist = &latency->hist;

	fprintf(out, "#%zu -> #%zu", 2 * i + 1, 2 * i);
	if (!hist->n)
		fprintf(out, " (not yet ready)\n");
	else
		fprintf(out, ", Min %4" PRIu64 ", Cur %4" PRIu64 ", Avg %4" PRIu64 ", Max %4" PRIu64 "\n",
			to_us(hist->min_ns), to_us(latency->last_ns),
			to_us((uint64_t)(hist_mean(hist) + 0.5)), to_us(hist->max_ns));
}

static bool is_ready(const struct session *session)
{
	for (size_t i = 0; i < session->n_rings; i++)
		if (latency_of(&session->rings[i])->hist.n)
			return true;
	return false;
}

bool compat_pairs_show(
	struct compat_live *live, const struct compat *compat, const struct session *session, bool last)
{
	const struct compat_pairs *own = compat->tool->own;
	size_t n = session->n_rings, room = last ? n : compat_live_room(live) / 2, size;
	char *block = NULL;
	FILE *out = last || is_ready(session) ? open_memstream(&block, &size) : NULL;

	if (!out)
		return true;
	n = n < room ? n : room;
	for (size_t i = 0; i < n; i++)
		print_pair(out, &session->rings[i], i, own->tells_timeouts);
	for (size_t i = 0; i < n; i++)
		print_latency(out, &session->rings[i], i);
	bool read = fclose(out) != 0 || compat_live_show(live, block, last);

	free(block);
	return read;
}

void compat_pairs_print_json(FILE *out, const struct session *session, size_t i, const struct compat *compat)
{
	const struct compat_pairs *own = compat->tool->own;
	const struct session_ring *ring = &session->rings[i];
	const struct hist *hist = &latency_of(ring)->hist;
	uint64_t min_us = hist->n ? to_us(hist->min_ns) : 0, max_us = hist->n ? to_us(hist->max_ns) : 0;

	fprintf(out,
		"      \"sender\": {\n"
		"        \"cpu\": %d,\n"
		"        \"priority\": %d,\n"
		"        \"samples\": %" PRIu64 ",\n"
		"        \"interval\": %" PRIu64 "\n"
		"      },\n",
		cpu_of(ring, SENDER), priority_of(ring, SENDER), ring->laps, ring->interval_ns / 1000);
	fprintf(out,
		"      \"receiver\": {\n"
		"        \"cpu\": %d,\n"
		"        \"priority\": %d,\n",
		cpu_of(ring, RECEIVER), priority_of(ring, RECEIVER));
	if (own->tells_timeouts)
		fprintf(out, "        \"timeoutcount\": %" PRIu64 ",\n", ring->timeouts);
	fprintf(out,
		"        \"min\": %" PRIu64 ",\n"
		"        \"avg\": %.2f,\n"
		"        \"max\": %" PRIu64 "\n"
		"      }\n",
		min_us, hist_mean(hist) / 1000, max_us);
}

/* By how much more than twofold they differ; 0: they don't. */
static uint64_t gap_ns(const struct session_ring *ring)
{
	const struct hist *latency = &latency_of(ring)->hist,
			  *response = &ring->figures[FIGURE_RESPONSE].hist;

	if (!latency->n || !response->n)
		return response->n ? response->max_ns : 0;
	if (response->max_ns > 2 * latency->max_ns)
		return response->max_ns - latency->max_ns;
	return latency->max_ns > 2 * response->max_ns ? latency->max_ns - response->max_ns : 0;
}

void compat_pairs_compare(const struct session *session)
{
	size_t worst = 0, n = 0;

	for (size_t i = 0; i < session->n_rings; i++) {
		n += gap_ns(&session->rings[i]) > 0;
		if (gap_ns(&session->rings[i]) > gap_ns(&session->rings[worst]))
			worst = i;
	}
	if (!n)
		return;
	const struct session_ring *ring = &session->rings[worst];
	const struct hist *latency = &latency_of(ring)->hist,
			  *response = &ring->figures[FIGURE_RESPONSE].hist;

	fprintf(stderr,
		"# #%zu -> #%zu: the response, from when a cycle was due to the first receive, grew to %" PRIu64
		" us; the latency printed, from the actual send, to %" PRIu64 " us",
		2 * worst + 1, 2 * worst, to_us(response->max_ns), latency->n ? to_us(latency->max_ns) : 0);
	if (n > 1)
		fprintf(stderr, " (of %zu such pairs the worst)", n);
	fputc('\n', stderr);
}
