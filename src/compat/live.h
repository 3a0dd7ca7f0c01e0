/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live.h - a block of lines that is printed again and again: redrawn in place on a terminal, one after the
 * other in a pipe. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "src/base/error_text.h"

struct compat_live {
	bool terminal;
	bool log;       /* blocks are printed one after the other, whole, and none is skipped */
	unsigned lines; /* of the block on the terminal */
	int error; /* a negative errno once a write has failed, except because its reader closed its end */
	struct error_text reason;
	char *block; /* owned between open and close, by the stream */
	size_t size;
};

void compat_live_init(struct compat_live *live, bool log);
/* Returns how many lines a block may have to be redrawn. */
unsigned compat_live_room(const struct compat_live *live);
/* Returns a stream for one block of whole lines; NULL without memory. */
FILE *compat_live_open(struct compat_live *live);
/* Prints the block, with lines cut to the terminal's width unless it is the @last, and closes the stream.
 * Returns false if its reader has closed its end. */
bool compat_live_close(struct compat_live *live, FILE *out, bool last);
