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

/* A line that wraps would take more rows than the next block goes back over, so long lines are cut. */
static void draw(struct compat_live *live, const char *block, bool last)
{
	if (live->lines)
		printf("\033[%uA\r", live->lines);
	fputs(last ? "" : "\033[?7l", stdout);
	for (live->lines = 0; *block; live->lines++) {
		int length = (int)strcspn(block, "\n");

		printf("%.*s\033[K\n", length, block);
		block += length + (block[length] == '\n');
	}
	fputs(last ? "" : "\033[?7h", stdout);
}

FILE *compat_live_open(struct compat_live *live)
{
	return open_memstream(&live->block, &live->size);
}

static bool show(struct compat_live *live, bool last)
{
	bool nobody_reads;

	if (live->terminal && !last && !output_keeps_up())
		return true;
	if (live->terminal)
		draw(live, live->block, last);
	else
		fputs(live->block, stdout);
	if (live->error)
		return false;
	live->error = output_flush(&nobody_reads, &live->reason);
	return !nobody_reads;
}

bool compat_live_close(struct compat_live *live, FILE *out, bool last)
{
	bool read = true;

	if (live->log)
		live->lines = 0;
	if (fclose(out) == 0 && live->size)
		read = show(live, last || live->log);
	free(live->block);
	return read;
}
