/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_text.h - the matrix of a sweep in plain text, in lines of at most 80 columns. */
#pragma once

#include <stdio.h>

struct matrix_changes;
struct session;

/* Prints a line about the sweep so far. */
void matrix_text_line(FILE *out, const struct session *session);

/* Prints the matrix, its classes, and what is slow. More CPUs than fit are printed as cores, caches or nodes.
 */
void matrix_text_summary(FILE *out, const struct session *session);

/* Prints what changed since the phase before, by class, and which cells changed most. */
void matrix_text_changes(FILE *out, const struct matrix_changes *changes);
