/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bytes.h - numbers and texts as bytes, written and read. Pure. */
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

/* A checksum: no two strings of bytes that differ in one place only have the same. */
uint64_t bytes_check(const void *data, size_t n);
