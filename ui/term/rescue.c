/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rescue.c - restores the terminal after a crash, or if it is stalled. */
#include "ui/term/rescue.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 50, TRY_MS = 1 };

/* Global, because a signal handler needs it. */
static struct {
	atomic_bool armed;
	int fd;        /* the terminal: a duplicate of writer_fd */
	int writer_fd; /* the screen's descriptor */
	int null_fd;   /* /dev/null, which replaces writer_fd after the last bytes */
	bool cut;
	struct termios termios;
	size_t n;
	char bytes[RESCUE_BYTES_MAX];
} saved = {.fd = -1, .null_fd = -1};

int rescue_arm(int fd, const struct termios *termios, const char *bytes, size_t n)
{
	if (saved.fd < 0)
		saved.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (saved.null_fd < 0)
		saved.null_fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (saved.fd < 0 || saved.null_fd < 0)
		return -errno;
	if (saved.cut)
		dup3(saved.fd, fd, O_CLOEXEC);
	saved.cut = false;
	saved.writer_fd = fd;
	saved.termios = *termios;
	saved.n = n < sizeof(saved.bytes) ? n : sizeof(saved.bytes);
	memcpy(saved.bytes, bytes, saved.n);
	/* Release: pairs with the exchange in rescue_now(), which must see what it writes. */
	atomic_store_explicit(&saved.armed, true, memory_order_release);
	return 0;
}

void rescue_disarm(void)
{
	atomic_store_explicit(&saved.armed, false, memory_order_release);
}

void rescue_finish(void)
{
	rescue_disarm();
	if (saved.fd >= 0)
		close(saved.fd);
	if (saved.null_fd >= 0)
		close(saved.null_fd);
	saved.fd = saved.null_fd = -1;
	saved.cut = false;
}

/* Blocked, it does not stop a program in the background that touches the terminal. */
static void block_ttou(sigset_t *before)
{
	sigset_t block;

	sigemptyset(&block);
	sigaddset(&block, SIGTTOU);
	pthread_sigmask(SIG_BLOCK, &block, before);
}

/* Discards unsent output. Turning output off and on undoes Ctrl-S. */
static void flush_terminal(void)
{
	tcflush(saved.fd, TCOFLUSH);
	tcflow(saved.fd, TCOOFF);
	tcflow(saved.fd, TCOON);
}

/* Another program's write may hold the terminal. */
static void write_stubbornly(void)
{
	int tries = TRIES;

	for (size_t at = 0; at < saved.n && tries > 0;) {
		ssize_t n = write(saved.fd, &saved.bytes[at], saved.n - at);

		if (n > 0) {
			at += (size_t)n;
			continue;
		}
		flush_terminal();
		poll(NULL, 0, TRY_MS);
		tries--;
	}
}

bool rescue_is_armed(void)
{
	return atomic_load_explicit(&saved.armed, memory_order_acquire);
}

void rescue_now(void)
{
	int error = errno;
	sigset_t before;

	if (!atomic_exchange_explicit(&saved.armed, false, memory_order_acq_rel))
		return;
	saved.cut = dup2(saved.null_fd, saved.writer_fd) >= 0;
	block_ttou(&before);
	write_stubbornly();
	tcsetattr(saved.fd, TCSANOW, &saved.termios);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = error;
}

size_t rescue_read(char *bytes, size_t size, struct termios *termios)
{
	if (!atomic_load_explicit(&saved.armed, memory_order_acquire) || size < saved.n)
		return 0;
	memcpy(bytes, saved.bytes, saved.n);
	*termios = saved.termios;
	return saved.n;
}
