/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay_file.c - reads the entries of a recording at their places in the file. */
#include "src/recording/replay_file.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/recording/record.h"
#include "src/recording/tick_codec.h"

/* What the longest window and the seconds show, and what is read in some 50 ms. */
static const uint64_t seek_back_ns = UINT64_C(240000000000), seek_back_bytes = 4 << 20;

/* Returns how many bytes are there, up to @n, or a negative errno. */
static ssize_t read_at(const struct replay_file *file, uint64_t offset, void *data, size_t n)
{
	size_t done = 0;

	if (offset > INT64_MAX - n)
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
	const struct replay_file *file, const char *path, uint64_t *first, struct error_text *reason)
{
	char line[RECORD_LINE_MAX] = "", again[RECORD_LINE_MAX + 24];
	unsigned major, minor;
	ssize_t n = read_at(file, 0, line, sizeof(line) - 1);
	char *end = strchr(line, '\n');

	if (n < 0)
		return error_text_set(reason, (int)n, "can't read %s: %s", path, strerror((int)-n));
	if (end)
		end[1] = '\0';
	if (!end || sscanf(line, RECORD_LINE, &major, &minor) != 2 ||
		snprintf(again, sizeof(again), RECORD_LINE, major, minor) != (int)strlen(line))
		return error_text_set(reason, -EINVAL, "%s: is no recording of ipctop", path);
	if (major != RECORD_MAJOR)
		return error_text_set(reason, -EINVAL, "%s: is in format %u.%u; this ipctop reads %d.x", path,
			major, minor, RECORD_MAJOR);
	*first = strlen(line);
	return 0;
}

int replay_file_open(struct replay_file *file, const char *path, uint64_t *first, struct error_text *reason)
{
	return replay_file_take(
		file, open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), path, first, reason);
}

int replay_file_take(
	struct replay_file *file, int fd, const char *path, uint64_t *first, struct error_text *reason)
{
	struct stat status;

	*file = (struct replay_file){.fd = fd};
	if (file->fd < 0 || fstat(file->fd, &status) < 0)
		return error_text_set(reason, -errno, "can't read %s: %s", path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return error_text_set(reason, -EINVAL, "%s: is no regular file", path);
	return read_version(file, path, first, reason);
}

void replay_file_close(struct replay_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file->buffer);
	*file = (struct replay_file){.fd = -1};
}

static int make_room(struct replay_file *file, size_t n)
{
	if (file->buffer && n <= file->room)
		return 0;
	uint8_t *buffer = realloc(file->buffer, n ? n : 1);

	if (!buffer)
		return -ENOMEM;
	file->buffer = buffer;
	file->room = n;
	return 0;
}

/* The head at or after @offset: returns 1 with its place, 0 where there is none. */
static int find_head(struct replay_file *file, uint64_t offset, uint64_t *place)
{
	enum { CHUNK = 65536 };
	uint8_t bytes[ENTRY_HEAD_SIZE];
	struct entry_head head;
	uint8_t *chunk = malloc(CHUNK);
	ssize_t n = chunk ? CHUNK : -ENOMEM, got = 0;
	bool found = false;

	for (; n > 0 && got >= 0 && !found; offset += (uint64_t)n) {
		n = read_at(file, offset, chunk, CHUNK);
		for (ssize_t i = 0; i < n && got >= 0 && !found; i++) {
			i += (ssize_t)entry_find(chunk + i, (size_t)(n - i));
			*place = offset + (uint64_t)i;
			got = i < n ? read_at(file, *place, bytes, sizeof(bytes)) : 0;
			found = got == (ssize_t)sizeof(bytes) && entry_read_head(bytes, &head);
		}
	}
	free(chunk);
	return found ? 1 : got < 0 ? (int)got : (int)n;
}

/* From the head at @offset on. Returns 1, 0 where the file ends before the head does, or a negative errno. */
static int read_head(
	struct replay_file *file, uint64_t offset, struct entry_head *head, struct replay_entry *entry)
{
	uint8_t bytes[ENTRY_HEAD_SIZE];
	ssize_t n = read_at(file, offset, bytes, sizeof(bytes));

	*entry = (struct replay_entry){.offset = offset};
	if (n != (ssize_t)sizeof(bytes))
		return n < 0 ? (int)n : 0;
	if (entry_read_head(bytes, head)) {
		entry->kind = head->kind;
		entry->next = offset + sizeof(bytes) + head->length;
		return 1;
	}
	int r = find_head(file, offset + 1, &entry->next);

	entry->damaged = true;
	if (r == 0) { /* nothing good follows */
		off_t end = lseek(file->fd, 0, SEEK_END);

		entry->next = end < 0 ? offset + sizeof(bytes) : (uint64_t)end;
	}
	return r < 0 ? r : 1;
}

int replay_file_entry(struct replay_file *file, uint64_t offset, struct replay_entry *entry)
{
	struct entry_head head = {0};
	struct stat status;
	int r = read_head(file, offset, &head, entry);

	if (r <= 0 || entry->damaged)
		return r;
	/* What is claimed is asked for only where it is there. */
	if (fstat(file->fd, &status) < 0)
		return -errno;
	if (entry->next > (uint64_t)status.st_size)
		return 0;
	r = make_room(file, head.length);
	ssize_t n = r < 0 ? r : read_at(file, offset + ENTRY_HEAD_SIZE, file->buffer, head.length);

	if (n < (ssize_t)head.length)
		return n < 0 ? (int)n : 0;
	entry->payload = (struct scan){.at = file->buffer, .end = file->buffer + head.length};
	entry->damaged = !entry_is_whole(&head, file->buffer);
	return 1;
}

/* --- the index --- */

int replay_index_add(struct replay_index *index, uint64_t offset, uint64_t at_ns)
{
	if (index->n == index->room) {
		size_t room = index->room ? 2 * index->room : 64;
		struct replay_place *places = realloc(index->places, room * sizeof(*places));

		if (!places)
			return -ENOMEM;
		index->places = places;
		index->room = room;
	}
	index->places[index->n++] = (struct replay_place){.offset = offset, .at_ns = at_ns};
	return 0;
}

void replay_index_finish(struct replay_index *index)
{
	free(index->places);
	free(index->ended_by);
	*index = (struct replay_index){0};
}

static int read_end(struct replay_index *index, struct scan *scan)
{
	uint64_t offset = 0, at_ns = 0;
	int r = 0;

	index->ended_by = scan_text(scan);
	scan_uint(scan); /* the number of ticks */
	uint64_t n = scan_below(scan, (uint64_t)(scan->end - scan->at) + 1);

	for (uint64_t i = 0; i < n && r == 0; i++) {
		offset += scan_uint(scan);
		scan_uint(scan); /* ticks */
		at_ns += scan_uint(scan);
		r = scan->bad ? -EINVAL : replay_index_add(index, offset, at_ns);
	}
	index->end_ns = scan_uint(scan);
	return r == 0 && (scan->bad || !index->ended_by) ? -EINVAL : r;
}

/* Returns 1 where the file has an end that is whole, 0 where not, or -ENOMEM. */
static int read_from_end(struct replay_index *index, struct replay_file *file)
{
	struct replay_entry entry;
	uint64_t trailer[2];
	off_t end = lseek(file->fd, 0, SEEK_END);

	if (end < (off_t)sizeof(trailer) ||
		read_at(file, (uint64_t)end - sizeof(trailer), trailer, sizeof(trailer)) !=
			(ssize_t)sizeof(trailer) ||
		le64toh(trailer[0]) != RECORD_TRAILER)
		return 0;
	int r = replay_file_entry(file, le64toh(trailer[1]), &entry);

	if (r <= 0 || entry.damaged || entry.kind != ENTRY_END)
		return r == -ENOMEM ? r : 0;
	r = read_end(index, &entry.payload);
	if (r == -EINVAL) {
		replay_index_finish(index);
		return 0;
	}
	return r < 0 ? r : 1;
}

/* The heads of entries alone, but for the first bytes of checkpoints and ticks. */
static int read_all_heads(struct replay_index *index, struct replay_file *file, uint64_t offset)
{
	struct replay_entry entry;
	struct entry_head head;
	int r;

	while ((r = read_head(file, offset, &head, &entry)) > 0) {
		bool is_place = entry.kind == ENTRY_CHECKPOINT;
		uint8_t bytes[30];
		ssize_t n = 0;

		if (!entry.damaged && (is_place || entry.kind == ENTRY_TICK))
			n = read_at(file, offset + ENTRY_HEAD_SIZE, bytes, sizeof(bytes));
		struct scan scan = {.at = bytes, .end = bytes + (n > 0 ? n : 0)};

		if (n > 0 && is_place && (r = replay_index_add(index, offset, scan_uint(&scan))) < 0)
			return r;
		if (n > 0 && !is_place)
			index->end_ns = tick_peek_end(scan);
		offset = entry.next;
	}
	return r;
}

int replay_index_extend(struct replay_index *index, struct replay_file *file, uint64_t first)
{
	int r;

	*index = (struct replay_index){0};
	r = read_from_end(index, file);
	index->end_offset = (uint64_t)lseek(file->fd, 0, SEEK_END);
	if (r == 0)
		r = read_all_heads(index, file, first);
	return r < 0 ? r : 0;
}

/* Frames follow one another about evenly. */
static uint64_t offset_of(const struct replay_place *from, const struct replay_place *to, uint64_t at_ns)
{
	if (at_ns <= from->at_ns)
		return from->offset;
	if (at_ns >= to->at_ns || to->at_ns <= from->at_ns || to->offset <= from->offset)
		return to->offset;
	double part = (double)(at_ns - from->at_ns) / (double)(to->at_ns - from->at_ns);

	return from->offset + (uint64_t)(part * (double)(to->offset - from->offset));
}

size_t replay_index_start(const struct replay_index *index, const struct replay_place *start, uint64_t at_ns)
{
	const struct replay_place end = {.offset = index->end_offset, .at_ns = index->end_ns};
	size_t n = index->n;

	while (n > 0 && index->places[n - 1].at_ns > at_ns)
		n--;
	const struct replay_place *nearest = n ? &index->places[n - 1] : start;
	uint64_t offset = offset_of(nearest, n < index->n ? &index->places[n] : &end, at_ns);

	for (; n > 0; n--) {
		const struct replay_place *before = n > 1 ? &index->places[n - 2] : start;

		if (before->at_ns + seek_back_ns < at_ns || before->offset + seek_back_bytes < offset)
			break;
	}
	return n;
}
