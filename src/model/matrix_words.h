/* SPDX-License-Identifier: GPL-2.0-or-later */
/* matrix_words.h - what a matrix was measured under, and what stands out in it, as text. Pure. */
#pragma once

#include "src/model/matrix.h"

struct session;

enum { MATRIX_TIME_SIZE = 32, MATRIX_WORDS_SIZE = 200 };

/* Writes a time in us, of 6 columns where it is below 10 s: "0.066", "2.520", "385.51", "12757"; "-" where it
 * is below 0. Returns @text. */
char *matrix_us(char text[MATRIX_TIME_SIZE], float ns);
/* Writes how many times @b @a is: "1.52"; "0.00" where @b is 0. Returns @text. */
char *matrix_ratio(char text[MATRIX_TIME_SIZE], float a, float b);
/* Returns whether the clocks of the two CPUs may differ by as much as the directions do. */
bool matrix_is_skew(const struct session *session, const struct matrix_asymmetry *asymmetry);
/* Returns whether cells of several classes were measured. With one class, its outliers are those of all. */
bool matrix_has_classes_to_tell_apart(const struct matrix_summary *summary);
/* Writes what the cells were measured under: "FF50, 4096 bytes, 1 at once". Returns @text. */
char *matrix_conditions_text(const struct matrix *matrix, char text[MATRIX_WORDS_SIZE]);
/* Writes how many samples a cell has, and after how long its last lap begins at the latest:
 * "n 41-1000 in 2 ms", "n 60 of 50 laps in 1 ms". Returns @text. */
char *matrix_samples_text(const struct matrix *matrix, enum matrix_figure figure,
	const struct matrix_summary *summary, char text[MATRIX_WORDS_SIZE]);
/* Writes sentence @i about what stands out among cells of the session's matrix, times in us: "slowest
 * receiver: CPU 5, ...". Returns @text, or NULL past the last one. */
char *matrix_outlier_text(const struct session *session, enum matrix_figure figure,
	const struct matrix_outliers *outliers, unsigned i, char text[MATRIX_WORDS_SIZE]);
