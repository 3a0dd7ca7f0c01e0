/* SPDX-License-Identifier: GPL-2.0-or-later */
/* frame.h - bytes of a recording: numbers and texts, and frames of them with their checksums. Pure.
 *
 * A frame is a head of FRAME_HEAD_SIZE bytes and a payload. The head has a checksum of its own, so that
 * frames can be counted without their payloads, and found again behind a damaged one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The writer's end. Zeroed is empty. Without memory it fails, and stays so. */
struct bytes {
	uint8_t *data; /* owned */
	size_t n, room;
	bool failed;
};

void bytes_finish(struct bytes *bytes);
void bytes_add(struct bytes *bytes, const void *data, size_t n);
void bytes_uint(struct bytes *bytes, uint64_t value); /* 7 bits a byte: small ones are short */
void bytes_int(struct bytes *bytes, int64_t value);
void bytes_double(struct bytes *bytes, double value);
void bytes_text(struct bytes *bytes, const char *text); /* may be NULL */

/* The reader's end. What does not fit into it makes it bad, and reads as 0 from then on. */
struct scan {
	const uint8_t *at, *end;
	bool bad;
};

uint64_t scan_uint(struct scan *scan);
int64_t scan_int(struct scan *scan);
int32_t scan_int32(struct scan *scan);
double scan_double(struct scan *scan);
/* A number from 0 to @limit - 1; another one is bad. */
uint64_t scan_below(struct scan *scan, uint64_t limit);
/* A text without a NUL inside, as a copy that is the caller's, fit for a terminal (text.h), for a recording
 * may be anyone's: NULL where NULL was written, or where it is bad. Without memory it is bad too. */
char *scan_text(struct scan *scan);
/* The same into @text, cut to what it has room for. */
void scan_text_into(struct scan *scan, char *text, size_t size);

enum { FRAME_HEAD_SIZE = 24, FRAME_PAYLOAD_MAX = 1 << 28 };

/* Kinds that a reader does not know are skipped. */
enum frame_kind {
	FRAME_HEADER = 1, /* JSON: versions, machine, rings, options */
	FRAME_TICK,
	FRAME_EVENT,
	FRAME_MACHINE, /* JSON: what is known of the machine from now on */
	FRAME_CHECKPOINT,
	FRAME_END,  /* why it ended, and where the checkpoints are */
	FRAME_MARK, /* a key began a phase; a name, or none */
	FRAME_BREACH,
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
uint64_t frame_check(const void *data, size_t n);
/* Is that the payload that was written? */
bool frame_is_whole(const struct frame_head *head, const uint8_t *payload);
/* The first place in @n bytes where a head may begin, or where the start of one stands at the end; @n: none.
 */
size_t frame_find(const uint8_t *bytes, size_t n);
