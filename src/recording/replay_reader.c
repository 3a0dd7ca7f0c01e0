/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay_reader.c - one entry of a recording after the other, each as what it says. */
#include "src/recording/replay_reader.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

int replay_reader_init(struct replay_reader *reader, const struct session *session)
{
	*reader = (struct replay_reader){0};
	return tick_codec_init(&reader->codec, session);
}

void replay_reader_finish(struct replay_reader *reader)
{
	tick_codec_finish(&reader->codec);
	event_finish(&reader->event);
	*reader = (struct replay_reader){0};
}

void replay_reader_restart(struct replay_reader *reader, uint64_t at_ns)
{
	reader->item = (struct replay_item){.feed.at_ns = at_ns};
	tick_codec_restart(&reader->codec);
}

static int read_tick(struct replay_reader *reader, struct scan *scan)
{
	int r = tick_decode(&reader->codec, scan, &reader->tick);

	reader->item.feed.kind = FEED_TICK;
	reader->item.feed.tick = &reader->tick;
	reader->item.feed.at_ns = reader->tick.end_ns;
	return r;
}

static int read_event(struct replay_reader *reader, struct scan *scan)
{
	event_finish(&reader->event);
	event_decode(scan, reader->codec.n_rings, &reader->event);
	reader->item.feed.kind = FEED_EVENT;
	reader->item.feed.event = &reader->event;
	reader->item.feed.at_ns = reader->event.at_ns;
	return scan->bad ? -EINVAL : 0;
}

static int read_machine(struct replay_reader *reader, struct scan *scan)
{
	reader->item.feed.kind = FEED_MACHINE;
	reader->item.feed.machine = &reader->machine;
	reader->item.feed.at_ns = scan_uint(scan);
	char *text = scan_text(scan);
	int r = text ? record_json_read_machine(text, &reader->machine) : -EINVAL;

	free(text);
	return r;
}

static const struct {
	enum entry_kind kind;
	int (*read)(struct replay_reader *reader, struct scan *scan);
} readers[] = {
	{ENTRY_TICK, read_tick},
	{ENTRY_EVENT, read_event},
	{ENTRY_MACHINE, read_machine},
};

/* At the time of what was read before it. */
static int tell_damage(struct replay_reader *reader, uint64_t offset, uint64_t next)
{
	char *text;

	if (!reader->n_damages || offset > reader->told_damage) {
		if (!reader->n_damages++)
			reader->first_damage = offset;
		reader->told_damage = offset;
	}
	if (asprintf(&text, "the recording is damaged at byte %llu: %llu bytes are skipped",
		    (unsigned long long)offset, (unsigned long long)(next - offset)) < 0)
		return -ENOMEM;
	event_finish(&reader->event);
	reader->event = (struct event){.at_ns = reader->item.feed.at_ns,
		.kind = EVENT_WARNING,
		.ring = -1,
		.member = -1,
		.text = text};
	reader->item.feed.kind = FEED_EVENT;
	reader->item.feed.event = &reader->event;
	reader->item.damaged = true;
	return 1;
}

int replay_reader_read(struct replay_reader *reader, const struct replay_entry *entry)
{
	int r = 0;

	reader->item.offset = entry->offset;
	reader->item.damaged = false;
	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++) {
		struct scan scan = entry->payload;

		if (entry->damaged || entry->kind != (uint32_t)readers[i].kind)
			continue;
		uint64_t before_ns = reader->item.feed.at_ns;

		r = readers[i].read(reader, &scan);
		if (r == -EINVAL)
			reader->item.feed.at_ns = before_ns;
		if (r == 0)
			return 1;
	}
	return entry->damaged || r == -EINVAL ? tell_damage(reader, entry->offset, entry->next) : r;
}
