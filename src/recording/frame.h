/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frame.h - the frames of a recording, with their checksums. Pure.
 *
 * A frame is a head of FRAME_HEAD_SIZE bytes and a payload. The head has a checksum of its own, so that
 * frames can be counted without their payloads, and found again behind a damaged one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/bytes.h"

enum { FRAME_HEAD_SIZE = 24, FRAME_PAYLOAD_MAX = 1 << 28 };

/* Kinds that a reader does not know are skipped. */
enum frame_kind {
	FRAME_HEADER = 1, /* JSON: versions, machine, rings, options */
	FRAME_TICK,
	FRAME_EVENT,
	FRAME_MACHINE, /* JSON: what is known of the machine from now on */
	FRAME_CHECKPOINT,
	FRAME_END, /* why it ended, and where the checkpoints are */
};

struct frame_head {
	uint32_t length; /* of the payload */
	uint32_t kind;
	uint64_t check; /* of the payload */
};

/* Leaves room for a head, returns where; what is added after it is the payload that frame_end() closes. */
size_t frame_begin(struct bytes *bytes);
void frame_end(struct bytes *bytes, size_t begun, enum frame_kind kind);

/* Returns false where @bytes are no head. */
bool frame_read_head(const uint8_t bytes[FRAME_HEAD_SIZE], struct frame_head *head);
/* Is that the payload that was written? */
bool frame_is_whole(const struct frame_head *head, const uint8_t *payload);
/* The first place in @n bytes where a head may begin, or where the start of one stands at the end; @n: none.
 */
size_t frame_find(const uint8_t *bytes, size_t n);
