/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tally.h - how often each value occurs: "32 FIFO:80, 4 OTHER". Pure. */
#pragma once

#include <stddef.h>

/* Zeroed is empty. */
struct tally {
	struct tallied {
		char *value; /* owned */
		size_t n;
	} * list; /* owned; in the order in which the values came first */
	size_t n;
};

int tally_add(struct tally *tally, const char *value, size_t n); /* 0 or -ENOMEM */
/* Writes the first four values with their numbers, and the number of all others: "9 others". Cuts what does
 * not fit. Returns @text. */
enum { TALLY_TEXT_SIZE = 256 };
char *tally_text(const struct tally *tally, char text[TALLY_TEXT_SIZE]);
/* The same, but a single value without its number. */
char *tally_value(const struct tally *tally, char text[TALLY_TEXT_SIZE]);
void tally_finish(struct tally *tally);

/* How many of several things have another value than before. Zeroed is empty. */
struct tally_change {
	struct tally was, is; /* owned; of those that changed */
	size_t n, of;
};

/* Adds @n things. Returns 0 or -ENOMEM. */
int tally_change_add(struct tally_change *change, const char *was, const char *is, size_t n);
void tally_change_finish(struct tally_change *change);
