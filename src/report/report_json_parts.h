/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_json_parts.h - the parts of the JSON report that json-c builds; for report_json.c alone. */
#pragma once

#include <stdio.h>

#include "src/base/json.h"

struct config;
struct session;
struct session_ring;

enum { JSON_SCHEMA_VERSION = 1 };

/* The caller's to put; NULL without memory. */
struct json_object *json_options(const struct config *config);
/* Refers to @ring's histograms: to be printed before they change. */
struct json_object *json_ring(const struct session *session, const struct session_ring *ring);

struct hist;
struct phase;

struct json_object *json_figure(const struct session *session, const struct hist *hist);
int json_print_phase(FILE *out, const struct session *session, const struct phase *phase, const char *before);
