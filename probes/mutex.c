/* SPDX-License-Identifier: GPL-2.0-or-later */
/* mutex - a normal pthread mutex that the receiver locks and the sender unlocks, as ptsematest does: glibc
 * doesn't check which thread unlocks it.
 *
 * mutex_wake() unlocks it without setting has_token. Sender and mutex_wake() may unlock it at the same time:
 * the next lock then succeeds without a token.
 *
 * Between threads of one process it is a private mutex, as ptsematest's is: to find the waiters of a shared
 * one, the kernel looks its page up, which takes a tenth of the lap. */
#include <errno.h>
#include <pthread.h>
#include <unistd.h>

#include "src/probe/probe.h"

struct mutex {
	_Atomic uint32_t has_token; /* set by the sender, cleared by the receiver */
	pthread_mutex_t mutex;      /* its end is on another cache line, and is not used */
};

static bool is_private(const struct hop *hop)
{
	return hop->ends[HOP_SENDER].pid && hop->ends[HOP_SENDER].pid == hop->ends[HOP_RECEIVER].pid;
}

static int make_locked(struct mutex *mutex, int shared)
{
	int r = probe_mutex_init(&mutex->mutex, shared, PTHREAD_PRIO_NONE);

	return r < 0 ? r : -pthread_mutex_lock(&mutex->mutex);
}

static int mutex_open(struct hop *hop)
{
	return make_locked(hop->state, PTHREAD_PROCESS_SHARED);
}

/* The sending end makes the private mutex: it attaches after the receiving end, and before any recv. */
static int mutex_attach(struct hop *hop, enum hop_end end)
{
	if (end == HOP_RECEIVER || !is_private(hop))
		return 0;
	return make_locked(hop->state, PTHREAD_PROCESS_PRIVATE);
}

/* Relaxed: unlocking is an exchange, so a lock after two unlocks sees the stores before both. */
static int mutex_send(struct hop *hop)
{
	struct mutex *mutex = hop->state;

	atomic_store_explicit(&mutex->has_token, 1, memory_order_relaxed);
	return -pthread_mutex_unlock(&mutex->mutex);
}

/* glibc's lock asserts that the mutex it got has no owner. An unlock first clears the owner and then frees
 * the mutex: where two overlap, a receiver may lock between these steps, and find itself the owner when it
 * locks again. */
static inline void forget_owner(pthread_mutex_t *mutex)
{
#ifdef __GLIBC__
	mutex->__data.__owner = 0;
#else
	(void)mutex;
#endif
}

static int mutex_recv(struct hop *hop, const struct timespec *deadline)
{
	struct mutex *mutex = hop->state;

	forget_owner(&mutex->mutex);
	int r = -pthread_mutex_lock(&mutex->mutex);

	if (r < 0)
		return r;
	if (!atomic_load_explicit(&mutex->has_token, memory_order_relaxed))
		return -EINTR;
	atomic_store_explicit(&mutex->has_token, 0, memory_order_relaxed);
	return 0;
}

/* The waiter of a private mutex can be woken from its own process only. */
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
