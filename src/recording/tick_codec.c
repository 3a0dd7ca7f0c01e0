/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tick_codec.c - ticks as bytes: what is as it was in the tick before is left out. */
#include "src/recording/tick_codec.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/model/session.h"
#include "src/recording/figure_codec.h"
#include "src/recording/hop_codec.h"
#include "src/recording/tick_faults.h"

enum tick_flag { TICK_WHOLE = 1, TICK_LOADAVG = 2 };

/* What of a ring follows. None of them: one byte says that nothing happened. */
enum ring_flag {
	RING_SKIPS = 1, /* rings before it are not in the tick */
	RING_STATE = 2,
	RING_REASON = 4,
	RING_MEMBERS = 8,
	RING_COUNTS = 16,
	RING_FIGURES = 32,
};

int tick_codec_init(struct tick_codec *codec, const struct session *session)
{
	size_t n = session->n_rings;

	*codec = (struct tick_codec){.whole = true};
	for (size_t i = 0; i < n; i++)
		codec->n_members += session->rings[i].n_members;
	codec->rings = calloc(n + 1, sizeof(*codec->rings));
	codec->decoded = calloc(n + 1, sizeof(*codec->decoded));
	codec->members = calloc(codec->n_members + 1, sizeof(*codec->members));
	codec->cells_room = 64; /* never none: a tick without cells points at the place for them */
	codec->cells = calloc(codec->cells_room, sizeof(*codec->cells));
	int r = hop_codec_init(codec);

	if (r < 0 || !codec->rings || !codec->decoded || !codec->members || !codec->cells)
		return -ENOMEM;
	codec->n_rings = n;
	for (size_t i = 0, first = 0; i < n; first += session->rings[i++].n_members)
		codec->rings[i] =
			(struct codec_ring){.first_member = first, .n_members = session->rings[i].n_members};
	return 0;
}

static void forget(struct tick_codec *codec)
{
	for (size_t i = 0; i < codec->n_rings; i++) {
		struct codec_ring *ring = &codec->rings[i];

		free(ring->reason);
		*ring = (struct codec_ring){.first_member = ring->first_member, .n_members = ring->n_members};
	}
	memset(codec->members, 0, codec->n_members * sizeof(*codec->members));
	hop_codec_forget(codec);
	codec->loadavg[0] = '\0';
}

void tick_codec_finish(struct tick_codec *codec)
{
	for (size_t i = 0; i < codec->n_rings; i++)
		free(codec->rings[i].reason);
	free(codec->rings);
	free(codec->decoded);
	free(codec->members);
	free(codec->hops);
	free(codec->tick_hops);
	free(codec->cells);
	*codec = (struct tick_codec){0};
}

void tick_codec_restart(struct tick_codec *codec)
{
	codec->whole = true;
}

uint64_t tick_peek_end(struct scan scan)
{
	scan_uint(&scan); /* flags */
	uint64_t start_ns = scan_uint(&scan);

	return start_ns + scan_uint(&scan);
}

void member_encode(struct bytes *bytes, const struct tick_member *member)
{
	bytes_int(bytes, member->pid);
	bytes_int(bytes, member->tid);
	bytes_int(bytes, member->policy.policy);
	bytes_int(bytes, member->policy.priority);
	bytes_int(bytes, member->policy.nice);
	bytes_int(bytes, member->cpu);
	bytes_uint(bytes, member->n_cpus);
	bytes_int(bytes, member->moved_to);
}

void member_decode(struct scan *scan, struct tick_member *member)
{
	member->pid = scan_int32(scan);
	member->tid = scan_int32(scan);
	member->policy.policy = scan_int32(scan);
	member->policy.priority = scan_int32(scan);
	member->policy.nice = scan_int32(scan);
	member->cpu = scan_int32(scan);
	member->n_cpus = (uint32_t)scan_below(scan, UINT64_C(1) << 32);
	member->moved_to = scan_int32(scan);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && strcmp(a, b) == 0);
}

static unsigned flags_of(const struct codec_ring *known, const struct tick_member *members,
	const struct tick_ring *ring, const struct tick *tick)
{
	unsigned flags = 0;

	if (ring->state != known->state || ring->condition != known->condition)
		flags |= RING_STATE;
	if (!same_text(ring->reason, known->reason))
		flags |= RING_REASON;
	if (ring->n_members != known->n_seen || ring->locality != known->locality ||
		memcmp(members, tick->members + ring->first_member, ring->n_members * sizeof(*members)) != 0)
		flags |= RING_MEMBERS;
	if (ring->active_ns | ring->age_ns | ring->laps | ring->warmup_laps | ring->missed | ring->rested |
		ring->away)
		flags |= RING_COUNTS;
	return flags | (figures_with_news(known, ring) ? RING_FIGURES : 0);
}

static void counts_encode(struct bytes *bytes, const struct tick_ring *ring)
{
	bytes_uint(bytes, ring->active_ns);
	bytes_uint(bytes, ring->age_ns);
	bytes_uint(bytes, ring->laps);
	bytes_uint(bytes, ring->warmup_laps);
	bytes_uint(bytes, ring->missed);
	bytes_uint(bytes, ring->rested);
	bytes_uint(bytes, ring->away);
}

static void members_encode(struct bytes *bytes, struct codec_ring *known, struct tick_member *members,
	const struct tick_ring *ring, const struct tick *tick)
{
	known->n_seen = ring->n_members;
	memcpy(members, tick->members + ring->first_member, ring->n_members * sizeof(*members));
	bytes_uint(bytes, known->locality = ring->locality);
	bytes_uint(bytes, ring->n_members);
	for (uint32_t i = 0; i < ring->n_members; i++)
		member_encode(bytes, &members[i]);
}

static void set_reason(struct codec_ring *known, const char *reason, struct bytes *bytes)
{
	free(known->reason);
	known->reason = reason ? strdup(reason) : NULL;
	bytes->failed |= reason && !known->reason;
}

static void ring_encode(struct tick_codec *codec, const struct tick_ring *ring, const struct tick *tick,
	size_t expected, struct bytes *bytes)
{
	struct codec_ring *known = &codec->rings[ring->id];
	struct tick_member *members = codec->members + known->first_member;
	unsigned flags = flags_of(known, members, ring, tick) | (ring->id != expected ? RING_SKIPS : 0);

	bytes_uint(bytes, flags);
	if (flags & RING_SKIPS)
		bytes_uint(bytes, ring->id - expected);
	if (flags & RING_STATE) {
		bytes_uint(bytes, known->state = ring->state);
		bytes_uint(bytes, known->condition = ring->condition);
	}
	if (flags & RING_REASON) {
		set_reason(known, ring->reason, bytes);
		bytes_text(bytes, ring->reason);
	}
	if (flags & RING_MEMBERS)
		members_encode(bytes, known, members, ring, tick);
	if (flags & RING_COUNTS)
		counts_encode(bytes, ring);
	if (flags & RING_FIGURES)
		figures_encode(bytes, known, ring, tick);
}

void tick_encode(struct tick_codec *codec, const struct tick *tick, struct bytes *bytes)
{
	if (codec->whole)
		forget(codec);
	bool loadavg = strcmp(codec->loadavg, tick->loadavg) != 0;

	bytes_uint(bytes, (codec->whole ? TICK_WHOLE : 0u) | (loadavg ? TICK_LOADAVG : 0u));
	codec->whole = false;
	bytes_uint(bytes, tick->start_ns);
	bytes_uint(bytes, tick->end_ns - tick->start_ns);
	bytes_uint(bytes, tick->turn);
	bytes_int(bytes, (int64_t)(tick->end_ns - tick->turn_since_ns));
	bytes_double(bytes, tick->own_cpu);
	if (loadavg)
		bytes_text(bytes, tick->loadavg);
	memcpy(codec->loadavg, tick->loadavg, sizeof(codec->loadavg));
	bytes_uint(bytes, tick->n_rings);
	for (size_t i = 0, expected = 0; i < tick->n_rings; i++) {
		ring_encode(codec, &tick->rings[i], tick, expected, bytes);
		expected = tick->rings[i].id + (size_t)1;
	}
	tick_faults_encode(bytes, tick);
	hops_encode(codec, tick, bytes);
}

/* --- and back --- */

static void counts_decode(struct scan *scan, struct tick_ring *ring)
{
	ring->active_ns = scan_uint(scan);
	ring->age_ns = scan_uint(scan);
	ring->laps = scan_uint(scan);
	ring->warmup_laps = scan_uint(scan);
	ring->missed = scan_uint(scan);
	ring->rested = scan_uint(scan);
	ring->away = scan_uint(scan);
}

static int ring_decode(struct tick_codec *codec, struct scan *scan, const struct tick *tick, size_t expected,
	struct tick_ring *ring)
{
	uint64_t flags = scan_uint(scan);
	size_t id = expected;

	if (flags & RING_SKIPS)
		id += scan_below(scan, codec->n_rings);
	if (scan->bad || id >= codec->n_rings)
		return -EINVAL;
	struct codec_ring *known = &codec->rings[id];

	if (flags & RING_STATE) {
		known->state = (enum ring_state)scan_below(scan, RING_GONE + 1);
		known->condition = (enum ring_condition)scan_below(scan, N_CONDITIONS);
	}
	if (flags & RING_REASON) {
		free(known->reason);
		known->reason = scan_text(scan);
	}
	if (flags & RING_MEMBERS) {
		known->locality = (enum locality)scan_below(scan, N_LOCALITIES + 1);
		known->n_seen = (uint32_t)scan_below(scan, (uint64_t)known->n_members + 1);
		for (uint32_t i = 0; i < known->n_seen; i++)
			member_decode(scan, &codec->members[known->first_member + i]);
	}
	*ring = (struct tick_ring){.id = (uint32_t)id,
		.state = known->state,
		.condition = known->condition,
		.reason = known->reason,
		.locality = known->locality,
		.first_member = known->first_member,
		.n_members = known->n_seen};
	if (flags & RING_COUNTS)
		counts_decode(scan, ring);
	int r = figures_decode(codec, scan, tick, known, ring, flags & RING_FIGURES);

	return r == 0 && scan->bad ? -EINVAL : r;
}

int tick_decode(struct tick_codec *codec, struct scan *scan, struct tick *tick)
{
	uint64_t flags = scan_uint(scan);
	int r = 0;

	if (flags & TICK_WHOLE)
		forget(codec);
	codec->n_cells = 0;
	*tick = (struct tick){.start_ns = scan_uint(scan)};
	tick->end_ns = tick->start_ns + scan_uint(scan);
	tick->turn = (unsigned)scan_below(scan, UINT64_C(1) << 32);
	tick->turn_since_ns = tick->end_ns - (uint64_t)scan_int(scan);
	tick->own_cpu = scan_double(scan);
	if (flags & TICK_LOADAVG)
		scan_text_into(scan, codec->loadavg, sizeof(codec->loadavg));
	memcpy(tick->loadavg, codec->loadavg, sizeof(tick->loadavg));
	tick->n_rings = scan_below(scan, codec->n_rings + 1);
	for (size_t i = 0, expected = 0; i < tick->n_rings && r == 0; i++) {
		r = ring_decode(codec, scan, tick, expected, &codec->decoded[i]);
		expected = codec->decoded[i].id + (size_t)1;
	}
	tick->rings = codec->decoded;
	if (r == 0 && !scan->bad)
		tick_faults_decode(scan, tick);
	if (r == 0 && !scan->bad)
		r = hops_decode(codec, scan, tick);
	tick->members = codec->members;
	tick->n_members = codec->n_members;
	tick->cells = codec->cells;
	tick->n_cells = codec->n_cells;
	return r == 0 && scan->bad ? -EINVAL : r;
}
