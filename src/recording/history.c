/* SPDX-License-Identifier: GPL-2.0-or-later */
/* history.c - the past of the session that is running. */
#include "src/recording/history.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/model/feed.h"
#include "src/recording/record.h"
#include "src/recording/replay.h"
#include "src/recording/replay_file.h"

struct history {
	/* The writer's. */
	const struct session *session;
	const struct config *config;
	const struct topology *topology;
	const struct recorder *file; /* NULL: there is none, or it is not used */
	struct recorder *memory;     /* owned; NULL: @file writes */
	uint64_t n_checkpoints;      /* that are known of */

	/* The reader's own. */
	struct replay *replay;
	unsigned replay_version; /* 0: there is none */

	pthread_mutex_t lock; /* guards what follows; never held for long */
	int fd;               /* what is read */
	unsigned version;     /* counts the files that there were */
	bool bounded;         /* then it begins with a checkpoint */
	struct replay_index index;
	uint64_t first_offset, first_ns; /* what is kept */
	uint64_t reading_from;           /* nothing from there on may go now */
};

/* What was kept until then is kept no longer. Returns 0 or a negative errno. */
static int begin(struct history *history, int fd, bool bounded)
{
	if (fd < 0)
		return -errno;
	pthread_mutex_lock(&history->lock);
	if (history->fd >= 0)
		close(history->fd);
	history->fd = fd;
	history->version++;
	history->bounded = bounded;
	replay_index_finish(&history->index);
	history->first_ns = 0;
	pthread_mutex_unlock(&history->lock);
	history->n_checkpoints = 0;
	return 0;
}

/* Takes what has been written since. Returns 0, or a negative errno where nothing is written any more. */
static int look(struct history *history, const struct recorder *recorder)
{
	struct record_place place;
	uint64_t now_ns = history->session->now_ns;
	int r = record_place(recorder, &place);

	if (r < 0)
		return r;
	pthread_mutex_lock(&history->lock);
	if (!history->first_offset || history->index.end_offset < history->first_offset)
		history->first_offset = place.first_offset;
	if (place.n_checkpoints > history->n_checkpoints)
		replay_index_add(&history->index, place.checkpoint_offset, place.checkpoint_ns);
	if (!history->first_ns)
		history->first_ns = now_ns;
	history->index.end_offset = place.end_offset;
	history->index.end_ns = now_ns;
	pthread_mutex_unlock(&history->lock);
	history->n_checkpoints = place.n_checkpoints;
	return 0;
}

static int remember(struct history *history)
{
	struct error_text reason;

	record_finish(history->memory, "", &reason);
	history->memory = NULL;
	history->file = NULL;
	int fd = memfd_create("ipctop-history", MFD_CLOEXEC);
	int r = begin(history, fd, true);
	int written = r < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0);

	/* The reader shares its place in the file. */
	if (r < 0 || written < 0 || fcntl(written, F_SETFL, O_APPEND) < 0)
		return r < 0 ? r : -errno;
	r = record_start_memory(
		&history->memory, written, history->session, history->config, history->topology, &reason);
	return r < 0 ? r : look(history, history->memory);
}

/* Also one that is a pipe, or that is written and may not be read. */
static int open_recorded(const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);

	if (fd >= 0 && (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	return fd;
}

int history_create(struct history **created, const struct recorder *file, const struct session *session,
	const struct config *config, const struct topology *topology)
{
	struct history *history = calloc(1, sizeof(*history));

	if (!history)
		return -ENOMEM;
	history->session = session;
	history->file = file;
	history->config = config;
	history->topology = topology;
	history->fd = -1;
	history->reading_from = UINT64_MAX;
	pthread_mutex_init(&history->lock, NULL);
	int r = file ? begin(history, open_recorded(record_path(file)), false) : -ENOENT;

	if (r < 0)
		r = remember(history);
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
	replay_close(history->replay);
	replay_index_finish(&history->index);
	if (history->fd >= 0)
		close(history->fd);
	pthread_mutex_destroy(&history->lock);
	free(history);
}

/* Lets the oldest go: what was written before a checkpoint, until what follows is not too much. */
static void bound(struct history *history)
{
	struct replay_index *index = &history->index;
	uint64_t from = history->first_offset;
	size_t n = 0;

	pthread_mutex_lock(&history->lock);
	while (n + 1 < index->n && index->end_offset - index->places[n].offset > HISTORY_BYTES &&
		index->places[n + 1].offset <= history->reading_from)
		n++;
	if (n) {
		index->n -= n;
		memmove(index->places, index->places + n, index->n * sizeof(*index->places));
		history->first_offset = index->places[0].offset;
		history->first_ns = index->places[0].at_ns;
	}
	uint64_t to = history->first_offset;

	pthread_mutex_unlock(&history->lock);
	if (to > from) /* where it fails, more is kept */
		fallocate(history->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from,
			(off_t)(to - from));
}

void history_feed(struct history *history, const struct feed_item *item)
{
	if (!history)
		return;
	if (record_feed(history->memory, item) < 0 || (!history->memory && !history->file) ||
		look(history, history->memory ? history->memory : history->file) < 0)
		remember(history);
	if (history->memory)
		bound(history);
}

/* --- the reader --- */

/* Where a seek begins, and what it may read. */
struct part {
	int fd; /* a descriptor of its own where there is a new file, or -1 */
	unsigned version;
	bool from_start;
	struct replay_place from;
	uint64_t end_offset;
};

static int choose(struct history *history, uint64_t *at_ns, struct part *part)
{
	pthread_mutex_lock(&history->lock);
	const struct replay_index *index = &history->index;
	const struct replay_place start = {.offset = history->first_offset, .at_ns = history->first_ns};
	int r = index->end_offset ? 0 : -ENOENT;

	*part = (struct part){.fd = -1, .version = history->version, .end_offset = index->end_offset};
	if (r == 0 && history->replay_version != history->version) {
		part->fd = fcntl(history->fd, F_DUPFD_CLOEXEC, 0);
		r = part->fd < 0 ? -errno : 0;
	}
	if (r == 0) {
		*at_ns = *at_ns > history->first_ns ? *at_ns : history->first_ns;
		size_t n = replay_index_start(index, &start, *at_ns);

		if (n == 0 && history->bounded)
			n = index->n > 0;
		part->from_start = n == 0;
		if (n)
			part->from = index->places[n - 1];
		history->reading_from = n ? part->from.offset : history->first_offset;
	}
	pthread_mutex_unlock(&history->lock);
	return r;
}

int history_seek(struct history *history, struct session *session, uint64_t *at_ns)
{
	struct error_text reason;
	struct part part;
	int r = history ? choose(history, at_ns, &part) : -ENOENT;

	if (r == 0 && part.fd >= 0) {
		replay_close(history->replay);
		history->replay = NULL;
		r = replay_open_fd(&history->replay, part.fd, "history", &reason);
		history->replay_version = r == 0 ? part.version : 0;
	}
	if (r == 0)
		r = replay_seek_from(history->replay, session, part.from_start ? NULL : &part.from,
			part.end_offset, *at_ns);
	if (history) {
		pthread_mutex_lock(&history->lock);
		history->reading_from = UINT64_MAX;
		pthread_mutex_unlock(&history->lock);
	}
	return r;
}
