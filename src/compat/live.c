/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live.c - a block of lines that is printed again and again. */
#include "src/compat/live.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "src/run/output.h"

enum { LEAST_ROWS = 2 };

void compat_live_init(struct compat_live *live, bool log)
{
	const char *term = getenv("TERM");

	*live = (struct compat_live){
		.log = log,
		.terminal = isatty(STDOUT_FILENO) && !(term && !strcmp(term, "dumb")),
	};
}

unsigned compat_live_room(const struct compat_live *live)
{
	struct winsize size;

	if (!live->terminal || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || !size.ws_row)
		return UINT_MAX;
	return size.ws_row > LEAST_ROWS ? size.ws_row - 1u : LEAST_ROWS;
}

FILE *compat_live_open(struct compat_live *live)
{
	return open_memstream(&live->block, &live->size);
}

/* Draws the block over the one before. A line that wraps would take a second row, and the next block would
 * start too low, so long lines are cut. */
static void draw_block(struct compat_live *live, bool last)
{
	const char *line = live->block;

	if (live->lines)
		printf("\033[%uA\r", live->lines);
	fputs(last ? "" : "\033[?7l", stdout);
	for (live->lines = 0; *line; live->lines++) {
		int length = (int)strcspn(line, "\n");

		printf("%.*s\033[K\n", length, line);
		line += length + (line[length] == '\n');
	}
	fputs(last ? "" : "\033[?7h", stdout);
}

bool compat_live_close(struct compat_live *live, FILE *out, bool last)
{
	bool whole = fclose(out) == 0 && live->size > 0;
	int r = 0;

	if (live->log) {
		live->lines = 0;
		last = true;
	}
	if (whole && (!live->terminal || last || output_keeps_up())) {
		if (live->terminal)
			draw_block(live, last);
		else
			fputs(live->block, stdout);
		if (!live->error)
			r = output_flush(&live->reason);
		if (r < 0)
			live->error = r;
	}
	free(live->block);
	return !live->error && r == 0;
}
