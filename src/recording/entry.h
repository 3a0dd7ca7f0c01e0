/* SPDX-License-Identifier: GPL-2.0-or-later */
/* entry.h - the entries of a recording, with their checksums. Pure.
 *
 * An entry is a head of ENTRY_HEAD_SIZE bytes and a payload. The head has a checksum of its own: a reader can
 * go from head to head without reading payloads, and finds the next entry behind a damaged one. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "src/base/bytes.h"

enum { ENTRY_HEAD_SIZE = 32 };

/* A reader skips kinds that it does not know. */
enum entry_kind {
	ENTRY_HEADER = 1, /* JSON: versions, machine, rings, options */
	ENTRY_TICK,
	ENTRY_EVENT,
	ENTRY_MACHINE,    /* JSON: the facts of the machine from now on */
	ENTRY_CHECKPOINT, /* the session so far */
	ENTRY_END,        /* a text: why the run ended */
	ENTRY_RING,       /* JSON: a ring that was added */
	ENTRY_RING_END,   /* the id of a ring that was removed */
	ENTRY_SPIKE,      /* a response, or a lap, that was far too long, and what ran meanwhile */
	ENTRY_SWEEP,      /* pairs of CPUs that a sweep has measured */
};

struct entry_head {
	uint32_t length; /* of the payload */
	uint32_t kind;
	uint64_t at_ns; /* CLOCK_MONOTONIC */
	uint64_t check; /* of the payload */
};

/* Leaves room for a head, and returns its offset. The bytes added up to entry_end() are the payload. */
size_t entry_begin(struct bytes *bytes);
void entry_end(struct bytes *bytes, size_t begun, enum entry_kind kind, uint64_t at_ns);

/* Returns false if @bytes are no head. */
bool entry_read_head(const uint8_t bytes[ENTRY_HEAD_SIZE], struct entry_head *head);
/* Returns whether the payload is the one that was written. */
bool entry_is_whole(const struct entry_head *head, const uint8_t *payload);
/* Returns the first offset in @n bytes where a head, or the start of one that is cut off there, may be; @n if
 * there is none. */
size_t entry_find(const uint8_t *bytes, size_t n);
