/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_words.h - what stands out in a matrix, as sentences. Pure. */
#pragma once

#include "src/model/matrix.h"

struct session;

enum { MATRIX_TIME_SIZE = 32, MATRIX_WORDS_SIZE = 200 };

/* Writes a time in us, of 6 columns where it is below 10 s: "0.066", "2.520", "385.51", "12757"; "-" where it
 * is below 0. Returns @text. */
char *matrix_us(char text[MATRIX_TIME_SIZE], float ns);
/* Writes sentence @i about the summary of the session's matrix, times in us: "slowest receiver: CPU 5, ...".
 * Returns @text, or NULL past the last one. */
char *matrix_outlier_text(const struct session *session, enum matrix_figure figure,
	const struct matrix_summary *summary, unsigned i, char text[MATRIX_WORDS_SIZE]);
