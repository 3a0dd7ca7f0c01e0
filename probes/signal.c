/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signal - a signal to a thread, which waits in sigwaitinfo(2), as signaltest does; sigqueue - a real-time
 * signal with a value; signalfd - a signal that the thread reads from a descriptor. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "src/probe/probe.h"

struct signal {
	int number;
	sigset_t set; /* of that number alone */
};

static int init_set(struct hop *hop, int number)
{
	struct signal *signal = hop->state;

	signal->number = number;
	sigemptyset(&signal->set);
	sigaddset(&signal->set, number);
	return 0;
}

static int signal_open(struct hop *hop)
{
	return init_set(hop, SIGUSR1);
}

static int sigqueue_open(struct hop *hop)
{
	return init_set(hop, SIGRTMIN);
}

/* A descriptor that the keeper makes is enough: each thread reads its own signals from it. */
static int signalfd_open(struct hop *hop)
{
	struct signal *signal = hop->state;

	init_set(hop, SIGUSR1);
	int fd = signalfd(-1, &signal->set, SFD_CLOEXEC);

	if (fd < 0)
		return -errno;
	hop->fds[HOP_RECEIVER] = fd;
	return 0;
}

static int signal_attach(struct hop *hop, enum hop_end end)
{
	const struct signal *signal = hop->state;

	return end == HOP_SENDER ? 0 : -pthread_sigmask(SIG_BLOCK, &signal->set, NULL);
}

static int signal_send(struct hop *hop)
{
	const struct hop_task *to = &hop->ends[HOP_RECEIVER];
	const struct signal *signal = hop->state;

	return syscall(SYS_tgkill, to->pid, to->tid, signal->number) < 0 ? -errno : 0;
}

static size_t value_size(const struct hop *hop)
{
	return hop->size < sizeof(union sigval) ? hop->size : sizeof(union sigval);
}

static int sigqueue_send(struct hop *hop)
{
	const struct hop_task *from = &hop->ends[HOP_SENDER], *to = &hop->ends[HOP_RECEIVER];
	const struct signal *signal = hop->state;
	siginfo_t info = {.si_signo = signal->number, .si_code = SI_QUEUE};

	info.si_pid = from->pid;
	memcpy(&info.si_value, hop->token, value_size(hop));
	return syscall(SYS_rt_tgsigqueueinfo, to->pid, to->tid, signal->number, &info) < 0 ? -errno : 0;
}

static int signal_recv(struct hop *hop, const struct timespec *deadline)
{
	const struct signal *signal = hop->state;

	return sigwaitinfo(&signal->set, NULL) < 0 ? -errno : 0;
}

static int sigqueue_recv(struct hop *hop, const struct timespec *deadline)
{
	const struct signal *signal = hop->state;
	siginfo_t info;

	if (sigwaitinfo(&signal->set, &info) < 0)
		return -errno;
	memcpy(hop->token, &info.si_value, value_size(hop));
	return 0;
}

static int signalfd_recv(struct hop *hop, const struct timespec *deadline)
{
	struct signalfd_siginfo info;

	return read(hop->fd, &info, sizeof(info)) < 0 ? -errno : 0;
}

static const struct probe_remedy sigqueue_remedies[] = {
	{{-EAGAIN}, "no more signals may be queued: raise RLIMIT_SIGPENDING (ulimit -i)"},
	{.text = NULL},
};

const struct probe probe_signal = {
	.name = "signal",
	.title = "signal to a thread",
	.hop_size = sizeof(struct signal),
	.open = signal_open,
	.attach = signal_attach,
	.send = signal_send,
	.recv = signal_recv,
};

const struct probe probe_sigqueue = {
	.name = "sigqueue",
	.title = "queued signal with a value",
	.hop_size = sizeof(struct signal),
	.open = sigqueue_open,
	.attach = signal_attach,
	.send = sigqueue_send,
	.recv = sigqueue_recv,
	.remedies = {sigqueue_remedies},
};

const struct probe probe_signalfd = {
	.name = "signalfd",
	.title = "signal read from a signalfd",
	.hop_size = sizeof(struct signal),
	.open = signalfd_open,
	.attach = signal_attach,
	.send = signal_send,
	.recv = signalfd_recv,
};
