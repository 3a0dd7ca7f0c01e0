/* SPDX-License-Identifier: GPL-2.0-or-later */
/* report_lines.h - lines of at most 80 columns, and times in them. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct session;

enum { REPORT_CELL_SIZE = 48, REPORT_CLOCK_SIZE = 9, REPORT_WIDTH = 80 };

/* Writes a time in us in 6 columns, with as many decimals as fit: "1.880", "385.51", "123457", and from a
 * second on "1.235s"; with a sign ">=1.2s". Returns @cell. */
char *report_us(char cell[REPORT_CELL_SIZE], const char *sign, uint64_t ns);

/* Writes the local time of @at_ns, CLOCK_MONOTONIC, as HH:MM:SS. Returns @text. */
char *report_clock(char text[REPORT_CLOCK_SIZE], const struct session *session, uint64_t at_ns);

/* Returns the number of characters of UTF-8 in @n bytes. */
unsigned report_columns(const char *text, size_t n);

/* Prints a text that begins in column @x, in lines of at most 80 columns, the further ones indented. */
void report_wrap(FILE *out, unsigned x, unsigned indent, const char *text);
void report_wrap_in(FILE *out, unsigned columns, unsigned x, unsigned indent, const char *text);
