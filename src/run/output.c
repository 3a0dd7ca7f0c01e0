/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output.c - standard output and error on a terminal that may stall, and whether all of it was written. */
#include "src/run/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/tty.h"
#include "src/plan/config.h"

bool output_is_json(const struct config *config)
{
	return config->json && !strcmp(config->json, "-");
}

/* --- terminals --- */

enum {
	MOMENT_MS = 10,     /* for a write during a run */
	PATIENCE_MS = 100,  /* for the rest at the end */
	KEPT_MAX = 1 << 20, /* kept for a stalled terminal; later lines are lost */
};

/* Output that a terminal has not accepted yet. */
struct kept {
	int fd;      /* of its own open file description */
	dev_t which; /* as the program was given it */
	char *bytes;
	size_t n, room;
	bool stalled; /* it accepted nothing at the end */
};

static struct kept terminals[2];
static size_t n_terminals;

/* Returns 0, or a negative errno if the terminal is gone. */
static int send_kept(struct kept *kept, int wait_ms, bool anew)
{
	ssize_t taken = tty_send(kept->fd, kept->bytes, kept->n, wait_ms, anew);

	if (taken < 0) {
		kept->n = 0;
		return (int)taken;
	}
	if (taken > 0) {
		kept->stalled = false;
		kept->n -= (size_t)taken;
		memmove(kept->bytes, &kept->bytes[taken], kept->n);
	}
	return 0;
}

/* Returns 0, also where there is no more room for them, or -ENOMEM. */
static int keep(struct kept *kept, const char *bytes, size_t n)
{
	if (kept->n + n > KEPT_MAX && !kept->stalled) {
		send_kept(kept, PATIENCE_MS, false);
		kept->stalled = kept->n + n > KEPT_MAX;
	}
	if (kept->n + n > KEPT_MAX)
		return 0;
	if (kept->n + n > kept->room) {
		size_t room = (kept->n + n) * 2;
		char *more = realloc(kept->bytes, room);

		if (!more)
			return -ENOMEM;
		kept->bytes = more;
		kept->room = room;
	}
	memcpy(&kept->bytes[kept->n], bytes, n);
	kept->n += n;
	return 0;
}

/* A stream's write function: 0 is an error, with its errno. A stalled terminal has had MOMENT_MS. */
static ssize_t write_terminal(void *cookie, const char *bytes, size_t n)
{
	struct kept *kept = cookie;
	bool behind = kept->n > 0;
	int r = keep(kept, bytes, n);

	if (r == 0)
		r = send_kept(kept, behind ? 0 : MOMENT_MS, false);
	errno = -r;
	return r < 0 ? 0 : (ssize_t)n;
}

/* Finds or opens the terminal on @fd, or returns NULL. Standard output and error on the same one share its
 * buffer, so they keep their order. */
static struct kept *find_terminal(int fd)
{
	struct stat status;

	if (!isatty(fd) || fstat(fd, &status) < 0)
		return NULL;
	for (size_t i = 0; i < n_terminals; i++)
		if (terminals[i].which == status.st_rdev)
			return &terminals[i];
	int own = tty_open(fd, O_WRONLY);

	if (own < 0)
		return NULL;
	terminals[n_terminals] = (struct kept){.fd = own, .which = status.st_rdev};
	return &terminals[n_terminals++];
}

static FILE *open_terminal(int fd, FILE *before, int buffered)
{
	struct kept *kept = find_terminal(fd);
	FILE *file = kept ? fopencookie(kept, "w", (cookie_io_functions_t){.write = write_terminal}) : NULL;

	if (!file)
		return before;
	fflush(before);
	setvbuf(file, NULL, buffered, BUFSIZ);
	return file;
}

void output_begin(void)
{
	if (n_terminals)
		return;
	stdout = open_terminal(STDOUT_FILENO, stdout, _IOLBF);
	stderr = open_terminal(STDERR_FILENO, stderr, _IONBF);
}

bool output_keeps_up(void)
{
	bool all = true;

	for (size_t i = 0; i < n_terminals; i++)
		all &= send_kept(&terminals[i], MOMENT_MS, false) < 0 || !terminals[i].n;
	return all;
}

bool output_end(void)
{
	bool all = true;

	if (n_terminals)
		fflush(stdout);
	for (size_t i = 0; i < n_terminals; i++) {
		send_kept(&terminals[i], PATIENCE_MS, true); /* a slow one is waited for */
		all &= !terminals[i].n;
		terminals[i].n = 0;
	}
	return all;
}

/* --- errors --- */

/* If an earlier write failed, its errno is lost: another write fails with the same one. */
static int error_of_before(void)
{
	errno = 0;
	putchar('\n');
	fflush(stdout);
	return errno;
}

int output_flush(bool *nobody_reads, struct error_text *reason)
{
	errno = 0;
	*nobody_reads = fflush(stdout) != 0 || ferror(stdout);
	if (!*nobody_reads)
		return 0;
	int error = errno ? errno : error_of_before();

	if (error == EPIPE || error == EINTR)
		return 0;
	error = error ? error : EIO;
	return error_text_set(reason, -error, "can't write standard output: %s", strerror(error));
}
