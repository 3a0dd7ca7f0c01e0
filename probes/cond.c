/* SPDX-License-Identifier: GPL-2.0-or-later */
/* cond - a pthread mutex and a condition variable that processes share; pimutex - the same with priority
 * inheritance, as real-time programs have it.
 *
 * Neither is destroyed, for that could wait for the dead. Neither returns on a signal, so there is a wake. It
 * takes no lock, for who holds one may be dead: a wake-up that comes between the receiver's look and its
 * sleep is lost, and made up by the next. */
#include <errno.h>
#include <pthread.h>

#include "src/probe/probe.h"

struct cond {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	bool has_token; /* the mutex's */
	_Atomic bool woken;
	_Atomic bool sending; /* the sender may hold a lock within the condition variable */
	_Atomic bool waking;  /* so may who wakes */
};

static int init_mutex(pthread_mutex_t *mutex, int protocol)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	int r = pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);

	if (r == 0)
		r = pthread_mutexattr_setprotocol(&attributes, protocol);
	if (r == 0)
		r = pthread_mutex_init(mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
	return -r;
}

static int init(struct cond *cond, int protocol)
{
	pthread_condattr_t attributes;
	int r = init_mutex(&cond->mutex, protocol);

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
	return init(hop->state, PTHREAD_PRIO_NONE);
}

static int pimutex_open(struct hop *hop)
{
	return init(hop->state, PTHREAD_PRIO_INHERIT);
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

/* Who was killed within has left its word: then the receiver has to be killed too. */
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

static const char *pimutex_explain(int error)
{
	return error == -ENOTSUP ? "this kernel has no priority inheritance (CONFIG_FUTEX_PI)" : NULL;
}

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
	.explain = pimutex_explain,
};
