/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_json_parts.h - the parts of the JSON report that json-c builds; for report_json.c alone. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <json-c/json.h>
#include <stdio.h>

struct config;
struct session;
struct session_ring;
struct topology;

enum { JSON_SCHEMA_VERSION = 1 };

/* Puts @value, which now belongs to @object, under @key. Without memory the key is left out. */
void json_put(struct json_object *object, const char *key, struct json_object *value);
/* Bytes that are no UTF-8 become U+FFFD: what names a host or a file need not be text. */
void json_put_text(struct json_object *object, const char *key, const char *text);
void json_put_uint(struct json_object *object, const char *key, uint64_t number);
void json_put_int(struct json_object *object, const char *key, int64_t number);
void json_put_bool(struct json_object *object, const char *key, bool value);
/* With 3 decimals. */
void json_put_number(struct json_object *object, const char *key, double number);
struct json_object *json_text(const char *text);

/* The caller's to put; NULL without memory. */
struct json_object *json_host(const struct session *session);
struct json_object *json_topology(const struct topology *topology);
struct json_object *json_options(const struct config *config);
/* Refers to @ring's histograms: to be printed before they change. */
struct json_object *json_ring(const struct session *session, const struct session_ring *ring);

struct hist;
struct phase;

struct json_object *json_figure(const struct session *session, const struct hist *hist);
int json_print_phase(FILE *out, const struct session *session, const struct phase *phase, const char *before);

/* Prints one value, and frees it; characters that a terminal would obey are escaped (text.h). Returns 0, or
 * -ENOMEM for NULL. */
int json_print_value(FILE *out, struct json_object *value, const char *before);
