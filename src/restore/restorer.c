/* SPDX-License-Identifier: GPL-2.0-or-later */
/* restorer.c - a process that waits for the end of front and keeper. */
#include "src/restore/restorer.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "src/machine/task.h"
#include "src/restore/journal_json.h"
#include "src/restore/restore.h"

enum { PRIORITY = 99 };

/* Where its descriptors are; all others are closed, as readers of pipes must not wait for it. */
enum { FOLDER_FD = 3, FRONT_FD, KEEPER_FD, FIRST_CLOSED };

static void pass_over(void *data, const char *sentence)
{
}

/* Moves the three away from the numbers that they are to get first. */
static bool keep_descriptors(int folder, int front, int keeper)
{
	int null = open("/dev/null", O_RDWR);

	folder = fcntl(folder, F_DUPFD, FIRST_CLOSED);
	front = fcntl(front, F_DUPFD, FIRST_CLOSED);
	keeper = fcntl(keeper, F_DUPFD, FIRST_CLOSED);
	for (int fd = 0; fd < FOLDER_FD && null >= 0; fd++)
		dup2(null, fd);
	if (dup2(folder, FOLDER_FD) < 0 || dup2(front, FRONT_FD) < 0 || dup2(keeper, KEEPER_FD) < 0)
		return false;
	if (syscall(SYS_close_range, FIRST_CLOSED, ~0U, 0) == 0)
		return true;
	struct rlimit descriptors; /* before Linux 5.9 */

	for (rlim_t fd = FIRST_CLOSED;
		getrlimit(RLIMIT_NOFILE, &descriptors) == 0 && fd < descriptors.rlim_cur; fd++)
		close((int)fd);
	return true;
}

static void await_end(int pidfd)
{
	struct pollfd ended = {.fd = pidfd, .events = POLLIN};

	while (poll(&ended, 1, -1) < 0 && errno == EINTR)
		;
}

_Noreturn static void run(struct journal *journal, int front, int keeper, const struct cpus *cpus)
{
	struct error_text reason;
	sigset_t all;

	setsid();
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	prctl(PR_SET_NAME, "ipctop-restore");
	task_set_affinity(0, cpus);
	task_set_policy(0, (struct task_policy){.policy = SCHED_FIFO, .priority = PRIORITY});
	if (!keep_descriptors(journal_fd(journal), front, keeper))
		_exit(1);
	journal_set_fd(journal, FOLDER_FD);
	await_end(FRONT_FD);
	await_end(KEEPER_FD);
	restore_journal(journal, pass_over, NULL, &reason);
	_exit(0);
}

int restorer_start(struct restorer *restorer, struct journal *journal, int keeper, const struct cpus *cpus,
	struct error_text *reason)
{
	int front = (int)syscall(SYS_pidfd_open, getpid(), 0);
	pid_t pid = front < 0 ? -1 : fork();

	if (pid == 0)
		run(journal, front, keeper, cpus);
	int error = errno;

	if (front >= 0)
		close(front);
	if (pid < 0)
		return error_text_set(reason, -error, "try: can't start the process that restores: %s",
			error_text_of_errno(-error));
	restorer->pid = pid;
	return 0;
}

bool restorer_waits(struct restorer *restorer)
{
	if (restorer->pid > 0 && waitpid(restorer->pid, NULL, WNOHANG) != 0)
		restorer->pid = 0;
	return restorer->pid > 0;
}

void restorer_end(struct restorer *restorer)
{
	if (restorer->pid <= 0)
		return;
	kill(restorer->pid, SIGKILL);
	waitpid(restorer->pid, NULL, 0);
	restorer->pid = 0;
}
