/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mq - POSIX message queues: one message a token.
 *
 * A queue's name is taken away as soon as it is made, so that it goes with its last descriptor,
 * whoever is killed. A keeper makes one queue after the other: one name is enough. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <mqueue.h>
#include <unistd.h>

#include "src/probe/probe.h"

struct mq {
	mqd_t queue; /* a descriptor on Linux: inherited by all members */
};

enum { NAME_SIZE = 1 + OWNER_TEXT };

static void name_of(const struct owner *owner, char name[NAME_SIZE])
{
	name[0] = '/';
	owner_format(owner, name + 1);
}

/* The kernel says EMFILE where descriptors are short, and where the bytes of queues are. */
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
	struct mq *mq = hop->state;
	struct mq_attr attributes = {.mq_maxmsg = 1, .mq_msgsize = (long)hop->size};
	char name[NAME_SIZE];

	name_of(&hop->owner, name);
	mq->queue = mq_open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600, &attributes);
	if (mq->queue < 0)
		return errno == EINVAL ? -EMSGSIZE : errno == EMFILE ? which_limit() : -errno;
	return mq_unlink(name) < 0 ? -errno : 0;
}

static int mq_probe_send(struct hop *hop)
{
	return mq_send((mqd_t)(intptr_t)hop->local, hop->token, hop->size, 0) < 0 ? -errno : 0;
}

static int mq_probe_recv(struct hop *hop, const struct timespec *deadline)
{
	mqd_t queue = (mqd_t)(intptr_t)hop->local;
	ssize_t n = deadline ? mq_timedreceive(queue, hop->token, hop->size, NULL, deadline)
			     : mq_receive(queue, hop->token, hop->size, NULL);

	return n < 0 ? -errno : 0;
}

static int mq_probe_attach(struct hop *hop, enum hop_end end)
{
	const struct mq *mq = hop->state;

	hop->local = (void *)(intptr_t)mq->queue;
	return 0;
}

static void mq_probe_release(struct hop *hop)
{
	const struct mq *mq = hop->state;

	if (mq->queue > 0)
		mq_close(mq->queue);
}

/* What a kill left between making and unlinking can be listed only where the file system is mounted. */
static void sweep_mounted(void)
{
	DIR *mounted = opendir("/dev/mqueue");
	struct dirent *entry;
	struct owner owner;
	char name[NAME_SIZE];

	while (mounted && (entry = readdir(mounted))) {
		if (!owner_parse(entry->d_name, &owner) || !owner_is_dead(&owner))
			continue;
		name_of(&owner, name);
		mq_unlink(name);
	}
	if (mounted)
		closedir(mounted);
}

static void mq_probe_sweep(const struct owner *dead)
{
	char name[NAME_SIZE];

	if (dead) {
		name_of(dead, name);
		mq_unlink(name);
	} else {
		sweep_mounted();
	}
}

static const char *mq_probe_explain(int error)
{
	switch (error) {
	case -EDQUOT:
		return "no bytes left for message queues: raise RLIMIT_MSGQUEUE (ulimit -q)";
	case -ENOSPC:
		return "no more message queues allowed: raise /proc/sys/fs/mqueue/queues_max, or run with "
		       "CAP_SYS_RESOURCE";
	case -EMSGSIZE:
		return "the message is too large: raise /proc/sys/fs/mqueue/msgsize_max";
	case -ENOSYS:
		return "this kernel has no POSIX message queues (CONFIG_POSIX_MQUEUE)";
	default:
		return NULL;
	}
}

const struct probe probe_mq = {
	.name = "mq",
	.title = "POSIX message queue",
	.traits = PROBE_PAYLOAD | PROBE_DEADLINE,
	.hop_size = sizeof(struct mq),
	.open = mq_probe_open,
	.attach = mq_probe_attach,
	.send = mq_probe_send,
	.recv = mq_probe_recv,
	.release = mq_probe_release,
	.sweep = mq_probe_sweep,
	.explain = mq_probe_explain,
};
