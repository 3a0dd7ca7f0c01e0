/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay_file.c - reads the entries of a recording at their offsets in the file. */
#include "src/recording/replay_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/recording/record.h"

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

int replay_file_entry(struct replay_file *file, uint64_t offset, struct replay_entry *entry)
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
