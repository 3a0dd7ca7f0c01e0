/* SPDX-License-Identifier: GPL-2.0-or-later */
/* phase.c - the phases of a session. */
#include "src/model/phase.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"

static const char *const causes[] = {
	[PHASE_START] = "start",
	[PHASE_KEY] = "key",
	[PHASE_MARK] = "mark",
	[PHASE_CHANGE] = "change",
};

const char *phase_cause_name(enum phase_cause cause)
{
	return causes[cause];
}

/* All pairs of 64 blocks in one tick would take 160 ms of 1,024 pairs. */
enum { PAIRS_EACH_TICK = 2 };

static void drop_blocks(struct phase *phase)
{
	for (unsigned i = 0; i < phase->n_blocks; i++)
		block_finish(&phase->blocks[i]);
	free(phase->blocks);
	phase->blocks = NULL;
	phase->n_blocks = phase->n_halved = 0;
}

static void phase_finish(struct phase *phase)
{
	block_finish(&phase->sum);
	drop_blocks(phase);
}

/* Each two become one, @most of these pairs now. A last one that is left over has half the ticks, and gets
 * more. */
static int halve_blocks(struct phase *phase, unsigned most, struct row_sums *sums)
{
	while (phase->n_halved + 1 < phase->n_blocks) {
		struct block *pair = &phase->blocks[phase->n_halved], merged;
		int r = most-- ? block_merge(&merged, &pair[0], &pair[1], 1, sums) : 1;

		if (r != 0)
			return r < 0 ? r : 0;
		block_replace(&pair[0], &merged);
		block_finish(&pair[1]);
		phase->n_blocks--;
		phase->n_halved++;
		memmove(&pair[1], &pair[2], (phase->n_blocks - phase->n_halved) * sizeof(*pair));
	}
	phase->n_halved = 0;
	phase->block_ticks *= 2;
	return 0;
}

static bool blocks_take_too_much(const struct phase *phase)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < phase->n_blocks; i++)
		bytes += block_bytes(&phase->blocks[i]);
	return phase->n_blocks >= 2 * PHASE_BLOCKS_MIN && bytes > phase->sum.n_rows * PHASE_BLOCKS_BYTES;
}

/* Adds some of the ticks to the last block, or to a new one; @sum is that of all. Returns how many, or
 * -ENOMEM.
 */
static int add_to_block(struct phase *phase, const struct block *ticks, size_t n, const struct block *sum,
	struct row_sums *sums)
{
	struct block *last = phase->n_blocks ? &phase->blocks[phase->n_blocks - 1] : NULL, merged;
	size_t room = last ? phase->block_ticks - last->n_ticks : 0;

	if (!phase->blocks && !(phase->blocks = calloc(PHASE_BLOCKS_MAX, sizeof(*phase->blocks))))
		return -ENOMEM;
	if (room == 0 && phase->n_blocks == PHASE_BLOCKS_MAX)
		return halve_blocks(phase, UINT_MAX, sums);
	if (room == 0) {
		last = &phase->blocks[phase->n_blocks++];
		*last = (struct block){0};
		room = phase->block_ticks;
	}
	bool all = sum->n_ticks == n && n <= room;

	n = n < room ? n : room;
	int r = all ? block_merge(&merged, last, sum, 1, sums) : block_merge(&merged, last, ticks, n, sums);

	if (r < 0)
		return r;
	block_replace(last, &merged);
	return (int)n;
}

int phases_add_to_blocks(struct phases *phases, const struct block *ticks, size_t n, const struct block *sum,
	struct row_sums *sums)
{
	struct phase *phase = &phases->list[phases->n - 1];
	int r = phase->n_halved ? halve_blocks(phase, UINT_MAX, sums) : 0;

	for (size_t done = 0; done < n && r >= 0; done += (size_t)(r > 0 ? r : 0))
		r = add_to_block(phase, ticks + done, n - done, sum, sums);
	return r < 0 ? r : 0;
}

int phases_bound_blocks(struct phases *phases, struct row_sums *sums)
{
	struct phase *phase = &phases->list[phases->n - 1];

	if (!phase->n_halved && !blocks_take_too_much(phase))
		return 0;
	return halve_blocks(phase, PAIRS_EACH_TICK, sums);
}

/* What is not yet whole at the end, a letter in UTF-8, is left out. */
void phase_copy_name(char copy[PHASE_NAME_SIZE], const char *name)
{
	size_t length = strlen(name);

	if (length >= PHASE_NAME_SIZE)
		for (length = PHASE_NAME_SIZE - 1; length && ((unsigned char)name[length] & 0xc0) == 0x80;)
			length--;
	snprintf(copy, PHASE_NAME_SIZE, "%.*s", (int)length, name);
	text_clean(copy);
}

int phases_begin(struct phases *phases, enum phase_cause cause, const char *name, uint64_t start_ns)
{
	bool forgets = phases->n == PHASES_MAX;
	struct phase *list;

	if (phases->n >= PHASES_WITH_BLOCKS)
		drop_blocks(&phases->list[phases->n - PHASES_WITH_BLOCKS]);
	if (forgets) {
		phase_finish(&phases->list[0]);
		memmove(phases->list, phases->list + 1, --phases->n * sizeof(*phases->list));
		phases->dropped++;
	}
	list = realloc(phases->list, (phases->n + 1) * sizeof(*list));
	if (!list)
		return -ENOMEM;
	phases->list = list;
	list[phases->n] = (struct phase){.number = (uint32_t)(phases->dropped + phases->n + 1),
		.cause = cause,
		.start_ns = start_ns,
		.end_ns = start_ns,
		.block_ticks = 1};
	phase_copy_name(list[phases->n++].name, name ? name : "");
	return forgets;
}

void phases_finish(struct phases *phases)
{
	for (size_t i = 0; i < phases->n; i++)
		phase_finish(&phases->list[i]);
	free(phases->list);
	*phases = (struct phases){0};
}

const struct phase *phases_current(const struct phases *phases)
{
	return phases->n ? &phases->list[phases->n - 1] : NULL;
}
