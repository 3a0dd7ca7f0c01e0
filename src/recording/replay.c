/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay.c - reads a recording, which may be hostile: its items in order, and the session at any time. */
#include "src/recording/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/regular_file.h"
#include "src/recording/checkpoint.h"
#include "src/recording/record.h"
#include "src/recording/record_json.h"
#include "src/recording/sweep_codec.h"

/* --- the entries of a file --- */

/* Returns how many bytes are there, up to @n, or a negative errno. */
static ssize_t read_at(const struct replay_file *file, uint64_t offset, void *data, size_t n)
{
	size_t done = 0;

	if (offset > (uint64_t)INT64_MAX - n)
		return 0;
	while (done < n) {
		ssize_t got = pread(file->fd, (char *)data + done, n - done, (off_t)(offset + done));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			break;
		done += (size_t)got;
	}
	return (ssize_t)done;
}

static int read_version(
	const struct replay_file *file, const char *name, uint64_t *first, struct error_text *reason)
{
	char line[RECORD_LINE_MAX] = "";
	unsigned major, minor;
	int length = 0;
	ssize_t n = read_at(file, 0, line, sizeof(line) - 1);

	if (n < 0)
		return error_text_set(reason, (int)n, "can't read %s: %s", name, strerror((int)-n));
	if (sscanf(line, RECORD_LINE "%n", &major, &minor, &length) != 2 || line[length] != '\n')
		return error_text_set(reason, -EINVAL, "%s: not a recording of ipctop", name);
	if (major != RECORD_MAJOR)
		return error_text_set(reason, -EINVAL, "%s: is in format %u.%u; this ipctop reads %d.x", name,
			major, minor, RECORD_MAJOR);
	*first = (uint64_t)length + 1;
	return 0;
}

int replay_file_open(
	struct replay_file *file, int fd, const char *name, uint64_t *first, struct error_text *reason)
{
	*file = (struct replay_file){.fd = fd};
	if (fd < 0)
		return error_text_set(reason, -errno, "can't read %s: %s", name, strerror(errno));
	return read_version(file, name, first, reason);
}

void replay_file_close(struct replay_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file->buffer);
	*file = (struct replay_file){.fd = -1};
}

static bool is_stopped(const struct replay_file *file)
{
	return file->stop && atomic_load(file->stop);
}

/* Stores the offset of the first head from @offset on, or @end if there is none. Returns 0 or a negative
 * errno.
 */
static int find_head(const struct replay_file *file, uint64_t offset, uint64_t end, uint64_t *found)
{
	enum { CHUNK = 65536 };
	uint8_t bytes[ENTRY_HEAD_SIZE];
	struct entry_head head;
	uint8_t *chunk = malloc(CHUNK);
	ssize_t n = chunk ? CHUNK : -ENOMEM, got = 0;

	*found = end;
	for (; n > 0 && got >= 0 && *found == end; offset += (uint64_t)n) {
		got = is_stopped(file) ? -ECANCELED : 0;
		if (got < 0)
			break;
		n = read_at(file, offset, chunk, CHUNK);
		for (ssize_t i = 0; i < n && got >= 0 && *found == end; i++) {
			i += (ssize_t)entry_find(chunk + i, (size_t)(n - i));
			got = i < n ? read_at(file, offset + (uint64_t)i, bytes, sizeof(bytes)) : 0;
			if (got == (ssize_t)sizeof(bytes) && entry_read_head(bytes, &head))
				*found = offset + (uint64_t)i;
		}
	}
	free(chunk);
	return got < 0 ? (int)got : n < 0 ? (int)n : 0;
}

int replay_file_head(const struct replay_file *file, uint64_t offset, struct replay_entry *entry)
{
	uint8_t bytes[ENTRY_HEAD_SIZE];
	struct stat status;
	ssize_t n = read_at(file, offset, bytes, sizeof(bytes));

	*entry = (struct replay_entry){.offset = offset};
	if (is_stopped(file))
		return -ECANCELED;
	if (n != (ssize_t)sizeof(bytes))
		return n < 0 ? (int)n : 0;
	if (fstat(file->fd, &status) < 0)
		return -errno;
	entry->damaged = !entry_read_head(bytes, &entry->head);
	if (entry->damaged) {
		int r = find_head(file, offset + 1, (uint64_t)status.st_size, &entry->next);

		return r < 0 ? r : 1;
	}
	entry->next = offset + sizeof(bytes) + entry->head.length;
	return entry->next <= (uint64_t)status.st_size;
}

/* Reads the entry at @offset. Returns as replay_file_head(). */
static int read_entry(struct replay_file *file, uint64_t offset, struct replay_entry *entry)
{
	int r = replay_file_head(file, offset, entry);
	size_t length = entry->head.length;

	if (r <= 0 || entry->damaged)
		return r;
	if (length >= file->room) { /* also the first, if it has no payload */
		uint8_t *buffer = realloc(file->buffer, length + 1);

		if (!buffer)
			return -ENOMEM;
		file->buffer = buffer;
		file->room = length + 1;
	}
	ssize_t n = read_at(file, offset + ENTRY_HEAD_SIZE, file->buffer, length);

	if (n < (ssize_t)length)
		return n < 0 ? (int)n : 0;
	entry->payload = (struct scan){.at = file->buffer, .end = file->buffer + length};
	entry->damaged = !entry_is_whole(&entry->head, file->buffer);
	return 1;
}

/* --- the checkpoints --- */

/* The longest time that a window or a pane shows, and the bytes that can be read in about 50 ms. */
static const uint64_t seek_back_ns = UINT64_C(240000000000), seek_back_bytes = 4 << 20;

static int add_checkpoint(struct replay_index *index, const struct replay_entry *checkpoint)
{
	if (index->n == index->room) {
		size_t room = index->room ? 2 * index->room : 64;
		struct replay_checkpoint *checkpoints =
			realloc(index->checkpoints, room * sizeof(*checkpoints));

		if (!checkpoints)
			return -ENOMEM;
		index->checkpoints = checkpoints;
		index->room = room;
	}
	index->checkpoints[index->n++] =
		(struct replay_checkpoint){checkpoint->offset, checkpoint->head.at_ns};
	return 0;
}

static int read_end(struct replay_index *index, struct replay_file *file, struct replay_entry *entry)
{
	int r = read_entry(file, entry->offset, entry);

	if (r > 0 && !entry->damaged && !index->ended_by)
		index->ended_by = scan_text(&entry->payload);
	return r;
}

int replay_index_extend(struct replay_index *index, struct replay_file *file)
{
	struct replay_entry entry;
	int r;

	while ((r = replay_file_head(file, index->end_offset, &entry)) > 0) {
		if (!entry.damaged && entry.head.kind == ENTRY_CHECKPOINT)
			r = add_checkpoint(index, &entry);
		else if (!entry.damaged && entry.head.kind == ENTRY_END)
			r = read_end(index, file, &entry);
		else if (!entry.damaged && entry.head.kind == ENTRY_TICK)
			index->end_ns = entry.head.at_ns;
		if (r < 0)
			break;
		index->end_offset = entry.next;
	}
	return r;
}

void replay_index_finish(struct replay_index *index)
{
	free(index->checkpoints);
	free(index->ended_by);
	*index = (struct replay_index){0};
}

/* Estimates the offset of a time between two checkpoints: entries follow one another about evenly. */
static uint64_t offset_of(
	const struct replay_checkpoint *from, const struct replay_checkpoint *to, uint64_t at_ns)
{
	if (at_ns <= from->at_ns)
		return from->offset;
	if (at_ns >= to->at_ns || to->at_ns <= from->at_ns || to->offset <= from->offset)
		return to->offset;
	double part = (double)(at_ns - from->at_ns) / (double)(to->at_ns - from->at_ns);

	return from->offset + (uint64_t)(part * (double)(to->offset - from->offset));
}

/* Returns the number of the checkpoint from which a seek to @at_ns reads; the index must not be empty. That
 * is not always the last one before @at_ns: windows need the ticks of some minutes, but reading them must not
 * take long. */
static size_t find_checkpoint(const struct replay_index *index, uint64_t at_ns)
{
	const struct replay_checkpoint end = {.offset = index->end_offset, .at_ns = index->end_ns};
	const struct replay_checkpoint *checkpoints = index->checkpoints;
	size_t n = index->n - 1;

	while (n > 0 && checkpoints[n].at_ns > at_ns)
		n--;
	uint64_t offset = offset_of(&checkpoints[n], n + 1 < index->n ? &checkpoints[n + 1] : &end, at_ns);

	while (n > 0 && checkpoints[n - 1].at_ns + seek_back_ns >= at_ns &&
		checkpoints[n - 1].offset + seek_back_bytes >= offset)
		n--;
	return n;
}

/* --- opening --- */

static int read_header(struct replay *replay, const char *name, struct error_text *reason)
{
	struct replay_entry entry;
	int r = read_entry(&replay->file, replay->first, &entry);

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
	replay->n_swept_kinds = r == 0 && session.matrix ? matrix_n_kinds(session.matrix) : 0;
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

/* Returns 1 with the replay's item, 0 for an entry that is none, or a negative errno: -EINVAL if the payload
 * is damaged. */
static int decode_item(struct replay *replay, uint32_t kind, struct scan *scan)
{
	struct feed_item *feed = &replay->item.feed;
	int r = 0;

	switch (kind) {
	case ENTRY_TICK:
		feed->kind = FEED_TICK;
		feed->tick = &replay->tick;
		r = tick_decode(&replay->codec, scan, &replay->tick);
		break;
	case ENTRY_EVENT:
		feed->kind = FEED_EVENT;
		feed->event = &replay->event;
		event_finish(&replay->event);
		event_decode(scan, &replay->event);
		r = scan->bad ? -EINVAL : 0;
		break;
	case ENTRY_MACHINE:
		feed->kind = FEED_MACHINE;
		feed->machine = &replay->machine;
		r = record_json_read_machine(scan, &replay->machine);
		break;
	case ENTRY_SPIKE:
		feed->kind = FEED_SPIKE;
		feed->spike = &replay->spike;
		spike_decode(scan, &replay->spike, replay->records);
		r = scan->bad ? -EINVAL : 0;
		break;
	case ENTRY_SWEEP:
		feed->kind = FEED_SWEEP;
		feed->sweep = &replay->sweep;
		sweep_decode(
			scan, replay->n_swept_cpus, replay->n_swept_kinds, &replay->sweep, replay->swept);
		r = scan->bad ? -EINVAL : 0;
		break;
	case ENTRY_RING:
	case ENTRY_RING_END:
		feed->ring = &replay->ring;
		r = read_ring(replay, kind == ENTRY_RING, scan);
		break;
	default:
		return 0;
	}
	return r < 0 ? r : 1;
}

/* Returns 1 with the replay's item, 0 for an entry that is none, or a negative errno. */
static int read_item(struct replay *replay, const struct replay_entry *entry)
{
	struct feed_item *feed = &replay->item.feed;
	struct scan scan = entry->payload;
	uint64_t before_ns = feed->at_ns;

	replay->item.offset = entry->offset;
	replay->item.damaged = false;
	if (entry->damaged)
		return report_damage(replay, entry);
	feed->at_ns = entry->head.at_ns;
	int r = decode_item(replay, entry->head.kind, &scan);

	if (r == 0 || r == -EINVAL)
		feed->at_ns = before_ns;
	return r == -EINVAL ? report_damage(replay, entry) : r;
}

/* A later item is not read: reading changes what is known of the rings. */
int replay_next_up_to(struct replay *replay, uint64_t at_ns)
{
	struct replay_entry entry;
	int r = 0;

	while (r == 0) {
		r = read_entry(&replay->file, replay->offset, &entry);
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
	int r = read_entry(&replay->file, offset, &entry);

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
	for (size_t i = index->n ? find_checkpoint(index, at_ns) + 1 : 0; i > 0; i--) {
		r = go_to_checkpoint(replay, session, index->checkpoints[i - 1].offset);
		if (r == 0 || r == -ENOMEM)
			break;
	}
	return r == -ENOMEM ? r : feed_up_to(replay, session, at_ns);
}
