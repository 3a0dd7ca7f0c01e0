/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_from_json.h - the matrix of a JSON summary, to be compared. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct json_object;
struct matrix;

/* Makes a matrix of the object "matrix" of a summary, with the repeats of the @phase; they are all that it
 * has. @is_last: the phase is the summary's last one, of which older versions have no repeats. Returns 0,
 * -EINVAL if it is no matrix, -ENODATA if the summary does not have the cells of that phase, or -ENOMEM. */
int matrix_from_json(struct matrix **matrix, struct json_object *object, uint32_t phase, bool is_last);
