/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.c - cleans text of others for a terminal. */
#include "src/base/text.h"

#include <stddef.h>
#include <string.h>

/* Reads the code point of the UTF-8 sequence at @text. Returns its length, or 0 where there is none. */
static size_t read_sequence(const unsigned char *text, uint32_t *code)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t from; /* smaller ones must have a shorter form */
	} forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};

	for (size_t length = 1; length <= sizeof(forms) / sizeof(*forms); length++) {
		if ((text[0] & forms[length - 1].mask) != forms[length - 1].lead)
			continue;
		*code = text[0] & (unsigned char)~forms[length - 1].mask;
		for (size_t i = 1; i < length; i++) {
			if ((text[i] & 0xc0) != 0x80)
				return 0;
			*code = *code << 6 | (text[i] & 0x3f);
		}
		bool is_surrogate = *code >= 0xd800 && *code < 0xe000;

		return *code >= forms[length - 1].from && *code < 0x110000 && !is_surrogate ? length : 0;
	}
	return 0;
}

uint32_t text_next(const char **text)
{
	uint32_t code;
	size_t length = read_sequence((const unsigned char *)*text, &code);

	*text += length ? length : 1;
	return length ? code : TEXT_BAD;
}

bool text_is_plain(uint32_t code)
{
	static const struct {
		uint32_t first, last;
	} commands[] = {
		{0x00, 0x1f},     /* C0 */
		{0x7f, 0x9f},     /* DEL, C1 */
		{0x061c, 0x061c}, /* bidi marks, embeddings, overrides and isolates */
		{0x200e, 0x200f},
		{0x2028, 0x202e}, /* the first two end a line and a paragraph */
		{0x2066, 0x2069},
	};

	for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
		if (code >= commands[i].first && code <= commands[i].last)
			return false;
	return true;
}

char *text_clean(char *text)
{
	const char *from = text, *before;
	char *to = text;

	while (*(before = from)) {
		uint32_t code = text_next(&from);
		size_t length = (size_t)(from - before);
		bool is_byte = length == 1 && (unsigned char)*before >= 0x80;

		if (is_byte || !text_is_plain(code)) {
			*to++ = '?';
			continue;
		}
		memmove(to, before, length);
		to += length;
	}
	*to = '\0';
	return text;
}
