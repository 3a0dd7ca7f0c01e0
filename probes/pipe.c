/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pipe - a pipe of the default capacity; fifo - the same, opened by a path. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/probe/probe.h"

static int pipe_open(struct hop *hop)
{
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) < 0)
		return -errno;
	hop->fds[HOP_RECEIVER] = pair[0];
	hop->fds[HOP_SENDER] = pair[1];
	return 0;
}

/* Opens the reading end first, with O_NONBLOCK so as not to wait for a writer. */
static int make_fifo(struct hop *hop, const char *path, int flags)
{
	int in = mkfifo(path, 0600) < 0 ? -1 : open(path, O_RDONLY | O_NONBLOCK | flags);

	if (in < 0)
		return -errno;
	hop->fds[HOP_RECEIVER] = in;
	int out = open(path, O_WRONLY | flags);

	if (out < 0)
		return -errno;
	hop->fds[HOP_SENDER] = out;
	return fcntl(in, F_SETFL, 0) < 0 ? -errno : 0;
}

static int fifo_open(struct hop *hop)
{
	return probe_dir_use(hop, make_fifo, O_CLOEXEC);
}

const struct probe probe_pipe = {
	.name = "pipe",
	.title = "pipe",
	.traits = PROBE_PAYLOAD | PROBE_SWEEPS,
	.open = pipe_open,
	.send = probe_fd_write,
	.recv = probe_fd_read,
};

const struct probe probe_fifo = {
	.name = "fifo",
	.title = "named pipe",
	.traits = PROBE_PAYLOAD,
	.open = fifo_open,
	.send = probe_fd_write,
	.recv = probe_fd_read,
	.sweep = probe_dir_sweep,
	.remedies = {probe_dir_remedies},
};
