/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bytes.h - writes numbers and texts as bytes, and reads them. Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes that grow as values are written. Zeroed is empty. If memory is short, @failed is set and stays set,
 * and nothing more is written. */
struct bytes {
	uint8_t *data; /* owned */
	size_t n, room;
	bool failed;
};

void bytes_finish(struct bytes *bytes);
void bytes_add(struct bytes *bytes, const void *data, size_t n);
/* Makes room for @n more bytes, which the caller writes, and then adds to bytes->n. Returns where they go, or
 * NULL without memory. */
uint8_t *bytes_room(struct bytes *bytes, size_t n);
void bytes_fit(struct bytes *bytes);                  /* frees unused room */
void bytes_uint(struct bytes *bytes, uint64_t value); /* 7 bits a byte, the lowest first */
void bytes_int(struct bytes *bytes, int64_t value);
void bytes_text(struct bytes *bytes, const char *text); /* may be NULL */

/* Writes a number to @at, where there is room for UINT_BYTES_MAX; returns the end. Inline for the buckets of
 * histograms. */
enum { UINT_BYTES_MAX = 10 };
static inline uint8_t *bytes_put_uint(uint8_t *at, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		*at++ = (uint8_t)(value | 0x80);
	*at++ = (uint8_t)value;
	return at;
}

/* Values that are written between the two calls form a part, which is preceded by its length. */
size_t bytes_begin(struct bytes *bytes);
void bytes_end(struct bytes *bytes, size_t begun);

/* The bytes that are left to read. A wrong or missing value sets @bad; all further values are then 0. */
struct scan {
	const uint8_t *at, *end;
	bool bad;
};

uint64_t scan_long_uint(struct scan *scan);
/* Inline for the buckets of histograms: nearly all numbers have one or two bytes. */
static inline uint64_t scan_uint(struct scan *scan)
{
	const uint8_t *at = scan->at;

	if (at < scan->end && at[0] < 0x80) {
		scan->at = at + 1;
		return at[0];
	}
	if (scan->end - at > 1 && at[1] < 0x80) {
		scan->at = at + 2;
		return (at[0] & 0x7fu) | (unsigned)at[1] << 7;
	}
	struct scan rest = *scan; /* a copy, so that a local @scan stays in registers */
	uint64_t value = scan_long_uint(&rest);

	*scan = rest;
	return value;
}
int64_t scan_int(struct scan *scan);
/* Reads a number below @limit; any other is bad. */
uint64_t scan_below(struct scan *scan, uint64_t limit);
/* Reads a part; it is empty if its length is wrong. */
static inline struct scan scan_part(struct scan *scan)
{
	uint64_t length = scan_uint(scan);
	struct scan part = {.at = scan->at, .end = scan->at};

	scan->bad |= length > (size_t)(scan->end - scan->at);
	if (!scan->bad)
		part.end = scan->at += length;
	return part;
}
/* Reads a text and cleans it for a terminal (text.h), because anyone may have written it. Returns a copy that
 * the caller frees, or NULL if NULL was written. A text with a NUL inside, and a lack of memory, set @bad. */
char *scan_text(struct scan *scan);
/* Reads a text into @text, cut to @size. */
void scan_text_into(struct scan *scan, char *text, size_t size);

/* Returns a checksum. It differs for bytes that differ in one place only. */
uint64_t bytes_check(const void *data, size_t n);
