/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pairs_print.c - what the tools of pairs print. */
#include "src/compat/pairs_print.h"

#include <inttypes.h>
#include <stdlib.h>

#include "src/compat/figures.h"
#include "src/compat/pairs.h"
#include "src/model/session.h"

/* Of a pair: the tools' receiver, which is the origin, and their sender. */
enum { RECEIVER, SENDER };

/* What the tools call the latency: the hop from their sender to their receiver. */
static const struct session_hop *latency_of(const struct session_ring *ring)
{
	return &ring->hops[SENDER];
}

static void print_pair(FILE *out, const struct session_ring *ring, size_t i, bool tells_timeouts)
{
	fprintf(out, "#%1zu: ID%d, P%d, CPU%d, I%" PRIu64 "; #%1zu: ID%d, P%d, CPU%d, ", 2 * i,
		ring->members[RECEIVER].tid, compat_priority(ring, RECEIVER), compat_cpu(ring, RECEIVER),
		ring->interval_ns / 1000, 2 * i + 1, ring->members[SENDER].tid, compat_priority(ring, SENDER),
		compat_cpu(ring, SENDER));
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
			compat_min_us(hist), compat_us(latency->last_ns), compat_mean_us(hist),
			compat_max_us(hist));
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

	fprintf(out,
		"      \"sender\": {\n"
		"        \"cpu\": %d,\n"
		"        \"priority\": %d,\n"
		"        \"samples\": %" PRIu64 ",\n"
		"        \"interval\": %" PRIu64 "\n"
		"      },\n",
		compat_cpu(ring, SENDER), compat_priority(ring, SENDER), ring->laps,
		ring->interval_ns / 1000);
	fprintf(out,
		"      \"receiver\": {\n"
		"        \"cpu\": %d,\n"
		"        \"priority\": %d,\n",
		compat_cpu(ring, RECEIVER), compat_priority(ring, RECEIVER));
	if (own->tells_timeouts)
		fprintf(out, "        \"timeoutcount\": %" PRIu64 ",\n", ring->timeouts);
	fprintf(out,
		"        \"min\": %" PRIu64 ",\n"
		"        \"avg\": %.2f,\n"
		"        \"max\": %" PRIu64 "\n"
		"      }\n",
		compat_min_us(hist), hist_mean(hist) / 1000, compat_max_us(hist));
}

void compat_pairs_compare(const struct session *session)
{
	const struct session_ring *worst = NULL;
	uint64_t worst_ns = 0;
	size_t n = 0;
	char name[64];

	for (size_t i = 0; i < session->n_rings; i++) {
		const struct session_ring *ring = &session->rings[i];
		uint64_t gap_ns =
			compat_gap_ns(&ring->figures[FIGURE_RESPONSE].hist, &latency_of(ring)->hist);

		n += gap_ns > 0;
		if (gap_ns > worst_ns) {
			worst = ring;
			worst_ns = gap_ns;
		}
	}
	if (!worst)
		return;
	snprintf(name, sizeof(name), "#%u -> #%u", 2 * worst->id + 1, 2 * worst->id);
	compat_tell_gap(name, &worst->figures[FIGURE_RESPONSE].hist, &latency_of(worst)->hist, n);
}
