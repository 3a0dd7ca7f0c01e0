/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history.c - the past of the session that is running. */
#include "src/recording/history.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "src/model/feed.h"
#include "src/recording/record.h"
#include "src/recording/replay.h"

struct history {
	/* The writer's. */
	const struct session *session;
	const struct config *config;
	const struct topology *topology;
	struct recorder *memory; /* owned; NULL: the file is read that another recorder writes */

	struct replay replay; /* the reader's */

	pthread_mutex_t lock;      /* guards the following; never held for long */
	struct replay_file file;   /* that the reader reads */
	bool is_new;               /* the reader has not opened it */
	struct replay_index index; /* of the part that is kept */
	uint64_t first_ns;         /* the first tick that is kept; 0: none */
	bool is_read;              /* a seek is reading: nothing may be dropped */
};

/* Reads the entries that are new. Called with the lock. Returns 0 or a negative errno. */
static int extend_index(struct history *history)
{
	if (!history->first_ns)
		history->first_ns = history->session->now_ns;
	return replay_index_extend(&history->index, &history->file);
}

/* Reads this recording from now on, in place of the one before. The result of open(2) becomes the history's.
 * Returns 0 or a negative errno. */
static int begin_file(struct history *history, int fd)
{
	struct replay_file file;
	struct error_text reason;
	uint64_t first;
	int r = replay_file_open(&file, fd, "history", &first, &reason);

	if (r < 0) {
		replay_file_close(&file);
		return r;
	}
	pthread_mutex_lock(&history->lock);
	replay_file_close(&history->file);
	history->file = file;
	history->is_new = true;
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

	if (!history)
		return -ENOMEM;
	history->session = session;
	history->config = config;
	history->topology = topology;
	history->file.fd = history->replay.file.fd = -1;
	pthread_mutex_init(&history->lock, NULL);
	int r = path ? begin_file(history, open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK))
		     : -ENOENT;

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

	while (n + 1 < index->n && index->end_offset - index->places[n].offset > HISTORY_BYTES)
		n++;
	if (n == 0)
		return;
	uint64_t from = index->places[0].offset;

	index->n -= n;
	for (size_t i = 0; i < index->n; i++)
		index->places[i] = index->places[i + n];
	history->first_ns = index->places[0].at_ns;
	/* If it fails, more is kept. */
	fallocate(history->file.fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
		(off_t)(index->places[0].offset - from));
}

void history_feed(struct history *history, const struct feed_item *item, bool is_recorded)
{
	if (!history)
		return;
	int r = history->memory ? record_feed(history->memory, item) : is_recorded ? 0 : -EIO;

	if (r == 0) {
		pthread_mutex_lock(&history->lock);
		r = extend_index(history);
		if (r == 0 && history->memory && !history->is_read)
			drop_oldest(history);
		pthread_mutex_unlock(&history->lock);
	}
	if (r < 0)
		begin_memory(history);
}

int history_seek(struct history *history, struct session *session, uint64_t *at_ns)
{
	struct replay_index index;
	struct error_text reason;
	int opened = 0;

	if (!history)
		return -ENOENT;
	pthread_mutex_lock(&history->lock);
	bool is_new = history->is_new;
	int fd = is_new ? fcntl(history->file.fd, F_DUPFD_CLOEXEC, 0) : -1;
	int r = replay_index_copy(&index, &history->index);

	if (*at_ns < history->first_ns)
		*at_ns = history->first_ns;
	history->is_new = false;
	history->is_read = true;
	pthread_mutex_unlock(&history->lock);
	if (is_new) {
		replay_close(&history->replay);
		opened = replay_open_fd(&history->replay, fd, "history", &reason);
		r = r < 0 ? r : opened;
	}
	replay_index_finish(&history->replay.index);
	history->replay.index = index;
	if (r == 0)
		r = replay_seek(&history->replay, session, *at_ns);
	pthread_mutex_lock(&history->lock);
	history->is_new |= opened < 0;
	history->is_read = false;
	pthread_mutex_unlock(&history->lock);
	return r;
}
