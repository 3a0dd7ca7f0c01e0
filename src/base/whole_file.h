/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whole_file.h - a file that is there whole, or not at all. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "src/base/error_text.h"

struct report_file {
	FILE *out;        /* to be written to between open and close */
	const char *path; /* the caller's */
	char *temporary;  /* owned; NULL where the path is written directly */
	bool nameless;    /* the temporary file gets its name at the end: SIGKILL leaves nothing */
};

/* Can a report be written there? "-" always. Returns 0 or a negative errno, with a reason that names the
 * path. Nothing is left behind, and a file that is there is not touched. */
int report_file_check(const char *path, struct error_text *reason);

/* Refuses a symbolic link that another user may have laid there to have a file of this user's overwritten. */
int report_file_check_link(const char *path, struct error_text *reason);

/* Would a report that is written there take the place of @other, which need not be there yet, by whatever
 * name? What is no regular file takes no place. */
bool report_file_is(const char *path, const char *other);

/* Regular files are written beside their place, and put there by close, with the mode of the file before if
 * that was this user's; what is no regular file (/dev/null, a FIFO) is written directly; "-" is standard
 * output. */
int report_file_open(struct report_file *file, const char *path, struct error_text *reason);
/* Returns 0, or the first error of any write, with the temporary file removed. */
int report_file_close(struct report_file *file, struct error_text *reason);
/* Instead of close: nothing is put in place. */
void report_file_abandon(struct report_file *file);
