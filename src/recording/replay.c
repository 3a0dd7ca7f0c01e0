/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.c - reads a recording, which may be hostile: its items in order, and the session at any time. */
#include "src/recording/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/regular_file.h"
#include "src/recording/checkpoint.h"
#include "src/recording/record_json.h"
#include "src/recording/sweep_codec.h"

/* --- opening --- */

static int read_header(struct replay *replay, const char *name, struct error_text *reason)
{
	struct replay_entry entry;
	int r = replay_file_entry(&replay->file, replay->first, &entry);

	if (r <= 0 || entry.damaged || entry.head.kind != ENTRY_HEADER)
		return error_text_set(reason, r < 0 ? r : -EINVAL, "%s: its header is damaged (at byte %llu)",
			name, (unsigned long long)replay->first);
	replay->header = scan_text(&entry.payload);
	replay->first = replay->offset = replay->index.end_offset = entry.next;
	return replay->header ? 0 : error_text_set(reason, -EINVAL, "%s: its header has no text", name);
}

static int read_rings(struct replay *replay, const char *name, struct error_text *reason)
{
	struct session session;
	int r = record_json_read(replay->header, &session, &replay->config, reason);

	if (r < 0)
		r = error_text_set(reason, r, "%s: %s", name, reason->text);
	replay->n_swept_cpus = r == 0 && session.matrix ? session.matrix->n_cpus : 0;
	if (r == 0 && tick_codec_init(&replay->codec, &session) < 0)
		r = error_text_set(reason, -ENOMEM, "%s: no memory for its rings", name);
	session_finish(&session);
	return r;
}

int replay_open_fd(struct replay *replay, int fd, const char *name, struct error_text *reason)
{
	*replay = (struct replay){0};
	int r = replay_file_open(&replay->file, fd, name, &replay->first, reason);

	if (r == 0)
		r = read_header(replay, name, reason);
	return r == 0 ? read_rings(replay, name, reason) : r;
}

int replay_open(struct replay *replay, const char *path, struct error_text *reason)
{
	int fd = regular_file_open(path, reason);

	*replay = (struct replay){.file.fd = -1};
	int r = fd < 0 ? fd : replay_open_fd(replay, fd, path, reason);

	if (r < 0)
		return r;
	r = replay_index_extend(&replay->index, &replay->file);
	return r < 0 ? error_text_set(reason, r, "%s: %s", path, strerror(-r)) : 0;
}

void replay_close(struct replay *replay)
{
	replay_file_close(&replay->file);
	replay_index_finish(&replay->index);
	tick_codec_finish(&replay->codec);
	event_finish(&replay->event);
	machine_finish(&replay->machine);
	session_ring_finish(&replay->ring);
	free(replay->header);
	*replay = (struct replay){.file.fd = -1};
}

void replay_complain(const struct replay *replay, const char *path, FILE *out)
{
	struct error_text sentence;

	if (!replay->index.ended_by) {
		error_text_set(
			&sentence, 0, "%s: has no end: it was cut off, or is still being written", path);
		fprintf(out, "ipctop: %s\n", sentence.text);
	}
	if (replay->n_damages) {
		error_text_set(&sentence, 0, "%s: damaged at byte %llu%s: the damaged part was skipped", path,
			(unsigned long long)replay->first_damage, replay->n_damages > 1 ? " and behind" : "");
		fprintf(out, "ipctop: %s\n", sentence.text);
	}
}

/* --- one item after the other --- */

/* The entries from @offset on are those of the session's rings. */
static int go_to(struct replay *replay, const struct session *session, uint64_t offset, uint64_t at_ns)
{
	replay->offset = offset;
	replay->item = (struct replay_item){.feed.at_ns = at_ns};
	tick_codec_finish(&replay->codec);
	return tick_codec_init(&replay->codec, session);
}

/* Makes the session of the header. */
static int go_to_header(struct replay *replay, struct session *session)
{
	struct error_text reason;
	int r = record_json_read(replay->header, session, &replay->config, &reason);

	return r < 0 ? r : go_to(replay, session, replay->first, 0);
}

/* A seek may read the same damage again: only those behind the last one are counted. */
static int report_damage(struct replay *replay, const struct replay_entry *entry)
{
	char *text;

	if (!replay->n_damages || entry->offset > replay->last_damage) {
		if (!replay->n_damages++)
			replay->first_damage = entry->offset;
		replay->last_damage = entry->offset;
	}
	if (asprintf(&text, "the recording is damaged at byte %llu: %llu bytes are skipped",
		    (unsigned long long)entry->offset, (unsigned long long)(entry->next - entry->offset)) < 0)
		return -ENOMEM;
	event_finish(&replay->event);
	replay->event = (struct event){.at_ns = replay->item.feed.at_ns,
		.kind = EVENT_WARNING,
		.ring = -1,
		.member = -1,
		.text = text};
	replay->item.feed.kind = FEED_EVENT;
	replay->item.feed.event = &replay->event;
	replay->item.damaged = true;
	return 1;
}

/* A ring that was added, or removed. */
static int read_ring(struct replay *replay, bool is_new, struct scan *scan)
{
	struct session_ring *ring = &replay->ring;
	int r;

	session_ring_finish(ring);
	*ring = (struct session_ring){0};
	replay->item.feed.kind = is_new ? FEED_RING : FEED_RING_END;
	if (is_new) {
		r = record_json_read_ring(scan, ring);
		return r < 0 ? r : tick_codec_add(&replay->codec, ring->id, ring->n_members);
	}
	ring->id = (uint32_t)scan_below(scan, GROUP_ROW);
	return scan->bad ? -EINVAL : tick_codec_remove(&replay->codec, ring->id);
}

/* Returns 1 with the replay's item, 0 for an entry that is none, or a negative errno. */
static int read_item(struct replay *replay, const struct replay_entry *entry)
{
	struct feed_item *feed = &replay->item.feed;
	struct scan scan = entry->payload;
	uint64_t before_ns = feed->at_ns;
	int r = 0;

	replay->item.offset = entry->offset;
	replay->item.damaged = false;
	if (entry->damaged)
		return report_damage(replay, entry);
	feed->at_ns = entry->head.at_ns;
	switch (entry->head.kind) {
	case ENTRY_TICK:
		feed->kind = FEED_TICK;
		feed->tick = &replay->tick;
		r = tick_decode(&replay->codec, &scan, &replay->tick);
		break;
	case ENTRY_EVENT:
		feed->kind = FEED_EVENT;
		feed->event = &replay->event;
		event_finish(&replay->event);
		event_decode(&scan, &replay->event);
		r = scan.bad ? -EINVAL : 0;
		break;
	case ENTRY_MACHINE:
		feed->kind = FEED_MACHINE;
		feed->machine = &replay->machine;
		r = record_json_read_machine(&scan, &replay->machine);
		break;
	case ENTRY_SPIKE:
		feed->kind = FEED_SPIKE;
		feed->spike = &replay->spike;
		spike_decode(&scan, &replay->spike, replay->records);
		r = scan.bad ? -EINVAL : 0;
		break;
	case ENTRY_SWEEP:
		feed->kind = FEED_SWEEP;
		feed->sweep = &replay->sweep;
		sweep_decode(&scan, replay->n_swept_cpus, &replay->sweep, replay->swept);
		r = scan.bad ? -EINVAL : 0;
		break;
	case ENTRY_RING:
	case ENTRY_RING_END:
		feed->ring = &replay->ring;
		r = read_ring(replay, entry->head.kind == ENTRY_RING, &scan);
		break;
	default:
		feed->at_ns = before_ns;
		return 0;
	}
	if (r != -EINVAL)
		return r < 0 ? r : 1;
	feed->at_ns = before_ns;
	return report_damage(replay, entry);
}

/* A later item is not read: reading changes what is known of the rings. */
int replay_next_up_to(struct replay *replay, uint64_t at_ns)
{
	struct replay_entry entry;
	int r = 0;

	while (r == 0) {
		r = replay_file_entry(&replay->file, replay->offset, &entry);
		if (r <= 0 || (!entry.damaged && entry.head.at_ns > at_ns))
			return r < 0 ? r : 0;
		if (!entry.damaged && entry.head.kind == ENTRY_END) /* it may be new */
			return replay_index_extend(&replay->index, &replay->file);
		replay->offset = entry.next;
		r = read_item(replay, &entry);
	}
	return r;
}

int replay_next(struct replay *replay)
{
	return replay_next_up_to(replay, UINT64_MAX);
}

/* --- any time --- */

/* Returns 0 with the session of a checkpoint, or a negative errno with the one of the start. */
static int go_to_checkpoint(struct replay *replay, struct session *session, uint64_t offset)
{
	struct replay_entry entry;
	int r = replay_file_entry(&replay->file, offset, &entry);

	if (r <= 0 || entry.damaged || entry.head.kind != ENTRY_CHECKPOINT)
		return -EINVAL;
	r = checkpoint_decode(session, &entry.payload);
	if (r == 0)
		r = go_to(replay, session, entry.next, entry.head.at_ns);
	if (r == 0)
		return 0;
	session_finish(session);
	int started = go_to_header(replay, session);

	return started < 0 ? started : r;
}

/* A recording that was saved by a command begins later than the run. */
int replay_start(struct replay *replay, struct session *session)
{
	int r = go_to_header(replay, session);

	if (r == 0)
		r = go_to_checkpoint(replay, session, replay->first);
	return r == -EINVAL ? 0 : r;
}

/* Spikes that are found after the last tick have a later time, and no tick follows that would bring them. */
static bool is_behind_last_tick(const struct replay *replay, uint64_t at_ns)
{
	return at_ns >= replay->index.end_ns && replay->offset < replay->index.end_offset;
}

/* Feeds all items up to a time. */
static int feed_up_to(struct replay *replay, struct session *session, uint64_t at_ns)
{
	int r;

	while ((r = replay_next_up_to(replay, is_behind_last_tick(replay, at_ns) ? UINT64_MAX : at_ns)) > 0) {
		r = feed_session(session, &replay->item.feed, NULL);
		if (r < 0)
			return r;
	}
	return r;
}

int replay_seek(struct replay *replay, struct session *session, uint64_t at_ns)
{
	const struct replay_index *index = &replay->index;

	session_finish(session);
	int r = go_to_header(replay, session);

	if (r < 0)
		return r;
	/* If a checkpoint is damaged, the one before it may be good, and before all is the start. */
	for (size_t i = index->n ? replay_index_find(index, at_ns) + 1 : 0; i > 0; i--) {
		r = go_to_checkpoint(replay, session, index->checkpoints[i - 1].offset);
		if (r == 0 || r == -ENOMEM)
			break;
	}
	return r == -ENOMEM ? r : feed_up_to(replay, session, at_ns);
}
