/* SPDX-License-Identifier: GPL-2.0-or-later */
/* pipe.c - wakes threads on its CPU by pipes, and they wake it. */
#include <errno.h>
#include <unistd.h>

#include "src/load/load_process.h"

enum { ECHOES = 8 };

struct echo {
	int to[2], from[2]; /* pipes */
};

static void *run_echo(void *data)
{
	const struct echo *echo = data;
	char byte;

	while (read(echo->to[0], &byte, 1) == 1 && write(echo->from[1], &byte, 1) == 1)
		;
	return NULL;
}

static int begin(struct load_worker *worker)
{
	static struct echo echoes[ECHOES]; /* of this process */
	int r = 0;

	worker->data = echoes;
	for (size_t i = 0; r == 0 && i < ECHOES; i++) {
		if (pipe(echoes[i].to) < 0 || pipe(echoes[i].from) < 0)
			return load_worker_fail(worker, -errno, "no pipe for it");
		r = load_worker_thread(worker, run_echo, &echoes[i]);
	}
	return r;
}

static int work(struct load_worker *worker)
{
	const struct echo *echoes = worker->data;
	char byte = 0;

	for (size_t i = 0; i < ECHOES; i++)
		if (write(echoes[i].to[1], &byte, 1) != 1)
			return load_worker_fail(worker, -errno, "write to a pipe");
	for (size_t i = 0; i < ECHOES; i++)
		if (read(echoes[i].from[0], &byte, 1) != 1)
			return load_worker_fail(worker, -errno, "read of a pipe");
	return 0;
}

const struct load_kind load_pipe = {.name = "pipe",
	.title = "pipe storm: 9 threads wake each other by pipes",
	.begin = begin,
	.work = work};
