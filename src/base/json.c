/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.c - building, reading and printing JSON values with json-c. */
#include "src/base/json.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/text.h"

void json_put(struct json_object *object, const char *key, struct json_object *value)
{
	if (!object || !value || json_object_object_add(object, key, value) < 0)
		json_object_put(value);
}

struct json_object *json_text(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	char *clean = malloc(3 * strlen(text) + 1), *end = clean;
	struct json_object *object;

	if (!clean)
		return NULL;
	while (*text) {
		const char *from = text;
		bool is_bad = text_next(&text) == TEXT_BAD;

		end = is_bad ? stpcpy(end, replacement) : mempcpy(end, from, (size_t)(text - from));
	}
	object = json_object_new_string_len(clean, (int)(end - clean));
	free(clean);
	return object;
}

void json_put_text(struct json_object *object, const char *key, const char *text)
{
	json_put(object, key, json_text(text));
}

void json_put_uint(struct json_object *object, const char *key, uint64_t number)
{
	json_put(object, key, json_object_new_uint64(number));
}

void json_put_int(struct json_object *object, const char *key, int64_t number)
{
	json_put(object, key, json_object_new_int64(number));
}

void json_put_bool(struct json_object *object, const char *key, bool value)
{
	json_put(object, key, json_object_new_boolean(value));
}

/* @format: is kept. */
static void put_double(struct json_object *object, const char *key, double number, char *format)
{
	struct json_object *value = json_object_new_double(number);

	if (value)
		json_object_set_serializer(value, json_object_double_to_json_string, format, NULL);
	json_put(object, key, value);
}

void json_put_number(struct json_object *object, const char *key, double number)
{
	static char format[] = "%.3f";

	put_double(object, key, number, format);
}

void json_put_exact(struct json_object *object, const char *key, double number)
{
	static char format[] = "%.15g";

	put_double(object, key, number, format);
}

struct json_object *json_child(struct json_object *object, const char *key, enum json_type type)
{
	struct json_object *value = NULL;

	json_object_object_get_ex(object, key, &value);
	return json_object_is_type(value, type) ? value : NULL;
}

void json_put_field(struct json_object *object, const struct field *field, const void *of)
{
	if (field_is_text(field))
		json_put_text(object, field->key, field_text(field, of));
	else if (field->type == FIELD_BOOL)
		json_put_bool(object, field->key, field_number(field, of));
	else if (field->type == FIELD_UINT64)
		json_put_uint(object, field->key, (uint64_t)field_number(field, of));
	else
		json_put_int(object, field->key, field_number(field, of));
}

void json_read_field(struct json_object *object, const struct field *field, void *of)
{
	struct json_object *value = json_object_object_get(object, field->key);
	char *text = (char *)of + field->offset;
	int64_t number = field->type == FIELD_UINT64 ? (int64_t)json_object_get_uint64(value)
						     : json_object_get_int64(value);

	if (!value || field_is_text(field) != json_object_is_type(value, json_type_string))
		return;
	if (field->type == FIELD_STRING) {
		char *string = strdup(json_object_get_string(value));

		*(char **)text = string ? text_clean(string) : NULL;
	} else if (field->type == FIELD_TEXT) {
		snprintf(text, field->size, "%s", json_object_get_string(value));
		text_clean(text);
	} else if (!field->below || (uint64_t)number < field->below) {
		field_set_number(field, of, number);
	}
}

/* json-c escapes C0 alone. Only strings have characters beyond ASCII. */
static void print_escaped(FILE *out, const char *text)
{
	for (const char *from = text; *from; from = text) {
		while (*text && (unsigned char)*text < 0x7f)
			text++;
		fwrite(from, 1, (size_t)(text - from), out);
		if (!*(from = text))
			return;
		uint32_t code = text_next(&text);

		if (code == TEXT_BAD || !text_is_plain(code))
			fprintf(out, "\\u%04x", (unsigned)code);
		else
			fwrite(from, 1, (size_t)(text - from), out);
	}
}

int json_print_value(FILE *out, struct json_object *value, const char *before)
{
	const char *text = value ? json_object_to_json_string_ext(
					   value, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE)
				 : NULL;
	int r = text ? 0 : -ENOMEM;

	if (text) {
		fputs(before, out);
		print_escaped(out, text);
	}
	json_object_put(value);
	return r;
}

void json_print_text(FILE *out, const char *key, const char *text)
{
	fprintf(out, ",\"%s\":", key);
	if (json_print_value(out, json_text(text), "") < 0)
		fputs("null", out);
}
