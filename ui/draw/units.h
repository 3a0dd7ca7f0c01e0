/* SPDX-License-Identifier: GPL-2.0-or-later */
/* units.h - times and counts as text of a fixed width. Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum unit { UNIT_NS, UNIT_US, UNIT_MS, N_UNITS };

const char *unit_name(enum unit unit); /* "us" */
const char *units_name(unsigned i);    /* the same; NULL past the last one */

/* Writes at most 5 digits, at most @width (>= 5) columns: "14.52". A longer time has a larger unit, with its
 * name: "1.500s". All functions return @text. */
char *units_time(char *text, size_t size, unsigned width, uint64_t ns, enum unit unit);
/* Writes the same without trailing zeros: "2", "1.5". */
char *units_short(char *text, size_t size, uint64_t ns, enum unit unit);
/* "16-33", or in a larger unit "0.54-1.1s". If one end is 100 times the other, each has its own unit:
 * "25us-1.1s". */
char *units_range(char *text, size_t size, uint64_t from_ns, uint64_t to_ns, enum unit unit);
/* Three digits: "5.32", "13.4", "794"; a time that needs more than @width columns (4 or 5) has a larger unit.
 */
char *units_brief(char *text, size_t size, unsigned width, uint64_t ns, enum unit unit);
/* Writes the same in us or ms, with the unit: "50us", "1.5ms". */
char *units_named(char *text, size_t size, uint64_t ns);
/* At most 6 columns, rounded down: ">=1.2s"; 340 ms is ">=0.3s". */
char *units_age(char *text, size_t size, uint64_t ns);
/* How long ago, at most 5 columns, in whole units rounded down: "41s", "12m", "3h", "2d". */
char *units_ago(char *text, size_t size, uint64_t ns);
/* The local time of day, of ns since 1970: "22:14:21". */
char *units_clock(char *text, size_t size, uint64_t wall_ns);
/* "every 1ms", "every 150us", or "flood" for 0. */
char *units_pace(char *text, size_t size, const char *every, uint64_t interval_ns);
/* "4k", "1000", "1M" */
char *units_bytes(char *text, size_t size, uint64_t bytes);
/* "41246", or "758k" if @width (>= 4) is too narrow. */
char *units_count(char *text, size_t size, unsigned width, uint64_t count);
