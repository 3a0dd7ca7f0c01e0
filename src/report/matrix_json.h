/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_json.h - the matrix of a sweep as JSON: the document's "matrix". */
#pragma once

#include <stdio.h>

struct session;

/* Prints the session's matrix, one cell a line. Returns 0 or -ENOMEM. */
int matrix_json_print(FILE *out, const struct session *session);
