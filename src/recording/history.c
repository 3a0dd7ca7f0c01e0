/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history.c - the past of the session that is running. */
#include "src/recording/history.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/base/regular_file.h"
#include "src/base/whole_file.h"
#include "src/model/feed.h"
#include "src/recording/phase_reader.h"
#include "src/recording/record.h"
#include "src/recording/replay.h"

struct history {
	/* The writer's. */
	const struct session *session;
	const struct config *config;
	const struct topology *topology;
	struct recording *memory; /* owned; NULL: the file of --record is read */
	uint64_t header_end;      /* offset of what follows the header in the file that is read */

	/* Each of one reader. */
	struct replay replay; /* of the file @replay_file */
	struct phase_reader phases;
	unsigned replay_file, phases_file;

	pthread_mutex_t lock;      /* guards the following; never held for long */
	struct replay_file file;   /* that is read */
	unsigned n_files;          /* its number; the first one is 1 */
	struct replay_index index; /* of the part that is kept */
	uint64_t first_ns;         /* the first tick that is kept; 0: none */
	unsigned n_readers;        /* that are reading: nothing may be dropped */
};

/* Reads the entries that are new. Called with the lock. Returns 0 or a negative errno. */
static int extend_index(struct history *history)
{
	if (!history->first_ns)
		history->first_ns = history->session->now_ns;
	return replay_index_extend(&history->index, &history->file);
}

/* Reads this recording from now on, in place of the one before. The descriptor becomes the history's.
 * Returns 0 or a negative errno. */
static int begin_file(struct history *history, int fd)
{
	struct replay_entry header;
	struct replay_file file;
	struct error_text reason;
	uint64_t first;
	int r = replay_file_open(&file, fd, "history", &first, &reason);

	if (r == 0)
		r = replay_file_head(&file, first, &header);
	if (r <= 0) {
		replay_file_close(&file);
		return r < 0 ? r : -ENODATA;
	}
	pthread_mutex_lock(&history->lock);
	replay_file_close(&history->file);
	history->file = file;
	history->n_files++;
	history->header_end = header.next;
	history->first_ns = 0;
	replay_index_finish(&history->index);
	history->index.end_offset = first;
	r = extend_index(history);
	pthread_mutex_unlock(&history->lock);
	return r;
}

/* Begins a recording in memory. Reader and writer have a descriptor each. Returns 0 or a negative errno. */
static int begin_memory(struct history *history)
{
	struct error_text reason;

	record_finish(history->memory, "", &reason);
	history->memory = NULL;
	int fd = memfd_create("ipctop-history", MFD_CLOEXEC);
	int written = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	int r = written < 0 ? -errno
			    : record_start_memory(&history->memory, written, history->session,
				      history->config, history->topology, &reason);

	if (r == 0)
		return begin_file(history, fd);
	close(fd);
	return r;
}

int history_create(struct history **created, const char *path, const struct session *session,
	const struct config *config, const struct topology *topology)
{
	struct history *history = calloc(1, sizeof(*history));
	struct error_text reason;

	if (!history)
		return -ENOMEM;
	history->session = session;
	history->config = config;
	history->topology = topology;
	history->file.fd = history->replay.file.fd = history->phases.replay.file.fd = -1;
	pthread_mutex_init(&history->lock, NULL);
	int fd = path ? regular_file_open(path, &reason) : -ENOENT;
	int r = fd >= 0 ? begin_file(history, fd) : fd;

	if (r < 0)
		r = begin_memory(history);
	if (r < 0) {
		history_destroy(history);
		return r;
	}
	*created = history;
	return 0;
}

void history_destroy(struct history *history)
{
	struct error_text reason;

	if (!history)
		return;
	record_finish(history->memory, "", &reason);
	replay_close(&history->replay);
	phase_reader_close(&history->phases);
	replay_index_finish(&history->index);
	replay_file_close(&history->file);
	pthread_mutex_destroy(&history->lock);
	free(history);
}

/* Drops the oldest checkpoints, with what follows them, while the rest is more than is kept. Called with the
 * lock. */
static void drop_oldest(struct history *history)
{
	struct replay_index *index = &history->index;
	size_t n = 0;

	while (n + 1 < index->n && index->end_offset - index->checkpoints[n].offset > HISTORY_BYTES)
		n++;
	if (n == 0)
		return;
	uint64_t from = index->checkpoints[0].offset;

	index->n -= n;
	for (size_t i = 0; i < index->n; i++)
		index->checkpoints[i] = index->checkpoints[i + n];
	history->first_ns = index->checkpoints[0].at_ns;
	/* If it fails, more is kept. */
	fallocate(history->file.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
		(off_t)(index->checkpoints[0].offset - from));
}

void history_feed(struct history *history, const struct feed_item *item, bool is_recorded)
{
	if (!history)
		return;
	int r = history->memory ? record_feed(history->memory, item) : is_recorded ? 0 : -EIO;

	if (r == 0) {
		pthread_mutex_lock(&history->lock);
		r = extend_index(history);
		if (r == 0 && history->memory && !history->n_readers)
			drop_oldest(history);
		pthread_mutex_unlock(&history->lock);
	}
	if (r < 0)
		begin_memory(history);
}

/* Copies bytes of the file that is read. Returns 0 or a negative errno; errors of @out are in its state. */
static int copy_bytes(const struct history *history, uint64_t from, uint64_t until, FILE *out)
{
	char buffer[1 << 16];

	while (from < until) {
		size_t n = until - from < sizeof(buffer) ? (size_t)(until - from) : sizeof(buffer);
		ssize_t read = pread(history->file.fd, buffer, n, (off_t)from);

		if (read < 0 && errno == EINTR)
			continue;
		if (read <= 0)
			return read < 0 ? -errno : -EIO;
		fwrite(buffer, 1, (size_t)read, out);
		from += (uint64_t)read;
	}
	return 0;
}

static int save_to(const struct history *history, FILE *out)
{
	const struct replay_index *index = &history->index;
	struct bytes end = {0};
	int r = index->n ? 0 : -ENODATA;

	if (r == 0)
		r = copy_bytes(history, 0, history->header_end, out);
	if (r == 0)
		r = copy_bytes(history, index->checkpoints[0].offset, index->end_offset, out);
	record_encode_end(&end, history->session, "saved");
	if (r == 0)
		r = end.failed ? -ENOMEM : 0;
	if (r == 0)
		fwrite(end.data, 1, end.n, out);
	bytes_finish(&end);
	return r;
}

/* The writer of the history alone changes the file and the index. */
int history_save(struct history *history, const char *path, struct error_text *reason)
{
	struct whole_file file;
	int r = whole_file_open(&file, path, reason);

	if (r < 0)
		return r;
	r = save_to(history, file.out);
	if (r == 0)
		return whole_file_close(&file, reason);
	whole_file_abandon(&file);
	return error_text_set(reason, r, "%s: the past of this run can't be read: %s", path, strerror(-r));
}

/* Makes a copy without ended_by. Returns 0, or -ENOMEM with an empty copy. */
static int copy_index(struct replay_index *copy, const struct replay_index *index)
{
	*copy = *index;
	copy->ended_by = NULL;
	copy->room = index->n;
	copy->checkpoints = calloc(index->n + 1, sizeof(*copy->checkpoints));
	if (!copy->checkpoints) {
		*copy = (struct replay_index){0};
		return -ENOMEM;
	}
	for (size_t i = 0; i < index->n; i++)
		copy->checkpoints[i] = index->checkpoints[i];
	return 0;
}

/* Opens what is kept now, unless the reader has it: @opened is the number of the file that it has. Nothing is
 * dropped until end_reading(). Returns 0 or a negative errno. */
static int begin_reading(struct history *history, struct replay *replay, unsigned *opened, uint64_t *first_ns)
{
	struct replay_index index;
	struct error_text reason;

	pthread_mutex_lock(&history->lock);
	unsigned file = history->n_files;
	int fd = file == *opened ? -1 : fcntl(history->file.fd, F_DUPFD_CLOEXEC, 0);
	int r = copy_index(&index, &history->index);

	*first_ns = history->first_ns;
	history->n_readers++;
	pthread_mutex_unlock(&history->lock);
	if (file != *opened) {
		replay_close(replay);
		int opens = replay_open_fd(replay, fd, "history", &reason);

		*opened = opens == 0 ? file : 0;
		r = r < 0 ? r : opens;
	}
	replay_index_finish(&replay->index);
	replay->index = index;
	return r;
}

static void end_reading(struct history *history)
{
	pthread_mutex_lock(&history->lock);
	history->n_readers--;
	pthread_mutex_unlock(&history->lock);
}

uint64_t history_first_ns(struct history *history)
{
	if (!history)
		return 0;
	pthread_mutex_lock(&history->lock);
	uint64_t first_ns = history->first_ns;

	pthread_mutex_unlock(&history->lock);
	return first_ns;
}

int history_seek(struct history *history, struct session *session, uint64_t *at_ns)
{
	uint64_t first_ns;

	if (!history)
		return -ENOENT;
	int r = begin_reading(history, &history->replay, &history->replay_file, &first_ns);

	if (*at_ns < first_ns)
		*at_ns = first_ns;
	if (r == 0)
		r = replay_seek(&history->replay, session, *at_ns);
	end_reading(history);
	return r;
}

/* A phase that goes on is read once: the past does not play. */
static int read_phase(
	void *data, const struct phase *wanted, bool goes_on, const atomic_bool *stop, struct phase *read)
{
	struct history *history = data;
	uint64_t first_ns;
	int r = phase_reader_find(&history->phases, wanted, read);

	if (r != -ENOENT)
		return r;
	r = begin_reading(history, &history->phases.replay, &history->phases_file, &first_ns);
	if (r == 0)
		r = phase_reader_read(&history->phases, wanted, false, stop, read);
	end_reading(history);
	return r;
}

struct phase_source history_phases(struct history *history)
{
	return (struct phase_source){history ? read_phase : NULL, history};
}
