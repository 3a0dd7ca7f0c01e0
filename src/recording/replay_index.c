/* SPDX-License-Identifier: GPL-2.0-or-later */
/* replay_index.c - the checkpoints of a recording, from which a seek can read. */
#include "src/recording/replay_index.h"

#include <errno.h>
#include <stdlib.h>

/* The longest time that a window or a pane shows, and the bytes that can be read in about 50 ms. */
static const uint64_t seek_back_ns = UINT64_C(240000000000), seek_back_bytes = 4 << 20;

static int add_checkpoint(struct replay_index *index, const struct replay_entry *checkpoint)
{
	if (index->n == index->room) {
		size_t room = index->room ? 2 * index->room : 64;
		struct replay_checkpoint *checkpoints =
			realloc(index->checkpoints, room * sizeof(*checkpoints));

		if (!checkpoints)
			return -ENOMEM;
		index->checkpoints = checkpoints;
		index->room = room;
	}
	index->checkpoints[index->n++] =
		(struct replay_checkpoint){checkpoint->offset, checkpoint->head.at_ns};
	return 0;
}

static int read_end(struct replay_index *index, struct replay_file *file, struct replay_entry *entry)
{
	int r = replay_file_entry(file, entry->offset, entry);

	if (r > 0 && !entry->damaged && !index->ended_by)
		index->ended_by = scan_text(&entry->payload);
	return r;
}

int replay_index_extend(struct replay_index *index, struct replay_file *file)
{
	struct replay_entry entry;
	int r;

	while ((r = replay_file_head(file, index->end_offset, &entry)) > 0) {
		if (!entry.damaged && entry.head.kind == ENTRY_CHECKPOINT)
			r = add_checkpoint(index, &entry);
		else if (!entry.damaged && entry.head.kind == ENTRY_END)
			r = read_end(index, file, &entry);
		else if (!entry.damaged && entry.head.kind == ENTRY_TICK)
			index->end_ns = entry.head.at_ns;
		if (r < 0)
			break;
		index->end_offset = entry.next;
	}
	return r;
}

int replay_index_copy(struct replay_index *copy, const struct replay_index *index)
{
	*copy = *index;
	copy->ended_by = NULL;
	copy->room = index->n;
	copy->checkpoints = calloc(index->n + 1, sizeof(*copy->checkpoints));
	if (!copy->checkpoints) {
		*copy = (struct replay_index){0};
		return -ENOMEM;
	}
	for (size_t i = 0; i < index->n; i++)
		copy->checkpoints[i] = index->checkpoints[i];
	return 0;
}

void replay_index_finish(struct replay_index *index)
{
	free(index->checkpoints);
	free(index->ended_by);
	*index = (struct replay_index){0};
}

/* Estimates the offset of a time between two checkpoints: entries follow one another about evenly. */
static uint64_t offset_of(
	const struct replay_checkpoint *from, const struct replay_checkpoint *to, uint64_t at_ns)
{
	if (at_ns <= from->at_ns)
		return from->offset;
	if (at_ns >= to->at_ns || to->at_ns <= from->at_ns || to->offset <= from->offset)
		return to->offset;
	double part = (double)(at_ns - from->at_ns) / (double)(to->at_ns - from->at_ns);

	return from->offset + (uint64_t)(part * (double)(to->offset - from->offset));
}

size_t replay_index_find(const struct replay_index *index, uint64_t at_ns)
{
	const struct replay_checkpoint end = {.offset = index->end_offset, .at_ns = index->end_ns};
	const struct replay_checkpoint *checkpoints = index->checkpoints;
	size_t n = index->n - 1;

	while (n > 0 && checkpoints[n].at_ns > at_ns)
		n--;
	uint64_t offset = offset_of(&checkpoints[n], n + 1 < index->n ? &checkpoints[n + 1] : &end, at_ns);

	while (n > 0 && checkpoints[n - 1].at_ns + seek_back_ns >= at_ns &&
		checkpoints[n - 1].offset + seek_back_bytes >= offset)
		n--;
	return n;
}
