/* SPDX-License-Identifier: GPL-2.0-or-later */
/* memory.c - changes a block that is larger than most caches, line by line. */
#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>

#include "src/load/load_process.h"

enum { SIZE = 32 << 20, PIECE = 512 << 10, LINE = 64 };

struct block {
	uint64_t *words;
	size_t at;
};

static int begin(struct load_worker *worker)
{
	static struct block block; /* of this process */

	block.words = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (block.words == MAP_FAILED)
		return load_worker_fail(worker, -errno, "no memory for its block");
	worker->data = &block;
	return 0;
}

static int work(struct load_worker *worker)
{
	struct block *block = worker->data;
	volatile uint64_t *words = block->words;

	for (size_t end = block->at + PIECE; block->at < end; block->at += LINE)
		words[block->at / sizeof(*words)]++;
	block->at %= SIZE;
	return 0;
}

const struct load_kind load_memory = {.name = "memory",
	.title = "caches and memory bandwidth: 32 MiB are changed",
	.bytes = SIZE,
	.begin = begin,
	.work = work};
