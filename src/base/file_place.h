/* SPDX-License-Identifier: GPL-2.0-or-later */
/* file_place.h - the directory and the name of a file to be written, found without foreign links. */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <sys/stat.h>

#include "src/base/error_text.h"

/* The descriptor keeps the directory that was checked, whatever happens to the path meanwhile. */
struct file_place {
	int directory;           /* owned; of O_PATH */
	char name[NAME_MAX + 1]; /* there; no symbolic link, and maybe no file */
	bool is_open_file;       /* the name is a link of /proc to what a process has open, such as a pipe */
};

/* Follows the symbolic links of @path by the rule of fs.protected_symlinks, also where that is off: one that
 * is in a sticky directory in which anybody may make links must be the follower's or the directory's owner's.
 * Returns 0, or a negative errno with a reason that names the path; file_place_finish() accepts what is left.
 */
int file_place_find(struct file_place *place, const char *path, struct error_text *reason);
void file_place_finish(struct file_place *place);

/* Like stat(2). Returns 0 or a negative errno. */
int file_place_stat(const struct file_place *place, struct stat *status);
/* Like open(2), but a link that is there by now is an error. Returns a descriptor or a negative errno. */
int file_place_open(const struct file_place *place, int flags, mode_t mode);
