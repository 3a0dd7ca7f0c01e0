/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_json.h - the matrix of a sweep as JSON: the document's "matrix". */
#pragma once

#include <stdio.h>

struct json_object;
struct matrix;
struct matrix_changes;
struct session;

/* Prints the session's matrix, one cell a line. Returns 0 or -ENOMEM. */
int matrix_json_print(FILE *out, const struct session *session);

/* Returns what changed, in all and in each cell that has repeats in both phases, or NULL without memory. */
struct json_object *matrix_json_changes(const struct matrix *matrix, const struct matrix_changes *changes);
