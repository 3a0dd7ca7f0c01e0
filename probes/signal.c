/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signal - a signal to a thread, and its sigwaitinfo: what signaltest measures. */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/probe.h"

enum { TOKEN = SIGUSR1 };

static int signal_open(struct hop *hop)
{
	(void)hop; /* each thread has a place for a pending signal */
	return 0;
}

static int signal_attach(struct hop *hop, enum hop_end end)
{
	sigset_t set;

	(void)hop;
	if (end == HOP_SENDER)
		return 0;
	sigemptyset(&set);
	sigaddset(&set, TOKEN);
	return -pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static int signal_send(struct hop *hop)
{
	const struct hop_task *to = &hop->ends[HOP_RECEIVER];

	return syscall(SYS_tgkill, to->pid, to->tid, TOKEN) < 0 ? -errno : 0;
}

static int signal_recv(struct hop *hop, const struct timespec *deadline)
{
	sigset_t set;

	(void)hop;
	(void)deadline;
	sigemptyset(&set);
	sigaddset(&set, TOKEN);
	return sigwaitinfo(&set, NULL) < 0 ? -errno : 0;
}

static void signal_close(struct hop *hop)
{
	(void)hop;
}

const struct probe probe_signal = {
	.name = "signal",
	.title = "signal to a thread",
	.open = signal_open,
	.attach = signal_attach,
	.send = signal_send,
	.recv = signal_recv,
	.close = signal_close,
};
