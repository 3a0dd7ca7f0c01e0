/* SPDX-License-Identifier: GPL-2.0-or-later */
/* field.c - the fields of a struct as a table, from which they are encoded and decoded. */
#include "src/base/field.h"

#include <string.h>

#include "src/base/bytes.h"

bool field_is_text(const struct field *field)
{
	return field->type == FIELD_STRING || field->type == FIELD_TEXT;
}

int64_t field_number(const struct field *field, const void *of)
{
	const void *at = (const char *)of + field->offset;

	if (field_is_text(field))
		return 0;
	if (field->type == FIELD_BOOL)
		return *(const bool *)at;
	if (field->type == FIELD_INT32)
		return *(const int32_t *)at;
	if (field->type == FIELD_UINT32)
		return *(const uint32_t *)at;
	return *(const int64_t *)at;
}

void field_set_number(const struct field *field, void *of, int64_t number)
{
	void *at = (char *)of + field->offset;

	if (field->type == FIELD_BOOL)
		*(bool *)at = number != 0;
	else if (field->size == sizeof(int32_t))
		*(int32_t *)at = (int32_t)number;
	else
		*(int64_t *)at = number;
}

const char *field_text(const struct field *field, const void *of)
{
	const void *at = (const char *)of + field->offset;
	const char *text = field->type == FIELD_STRING ? *(const char *const *)at : at;

	return text ? text : "";
}

void fields_encode(struct bytes *bytes, const struct field *fields, size_t n, const void *of)
{
	size_t begun = bytes_begin(bytes);

	for (size_t i = 0; i < n; i++) {
		const void *at = (const char *)of + fields[i].offset;

		if (field_is_text(&fields[i]))
			bytes_text(bytes, fields[i].type == FIELD_STRING ? *(const char *const *)at : at);
		else
			bytes_int(bytes, field_number(&fields[i], of));
	}
	bytes_end(bytes, begun);
}

static bool number_fits(const struct field *field, int64_t number)
{
	if (field->below)
		return number >= 0 && (uint64_t)number < field->below;
	if (field->type == FIELD_INT32)
		return number == (int32_t)number;
	return field->type != FIELD_UINT32 || number == (int64_t)(uint32_t)number;
}

static void field_decode(struct scan *scan, const struct field *field, void *of)
{
	void *at = (char *)of + field->offset;

	if (field->type == FIELD_STRING) {
		*(char **)at = scan_text(scan);
	} else if (field->type == FIELD_TEXT) {
		scan_text_into(scan, at, field->size);
	} else {
		int64_t number = scan_int(scan);

		scan->bad |= !number_fits(field, number);
		field_set_number(field, of, scan->bad ? 0 : number);
	}
}

void fields_decode(struct scan *scan, const struct field *fields, size_t n, void *of)
{
	struct scan part = scan_part(scan);

	for (size_t i = 0; i < n; i++) {
		if (part.at < part.end)
			field_decode(&part, &fields[i], of);
		else
			memset((char *)of + fields[i].offset, 0, fields[i].size);
	}
	scan->bad |= part.bad;
}
