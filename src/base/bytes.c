/* SPDX-License-Identifier: GPL-2.0-or-later */
/* bytes.c - numbers and texts as bytes. */
#include "src/base/bytes.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"

void bytes_finish(struct bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct bytes){0};
}

uint8_t *bytes_room(struct bytes *bytes, size_t n)
{
	size_t room = bytes->room ? bytes->room : 4096;

	if (bytes->failed)
		return NULL;
	if (n <= bytes->room - bytes->n)
		return bytes->data + bytes->n;
	while (room - bytes->n < n)
		room *= 2;
	uint8_t *data = realloc(bytes->data, room);

	bytes->failed = !data;
	if (!data)
		return NULL;
	bytes->data = data;
	bytes->room = room;
	return data + bytes->n;
}

void bytes_fit(struct bytes *bytes)
{
	uint8_t *data = bytes->n ? realloc(bytes->data, bytes->n) : NULL;

	if (!data)
		return;
	bytes->data = data;
	bytes->room = bytes->n;
}

void bytes_add(struct bytes *bytes, const void *data, size_t n)
{
	uint8_t *at = n ? bytes_room(bytes, n) : NULL;

	if (!at)
		return;
	memcpy(at, data, n);
	bytes->n += n;
}

void bytes_uint(struct bytes *bytes, uint64_t value)
{
	uint8_t *at = bytes_room(bytes, UINT_BYTES_MAX);

	if (at)
		bytes->n = (size_t)(bytes_put_uint(at, value) - bytes->data);
}

/* The sign goes to the lowest bit, so that small negative numbers are short too. */
void bytes_int(struct bytes *bytes, int64_t value)
{
	bytes_uint(bytes, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

void bytes_text(struct bytes *bytes, const char *text)
{
	size_t length = text ? strlen(text) : 0;

	bytes_uint(bytes, text ? length + 1 : 0);
	bytes_add(bytes, text, length);
}

size_t bytes_begin(struct bytes *bytes)
{
	bytes_uint(bytes, 0);
	return bytes->n;
}

/* bytes_begin() left room for a length of one byte; a longer length moves the part. */
void bytes_end(struct bytes *bytes, size_t begun)
{
	size_t length = bytes->n - begun, end = bytes->n;

	bytes_uint(bytes, length);
	if (bytes->failed)
		return;
	size_t n = bytes->n - end;
	uint8_t number[10];

	memcpy(number, bytes->data + end, n);
	memmove(bytes->data + begun - 1 + n, bytes->data + begun, length);
	memcpy(bytes->data + begun - 1, number, n);
	bytes->n = end - 1 + n;
}

/* Moves the 7 bits of each byte together. */
static uint64_t join_sevens(uint64_t word)
{
	word = (word & 0x007f007f007f007f) | (word & 0x7f007f007f007f00) >> 1;
	word = (word & 0x00003fff00003fff) | (word & 0x3fff00003fff0000) >> 2;
	return (word & 0x000000000fffffff) | (word & 0x0fffffff00000000) >> 4;
}

uint64_t scan_long_uint(struct scan *scan)
{
	const uint8_t *at = scan->at; /* in a register: a byte that is read might be a part of @scan */
	uint64_t value = 0, word;

	if (scan->end - at >= (ptrdiff_t)sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		word = le64toh(word);
		uint64_t lasts = ~word & 0x8080808080808080; /* bytes that end a number */

		if (lasts) {
			scan->at = at + __builtin_ctzll(lasts) / 8 + 1;
			return join_sevens(word & (lasts ^ (lasts - 1)));
		}
	}
	for (unsigned shift = 0; shift < 64 && at < scan->end; shift += 7) {
		uint8_t byte = *at++;

		value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			scan->at = at;
			return value;
		}
	}
	scan->bad = true;
	scan->at = scan->end;
	return 0;
}

int64_t scan_int(struct scan *scan)
{
	uint64_t value = scan_uint(scan);

	return (int64_t)(value >> 1 ^ (value & 1 ? UINT64_MAX : 0));
}

uint64_t scan_below(struct scan *scan, uint64_t limit)
{
	uint64_t value = scan_uint(scan);

	scan->bad |= value >= limit;
	return scan->bad ? 0 : value;
}

/* Reads a text, which has no final NUL. Returns its bytes; .at is NULL if NULL was written, or the text is
 * bad. */
static struct scan scan_chars(struct scan *scan)
{
	uint64_t written = scan_uint(scan), length = written - 1; /* 0: NULL */
	struct scan chars = {0};

	if (!written)
		return chars;
	scan->bad |= length > (size_t)(scan->end - scan->at) || memchr(scan->at, '\0', length);
	if (scan->bad)
		return chars;
	chars.at = scan->at;
	chars.end = scan->at += length;
	return chars;
}

char *scan_text(struct scan *scan)
{
	struct scan chars = scan_chars(scan);
	char *text = chars.at ? strndup((const char *)chars.at, (size_t)(chars.end - chars.at)) : NULL;

	scan->bad |= chars.at && !text;
	return text ? text_clean(text) : NULL;
}

void scan_text_into(struct scan *scan, char *text, size_t size)
{
	struct scan chars = scan_chars(scan);
	size_t length = (size_t)(chars.end - chars.at);

	length = length < size ? length : size - 1;
	text[0] = '\0';
	strncat(text, chars.at ? (const char *)chars.at : "", length);
	text_clean(text);
}

/* FNV-1a (Fowler, Noll, Vo) in steps of 8 bytes; each step is one to one, so no single damage is missed. */
uint64_t bytes_check(const void *data, size_t n)
{
	const uint64_t prime = 0x100000001b3;
	const uint8_t *at = data;
	uint64_t check = 0xcbf29ce484222325, word;

	for (; n >= sizeof(word); at += sizeof(word), n -= sizeof(word)) {
		memcpy(&word, at, sizeof(word));
		check = (check ^ le64toh(word)) * prime;
		check ^= check >> 29;
	}
	for (; n; n--)
		check = (check ^ *at++) * prime;
	return check;
}
