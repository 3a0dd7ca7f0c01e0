/* SPDX-License-Identifier: GPL-2.0-or-later */
/* restore.c - the verb `restore`: puts back the settings that a killed trial has left changed. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "src/app/verb.h"
#include "src/restore/journal_json.h"
#include "src/restore/restore.h"

static void print_sentence(void *data, const char *sentence)
{
	bool *any = data;

	*any = true;
	puts(sentence);
}

static int restore_main(int argc, char **argv, const struct options_names *names)
{
	struct error_text reason;
	bool any = false;

	if (argc > 2 && (strcmp(argv[2], "--help") == 0 || strcmp(argv[2], "-h") == 0)) {
		puts("ipctop restore - puts back the settings that a killed ipctop try has left changed\n\n"
		     "Exit status: 0; 1 if one could not be restored.");
		return verb_end_output();
	}
	if (argc > 2) {
		error_text_set(&reason, -EINVAL, "restore: %s: takes no other words", argv[2]);
		return verb_complain(&reason);
	}
	int r = restore_left(JOURNAL_FOLDER, print_sentence, &any, &reason);

	if (r < 0)
		return verb_complain(&reason);
	if (!any)
		puts("there is nothing to restore");
	return verb_end_output();
}

const struct verb verb_restore = {
	.name = "restore",
	.words = "",
	.purpose = "puts back what a killed try has left changed",
	.main = restore_main,
};
