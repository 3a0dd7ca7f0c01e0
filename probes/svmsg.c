/* SPDX-License-Identifier: GPL-2.0-or-later */
/* svmsg - SysV message queues: one message a token.
 *
 * A queue outlives its users and has no name for an owner: a message of another type, which no member
 * receives, holds the owner. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/msg.h>

#include "src/probe/probe.h"

#ifndef MSG_COPY /* not in each C library */
#define MSG_COPY 040000
#endif

enum {
	TYPE_TOKEN = 1,
	TYPE_OWNER = 2,
};

struct owner_message {
	long type;
	char magic[8];
	char owner[sizeof(struct owner)]; /* not aligned: a long may have 32 bits */
};

enum { OWNER_SIZE = sizeof(struct owner_message) - sizeof(long) };

_Static_assert(OWNER_SIZE == 32, "svmsg_remedies says so");

static const char MAGIC[8] = "ipctop2";

struct message {
	long type;
	char token[];
};

static int make_queue(key_t key)
{
	return msgget(key, IPC_CREAT | IPC_EXCL | PROBE_SYSV_MODE);
}

/* Returns -E2BIG where even the owner's message is too large. */
static int check_limits(int id, size_t size)
{
	struct msqid_ds queue;
	struct msginfo limits;

	if (msgctl(0, IPC_INFO, (struct msqid_ds *)(void *)&limits) < 0 || msgctl(id, IPC_STAT, &queue) < 0)
		return -errno;
	if (OWNER_SIZE > limits.msgmax || OWNER_SIZE >= queue.msg_qbytes)
		return -E2BIG;
	return size > (size_t)limits.msgmax || size + OWNER_SIZE > queue.msg_qbytes ? -EMSGSIZE : 0;
}

static int svmsg_open(struct hop *hop)
{
	struct owner_message message = {.type = TYPE_OWNER};
	const struct hop_sysv *svmsg = hop->state;
	int r = probe_sysv_make(hop, make_queue);

	if (r == 0)
		r = check_limits(svmsg->id, hop->size);
	if (r < 0)
		return r;
	memcpy(message.magic, MAGIC, sizeof(MAGIC));
	memcpy(message.owner, &hop->owner, sizeof(message.owner));
	return msgsnd(svmsg->id, &message, OWNER_SIZE, IPC_NOWAIT) < 0 ? -errno : 0;
}

/* msgsnd() wants the type just before the token. */
static int svmsg_attach(struct hop *hop, enum hop_end end)
{
	struct message *message = calloc(1, sizeof(*message) + hop->size);

	if (!message)
		return -ENOMEM;
	message->type = TYPE_TOKEN;
	hop->local = message;
	return 0;
}

static int svmsg_send(struct hop *hop)
{
	const struct hop_sysv *svmsg = hop->state;
	struct message *message = hop->local;

	memcpy(message->token, hop->token, hop->size);
	return msgsnd(svmsg->id, message, hop->size, 0) < 0 ? -errno : 0;
}

static int svmsg_recv(struct hop *hop, const struct timespec *deadline)
{
	const struct hop_sysv *svmsg = hop->state;
	struct message *message = hop->local;

	if (msgrcv(svmsg->id, message, hop->size, TYPE_TOKEN, 0) < 0)
		return -errno;
	memcpy(hop->token, message->token, hop->size);
	return 0;
}

static void svmsg_remove(struct hop *hop)
{
	struct hop_sysv *svmsg = hop->state;

	if (svmsg->is_open)
		msgctl(svmsg->id, IPC_RMID, NULL);
	svmsg->is_open = false;
}

/* An owner may have been killed right after msgget(): then the queue names none. */
static bool is_left_behind(int id, const struct msqid_ds *queue, const struct owner *dead)
{
	struct owner_message message;
	struct owner owner;

	if (!probe_sysv_may_be_ours(&queue->msg_perm))
		return false;
	ssize_t n = msgrcv(id, &message, OWNER_SIZE, 0, MSG_COPY | IPC_NOWAIT | MSG_NOERROR);

	if (n == OWNER_SIZE && message.type == TYPE_OWNER && !memcmp(message.magic, MAGIC, sizeof(MAGIC))) {
		memcpy(&owner, message.owner, sizeof(owner));
		return owner_has_left(&owner, dead);
	}
	return queue->msg_qnum == 0 && queue->msg_stime == 0 &&
	       probe_sysv_is_abandoned(&queue->msg_perm, queue->msg_ctime, dead);
}

static void svmsg_sweep(const struct owner *dead)
{
	struct msginfo info;
	struct msqid_ds queue;
	int highest = msgctl(0, MSG_INFO, (struct msqid_ds *)(void *)&info);

	for (int i = 0; i <= highest; i++) {
		int id = msgctl(i, MSG_STAT, &queue);

		if (id >= 0 && is_left_behind(id, &queue, dead))
			msgctl(id, IPC_RMID, NULL);
	}
}

static const struct probe_remedy svmsg_remedies[] = {
	{{-E2BIG}, "a queue may not have the 32 bytes that name its owner beside a token: raise msgmax and "
		   "msgmnb (sysctl -w kernel.msgmax=8192 kernel.msgmnb=16384)"},
	{{-ENOSPC}, "no more SysV message queues are allowed: raise /proc/sys/kernel/msgmni"},
	{{-EMSGSIZE}, "the message is too large: raise /proc/sys/kernel/msgmax, and msgmnb to 64 bytes more"},
	{{-ENOSYS}, "this kernel has no SysV message queues (CONFIG_SYSVIPC)"},
	{.text = NULL},
};

const struct probe probe_svmsg = {
	.name = "svmsg",
	.title = "SysV message queue",
	.traits = PROBE_PAYLOAD,
	.hop_size = sizeof(struct hop_sysv),
	.size_file = "/proc/sys/kernel/msgmax",
	.open = svmsg_open,
	.attach = svmsg_attach,
	.send = svmsg_send,
	.recv = svmsg_recv,
	.remove = svmsg_remove,
	.sweep = svmsg_sweep,
	.remedies = {svmsg_remedies},
};
