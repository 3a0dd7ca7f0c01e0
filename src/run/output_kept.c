/* SPDX-License-Identifier: GPL-2.0-or-later */
/* output_kept.c - standard output and error on a terminal that may stall. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/bytes.h"
#include "src/base/tty.h"
#include "src/run/output.h"

enum {
	MOMENT_MS = 10,     /* for a write during a run */
	PATIENCE_MS = 100,  /* once, for more than KEPT_MAX during a run */
	END_MS = 300,       /* for the rest at the end: a busy machine's terminal comes late */
	KEPT_MAX = 1 << 20, /* kept for a stalled terminal; later lines are lost */
};

/* Output that a terminal has not accepted yet. */
struct kept {
	int fd;      /* of its own open file description */
	dev_t which; /* the device of the program's descriptor */
	struct bytes bytes;
	bool stalled; /* it accepted nothing at the end */
};

static struct kept terminals[2];
static size_t n_terminals;

/* Returns 0, or a negative errno if the terminal is gone. */
static int send_kept(struct kept *kept, int wait_ms, bool anew)
{
	struct bytes *bytes = &kept->bytes;
	ssize_t taken = tty_send(kept->fd, (const char *)bytes->data, bytes->n, wait_ms, anew);

	if (taken < 0) {
		bytes->n = 0;
		return (int)taken;
	}
	if (taken > 0) {
		kept->stalled = false;
		bytes->n -= (size_t)taken;
		memmove(bytes->data, bytes->data + taken, bytes->n);
	}
	return 0;
}

/* Drops the bytes if there are too many. Returns 0 or -ENOMEM. */
static int keep_bytes(struct kept *kept, const char *bytes, size_t n)
{
	if (kept->bytes.n + n > KEPT_MAX && !kept->stalled) {
		send_kept(kept, PATIENCE_MS, false);
		kept->stalled = kept->bytes.n + n > KEPT_MAX;
	}
	if (kept->bytes.n + n > KEPT_MAX)
		return 0;
	bytes_add(&kept->bytes, bytes, n);
	return kept->bytes.failed ? -ENOMEM : 0;
}

/* A stream's write function: 0 is an error, with its errno. A stalled terminal has had MOMENT_MS. */
static ssize_t write_terminal(void *cookie, const char *bytes, size_t n)
{
	struct kept *kept = cookie;
	bool behind = kept->bytes.n > 0;
	int r = keep_bytes(kept, bytes, n);

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
		all &= send_kept(&terminals[i], MOMENT_MS, false) < 0 || !terminals[i].bytes.n;
	return all;
}

bool output_end(void)
{
	bool all = true;

	if (n_terminals)
		fflush(stdout);
	for (size_t i = 0; i < n_terminals; i++) {
		send_kept(&terminals[i], END_MS, true);
		all &= !terminals[i].bytes.n;
		terminals[i].bytes.n = 0;
	}
	return all;
}
