/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay_reader.c - one frame of a recording after the other, each as what it says. */
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
	free(reader->text);
	*reader = (struct replay_reader){0};
}

void replay_reader_restart(struct replay_reader *reader, uint64_t at_ns)
{
	reader->item = (struct replay_item){.feed.at_ns = at_ns};
	tick_codec_restart(&reader->codec);
}

static int take_text(struct replay_reader *reader, char *text)
{
	free(reader->text);
	reader->text = text;
	reader->event.text = text;
	return text ? 0 : -EINVAL;
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
	struct event *event = &reader->event;

	reader->item.feed.kind = FEED_EVENT;
	reader->item.feed.event = event;
	reader->item.feed.at_ns = event->at_ns = scan_uint(scan);
	event->kind = (enum event_kind)scan_below(scan, EVENT_MARK + 1);
	event->ring = (int64_t)scan_below(scan, reader->codec.n_rings + 1) - 1;
	int r = take_text(reader, scan_text(scan));

	return scan->bad ? -EINVAL : r;
}

static int read_machine(struct replay_reader *reader, struct scan *scan)
{
	reader->item.feed.kind = FEED_MACHINE;
	reader->item.feed.machine = &reader->machine;
	reader->item.feed.at_ns = scan_uint(scan);
	int r = take_text(reader, scan_text(scan));

	return r == 0 ? record_json_read_machine(reader->text, &reader->machine) : r;
}

static int read_mark(struct replay_reader *reader, struct scan *scan)
{
	reader->item.feed.kind = FEED_MARK;
	reader->item.feed.at_ns = scan_uint(scan);
	take_text(reader, scan_text(scan));
	reader->item.feed.name = reader->text;
	return scan->bad ? -EINVAL : 0;
}

static int read_breach(struct replay_reader *reader, struct scan *scan)
{
	struct breach *breach = &reader->breach;

	reader->item.feed.kind = FEED_BREACH;
	reader->item.feed.breach = breach;
	breach_decode(scan, reader->codec.n_rings, breach);
	reader->item.feed.at_ns = breach->at_ns;
	return scan->bad ? -EINVAL : 0;
}

static const struct {
	enum frame_kind kind;
	int (*read)(struct replay_reader *reader, struct scan *scan);
} readers[] = {
	{FRAME_TICK, read_tick},
	{FRAME_EVENT, read_event},
	{FRAME_MACHINE, read_machine},
	{FRAME_MARK, read_mark},
	{FRAME_BREACH, read_breach},
};

/* At the time of what was read before it. */
static int tell_damage(struct replay_reader *reader, uint64_t offset, uint64_t next)
{
	struct event *event = &reader->event;
	char *text;

	if (!reader->n_damages || offset > reader->told_damage) {
		if (!reader->n_damages++)
			reader->first_damage = offset;
		reader->told_damage = offset;
	}
	if (asprintf(&text, "the recording is damaged at byte %llu: %llu bytes are skipped",
		    (unsigned long long)offset, (unsigned long long)(next - offset)) < 0)
		return -ENOMEM;
	take_text(reader, text);
	reader->item.feed.kind = FEED_EVENT;
	reader->item.feed.event = event;
	reader->item.damaged = true;
	event->kind = EVENT_WARNING;
	event->at_ns = reader->item.feed.at_ns;
	event->ring = -1;
	return 1;
}

int replay_reader_read(struct replay_reader *reader, const struct replay_frame *frame)
{
	int r = 0;

	reader->item.offset = frame->offset;
	reader->item.damaged = false;
	for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++) {
		struct scan scan = frame->payload;

		if (frame->damaged || frame->kind != (uint32_t)readers[i].kind)
			continue;
		uint64_t before_ns = reader->item.feed.at_ns;

		r = readers[i].read(reader, &scan);
		if (r == -EINVAL)
			reader->item.feed.at_ns = before_ns;
		if (r == 0)
			return 1;
	}
	return frame->damaged || r == -EINVAL ? tell_damage(reader, frame->offset, frame->next) : r;
}
