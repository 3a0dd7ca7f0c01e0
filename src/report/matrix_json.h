/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_json.h - the matrix of a sweep as JSON: the document's "matrix". It is printed, and
 * read to be compared. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json_object;
struct matrix;
struct matrix_changes;
struct session;

/* Prints the session's matrix, one cell a line. Returns 0 or -ENOMEM. */
int matrix_json_print(FILE *out, const struct session *session);

/* Returns what changed, in all and in each cell that has repeats in both phases, or NULL without memory. */
struct json_object *matrix_json_changes(const struct matrix *matrix, const struct matrix_changes *changes);

/* Makes a matrix of the object "matrix" of a summary, with the repeats of the @phase; they are all that it
 * has. @is_last: the phase is the summary's last one, of which older versions have no repeats. Returns 0,
 * -EINVAL if it is no matrix, -ENODATA if the summary does not have the cells of that phase, or -ENOMEM. */
int matrix_json_read(struct matrix **matrix, struct json_object *object, uint32_t phase, bool is_last);
