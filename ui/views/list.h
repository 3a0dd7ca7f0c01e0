/* SPDX-License-Identifier: GPL-2.0-or-later */
/* list.h - a small dialog that offers lines, of which one is chosen. Pure. */
#pragma once

#include "ui/views/view.h"

enum { LIST_LINE_SIZE = 96 };

struct list {
	const char *title, *hint;
	size_t n, position; /* of the lines; of the one that is marked */
	/* Writes line @i. */
	void (*line)(const struct frame *frame, size_t i, char text[LIST_LINE_SIZE]);
	/* Called for the chosen line, after the dialog was closed. */
	void (*done)(struct frame *frame, size_t i);
};

void list_open(struct frame *frame, const struct list *list);
