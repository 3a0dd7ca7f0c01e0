/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cond - a pthread mutex and a condition variable that processes share; pimutex - the same with priority
 * inheritance, as real-time programs use it.
 *
 * Neither is destroyed: that could wait for a member that was killed. A signal does not interrupt them, so
 * there is a wake. It takes no lock, because a dead member may hold it; a wake-up between the receiver's
 * check and its sleep is lost, and the next call repeats it. */
#include <errno.h>
#include <pthread.h>

#include "src/probe/probe.h"

struct cond {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	bool has_token; /* protected by the mutex */
	_Atomic bool woken;
	_Atomic bool sending; /* the sender may hold a lock inside the condition variable */
	_Atomic bool waking;  /* so may cond_wake() */
};

static int init_cond(struct cond *cond, int protocol)
{
	pthread_condattr_t attributes;
	int r = probe_mutex_init(&cond->mutex, PTHREAD_PROCESS_SHARED, protocol);

	if (r < 0)
		return r;
	pthread_condattr_init(&attributes);
	r = pthread_condattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
	if (r == 0)
		r = pthread_cond_init(&cond->cond, &attributes);
	pthread_condattr_destroy(&attributes);
	return -r;
}

static int cond_open(struct hop *hop)
{
	return init_cond(hop->state, PTHREAD_PRIO_NONE);
}

static int pimutex_open(struct hop *hop)
{
	return init_cond(hop->state, PTHREAD_PRIO_INHERIT);
}

static int cond_send(struct hop *hop)
{
	struct cond *cond = hop->state;
	int r = -pthread_mutex_lock(&cond->mutex);

	if (r < 0)
		return r;
	cond->has_token = true;
	atomic_store_explicit(&cond->sending, true, memory_order_relaxed);
	r = -pthread_cond_signal(&cond->cond);
	atomic_store_explicit(&cond->sending, false, memory_order_release); /* pairs with cond_wake() */
	pthread_mutex_unlock(&cond->mutex);
	return r;
}

static int cond_recv(struct hop *hop, const struct timespec *deadline)
{
	struct cond *cond = hop->state;
	int r = -pthread_mutex_lock(&cond->mutex);

	if (r < 0)
		return r;
	while (!cond->has_token && !atomic_load_explicit(&cond->woken, memory_order_relaxed))
		pthread_cond_wait(&cond->cond, &cond->mutex);
	if (cond->has_token)
		cond->has_token = false;
	else
		r = -EINTR, atomic_store_explicit(&cond->woken, false, memory_order_relaxed);
	pthread_mutex_unlock(&cond->mutex);
	return r;
}

/* A process that was killed in here leaves @waking set: then no call wakes the receiver, and it is killed. */
static void cond_wake(struct hop *hop)
{
	struct cond *cond = hop->state;

	if (atomic_exchange(&cond->waking, true))
		return;
	atomic_store(&cond->woken, true);
	if (!atomic_load_explicit(&cond->sending, memory_order_acquire))
		pthread_cond_signal(&cond->cond);
	atomic_store(&cond->waking, false);
}

static const struct probe_remedy pimutex_remedies[] = {
	{{-ENOTSUP}, "this kernel has no priority inheritance (CONFIG_FUTEX_PI)"},
	{.text = NULL},
};

const struct probe probe_cond = {
	.name = "cond",
	.title = "mutex and condition variable",
	.hop_size = sizeof(struct cond),
	.open = cond_open,
	.send = cond_send,
	.recv = cond_recv,
	.wake = cond_wake,
};

const struct probe probe_pimutex = {
	.name = "pimutex",
	.title = "PI mutex and condition variable",
	.hop_size = sizeof(struct cond),
	.open = pimutex_open,
	.send = cond_send,
	.recv = cond_recv,
	.wake = cond_wake,
	.remedies = {pimutex_remedies},
};
