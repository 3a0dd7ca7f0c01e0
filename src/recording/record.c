/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record.c - writes a recording: a line, then entries, with one write(2) for each tick. */
#include "src/recording/record.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/whole_file.h"
#include "src/model/feed.h"
#include "src/recording/checkpoint.h"
#include "src/recording/entry.h"
#include "src/recording/record_json.h"
#include "src/recording/tick_codec.h"

/* A tick that leaves nothing out mends what a damaged one has broken; a checkpoint bounds what a seek has to
 * read: its ticks, and their bytes. */
enum {
	WHOLE_EVERY = 64,
	CHECKPOINT_EVERY = 256,
	CHECKPOINT_BYTES = 4 << 20, /* or as many as the one before took */
	CHECKPOINT_PHASES_BYTES = 32 << 20,
	MEMORY_CHECKPOINT_BYTES = 1 << 20,
	MEMORY_PHASES_BYTES = 2 << 20,
};

struct recorder {
	const struct session *session; /* the caller's */
	char *path;                    /* owned */
	int fd;
	size_t checkpoint_every, phases_max; /* bytes */
	uint64_t first_offset;
	struct tick_codec codec;
	struct bytes pending; /* not written yet */
	struct bytes index;   /* a checkpoint each: steps of place, tick and time */
	uint64_t offset;      /* of what is pending */
	uint64_t n_ticks, n_checkpoints, end_ns;
	uint64_t checkpoint_offset, checkpoint_tick, checkpoint_ns, checkpoint_bytes; /* of the last one */
	int error; /* nothing is written any more */
	bool told; /* by record_feed() */
	struct error_text reason;
};

/* A recording is written in place: another owner of the file could read and change it meanwhile. */
static int check_owner(const char *path, const struct stat *status, struct error_text *reason)
{
	if (!S_ISREG(status->st_mode) || status->st_uid == geteuid())
		return 0;
	return error_text_set(reason, -EPERM,
		"can't record to %s: the file is another user's (uid %u): remove it, or name another", path,
		(unsigned)status->st_uid);
}

int record_check(const char *path, struct error_text *reason)
{
	struct stat status;
	int r = 0;

	if (strcmp(path, "-") == 0)
		return error_text_set(reason, -EINVAL, "--record -: a recording needs a file");
	if (stat(path, &status) == 0)
		r = check_owner(path, &status, reason);
	return r < 0 ? r : whole_file_check(path, reason);
}

/* Checks the owner before it empties the file. Returns a descriptor, or a negative errno with its reason. */
static int open_file(const char *path, struct error_text *reason)
{
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	struct stat status;
	int r = whole_file_check_link(path, reason);

	if (r < 0)
		return r;
	int fd = open(path, flags | O_EXCL, 0666);

	if (fd >= 0)
		return fd;
	if (errno == EEXIST)
		fd = open(path, flags, 0666);
	if (fd < 0 || fstat(fd, &status) < 0 || (r = check_owner(path, &status, reason)) < 0 ||
		(S_ISREG(status.st_mode) && ftruncate(fd, 0) < 0)) {
		if (r == 0)
			r = error_text_set(reason, -errno, "can't record to %s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return r;
	}
	return fd;
}

static int fail(struct recorder *recorder, int error)
{
	recorder->error = error;
	return error_text_set(
		&recorder->reason, error, "can't record to %s: %s", recorder->path, strerror(-error));
}

/* A file that blocks (a pipe that nobody empties) ends the recording, not the run. */
static int flush(struct recorder *recorder)
{
	struct bytes *pending = &recorder->pending;
	size_t done = 0;

	if (recorder->error)
		return recorder->error;
	if (pending->failed)
		return fail(recorder, -ENOMEM);
	while (done < pending->n) {
		ssize_t n = write(recorder->fd, pending->data + done, pending->n - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail(recorder, -errno);
		done += (size_t)n;
	}
	recorder->offset += pending->n;
	pending->n = 0;
	return 0;
}

static void add_json(struct recorder *recorder, char *json)
{
	recorder->pending.failed |= !json;
	bytes_text(&recorder->pending, json);
	free(json);
}

static int write_head(struct recorder *recorder, const struct session *session, const struct config *config,
	const struct topology *topology)
{
	char line[RECORD_LINE_MAX];
	int length =
		snprintf(line, sizeof(line), RECORD_LINE, (unsigned)RECORD_MAJOR, (unsigned)RECORD_MINOR);

	bytes_add(&recorder->pending, line, (size_t)length);
	size_t begun = entry_begin(&recorder->pending);

	add_json(recorder, record_json_header(session, config, topology));
	entry_end(&recorder->pending, begun, ENTRY_HEADER);
	int r = flush(recorder);

	recorder->first_offset = recorder->offset;
	return r;
}

static void destroy(struct recorder *recorder)
{
	if (recorder->fd >= 0)
		close(recorder->fd);
	tick_codec_finish(&recorder->codec);
	bytes_finish(&recorder->pending);
	bytes_finish(&recorder->index);
	free(recorder->path);
	free(recorder);
}

static int start(struct recorder **started, const char *path, int fd, const struct session *session,
	const struct config *config, const struct topology *topology, struct error_text *reason)
{
	struct recorder *recorder = calloc(1, sizeof(*recorder));

	if (!recorder) {
		close(fd);
		return error_text_set(reason, -ENOMEM, "can't record to %s: no memory", path);
	}
	recorder->session = session;
	recorder->path = strdup(path);
	recorder->fd = fd;
	recorder->checkpoint_every = CHECKPOINT_BYTES;
	recorder->phases_max = CHECKPOINT_PHASES_BYTES;
	int r = recorder->path ? tick_codec_init(&recorder->codec, session) : -ENOMEM;

	if (r == 0)
		r = write_head(recorder, session, config, topology);
	if (r < 0) {
		destroy(recorder);
		return error_text_set(reason, r, "can't record to %s: %s", path, strerror(-r));
	}
	*started = recorder;
	return 0;
}

int record_start(struct recorder **recorder, const char *path, const struct session *session,
	const struct config *config, const struct topology *topology, struct error_text *reason)
{
	int fd = open_file(path, reason);

	return fd < 0 ? fd : start(recorder, path, fd, session, config, topology, reason);
}

static bool wants_checkpoint(const struct recorder *recorder)
{
	uint64_t own = recorder->checkpoint_bytes;
	uint64_t since = recorder->offset + recorder->pending.n - recorder->checkpoint_offset - own;

	return recorder->n_ticks - recorder->checkpoint_tick >= CHECKPOINT_EVERY ||
	       since >= (own > recorder->checkpoint_every ? own : recorder->checkpoint_every);
}

static void add_checkpoint(struct recorder *recorder)
{
	const struct session *session = recorder->session;
	uint64_t offset = recorder->offset + recorder->pending.n, at_ns = session_position_ns(session);

	bytes_uint(&recorder->index, offset - recorder->checkpoint_offset);
	bytes_uint(&recorder->index, recorder->n_ticks - recorder->checkpoint_tick);
	bytes_uint(&recorder->index, at_ns - recorder->checkpoint_ns);
	size_t begun = entry_begin(&recorder->pending);

	bytes_uint(&recorder->pending, at_ns);
	add_json(recorder, record_json_machine(&session->machine));
	checkpoint_encode(session, &recorder->pending, recorder->phases_max);
	entry_end(&recorder->pending, begun, ENTRY_CHECKPOINT);
	recorder->checkpoint_bytes = recorder->offset + recorder->pending.n - offset;
	tick_codec_restart(&recorder->codec);
	recorder->n_checkpoints++;
	recorder->checkpoint_offset = offset;
	recorder->checkpoint_tick = recorder->n_ticks;
	recorder->checkpoint_ns = at_ns;
}

int record_start_memory(struct recorder **started, int fd, const struct session *session,
	const struct config *config, const struct topology *topology, struct error_text *reason)
{
	int r = start(started, "memory", fd, session, config, topology, reason);

	if (r < 0)
		return r;
	(*started)->checkpoint_every = MEMORY_CHECKPOINT_BYTES;
	(*started)->phases_max = MEMORY_PHASES_BYTES;
	add_checkpoint(*started);
	r = flush(*started);
	if (r < 0) {
		*reason = (*started)->reason;
		destroy(*started);
		*started = NULL;
	}
	return r;
}

int record_place(const struct recorder *recorder, struct record_place *place)
{
	*place = (struct record_place){.first_offset = recorder->first_offset,
		.end_offset = recorder->offset,
		.n_checkpoints = recorder->n_checkpoints,
		.checkpoint_offset = recorder->checkpoint_offset,
		.checkpoint_ns = recorder->checkpoint_ns};
	return recorder->error;
}

const char *record_path(const struct recorder *recorder)
{
	return recorder->path;
}

const struct error_text *record_reason(const struct recorder *recorder)
{
	return &recorder->reason;
}

/* The tick that the session was fed with last, packed. */
static const struct block *last_rows(const struct session *session)
{
	static const struct block none;
	const struct series *series = &session->series;

	return series->n_ticks ? &series->ticks[series->n_ticks - 1] : &none;
}

/* Returns the kind of entry. */
static enum entry_kind encode_item(struct recorder *recorder, const struct feed_item *item)
{
	struct bytes *bytes = &recorder->pending;

	switch (item->kind) {
	case FEED_EVENT:
		event_encode(bytes, item->event);
		return ENTRY_EVENT;
	case FEED_MACHINE:
		bytes_uint(bytes, item->at_ns);
		add_json(recorder, record_json_machine(item->machine));
		return ENTRY_MACHINE;
	default:
		if (recorder->n_ticks++ % WHOLE_EVERY == 0)
			tick_codec_restart(&recorder->codec);
		tick_encode(&recorder->codec, item->tick, last_rows(recorder->session), bytes);
		recorder->end_ns = item->tick->end_ns;
		return ENTRY_TICK;
	}
}

int record_feed(struct recorder *recorder, const struct feed_item *item)
{
	if (!recorder || recorder->told)
		return 0;
	size_t begun = entry_begin(&recorder->pending);

	entry_end(&recorder->pending, begun, encode_item(recorder, item));
	if (item->kind == FEED_TICK && wants_checkpoint(recorder))
		add_checkpoint(recorder);
	if (item->kind != FEED_MACHINE) /* a tick follows at once */
		recorder->told = flush(recorder) < 0;
	return recorder->told ? recorder->error : 0;
}

static void add_end(struct recorder *recorder, const char *ended_by)
{
	uint64_t trailer[2] = {htole64(RECORD_TRAILER), htole64(recorder->offset + recorder->pending.n)};
	size_t begun = entry_begin(&recorder->pending);

	bytes_text(&recorder->pending, ended_by);
	bytes_uint(&recorder->pending, recorder->n_ticks);
	bytes_uint(&recorder->pending, recorder->n_checkpoints);
	bytes_add(&recorder->pending, recorder->index.data, recorder->index.n);
	bytes_uint(&recorder->pending, recorder->end_ns);
	recorder->pending.failed |= recorder->index.failed;
	entry_end(&recorder->pending, begun, ENTRY_END);
	bytes_add(&recorder->pending, trailer, sizeof(trailer));
}

int record_finish(struct recorder *recorder, const char *ended_by, struct error_text *reason)
{
	int r;

	if (!recorder)
		return 0;
	if (!recorder->error)
		add_end(recorder, ended_by);
	r = flush(recorder);
	int closed = close(recorder->fd) < 0 ? -errno : 0; /* NFS tells of a full disk now */

	recorder->fd = -1;
	if (r == 0 && closed < 0)
		r = fail(recorder, closed);
	if (r < 0)
		*reason = recorder->reason;
	destroy(recorder);
	return r;
}
