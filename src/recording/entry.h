/* SPDX-License-Identifier: GPL-2.0-or-later */
/* entry.h - the entries of a recording, with their checksums. Pure.
 *
 * An entry is a head of ENTRY_HEAD_SIZE bytes and a payload. The head has a checksum of its own, so that
 * entries can be counted without their payloads, and found again behind a damaged one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/bytes.h"

enum { ENTRY_HEAD_SIZE = 24, ENTRY_PAYLOAD_MAX = 1 << 28 };

/* Kinds that a reader does not know are skipped. */
enum entry_kind {
	ENTRY_HEADER = 1, /* JSON: versions, machine, rings, options */
	ENTRY_TICK,
	ENTRY_EVENT,
	ENTRY_MACHINE, /* JSON: what is known of the machine from now on */
	ENTRY_CHECKPOINT,
	ENTRY_END, /* why it ended, and where the checkpoints are */
};

struct entry_head {
	uint32_t length; /* of the payload */
	uint32_t kind;
	uint64_t check; /* of the payload */
};

/* Leaves room for a head, returns where; what is added after it is the payload that entry_end() closes. */
size_t entry_begin(struct bytes *bytes);
void entry_end(struct bytes *bytes, size_t begun, enum entry_kind kind);

/* Returns false where @bytes are no head. */
bool entry_read_head(const uint8_t bytes[ENTRY_HEAD_SIZE], struct entry_head *head);
/* Is that the payload that was written? */
bool entry_is_whole(const struct entry_head *head, const uint8_t *payload);
/* The first place in @n bytes where a head may begin, or where the start of one stands at the end; @n: none.
 */
size_t entry_find(const uint8_t *bytes, size_t n);
