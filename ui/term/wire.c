/* SPDX-License-Identifier: GPL-2.0-or-later */
/* wire.c - the terminal on stdout: its modes, its size, and its output, sent when it accepts it. */
#include "ui/term/wire.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "src/base/tty.h"
#include "ui/term/restore.h"

enum { GIVE_MS = 60 };

struct wire {
	int fd; /* of its own open file description */
	struct termios before;
	char *bytes; /* owned; those from `sent` to `n` are left */
	size_t sent, n, room;
};

int wire_create(struct wire **out, struct error_text *reason)
{
	struct wire *wire = calloc(1, sizeof(*wire));

	if (!wire)
		return error_text_set(reason, -ENOMEM, "there is no memory for the screen");
	wire->fd = tty_open(STDOUT_FILENO, O_WRONLY);
	if (wire->fd < 0) {
		int r = error_text_set(
			reason, wire->fd, "the terminal can't be opened: %s", strerror(-wire->fd));

		free(wire);
		return r;
	}
	*out = wire;
	return 0;
}

void wire_destroy(struct wire *wire)
{
	close(wire->fd);
	free(wire->bytes);
	free(wire);
}

static void drop(struct wire *wire)
{
	wire->sent = wire->n = 0;
}

int wire_arm(struct wire *wire, const char *bytes, size_t n)
{
	drop(wire);
	if (tcgetattr(STDOUT_FILENO, &wire->before) < 0)
		return -errno;
	return restore_arm(wire->fd, &wire->before, bytes, n);
}

/* Ctrl-C, Ctrl-\ and Ctrl-Z still make signals, which discard no output. Sets the modes at once: a stalled
 * terminal never finishes its output. */
void wire_take(struct wire *wire)
{
	struct termios modes = wire->before;

	modes.c_iflag &= ~(tcflag_t)(ICRNL | INLCR | IGNCR);
	modes.c_oflag &= ~(tcflag_t)(ONLCR | XTABS);
	modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO | ECHONL);
	modes.c_lflag |= NOFLSH;
	modes.c_cc[VMIN] = 1;
	modes.c_cc[VTIME] = 0;
	tcsetattr(wire->fd, TCSANOW, &modes);
}

static void send_for(struct wire *wire, int wait_ms)
{
	if (!restore_is_armed()) /* a crash gave it back */
		drop(wire);
	if (!wire->n)
		return;
	ssize_t taken = tty_send(wire->fd, wire->bytes + wire->sent, wire->n - wire->sent, wait_ms, false);

	wire->sent += taken > 0 ? (size_t)taken : 0;
	/* The output to a terminal that is gone is dropped; the input thread notices that it is gone. */
	if (taken < 0 || wire->sent == wire->n)
		drop(wire);
}

void wire_send(struct wire *wire)
{
	send_for(wire, 0);
}

void wire_give(struct wire *wire)
{
	send_for(wire, GIVE_MS);
	if (wire->n) {
		drop(wire);
		restore_now();
	} else if (restore_is_armed()) {
		tcsetattr(wire->fd, TCSANOW, &wire->before);
		restore_disarm();
	}
}

int wire_add(struct wire *wire, const char *bytes, size_t n)
{
	if (wire->n + n > wire->room) {
		size_t room = (wire->n + n) * 2;
		char *more = realloc(wire->bytes, room);

		if (!more)
			return -ENOMEM;
		wire->bytes = more;
		wire->room = room;
	}
	memcpy(&wire->bytes[wire->n], bytes, n);
	wire->n += n;
	return 0;
}

int wire_behind(const struct wire *wire)
{
	return wire->n ? wire->fd : -1;
}

bool wire_is_foreground(void)
{
	pid_t foreground = tcgetpgrp(STDOUT_FILENO);

	return foreground < 0 || foreground == getpgrp();
}

bool wire_size(unsigned *width, unsigned *height)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_col || !size.ws_row)
		return false;
	*width = size.ws_col;
	*height = size.ws_row;
	return true;
}
