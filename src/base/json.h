/* SPDX-License-Identifier: GPL-2.0-or-later */
/* json.h - building, reading and printing JSON values with json-c. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <json-c/json.h>

#include "src/base/field.h"

/* Puts @value under @key of @object, which then owns it. Without memory the key is left out. */
void json_put(struct json_object *object, const char *key, struct json_object *value);
/* Bytes that are no UTF-8 become U+FFFD: names of hosts and files may have them. */
void json_put_text(struct json_object *object, const char *key, const char *text);
void json_put_uint(struct json_object *object, const char *key, uint64_t number);
void json_put_int(struct json_object *object, const char *key, int64_t number);
void json_put_bool(struct json_object *object, const char *key, bool value);
/* Puts a number with 3 decimals. */
void json_put_number(struct json_object *object, const char *key, double number);
/* With 15 digits, for one from which others are calculated again. */
void json_put_exact(struct json_object *object, const char *key, double number);
/* Returns a text as json_put_text() puts it; NULL without memory. */
struct json_object *json_text(const char *text);

/* Returns the value under @key, which the object owns; NULL: there is none of this type. Accepts NULL. */
struct json_object *json_child(struct json_object *object, const char *key, enum json_type type);

/* Adds a field of the struct @of under its key. */
void json_put_field(struct json_object *object, const struct field *field, const void *of);
/* Reads a field. If @object lacks it, or the number is out of range, the struct keeps its value. Texts are
 * cut to the field; strings, which the struct must not have yet, are allocated. Both are cleaned (text.h). */
void json_read_field(struct json_object *object, const struct field *field, void *of);

/* Prints one value after @before, and frees it; characters that a terminal would obey are escaped (text.h).
 * Returns 0, or -ENOMEM if the value is NULL. */
int json_print_value(FILE *out, struct json_object *value, const char *before);
/* Prints `,"key":"text"`; null without memory. */
void json_print_text(FILE *out, const char *key, const char *text);
