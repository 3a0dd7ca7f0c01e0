/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whole_file.h - replaces a file as a whole, or not at all. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>

#include "src/base/error_text.h"
#include "src/base/file_place.h"

struct whole_file {
	FILE *out;        /* for the caller to write, between open and close */
	const char *path; /* the caller's */
	struct file_place place;
	char temporary[NAME_MAX + 1]; /* in the place's directory; "": the file is written directly */
	bool nameless;     /* the temporary file gets its name at the end: SIGKILL leaves nothing */
	bool is_transient; /* set by the caller: not flushed to the disk */
};

/* Returns whether @path, which may be NULL, is "-": standard output. */
bool whole_file_is_stdout(const char *path);

/* Returns 0 if a report can be written there ("-" always), or a negative errno with a reason that names the
 * path. Leaves no file behind, and does not touch an existing one. */
int whole_file_check(const char *path, struct error_text *reason);

/* Returns whether a report written to @path would replace @other under any of its names; @other need not
 * exist. Only regular files are replaced. */
bool whole_file_is(const char *path, const char *other);

/* A regular file, whose place is found by file_place_find(), is written under another name, and close puts it
 * in place, with the mode of the old file if that was this user's. Other files (/dev/null, a FIFO) are
 * written directly; "-" is standard output. */
int whole_file_open(struct whole_file *file, const char *path, struct error_text *reason);
/* Returns 0, or the first error of any write; then it has removed the temporary file. */
int whole_file_close(struct whole_file *file, struct error_text *reason);
/* In place of close: leaves the old file as it is. */
void whole_file_abandon(struct whole_file *file);
