/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tty.c - writes to a terminal without waiting for its reader, and notices that it was closed. */
#include "src/base/tty.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "src/base/clock.h"

enum { LOOK_MS = 10 };

/* /dev/tty needs no right to the terminal's file, which belongs to another user after su. */
int tty_open(int fd, int access)
{
	const int flags = access | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int own = -1;

	if (tcgetsid(fd) == getsid(0))
		own = open("/dev/tty", flags);
	if (own < 0) {
		char name[32];

		snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
		own = open(name, flags);
	}
	return own < 0 ? -errno : own;
}

/* Tries every LOOK_MS: a serial line reports room only when it is nearly empty. */
ssize_t tty_send(int fd, const char *bytes, size_t n, int wait_ms, bool anew)
{
	const uint64_t wait_ns = (uint64_t)wait_ms * 1000000;
	uint64_t since_ns = clock_now_ns();
	size_t at = 0;

	while (at < n) {
		ssize_t taken = write(fd, bytes + at, n - at);

		if (taken < 0 && errno != EAGAIN && errno != EINTR)
			return -errno;
		at += taken > 0 ? (size_t)taken : 0;
		uint64_t now_ns = clock_now_ns();

		if (taken > 0 && anew)
			since_ns = now_ns;
		if (taken > 0 && (anew || !wait_ms))
			continue;
		if (now_ns - since_ns >= wait_ns)
			break;
		if (taken <= 0 && poll(&(struct pollfd){.fd = fd, .events = POLLOUT}, 1, LOOK_MS) > 0)
			poll(NULL, 0, 1); /* there may be room for less than a line's end */
	}
	return (ssize_t)at;
}

bool tty_is_gone(int fd)
{
	struct pollfd hup = {.fd = fd};
	struct stat status;

	return fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) && poll(&hup, 1, 0) > 0 &&
	       (hup.revents & POLLHUP);
}

bool tty_is_in_foreground(int fd)
{
	pid_t foreground = tcgetpgrp(fd);

	return foreground < 0 || foreground == getpgrp();
}
