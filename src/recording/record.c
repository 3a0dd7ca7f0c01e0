/* SPDX-License-Identifier: GPL-2.0-or-later */
/* record.c - writes a recording: a line, then entries, with one write(2) for each tick. */
#include "src/recording/record.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/whole_file.h"
#include "src/model/feed.h"
#include "src/model/matrix.h"
#include "src/model/session.h"
#include "src/recording/checkpoint.h"
#include "src/recording/entry.h"
#include "src/recording/record_json.h"
#include "src/recording/sweep_codec.h"
#include "src/recording/tick_codec.h"

enum {
	WHOLE_EVERY = 64,       /* ticks: a whole one mends the states of rings after a damaged one */
	CHECKPOINT_EVERY = 256, /* ticks */
};

struct limits {
	size_t checkpoint_every; /* bytes; at least as many as the last checkpoint has */
	size_t phases_max;       /* bytes that a checkpoint has of phases */
	bool has_matrix;         /* of a sweep: it has 13 MB with 576 CPUs */
};

static const struct limits file_limits = {4 << 20, 32 << 20, true}, memory_limits = {1 << 20, 2 << 20, true},
			   memory_limits_of_many_cpus = {1 << 20, 2 << 20, false};

enum { MATRIX_CPUS_MAX = 64 }; /* of a matrix in memory, whose checkpoints have 0.4 MB */

struct recording {
	const struct session *session; /* the caller's */
	char *path;                    /* owned */
	int fd;
	const struct limits *limits;
	struct tick_codec codec;
	struct bytes pending;    /* not written yet */
	size_t n_ticks, n_bytes; /* since the last checkpoint */
	size_t checkpoint_bytes; /* of the last one */
	int error;               /* the first one: nothing is written any more */
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

/* Another run that records to the file would lose its recording. The lock ends with the process, also by
 * SIGKILL. A file system without locks allows both. */
static int lock_file(const char *path, int fd, struct error_text *reason)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0;
	return error_text_set(
		reason, -EBUSY, "can't record to %s: another run records there: name another file", path);
}

static int check_lock(const struct file_target *target, const char *path, struct error_text *reason)
{
	int fd = file_target_open(target, O_WRONLY | O_NONBLOCK, 0);
	int r = fd < 0 ? 0 : lock_file(path, fd, reason);

	if (fd >= 0)
		close(fd);
	return r;
}

int record_check(const char *path, struct error_text *reason)
{
	struct file_target target;
	struct stat status;

	if (whole_file_is_stdout(path))
		return error_text_set(reason, -EINVAL, "--record -: a recording needs a file");
	int r = file_target_find(&target, path, reason);

	if (r == 0 && file_target_stat(&target, &status) == 0) {
		r = check_owner(path, &status, reason);
		if (r == 0 && S_ISREG(status.st_mode))
			r = check_lock(&target, path, reason);
	}
	file_target_finish(&target);
	return r < 0 ? r : whole_file_check(path, reason);
}

/* Checks owner and lock before it empties the file. Returns a descriptor, or a negative errno with its
 * reason. */
static int open_file(const char *path, struct error_text *reason)
{
	const int flags = O_WRONLY | O_CREAT | O_NONBLOCK;
	struct file_target target;
	struct stat status;
	int r = file_target_find(&target, path, reason);

	if (r < 0) {
		file_target_finish(&target);
		return r;
	}
	int fd = file_target_open(&target, flags | O_EXCL, 0666);
	bool is_new = fd >= 0;

	if (fd == -EEXIST)
		fd = file_target_open(&target, flags, 0666);
	file_target_finish(&target);
	if (fd < 0)
		return error_text_set(reason, fd, "can't record to %s: %s", path, strerror(-fd));
	r = fstat(fd, &status) < 0 ? -errno : 0;
	if (r < 0)
		error_text_set(reason, r, "can't record to %s: %s", path, strerror(-r));
	if (r == 0 && !is_new)
		r = check_owner(path, &status, reason);
	if (r == 0 && S_ISREG(status.st_mode))
		r = lock_file(path, fd, reason);
	if (r == 0 && S_ISREG(status.st_mode) && ftruncate(fd, 0) < 0)
		r = error_text_set(reason, -errno, "can't record to %s: %s", path, strerror(errno));
	if (r < 0)
		close(fd);
	return r < 0 ? r : fd;
}

static int fail_recording(struct recording *recording, int error)
{
	recording->error = error;
	return error_text_set(
		&recording->reason, error, "can't record to %s: %s", recording->path, strerror(-error));
}

/* A file that blocks (a full pipe) ends the recording, not the run. */
static int flush_entries(struct recording *recording)
{
	struct bytes *pending = &recording->pending;
	size_t done = 0;

	if (recording->error)
		return recording->error;
	if (pending->failed)
		return fail_recording(recording, -ENOMEM);
	while (done < pending->n) {
		ssize_t n = write(recording->fd, pending->data + done, pending->n - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fail_recording(recording, -errno);
		done += (size_t)n;
	}
	pending->n = 0;
	return 0;
}

static void write_checkpoint(struct recording *recording)
{
	struct bytes *bytes = &recording->pending;
	size_t begun = entry_begin(bytes);

	checkpoint_encode(
		recording->session, bytes, recording->limits->phases_max, recording->limits->has_matrix);
	entry_end(bytes, begun, ENTRY_CHECKPOINT, session_position_ns(recording->session));
	recording->checkpoint_bytes = bytes->n - begun;
	recording->n_ticks = recording->n_bytes = 0;
}

static void write_start(
	struct recording *recording, const struct config *config, const struct topology *topology)
{
	const struct session *session = recording->session;
	struct bytes *bytes = &recording->pending;
	char line[RECORD_LINE_MAX];
	int length = snprintf(
		line, sizeof(line), RECORD_LINE "\n", (unsigned)RECORD_MAJOR, (unsigned)RECORD_MINOR);

	bytes_add(bytes, line, (size_t)length);
	size_t begun = entry_begin(bytes);

	record_json_header(bytes, session, config, topology, recording->limits->has_matrix);
	entry_end(bytes, begun, ENTRY_HEADER, session->start_ns);
	write_checkpoint(recording);
}

static void free_recording(struct recording *recording)
{
	close(recording->fd);
	tick_codec_finish(&recording->codec);
	bytes_finish(&recording->pending);
	free(recording->path);
	free(recording);
}

/* Where a recording goes. */
struct destination {
	const char *path; /* in messages */
	int fd;
	const struct limits *limits;
};

/* Closes its descriptor in the end, also after an error. */
static int start_recording(struct recording **started, const struct destination *destination,
	const struct session *session, const struct config *config, const struct topology *topology,
	struct error_text *reason)
{
	struct recording *recording = calloc(1, sizeof(*recording));

	if (!recording) {
		close(destination->fd);
		return error_text_set(reason, -ENOMEM, "can't record to %s: no memory", destination->path);
	}
	recording->session = session;
	recording->path = strdup(destination->path);
	recording->fd = destination->fd;
	recording->limits = destination->limits;
	int r = recording->path ? tick_codec_init(&recording->codec, session) : -ENOMEM;

	if (r == 0) {
		write_start(recording, config, topology);
		r = flush_entries(recording);
	}
	if (r < 0) {
		free_recording(recording);
		return error_text_set(reason, r, "can't record to %s: %s", destination->path, strerror(-r));
	}
	*started = recording;
	return 0;
}

int record_start(struct recording **recording, const char *path, const struct session *session,
	const struct config *config, const struct topology *topology, struct error_text *reason)
{
	const struct destination file = {path, open_file(path, reason), &file_limits};

	return file.fd < 0 ? file.fd : start_recording(recording, &file, session, config, topology, reason);
}

int record_start_memory(struct recording **recording, int fd, const struct session *session,
	const struct config *config, const struct topology *topology, struct error_text *reason)
{
	bool has_many = session->matrix && session->matrix->n_cpus > MATRIX_CPUS_MAX;
	const struct destination memory = {
		"memory", fd, has_many ? &memory_limits_of_many_cpus : &memory_limits};

	return start_recording(recording, &memory, session, config, topology, reason);
}

static bool checkpoint_is_due(const struct recording *recording)
{
	return recording->n_ticks >= CHECKPOINT_EVERY ||
	       (recording->n_bytes >= recording->limits->checkpoint_every &&
		       recording->n_bytes >= recording->checkpoint_bytes);
}

/* The packed rows of the last tick that the session was fed with. */
static const struct block *last_rows(const struct session *session)
{
	static const struct block none;
	const struct series *series = &session->series;

	return series->n_ticks ? series_last_blocks(series, 1).rest : &none;
}

static enum entry_kind encode_item(struct recording *recording, const struct feed_item *item)
{
	struct bytes *bytes = &recording->pending;

	switch (item->kind) {
	case FEED_EVENT:
		event_encode(bytes, item->event);
		return ENTRY_EVENT;
	case FEED_MACHINE:
		record_json_machine(bytes, item->machine);
		return ENTRY_MACHINE;
	case FEED_SPIKE:
		spike_encode(bytes, item->spike);
		return ENTRY_SPIKE;
	case FEED_SWEEP:
		sweep_encode(bytes, item->sweep, matrix_n_kinds(recording->session->matrix));
		return ENTRY_SWEEP;
	case FEED_RING:
		record_json_ring(bytes, item->ring);
		bytes->failed |= tick_codec_add(&recording->codec, item->ring->id, item->ring->n_members) < 0;
		return ENTRY_RING;
	case FEED_RING_END:
		bytes_uint(bytes, item->ring->id);
		tick_codec_remove(&recording->codec, item->ring->id);
		return ENTRY_RING_END;
	default:
		if (recording->n_ticks++ % WHOLE_EVERY == 0)
			tick_codec_restart(&recording->codec);
		tick_encode(&recording->codec, item->tick, last_rows(recording->session), bytes);
		return ENTRY_TICK;
	}
}

int record_feed(struct recording *recording, const struct feed_item *item)
{
	if (!recording || recording->error || item->kind >= FEED_START ||
		(item->kind == FEED_SWEEP && !recording->limits->has_matrix))
		return recording ? recording->error : 0;
	size_t begun = entry_begin(&recording->pending);
	enum entry_kind kind = encode_item(recording, item);

	entry_end(&recording->pending, begun, kind, item->at_ns);
	recording->n_bytes += recording->pending.n - begun;
	if (item->kind == FEED_TICK && checkpoint_is_due(recording))
		write_checkpoint(recording);
	/* A tick follows soon, and writes these. */
	return item->kind == FEED_MACHINE || item->kind == FEED_SWEEP ? 0 : flush_entries(recording);
}

void record_encode_end(struct bytes *bytes, const struct session *session, const char *ended_by)
{
	size_t begun = entry_begin(bytes);

	bytes_text(bytes, ended_by);
	entry_end(bytes, begun, ENTRY_END, session_position_ns(session));
}

int record_finish(struct recording *recording, const char *ended_by, struct error_text *reason)
{
	if (!recording)
		return 0;
	record_encode_end(&recording->pending, recording->session, ended_by);
	int r = flush_entries(recording);

	if (close(recording->fd) < 0 && r == 0) /* NFS reports a full disk now */
		r = fail_recording(recording, -errno);
	recording->fd = -1;
	*reason = recording->reason;
	free_recording(recording);
	return r;
}
