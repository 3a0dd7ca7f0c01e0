/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mutex - a normal pthread mutex that the receiver locks and the sender unlocks, as ptsematest does: glibc
 * allows it, for it does not ask who unlocks.
 *
 * It is unlocked to wake its receiver too, and then has no token beside it. Two may unlock it at once, or one
 * of them late: a lock after that finds it open for nothing, and no token.
 *
 * Between threads of one process it is a private one, as theirs is: the kernel finds a shared one's waiters
 * by its page, which takes a tenth of the lap. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "src/probe/probe.h"

struct mutex {
	_Atomic uint32_t has_token; /* the sender's; the receiver takes it */
	pthread_mutex_t mutex;      /* the end of it, which lies on another line, is not used */
};

static bool is_private(const struct hop *hop)
{
	return hop->ends[HOP_SENDER].pid && hop->ends[HOP_SENDER].pid == hop->ends[HOP_RECEIVER].pid;
}

static int make_locked(struct mutex *mutex, int shared)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	int r = pthread_mutexattr_setpshared(&attributes, shared);

	if (r == 0)
		r = pthread_mutex_init(&mutex->mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
	if (r == 0)
		r = pthread_mutex_lock(&mutex->mutex);
	return -r;
}

static int mutex_open(struct hop *hop)
{
	return make_locked(hop->state, PTHREAD_PROCESS_SHARED);
}

/* All sending ends attach before any receiver receives, and when both ends are known. */
static int mutex_attach(struct hop *hop, enum hop_end end)
{
	if (end == HOP_RECEIVER || !is_private(hop))
		return 0;
	return make_locked(hop->state, PTHREAD_PROCESS_PRIVATE);
}

/* Relaxed: to unlock is an exchange, so who locks after several sees what was written before each. */
static int mutex_send(struct hop *hop)
{
	struct mutex *mutex = hop->state;

	atomic_store_explicit(&mutex->has_token, 1, memory_order_relaxed);
	return -pthread_mutex_unlock(&mutex->mutex);
}

static int mutex_recv(struct hop *hop, const struct timespec *deadline)
{
	struct mutex *mutex = hop->state;
	int r = -pthread_mutex_lock(&mutex->mutex);

	if (r < 0)
		return r;
	if (!atomic_load_explicit(&mutex->has_token, memory_order_relaxed))
		return -EINTR;
	atomic_store_explicit(&mutex->has_token, 0, memory_order_relaxed);
	return 0;
}

/* From another process a private one's waiter can't be woken: that is left to its own. */
static void mutex_wake(struct hop *hop)
{
	struct mutex *mutex = hop->state;

	if (!is_private(hop) || hop->ends[HOP_RECEIVER].pid == getpid())
		pthread_mutex_unlock(&mutex->mutex);
}

const struct probe probe_mutex = {
	.name = "mutex",
	.title = "mutex that another unlocks",
	.traits = PROBE_TOKEN_IN_STATE,
	.hop_size = sizeof(struct mutex),
	.open = mutex_open,
	.attach = mutex_attach,
	.send = mutex_send,
	.recv = mutex_recv,
	.wake = mutex_wake,
};
