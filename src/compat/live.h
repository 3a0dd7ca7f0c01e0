/* SPDX-License-Identifier: GPL-2.0-or-later */
/* live.h - the block of lines that the tools print again and again: redrawn in place on a terminal, one after
 * the other in a pipe. */
#pragma once

#include <stdbool.h>

#include "src/base/error_text.h"

struct compat_live {
	bool terminal;
	unsigned lines; /* of the block that stands on the terminal */
	int error;      /* a negative errno, once a write failed; a reader that has seen enough is none */
	struct error_text reason;
};

void compat_live_init(struct compat_live *live);
/* How many lines a block may have, so that it can be redrawn. */
unsigned compat_live_room(const struct compat_live *live);
/* Prints a block of whole lines, which are cut to the terminal's width unless it is the @last. Returns false
 * where nobody reads it. */
bool compat_live_show(struct compat_live *live, const char *block, bool last);
