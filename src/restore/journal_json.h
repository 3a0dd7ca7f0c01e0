/* SPDX-License-Identifier: GPL-2.0-or-later */
/* journal_json.h - which settings of the machine ipctop has changed, in a file that outlives it.
 *
 * The file is in a folder that root alone may enter. Who has the folder's lock may change settings, or
 * restore them; forked processes share it. The file is there before the first setting is written, and is
 * replaced as a whole, so it is never cut. */
#pragma once

#include "src/base/error_text.h"
#include "src/machine/setting_file.h"

#define JOURNAL_FOLDER "/run/ipctop"

struct journal;

/* Makes the folder, and locks it. Returns 0, or a negative errno with a sentence: -EPERM without root's
 * rights, or where others could write there; -EBUSY if another process has the lock. */
int journal_open(struct journal **journal, const char *folder, struct error_text *reason);
/* Replaces the file. Returns 0, or a negative errno with a sentence: then no setting may be written. */
int journal_write(
	struct journal *journal, const struct setting_file *files, size_t n, struct error_text *reason);
/* Reads it; the caller frees the list. Returns 0; -ENOENT if there is nothing to restore, as after another
 * start of the machine; or another negative errno with a sentence. */
int journal_read(struct journal *journal, struct setting_file **files, size_t *n, struct error_text *reason);
/* Removes the file: all is restored, or is to stay. */
void journal_forget(struct journal *journal);
void journal_close(struct journal *journal); /* may be NULL */
/* The descriptor that has the lock. */
int journal_fd(const struct journal *journal);
/* Takes that descriptor in a forked process, where it has another number. */
void journal_set_fd(struct journal *journal, int fd);
