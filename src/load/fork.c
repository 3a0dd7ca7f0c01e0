/* SPDX-License-Identifier: GPL-2.0-or-later */
/* fork.c - starts processes that end at once, at most CHILDREN at the same time: they have no children. */
#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/load/load_process.h"
#include "src/machine/task.h"

enum { CHILDREN = 8 };

static int work(struct load_worker *worker)
{
	int r = 0, started = 0;

	for (; r == 0 && started < CHILDREN; started++) {
		pid_t pid = fork();

		if (pid == 0)
			_exit(0);
		if (pid < 0) {
			r = error_text_set(&worker->reason, -errno, "fork: %s", task_no_more(-errno));
			break;
		}
	}
	while (started > 0 && (waitpid(-1, NULL, 0) > 0 || errno == EINTR))
		started--;
	return r;
}

const struct load_kind load_fork = {
	.name = "fork", .title = "fork storm: processes start and end, 8 at once", .work = work};
