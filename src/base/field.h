/* SPDX-License-Identifier: GPL-2.0-or-later */
/* field.h - the fields of a struct as a table, from which they are encoded, decoded and compared. Pure.
 *
 *	static const struct field fields[] = {
 *		FIELD_OF(struct event, at_ns),
 *		FIELD_OF(struct event, kind, .below = N_EVENT_KINDS),
 *		FIELD_OF(struct event, text),
 *	};
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct bytes;
struct scan;

enum field_type {
	FIELD_INT32,
	FIELD_INT64,
	FIELD_UINT32, /* enums too */
	FIELD_UINT64,
	FIELD_BOOL,
	FIELD_STRING, /* char *: owned by the struct, may be NULL */
	FIELD_TEXT,   /* char []: ends with a NUL */
};

struct field {
	const char *key; /* its name in JSON */
	enum field_type type;
	size_t offset, size;
	uint64_t below; /* numbers that are decoded must be below it; 0: no limit */
};

/* @name: a member of the struct type @of. Further arguments initialize members of struct field. */
#define FIELD_OF(of, name, ...) FIELD_AS(of, name, #name, __VA_ARGS__)
#define FIELD_AS(of, name, json_key, ...)                                                                    \
	{                                                                                                    \
		.key = (json_key), .type = FIELD_TYPE(((of *)0)->name), .offset = offsetof(of, name),        \
		.size = sizeof(((of *)0)->name), __VA_ARGS__                                                 \
	}
/* clang-format off */
#define FIELD_TYPE(member)                                                                                   \
	_Generic(&(member),                                                                                  \
		int32_t *: FIELD_INT32, int64_t *: FIELD_INT64,                                              \
		uint32_t *: FIELD_UINT32, uint64_t *: FIELD_UINT64,                                          \
		bool *: FIELD_BOOL,                                                                          \
		char **: FIELD_STRING, const char **: FIELD_STRING,                                          \
		default: FIELD_TEXT)
/* clang-format on */

/* A table and its length, as arguments. */
#define FIELDS(table) (table), sizeof(table) / sizeof(*(table))

/* Returns the number of a field; 0 for a text. Unsigned 64-bit numbers above INT64_MAX are negative. */
int64_t field_number(const struct field *field, const void *of);
void field_set_number(const struct field *field, void *of, int64_t number);
bool field_is_text(const struct field *field);
/* For texts; "" if the string is NULL. */
const char *field_text(const struct field *field, const void *of);

/* Writes the fields as a part: a reader skips fields that it does not know, and fields that were not written
 * are 0. */
void fields_encode(struct bytes *bytes, const struct field *fields, size_t n, const void *of);
/* Strings are allocated: the caller frees them, whether or not @scan has become bad. */
void fields_decode(struct scan *scan, const struct field *fields, size_t n, void *of);
