/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.c - reads a recording, which may be hostile: its items in order, and the session at any time. */
#include "src/recording/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/recording/checkpoint.h"
#include "src/recording/record.h"
#include "src/recording/replay_file.h"
#include "src/recording/replay_reader.h"

struct replay {
	struct replay_file file;
	char *header; /* owned */
	uint64_t first;
	struct config config;
	struct replay_reader reader;
	struct replay_index index;

	/* Where it stands. */
	uint64_t offset; /* of the next entry */
	uint64_t limit;  /* nothing is read from there on */
	bool again;      /* the reader's item is to be handed out once more */
};

static int read_header(struct replay *replay, const char *path, struct error_text *reason)
{
	struct replay_entry entry;
	int r = replay_file_entry(&replay->file, replay->first, &entry);

	if (r <= 0 || entry.damaged || entry.kind != ENTRY_HEADER)
		return error_text_set(reason, r < 0 ? r : -EINVAL, "%s: its header is damaged (at byte %llu)",
			path, (unsigned long long)replay->first);
	struct scan scan = entry.payload;

	replay->header = scan_text(&scan);
	replay->first = entry.next;
	return replay->header ? 0 : error_text_set(reason, -EINVAL, "%s: its header has no text", path);
}

static int read_rings(struct replay *replay, const char *path, struct error_text *reason)
{
	struct session session;
	int r = record_json_read(replay->header, &session, &replay->config, reason);

	if (r < 0)
		r = error_text_set(reason, r, "%s: %s", path, reason->text);
	else if (replay_reader_init(&replay->reader, &session) < 0)
		r = error_text_set(reason, -ENOMEM, "%s: no memory for its rings", path);
	session_finish(&session);
	return r;
}

/* @fd: its file, or where that is negative @path is opened. */
static int open_recording(struct replay **opened, int fd, const char *path, struct error_text *reason)
{
	struct replay *replay = calloc(1, sizeof(*replay));
	int r;

	if (!replay) {
		if (fd >= 0)
			close(fd);
		return error_text_set(reason, -ENOMEM, "%s: no memory", path);
	}
	replay->file.fd = -1;
	replay->limit = UINT64_MAX;
	r = fd < 0 ? replay_file_open(&replay->file, path, &replay->first, reason)
		   : replay_file_take(&replay->file, fd, path, &replay->first, reason);
	if (r == 0)
		r = read_header(replay, path, reason);
	if (r == 0)
		r = read_rings(replay, path, reason);
	if (r < 0) {
		replay_close(replay);
		return r;
	}
	replay->offset = replay->first;
	*opened = replay;
	return 0;
}

int replay_open(struct replay **opened, const char *path, struct error_text *reason)
{
	int r = open_recording(opened, -1, path, reason);

	if (r < 0)
		return r;
	r = replay_index_extend(&(*opened)->index, &(*opened)->file, (*opened)->first);
	if (r < 0) {
		error_text_set(reason, r, "%s: %s", path, strerror(-r));
		replay_close(*opened);
	}
	return r;
}

int replay_open_fd(struct replay **replay, int fd, const char *name, struct error_text *reason)
{
	return open_recording(replay, fd, name, reason);
}

void replay_close(struct replay *replay)
{
	if (!replay)
		return;
	replay_file_close(&replay->file);
	replay_index_finish(&replay->index);
	replay_reader_finish(&replay->reader);
	free(replay->header);
	free(replay);
}

const char *replay_header(const struct replay *replay)
{
	return replay->header;
}

const struct config *replay_config(const struct replay *replay)
{
	return &replay->config;
}

const char *replay_ended_by(const struct replay *replay)
{
	return replay->index.ended_by;
}

uint64_t replay_end_ns(const struct replay *replay)
{
	return replay->index.end_ns;
}

uint64_t replay_damages(const struct replay *replay, uint64_t *first_offset)
{
	*first_offset = replay->reader.first_damage;
	return replay->reader.n_damages;
}

static void go_to(struct replay *replay, uint64_t offset, uint64_t at_ns)
{
	replay->offset = offset;
	replay->again = false;
	replay_reader_restart(&replay->reader, at_ns);
}

int replay_start(struct replay *replay, struct session *session)
{
	struct error_text reason;

	go_to(replay, replay->first, 0);
	return record_json_read(replay->header, session, &replay->config, &reason);
}

/* --- one item after the other --- */

/* What was cut off behind it, or was still written when the file was opened, has an end all the same. */
static void read_end(struct replay *replay, const struct replay_entry *entry)
{
	struct scan scan = entry->payload;

	if (!replay->index.ended_by)
		replay->index.ended_by = scan_text(&scan);
}

int replay_next(struct replay *replay, struct replay_item *item)
{
	struct replay_entry entry;
	int r = replay->again;

	replay->again = false;
	while (r == 0 && replay->offset < replay->limit) {
		r = replay_file_entry(&replay->file, replay->offset, &entry);
		if (r <= 0)
			return r;
		replay->offset = entry.next;
		if (!entry.damaged && entry.kind == ENTRY_END) {
			read_end(replay, &entry);
			return 0;
		}
		r = replay_reader_read(&replay->reader, &entry);
	}
	if (r > 0)
		*item = replay->reader.item;
	return r;
}

/* --- any time --- */

/* Returns 0 with the session of a checkpoint, or a negative errno with the one of the start. */
static int go_to_checkpoint(struct replay *replay, struct session *session, uint64_t offset)
{
	struct replay_entry entry;
	struct machine machine;
	int r = replay_file_entry(&replay->file, offset, &entry);

	if (r <= 0 || entry.damaged || entry.kind != ENTRY_CHECKPOINT)
		return -EINVAL;
	struct scan scan = entry.payload;
	uint64_t at_ns = scan_uint(&scan);
	char *text = scan_text(&scan);

	r = text ? record_json_read_machine(text, &machine) : -EINVAL;
	free(text);
	if (r == 0)
		r = checkpoint_decode(session, &scan);
	if (r == 0) {
		session->machine = machine;
		go_to(replay, entry.next, at_ns);
		return 0;
	}
	session_finish(session);
	int started = replay_start(replay, session);

	return started < 0 ? started : r;
}

/* All that was told up to then. */
static int read_up_to(struct replay *replay, struct session *session, uint64_t at_ns)
{
	struct replay_item item;
	int r;

	while ((r = replay_next(replay, &item)) > 0) {
		if (item.feed.at_ns > at_ns) {
			replay->again = true;
			return 0;
		}
		r = feed_session(session, &item.feed);
		if (r < 0)
			return r;
	}
	return r;
}

int replay_seek_from(struct replay *replay, struct session *session, const struct replay_place *from,
	uint64_t end_offset, uint64_t at_ns)
{
	int r;

	session_finish(session);
	replay->limit = end_offset;
	r = replay_start(replay, session);
	if (r == 0 && from)
		r = go_to_checkpoint(replay, session, from->offset);
	return r == 0 ? read_up_to(replay, session, at_ns) : r;
}

int replay_seek(struct replay *replay, struct session *session, uint64_t at_ns)
{
	int r;

	session_finish(session);
	r = replay_start(replay, session);
	if (r < 0)
		return r;
	/* Before a damaged one there may be a good one, and before all there is the start. */
	const struct replay_place start = {.offset = replay->first, .at_ns = session->start_ns};

	for (size_t i = replay_index_start(&replay->index, &start, at_ns); i-- > 0;) {
		r = go_to_checkpoint(replay, session, replay->index.places[i].offset);
		if (r == 0 || r == -ENOMEM)
			break;
	}
	return r == -ENOMEM ? r : read_up_to(replay, session, at_ns);
}
