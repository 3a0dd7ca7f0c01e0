/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text.c - cleans text of others for a terminal, and appends to texts. */
#include "src/base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

uint32_t text_next(const char **text)
{
	static const struct {
		unsigned char mask, lead;
		uint32_t from; /* smaller ones must have a shorter form */
	} forms[] = {{0x80, 0x00, 0}, {0xe0, 0xc0, 0x80}, {0xf0, 0xe0, 0x800}, {0xf8, 0xf0, 0x10000}};
	const unsigned char *at = (const unsigned char *)(*text)++;
	size_t form = 0, i = 1;

	while (form < 4 && (at[0] & forms[form].mask) != forms[form].lead)
		form++;
	if (form == 4)
		return TEXT_BAD;
	uint32_t code = at[0] & (unsigned char)~forms[form].mask;

	for (; i <= form && (at[i] & 0xc0) == 0x80; i++)
		code = code << 6 | (at[i] & 0x3f);
	bool is_surrogate = code >= 0xd800 && code < 0xe000;

	if (i <= form || code < forms[form].from || code >= 0x110000 || is_surrogate)
		return TEXT_BAD;
	*text += form;
	return code;
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
	char *to = text;

	while (*to >= ' ' && *to <= '~') /* nearly always all of it */
		to++;
	const char *from = to, *before;

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

bool text_has_word(const char *text, const char *word, const char *between)
{
	size_t length = strlen(word);

	for (text += strspn(text, between); *text; text += strspn(text, between)) {
		size_t n = strcspn(text, between);

		if (n == length && strncmp(text, word, n) == 0)
			return true;
		text += n;
	}
	return false;
}

void text_print(char *text, size_t size, const char *format, ...)
{
	size_t length = strlen(text);
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text + length, size - length, format, arguments);
	va_end(arguments);
}

void text_append(char *text, size_t size, const char *between, const char *word)
{
	text_print(text, size, "%s%s", *text ? between : "", word);
}

void text_complete(char *line, size_t line_size, const char *words, char *found, size_t found_size)
{
	size_t length = strlen(line), common = 0, n;
	const char *first = NULL;

	found[0] = '\0';
	for (const char *word = words + strspn(words, " "); *word; word += n + strspn(word + n, " ")) {
		n = strcspn(word, " ");
		if (n < length || strncmp(word, line, length) != 0)
			continue;
		text_print(found, found_size, "%s%.*s", *found ? " " : "", (int)n, word);
		common = first && common < n ? common : n;
		first = first ? first : word;
		while (strncmp(word, first, common) != 0)
			common--;
	}
	if (first && common < line_size)
		snprintf(line, line_size, "%.*s", (int)common, first);
}
