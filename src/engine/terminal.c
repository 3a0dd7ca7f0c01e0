/* SPDX-License-Identifier: GPL-2.0-or-later */
/* terminal.c - restores the terminal when the front was killed; the keeper's part. */
#include "src/engine/terminal.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

void terminal_note(struct arena *arena, const char *bytes, size_t size, const struct termios *termios)
{
	const char *name = ttyname(STDOUT_FILENO);

	atomic_store_explicit(&arena->terminal_taken, 0, memory_order_release);
	if (!size || size > sizeof(arena->terminal_bytes) || !name ||
		strlen(name) >= sizeof(arena->terminal_name))
		return;
	memcpy(arena->terminal_bytes, bytes, size);
	arena->terminal_size = (uint32_t)size;
	arena->terminal = *termios;
	strcpy(arena->terminal_name, name);
	atomic_store_explicit(&arena->terminal_taken, 1, memory_order_release);
}

void terminal_restore(const struct arena *arena)
{
	if (!atomic_load_explicit(&arena->terminal_taken, memory_order_acquire))
		return;
	int fd = open(arena->terminal_name, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);

	if (fd < 0)
		return;
	tcflush(fd, TCOFLUSH);
	tcsetattr(fd, TCSANOW, &arena->terminal);
	ssize_t written = write(fd, arena->terminal_bytes, arena->terminal_size);

	(void)written; /* an error has no reader */
	close(fd);
}
