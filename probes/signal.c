/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signal - a signal to a thread, and its sigwaitinfo: what signaltest measures. */
#include <errno.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/probe.h"

enum { TOKEN = SIGUSR1 };

/* Each thread has a place for a pending signal: there is nothing to open, but a set to prepare. */
static int signal_open(struct hop *hop)
{
	sigset_t *token = hop->state;

	sigemptyset(token);
	sigaddset(token, TOKEN);
	return 0;
}

static int signal_attach(struct hop *hop, enum hop_end end)
{
	if (end == HOP_SENDER)
		return 0;
	return -pthread_sigmask(SIG_BLOCK, hop->state, NULL);
}

static int signal_send(struct hop *hop)
{
	const struct hop_task *to = &hop->ends[HOP_RECEIVER];

	return syscall(SYS_tgkill, to->pid, to->tid, TOKEN) < 0 ? -errno : 0;
}

static int signal_recv(struct hop *hop, const struct timespec *deadline)
{
	(void)deadline;
	return sigwaitinfo(hop->state, NULL) < 0 ? -errno : 0;
}

static void signal_close(struct hop *hop)
{
	(void)hop;
}

const struct probe probe_signal = {
	.name = "signal",
	.title = "signal to a thread",
	.hop_size = sizeof(sigset_t),
	.open = signal_open,
	.attach = signal_attach,
	.send = signal_send,
	.recv = signal_recv,
	.close = signal_close,
};
