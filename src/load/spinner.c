/* SPDX-License-Identifier: GPL-2.0-or-later */
/* spinner.c - computes: as a plain task, or at FIFO:50, where plain tasks wait until it rests. */
#include "src/base/clock.h"
#include "src/load/load_process.h"

enum { PIECE_NS = 20000 };

static int work(struct load_worker *worker)
{
	uint64_t start_ns = clock_now_ns();

	while (clock_now_ns() - start_ns < PIECE_NS)
		;
	return 0;
}

const struct load_kind load_spinner = {
	.name = "spinner", .title = "a plain task that computes", .work = work};
const struct load_kind load_fifo = {.name = "fifo",
	.title = "a task of FIFO:50 that computes for 12 ms in 16",
	.is_fifo = true,
	.work = work};
