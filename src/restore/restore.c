/* SPDX-License-Identifier: GPL-2.0-or-later */
/* restore.c - puts back the settings of the machine that ipctop has changed. */
#include "src/restore/restore.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "src/restore/journal_json.h"

enum { SENTENCE_SIZE = 4 * SETTING_VALUE_SIZE };

/* CPUs, interrupts and tasks may go meanwhile. */
static bool is_gone(int r)
{
	return r == -ENOENT || r == -ESRCH || r == -ENODEV || r == -ENOTDIR;
}

static void restore_file(const struct setting_file *file, struct restore_counts *counts, bool tells_all,
	restore_tell *tell, void *data)
{
	char now[SETTING_VALUE_SIZE], sentence[SENTENCE_SIZE];
	int r = setting_file_read(file->path, file->form, now);

	if (is_gone(r) || (r == 0 && !file->is_kept && setting_file_equal(file->form, now, file->was)))
		return;
	if (r == 0 && !file->is_unread && !setting_file_equal(file->form, now, file->written)) {
		counts->left_alone++;
		snprintf(sentence, sizeof(sentence), "%.100s is now %s, neither %s nor %s: left alone",
			file->path, now, file->was, file->written);
		tell(data, sentence);
		return;
	}
	if (r == 0)
		r = setting_file_write(file->path, file->form, file->was);
	if (is_gone(r))
		return;
	if (r < 0) {
		counts->failed++;
		snprintf(sentence, sizeof(sentence), "%.100s can't be set back to %s: %s", file->path,
			file->was, error_text_of_errno(r));
		tell(data, sentence);
		return;
	}
	counts->restored++;
	snprintf(sentence, sizeof(sentence), "%.100s: %s > %s, as it was before ipctop try", file->path, now,
		file->was);
	if (tells_all)
		tell(data, sentence);
}

struct restore_counts restore_settings(
	const struct setting_file *files, size_t n, bool tells_all, restore_tell *tell, void *data)
{
	struct restore_counts counts = {0};

	while (n > 0)
		restore_file(&files[--n], &counts, tells_all, tell, data);
	return counts;
}

int restore_journal(struct journal *journal, restore_tell *tell, void *data, struct error_text *reason)
{
	struct setting_file *files;
	size_t n;
	int r = journal_read(journal, &files, &n, reason);

	if (r < 0)
		return r == -ENOENT ? 0 : r;
	struct restore_counts counts = restore_settings(files, n, true, tell, data);

	setting_files_free(files, n);
	if (counts.failed)
		return error_text_set(reason, -EIO,
			"%zu settings could not be restored: ipctop restore tries it again", counts.failed);
	journal_forget(journal);
	return (int)counts.restored;
}

int restore_left(const char *folder, restore_tell *tell, void *data, struct error_text *reason)
{
	struct journal *journal;
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/trial", folder);
	if (geteuid() == 0 && access(path, F_OK) < 0)
		return 0;
	int r = journal_open(&journal, folder, reason);

	if (r < 0)
		return r;
	r = restore_journal(journal, tell, data, reason);
	journal_close(journal);
	return r;
}
