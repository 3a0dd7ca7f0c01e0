/* SPDX-License-Identifier: GPL-2.0-or-later */
/* helpers.c - for probes: send and receive over descriptors and words of memory, mutexes, the loopback
 * interface. */
#include "src/probe/helpers.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- descriptors --- */

/* Members block SIGPIPE: without a reader, write() returns EPIPE. */
int probe_fd_write(struct hop *hop)
{
	while (hop->done < hop->size) {
		ssize_t n = write(hop->fd, (const char *)hop->token + hop->done, hop->size - hop->done);

		if (n < 0)
			return -errno;
		hop->done += (size_t)n;
	}
	hop->done = 0;
	return 0;
}

int probe_fd_read(struct hop *hop, const struct timespec *deadline)
{
	while (hop->done < hop->size) {
		ssize_t n = read(hop->fd, (char *)hop->token + hop->done, hop->size - hop->done);

		if (n <= 0)
			return n < 0 ? -errno : -EPIPE;
		hop->done += (size_t)n;
	}
	hop->done = 0;
	return 0;
}

int probe_fd_send(struct hop *hop)
{
	return send(hop->fd, hop->token, hop->size, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* --- a word in shared memory --- */

int probe_word_wake(_Atomic uint32_t *word)
{
	return syscall(SYS_futex, word, FUTEX_WAKE, 1, NULL, NULL, 0) < 0 ? -errno : 0;
}

/* Acquire: pairs with the sender's release of the word, which it stores after the payload. */
int probe_word_wait(_Atomic uint32_t *word, uint32_t value)
{
	while (atomic_load_explicit(word, memory_order_acquire) == value)
		if (syscall(SYS_futex, word, FUTEX_WAIT, value, NULL, NULL, 0) < 0 && errno != EAGAIN)
			return -errno;
	return 0;
}

/* --- mutexes --- */

int probe_mutex_init(pthread_mutex_t *mutex, int shared, int protocol)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	int r = pthread_mutexattr_setpshared(&attributes, shared);

	if (r == 0)
		r = pthread_mutexattr_setprotocol(&attributes, protocol);
	if (r == 0)
		r = pthread_mutex_init(mutex, &attributes);
	pthread_mutexattr_destroy(&attributes);
	return -r;
}

/* --- the loopback interface --- */

const struct probe_remedy probe_loopback_remedies[] = {
	{{-EADDRNOTAVAIL, -ENETUNREACH, -ENETDOWN},
		"no loopback interface with 127.0.0.1: bring it up (ip link set lo up)"},
	{{-EAFNOSUPPORT}, "this kernel has no IPv4 (CONFIG_INET)"},
	{.text = NULL},
};
