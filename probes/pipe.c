/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pipe - a pipe of the default capacity; fifo - the same, opened by a path. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/probe/probe.h"

static int pipe_open(struct hop *hop)
{
	struct hop_fds *fds = hop->state;
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) < 0)
		return -errno;
	fds->by_end[HOP_RECEIVER] = pair[0];
	fds->by_end[HOP_SENDER] = pair[1];
	return 0;
}

/* Opens the reading end first, with O_NONBLOCK so as not to wait for a writer. */
static int open_ends(struct hop_fds *fds, const char *path)
{
	int in = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (in < 0)
		return -errno;
	fds->by_end[HOP_RECEIVER] = in;
	int out = open(path, O_WRONLY | O_CLOEXEC);

	if (out < 0)
		return -errno;
	fds->by_end[HOP_SENDER] = out;
	return fcntl(in, F_SETFL, 0) < 0 ? -errno : 0;
}

static int fifo_open(struct hop *hop)
{
	char directory[PROBE_DIR_SIZE], path[PROBE_PATH_SIZE];
	int r = probe_dir_make(&hop->owner, directory);

	if (r < 0)
		return r;
	snprintf(path, sizeof(path), "%s/fifo", directory);
	r = mkfifo(path, 0600) < 0 ? -errno : open_ends(hop->state, path);
	probe_dir_remove(directory);
	return r;
}

const struct probe probe_pipe = {
	.name = "pipe",
	.title = "pipe",
	.traits = PROBE_PAYLOAD,
	.hop_size = sizeof(struct hop_fds),
	.open = pipe_open,
	.attach = hop_fds_attach,
	.send = probe_fd_write,
	.recv = probe_fd_read,
	.release = hop_fds_release,
};

const struct probe probe_fifo = {
	.name = "fifo",
	.title = "named pipe",
	.traits = PROBE_PAYLOAD,
	.hop_size = sizeof(struct hop_fds),
	.open = fifo_open,
	.attach = hop_fds_attach,
	.send = probe_fd_write,
	.recv = probe_fd_read,
	.release = hop_fds_release,
	.sweep = probe_dir_sweep,
	.explain = probe_dir_explain,
};
