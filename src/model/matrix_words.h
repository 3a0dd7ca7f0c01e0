/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_words.h - what a matrix was measured under, and what stands out in it, as text. Pure. */
#pragma once

#include "src/model/matrix.h"

struct session;

enum { MATRIX_TIME_SIZE = 32, MATRIX_WORDS_SIZE = 200 };

/* Writes a time in us, of 6 columns where it is below 10 s: "0.066", "2.520", "385.51", "12757"; "-" where it
 * is below 0. Returns @text. */
char *matrix_us(char text[MATRIX_TIME_SIZE], float ns);
/* Writes what the cells were measured under: "FF50, 4096 bytes, 1 at once". Returns @text. */
char *matrix_conditions_text(const struct matrix *matrix, char text[MATRIX_WORDS_SIZE]);
/* Writes how many samples a cell has, and after how long its last lap begins at the latest:
 * "n 41-1000 in 2 ms", "n 60 of 50 laps in 1 ms". Returns @text. */
char *matrix_samples_text(const struct matrix *matrix, enum matrix_figure figure,
	const struct matrix_summary *summary, char text[MATRIX_WORDS_SIZE]);
/* Writes sentence @i about the summary of the session's matrix, times in us: "slowest receiver: CPU 5, ...".
 * Returns @text, or NULL past the last one. */
char *matrix_outlier_text(const struct session *session, enum matrix_figure figure,
	const struct matrix_summary *summary, unsigned i, char text[MATRIX_WORDS_SIZE]);
