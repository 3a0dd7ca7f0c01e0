/* SPDX-License-Identifier: GPL-2.0-or-later */
/* setting_file.h - a setting of the kernel that is the first line of a file. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* Which part of the line is the value. Values of a form are compared by their meaning: "0-1" is "0,1". */
enum setting_form {
	SETTING_NONE,
	SETTING_TEXT, /* the line */
	SETTING_NUMBER,
	SETTING_CHOICE,    /* of "always [madvise] never", or "none (full)", the word in brackets */
	SETTING_FIRST,     /* the first word counts: "max 100000", "4 4 1 7" */
	SETTING_CPUS,      /* a list of CPUs: "0-1" is "0,1" */
	SETTING_MASK,      /* hexadecimal, maybe with commas: "00000000,00000003" is "3" */
	SETTING_PARITY,    /* a word of the scheduler's features: RUN_TO_PARITY or NO_RUN_TO_PARITY */
	SETTING_SWITCH,    /* on or off: 1 or 0, and the other way round in a file named no_... */
	SETTING_PARTITION, /* "isolated" is also "isolated invalid (REASON)" */
	SETTING_HELD,      /* no file: /dev/cpu_dma_latency has it while somebody holds it open */
};

enum { SETTING_VALUE_SIZE = 256 };

struct setting_file {
	char *path; /* owned */
	enum setting_form form;
	char was[SETTING_VALUE_SIZE], written[SETTING_VALUE_SIZE];
	bool is_unread; /* the kernel may have made another value of @written, which was not read yet */
	bool is_kept; /* the kernel may keep what it was given, though the file shows @was: a clock source */
};

/* Reads the value as it can be written back. Returns 0 or a negative errno. */
int setting_file_read(const char *path, enum setting_form form, char value[SETTING_VALUE_SIZE]);
/* Whether the kernel took the value in name alone: a partition that it calls invalid. */
bool setting_file_is_void(enum setting_form form, const char *value);
bool setting_file_equal(enum setting_form form, const char *x, const char *y);
int setting_file_write(
	const char *path, enum setting_form form, const char *value); /* 0 or a negative errno */
void setting_files_free(struct setting_file *files, size_t n);
