/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_from_json.h - the matrix of a JSON summary, to be compared. */
#pragma once

struct json_object;
struct matrix;

/* Makes a matrix of the object "matrix" of a summary, with the repeats of its last phase; they are all that
 * it has. Those of older versions have none. Returns 0, -EINVAL if it is no matrix, or -ENOMEM. */
int matrix_from_json(struct matrix **matrix, struct json_object *object);
