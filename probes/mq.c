/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mq - POSIX message queues: one message a token.
 *
 * A queue loses its name as soon as it is made, so the kernel frees it with its last descriptor, also after a
 * kill. A keeper makes one queue after the other, so all can have the same name. */
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <unistd.h>

#include "src/probe/probe.h"

/* The kernel returns EMFILE for both limits: of descriptors and of bytes in queues. */
static int which_limit(void)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	close(fd);
	return -EDQUOT;
}

static int mq_probe_open(struct hop *hop)
{
	struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = (long)hop->size};
	char name[PROBE_NAME_SIZE];
	mqd_t queue = mq_open(
		probe_name(&hop->owner, name), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, &attributes);

	if (queue < 0)
		return errno == EINVAL ? -EMSGSIZE : errno == EMFILE ? which_limit() : -errno;
	hop->fds[HOP_RECEIVER] = queue; /* on Linux a queue is a descriptor */
	return mq_unlink(name) < 0 ? -errno : 0;
}

static int mq_probe_send(struct hop *hop)
{
	return mq_send(hop->fd, hop->token, hop->size, 0) < 0 ? -errno : 0;
}

static int mq_probe_recv(struct hop *hop, const struct timespec *deadline)
{
	ssize_t n = deadline ? mq_timedreceive(hop->fd, hop->token, hop->size, NULL, deadline)
			     : mq_receive(hop->fd, hop->token, hop->size, NULL);

	return n < 0 ? -errno : 0;
}

/* Without the file system, only the queue of a known owner is found. */
static void mq_probe_sweep(const struct owner *dead)
{
	probe_name_sweep("/dev/mqueue", dead, mq_unlink);
}

static const struct probe_remedy mq_probe_remedies[] = {
	{{-EDQUOT}, "no bytes left for message queues: raise RLIMIT_MSGQUEUE (ulimit -q)"},
	{{-ENOSPC}, "no more message queues are allowed: raise /proc/sys/fs/mqueue/queues_max, or run with "
		    "CAP_SYS_RESOURCE"},
	{{-EMSGSIZE}, "the message is too large: raise /proc/sys/fs/mqueue/msgsize_max"},
	{{-ENOSYS}, "this kernel has no POSIX message queues (CONFIG_POSIX_MQUEUE)"},
	{.text = NULL},
};

const struct probe probe_mq = {
	.name = "mq",
	.title = "POSIX message queue",
	.traits = PROBE_PAYLOAD | PROBE_DEADLINE | PROBE_SWEEPS,
	.size_file = "/proc/sys/fs/mqueue/msgsize_max",
	.open = mq_probe_open,
	.send = mq_probe_send,
	.recv = mq_probe_recv,
	.sweep = mq_probe_sweep,
	.remedies = {mq_probe_remedies},
};
