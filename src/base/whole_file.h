/* SPDX-License-Identifier: GPL-2.0-or-later */
/* whole_file.h - finds the target of a path without foreign links, and replaces the file as a whole, or not
 * at all. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>

#include "src/base/error_text.h"

/* The descriptor keeps the directory that was checked, whatever happens to the path meanwhile. */
struct file_target {
	int directory;           /* owned; of O_PATH */
	char name[NAME_MAX + 1]; /* there; no symbolic link, and maybe no file */
	bool is_open_file;       /* the name is a link of /proc to what a process has open, such as a pipe */
};

/* Follows the symbolic links of @path by the rule of fs.protected_symlinks, also where that is off: a link in
 * a sticky directory that is writable for all must belong to this user or to the directory's owner. Returns
 * 0, or a negative errno with a reason that names the path; file_target_finish() accepts what is left. */
int file_target_find(struct file_target *target, const char *path, struct error_text *reason);
void file_target_finish(struct file_target *target);

/* Like stat(2). Returns 0 or a negative errno. */
int file_target_stat(const struct file_target *target, struct stat *status);
/* Like open(2), but a link that is there by now is an error. Returns a descriptor or a negative errno. */
int file_target_open(const struct file_target *target, int flags, mode_t mode);

struct whole_file {
	FILE *out;        /* for the caller to write, between open and close */
	const char *path; /* the caller's */
	struct file_target target;
	char temporary[NAME_MAX + 1]; /* in the target's directory; "": the file is written directly */
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

/* A regular file, whose target is found by file_target_find(), is written under another name, and close puts
 * it in place, with the mode of the old file if that was this user's. A file that is locked (flock(2)), as a
 * recording is while it is written, is refused. Other files (/dev/null, a FIFO) are written directly; "-" is
 * standard output. */
int whole_file_open(struct whole_file *file, const char *path, struct error_text *reason);
/* Returns 0, or the first error of any write; then it has removed the temporary file. */
int whole_file_close(struct whole_file *file, struct error_text *reason);
/* Takes the place of close: leaves the old file as it is. */
void whole_file_abandon(struct whole_file *file);
