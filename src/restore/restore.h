/* SPDX-License-Identifier: GPL-2.0-or-later */
/* restore.h - puts back the settings of the machine that ipctop has changed. */
#pragma once

#include <stddef.h>

#include "src/base/error_text.h"
#include "src/machine/setting_file.h"

struct journal;

struct restore_counts {
	size_t restored, left_alone, failed;
};

/* Called with each sentence. */
typedef void restore_tell(void *data, const char *sentence);

/* Writes the old value into each file that has the written one. Files that are gone are passed over. A value
 * that somebody else has written stays; @tell gets a sentence about it, and with @tells_all one about each
 * restored file. */
struct restore_counts restore_settings(
	const struct setting_file *files, size_t n, bool tells_all, restore_tell *tell, void *data);
/* Restores what the journal has, and forgets it unless a file could not be written. Returns how many files
 * were restored, 0 if there is no journal, or a negative errno with a sentence. */
int restore_journal(struct journal *journal, restore_tell *tell, void *data, struct error_text *reason);
/* Restores what a trial has left that was killed. Returns the same, or -EBUSY if one goes on. */
int restore_left(const char *folder, restore_tell *tell, void *data, struct error_text *reason);
